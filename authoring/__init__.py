"""Writes domains: `skeleton` for ``querent new``, `check` with `view`, and `source` for ``querent fill``.

`values` draws the values of slots and words for them, and `pairs` makes question-SQL pairs of prototypes; `starters`
makes the first prototypes of a new domain, and `entity_types` finds the types of its entities.
"""
