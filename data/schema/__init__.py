"""Schemas: tables, columns and keys; read from CREATE scripts, and what names, views and queries tell of keys.

``querent.data.schema.schema`` and ``by_name`` need the standard library only, which keeps the grammar room light.
"""
