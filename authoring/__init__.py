"""What writes a domain: `skeleton` for ``querent new``, `check` with `view`, and `source` for ``querent fill``.

`values` draws what fills the slots of prototypes and puts it into words, `pairs` makes question-SQL pairs of them;
`starters` are the first prototypes of a new domain, `entity_types` what its columns name.
"""
