"""KnowBench: questions that need a formula, over databases whose tables and names differ.

A domain (`content`) tells its formulas, concepts and structures; `layouts` puts each structure under each way of
naming, `rows` fills it (`tables` writes the file, of the proxy benchmarks', too), `meaning` grounds a formula in it and
`queries` writes the gold query, both by the structure's own list of concepts and never by names. The questions
(`calculations`, `conditions`, `plain`) are drawn by `questions`, and `writing` leaves databases, banks of formulas and
questions in a folder.
"""
