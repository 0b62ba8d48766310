"""The model card of a saved parser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..grammar import LEVELS

if TYPE_CHECKING:
    from .pipeline import Parser

__all__ = ["model_card"]

_PROMISES = ("parses and ends in time", "has names that resolve", "has types that fit", "executes")


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
        "local constraint": f"level {parser.level}" if parser.local else "off",
        "grouping": parser.grouping,
        "global constraint": mode,
        "longest query": f"{config.budget} words",
        "widest FROM": "any" if config.sources is None else f"{config.sources} sources",
        "joins": "along foreign keys" if config.joins == "keys" else "any tables",
        **facts,
    }
    table = "\n".join(f"| {_cell(name)} | {_cell(value)} |" for name, value in rows.items())
    valid = (
        f"Every query it writes {_listed(_PROMISES[: LEVELS.index(parser.level) + 1])}."
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


def _listed(promises: tuple[str, ...]) -> str:
    *first, last = promises
    return f"{', '.join(first)}, and {last}" if first else last


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")
