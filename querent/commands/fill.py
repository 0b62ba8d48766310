"""`querent fill`: from prototypes to the question-SQL pairs that a parser learns from."""

from __future__ import annotations

import querent

from ..console import count_bar, finish, speaking
from .options import AsJson, DomainName

__all__ = ["fill"]

EPILOG = """
[bold]Examples[/]

querent fill library

querent fill plant

[dim]Draws values for the slots of prototypes/*.toml from the domain's database and entities and writes
examples.LANGUAGE.jsonl beside them; the same prototypes and database give the same pairs.[/]
"""


def fill(domain: DomainName, *, as_json: AsJson = False) -> None:
    """Make question-SQL pairs of a domain's prototypes and write them into its folder."""
    with speaking(as_json) as console, count_bar("filling") as bar:
        filled = querent.fill_domain(domain, progress=bar)
        for language, pairs in filled.pairs.items():
            short = len(filled.short[language])
            less = f"; nothing more was left to ask of {short} of them" if short else ""
            console.print(f"{language}: {pairs} pairs of {filled.prototypes} prototypes{less}", highlight=False)
    finish(
        {
            "folder": str(filled.folder),
            "prototypes": filled.prototypes,
            "pairs": filled.pairs,
            "short": {language: list(ids) for language, ids in filled.short.items()},
        },
        as_json=as_json,
    )
