"""Domains in and out: schemas, examples, formats, databases, and SQL as far as sqlglot reads it.

Its modules are imported one by one: ``querent.data.schema`` needs the standard library only, which keeps the grammar
room light.
"""
