"""Schemas: tables, columns and keys, read from CREATE scripts; names and views suggest further keys.

``querent.data.schema.schema`` needs the standard library only, which keeps the grammar room light.
"""
