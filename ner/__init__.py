"""Value linking: `index` finds the cells that a question names, `known_values` holds further values of a domain."""
