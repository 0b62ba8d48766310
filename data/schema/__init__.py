"""Schemas: tables, columns and keys; read from CREATE scripts, and what names and views tell of keys.

``querent.data.schema.schema`` needs the standard library only, which keeps the grammar room light.
"""
