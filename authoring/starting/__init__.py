"""A new domain from a database, for ``querent new``.

`skeleton` writes the folder, `entity_types` finds its entities, `starters` makes its first prototypes from sampled
queries: `slotting` replaces their values by slots, and `choosing` makes an even choice of them.
"""
