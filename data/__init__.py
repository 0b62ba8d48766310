"""Domains in and out: schemas, databases, SQL as far as sqlglot reads it, the values of questions, examples, formats.

Its modules are imported one by one.
"""
