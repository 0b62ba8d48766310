"""Prototypes of a domain folder: one query each, with the wordings that ask for it.

`reader` reads ``prototypes/*.toml``, `rules` what may fill a slot.
"""
