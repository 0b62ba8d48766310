"""Facts about tables and columns that sampling starts from: nouns, kinds, joins, and verbs for them."""
