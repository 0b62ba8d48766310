"""The sources of a FROM: tables, joins by keys and otherwise, what they show, and the fewest that are still needed."""
