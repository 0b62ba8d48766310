"""Prototypes: one query each, with the wordings that ask for it, filled to question-SQL pairs.

`reader` reads ``prototypes/*.toml`` of a domain folder, `rules` what may fill a slot, `candidates` asks the domain's
database for values, `sayings` says them, `instantiate` makes the pairs, `writing` writes them into the folder;
`review` finds what is wrong, `near` which prototypes nearly repeat one another.
"""
