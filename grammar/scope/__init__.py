"""Which names a query may use where: its sources, the columns they show, and what its FROM must still contain.

This is how ``SELECT c.people, area FROM city AS c, state WHERE c.id > 1`` is read. `Transitions` find that ``c.people``
stands where a column stands, so `column_steps` take it. Before FROM no source is known, so the column becomes an
`OpenReference`: to a source c, one of the tables that have a column people. ``area`` becomes a reference without a
source's name. Both are kept in `SelectScope.needs`. `JoinTreeCost` counts the fewest words of a FROM that resolves all
open references, ``FROM city c , state``, and `CompletionCost` adds all else that the SELECT must still contain, so
that the words left always suffice. In FROM, `from_clause` takes a table and `joins` resolves the references to it; FROM
may end once none is open. After FROM, a column is looked up at once: `visible` knows what sources show, `candidates`
which words cost the same, and `column_steps` goes to the queries around.

Beside these, `select_list` has items, aliases and stars, `clauses` what stands behind FROM, `catalogue` the tables and
the keys between them, `key_joins` the words that joins along keys take.
"""
