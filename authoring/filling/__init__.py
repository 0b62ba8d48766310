"""Prototypes filled to question-SQL pairs, as ``querent fill`` does it.

`candidates` asks the domain's database for values and says them, `instantiate` makes the pairs, `writing` writes them
into the folder.
"""
