"""Input and output of data: schemas, databases, SQL by sqlglot, the values of questions, examples, file formats.

Its modules are imported one by one.
"""
