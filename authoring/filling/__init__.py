"""Prototypes filled to question-SQL pairs, as ``querent fill`` does it.

`source` reads a domain folder to be filled, `candidates` asks the domain's database for values, `sayings` says them,
`instantiate` makes the pairs, `writing` writes them into the folder; `near` finds prototypes that nearly repeat one
another.
"""
