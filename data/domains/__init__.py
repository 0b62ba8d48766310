"""What a parser learns from: a domain's pairs, the domains that come along, collections of many databases."""
