"""Which names a query may use where: its sources, the columns they show, and what FROM still owes.

How ``SELECT c.people, area FROM city AS c, state WHERE c.id > 1`` is read. `transitions` say that ``c.people`` stands
where a column stands, so `Transitions.word` takes `column_steps`: before FROM a column only asks. It becomes a
`RequiredSource` (`names`): c, one of the tables that may be called so and have a column people. ``area`` becomes one
without a name: any source that shows it. Both are in `SelectScope.needs` (`select_scope` says all that is known of a
SELECT). `from_cost` counts the fewest words in which a FROM can pay: ``FROM city c , state``, and `obligations` adds
what else is owed, so that the words left always suffice. In FROM `from_clause` takes a table, `joins` places it under
its name and strikes out what it pays; FROM may close once nothing is owed. After FROM a column is looked up: `visible`
says what sources show, `candidates` what of it can be written and which words are worth a look, `column_steps` walks to
the queries around.

The others: `select_list` has items, aliases and stars, `clauses` those behind FROM and PER, `catalogue` the tables
that can be written and the columns by which they refer to each other, `key_joins` the words that it takes to join
sources along keys. WITH is in `from_clause`, what GROUP BY must name in `obligations`, which columns a group has one
value of in `visible`, how many columns stars may show in `from_cost`, how ON must begin along keys in `select_scope`.
"""
