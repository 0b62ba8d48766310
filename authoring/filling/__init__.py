"""Generation of question-SQL pairs from prototypes, for ``querent fill``.

`candidates` reads values from the domain's database and puts them into words, `instantiate` makes the pairs, `writing`
writes them into the folder.
"""
