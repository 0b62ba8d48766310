"""A new domain from a database, as ``querent new`` writes it.

`skeleton` writes the folder, `entity_types` finds its entities, `starters` its first prototypes: sampled queries whose
values `slotting` puts slots for, an even choice of them by `choosing`.
"""
