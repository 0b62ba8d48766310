"""What `querent knowledge --help` teaches, of each command."""

from __future__ import annotations

__all__ = ["CHECK", "EPILOG", "GROUND", "IMPORT", "SEARCH"]

EPILOG = """
[bold]Examples[/]

querent knowledge check knowledge.toml --database my.sqlite   [dim]what there is, and what the database lacks[/]

querent knowledge search "what was the gross margin in May?" --knowledge finance

querent knowledge ground finance shop "gross margin"   [dim]a formula as SQL on a database[/]

querent knowledge import semantic_models.yml --out knowledge.toml   [dim]from a semantic layer[/]

[dim]Formulas are what people of a field know beside a database: EBIT = revenue - costs. They stand in a knowledge.toml,
over concepts that any database may have; `querent ask --knowledge` uses them in queries.[/]
"""

CHECK = """
[bold]Examples[/]

querent knowledge check knowledge.toml

querent knowledge check finance --database shop

querent knowledge check metrics.yml --database my.sqlite --json   [dim]of any format that import reads[/]

[dim]A name that is there twice with other right sides is allowed: a database takes the one that it can ground best. A
concept that grounds nowhere is told, and is no error, since a bank of a field knows more than one database has. The
exit code is 1 where a formula cannot be read.[/]
"""

SEARCH = """
[bold]Examples[/]

querent knowledge search "what was the gross margin in May?" --knowledge finance

querent knowledge search "which patients are adults?" --knowledge all --database my.sqlite --json

[dim]Names and aliases are found as values of a database are: whatever their case and ending, and with a letter
mistaken. Several formulas of one name are candidates, of which a database takes the one that it can ground best.[/]
"""

GROUND = """
[bold]Examples[/]

querent knowledge ground finance shop

querent knowledge ground knowledge.toml my.sqlite "gross margin" --threshold .8

querent knowledge ground all my.sqlite --json   [dim]a line for each: name, sql, confidence, concepts, missing[/]

[dim]Each concept stands for the column or table whose name says it best; the confidence of a formula is that of its
least sure concept. One below the threshold is missing, and its nearest column is told: call it in the concepts of
your knowledge.toml what that column is called, or write the column itself (table.column).[/]
"""

IMPORT = """
[bold]Examples[/]

querent knowledge import models/semantic.yml --out knowledge.toml

querent knowledge import layer.json --format metricflow --out knowledge.toml

querent knowledge import formulas.csv --out knowledge.toml   [dim]columns: name, formula, says, unit, note, …[/]

[dim]Formats: metricflow (dbt), spreadsheet (CSV, TSV), querent. What a file is, is told by what it holds. Metrics that
are bound to columns stay so (orders.amount). What cannot be read is told with its line, and the rest is written.[/]
"""
