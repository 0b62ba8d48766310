"""The model card of a saved parser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .pipeline import Parser

__all__ = ["model_card"]


def model_card(parser: Parser, facts: Mapping[str, Any]) -> str:
    """Return the card as Markdown: what the parser is, how to use it, and the ``facts`` given."""
    config, schema = parser.model.config, parser.grammar.schema
    mode = "off" if parser.global_constraint is None else parser.global_constraint.mode
    rows = {
        "language": parser.language or "not stated",
        "dialect": parser.grammar.dialect,
        "tables": ", ".join(table.name for table in schema.tables),
        "SQL words": len(parser.vocabulary),
        "encoder": config.encoder,
        "parameters": f"{parser.model.num_parameters():,}",
        "local constraint": "on" if parser.local else "off",
        "global constraint": mode,
        "longest query": f"{config.budget} words",
        **facts,
    }
    table = "\n".join(f"| {_cell(name)} | {_cell(value)} |" for name, value in rows.items())
    valid = (
        "Every query it writes parses in its dialect and names only tables, columns and functions of its vocabulary."
        if parser.local
        else "Its queries are not constrained by the grammar and may be broken."
    )
    return f"""---
library_name: querent
tags: [text-to-sql]
---
# A parser of questions on {schema.name or "one database"}

It turns questions on one database into SQL. {valid} A valid query can still be the wrong one: look at it, and at
`score`, before you rely on its rows. It knows nothing of other databases, and of words that its training never used.

| | |
|---|---|
{table}

```python
from querent.parser import Parser

parser = Parser.from_pretrained("path/to/this/folder")
print(parser(["..."])[0].sql)
```
"""


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")
