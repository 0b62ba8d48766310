"""Which values a question names: `index` finds those of a database, `known_values` are what a domain tells besides."""
