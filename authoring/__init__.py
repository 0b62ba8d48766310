"""What writes a domain: `starting` begins one, `filling` makes its pairs, `checking` finds what is wrong with it."""
