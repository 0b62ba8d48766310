"""Authoring of domains: `starting` creates a domain, `filling` generates its pairs, `checking` finds its faults."""
