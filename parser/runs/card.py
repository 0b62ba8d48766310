"""The model card of a parser that was trained on a domain."""

from __future__ import annotations

from typing import Any

from ..learning.network import TrainableNetwork
from ..reader.schema.profile import Profile
from .options import TrainConfig

__all__ = ["model_card"]


def model_card(config: TrainConfig, profile: Profile, network: TrainableNetwork) -> str:
    """Return the card as Markdown: what the parser is, how to use it, and what it was made of."""
    rows = {
        "language": profile.language,
        "dialect": profile.dialect,
        "grouping": profile.grouping,
        "tables": ", ".join(table.name for table in profile.schema.tables),
        "base": config.model.base,
        "encoder": network.config.encoder,
        "parameters that were trained": f"{sum(p.numel() for p in network.parameters()):,}",
        "split": config.data.split,
        "epochs": config.optim.epochs,
        "seed": config.seed,
        "longest query": f"{profile.budget} words",
        "widest FROM": f"{profile.sources} tables",
    }
    table = "\n".join(f"| {name} | {_cell(value)} |" for name, value in rows.items())
    return f"""---
library_name: querent
language: {profile.language}
tags: [text-to-sql]
---
# A parser of questions on {profile.name}

It turns questions on one database into SQL. Under Querent's constraint every query runs; it can still be the wrong
one: look at it, and at the confidence, before you rely on its rows.

| | |
|---|---|
{table}

```python
import querent

answer = querent.connect("my.sqlite", parser="path/to/this/folder").ask("...")
print(answer.sql, answer.rows)
```
"""


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")
