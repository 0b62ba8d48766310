"""Which names a query may use where: its sources, the columns they show, and what FROM still owes.

How ``SELECT c.people, area FROM city AS c, state WHERE c.id > 1`` is read. `positions` says that ``c.people`` stands
where a column stands, so `Transitions.word` takes `column_steps`: before FROM a column only asks. It becomes a
`RequiredSource` (`names`): c, one of the tables that may be called so and have a column people. ``area`` becomes one
without a name: any source that shows it. Both are in `SelectScope.needs` (`select_scope` says all that is known of a
SELECT). `from_cost` counts the fewest words in which a FROM can pay: ``FROM city c , state``, and `obligations` adds
what else is owed, so that the words left always suffice. In FROM `from_clause` takes a table, `joins` places it under
its name and strikes out what it pays; FROM may close once nothing is owed. After FROM a column is looked up: `visible`
says what sources show, `resolver` what of it can be written, `column_steps` walks to the queries around.

The others: `select_list` items, aliases, stars; `transitions` whole queries, `clauses` those behind FROM,
`first_of_each` PER, `common_tables` WITH; `steps` what all steps share; `grouping` what GROUP BY must name, `grouped`
which columns a group has one value of; `widths` how many columns stars may show; `catalogue` which tables can be
written, `source_words` in how many words; `implicit_names` what outputs without AS are called; `candidates` which
words are worth a look. Where sources join along keys, `foreign_keys` has the columns that refer to each other,
`key_joins` the words that it takes to join sources by them and by tables between, `key_condition` how ON must begin.
"""
