"""How the terminals of a grammar are written on one schema: keywords, functions, names with their owners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..grammar import Grammar

__all__ = ["CALL", "MINUS", "OTHER", "WORD", "ExportLiteral", "ExportSpelling", "spellings"]

WORD, OTHER, MINUS, CALL = "w", "n", "m", "f"
"""What a text begins or ends with: a word, name, number or text; another sign; a minus; the name of a function."""


@dataclass(frozen=True)
class ExportLiteral:
    """A text of the query, in any case if ``folded``."""

    text: str
    folded: bool


Choice = tuple[ExportLiteral, ...]


@dataclass(frozen=True)
class ExportSpelling:
    """How a terminal is written.

    Attributes:
        begins: what stands first, one of the letters above; ``ends`` what stands last.
        texts: sequences of choices; none where a pattern says it, as of numbers and strings.
    """

    begins: str
    ends: str
    texts: tuple[tuple[Choice, ...], ...] = ()


def spellings(grammar: Grammar, aliases: Sequence[str]) -> dict[str, ExportSpelling]:
    """Return the spelling of each terminal; classes of functions that the dialect has none of are left out."""
    texts = grammar.tables.texts
    found = {name: _fixed(texts[name]) for name in grammar.terminals if name in texts}
    found |= dict.fromkeys(("WHOLE", "NUMBER", "STRING"), ExportSpelling(WORD, WORD))
    classes: dict[str, list[ExportLiteral]] = {}
    for function in grammar.functions.values():
        for terminal in function.terminals:
            classes.setdefault(terminal, []).append(ExportLiteral(function.name, folded=True))
    for name, called in classes.items():
        # to MySQL, COUNT (*) is no call
        ends = CALL if grammar.dialect == "mysql" and name != "NILADIC" else WORD
        found[name] = ExportSpelling(WORD, ends, ((tuple(called),),))
    return found | {name: ExportSpelling(WORD, WORD, tuple(texts)) for name, texts in _names(grammar, aliases)}


def _fixed(text: str) -> ExportSpelling:
    kind = WORD if text[0].isalpha() else MINUS if text == "-" else OTHER
    return ExportSpelling(kind, kind, (((ExportLiteral(text, folded=text[0] != '"'),),),))


def _names(grammar: Grammar, aliases: Sequence[str]) -> Iterator[tuple[str, list[tuple[Choice, ...]]]]:
    """Yield the terminals that are names, each with its texts."""
    dot, star = (ExportLiteral(".", folded=False),), (ExportLiteral("*", folded=False),)
    if grammar.quoting.folds:  # an alias that stands without quotes is the one in lower case
        aliases = [name.lower() if grammar.quoting.bare(name.lower()) else name for name in aliases]
    tables = grammar.schema.tables
    columns = [column.name for _, column in grammar.schema.columns()]
    within = {
        t: (_written(grammar, [t.namespace]), dot, _written(grammar, [t.own_name])) for t in tables if t.qualified
    }
    found = [table.name for table in tables if not table.qualified]
    yield "TABLE", [*([(_written(grammar, found),)] if found else []), *within.values()]
    yield "COLUMN", [(_written(grammar, columns),)]
    yield "ALIAS", [(_written(grammar, aliases),)]
    owned = [
        (within.get(t, (_written(grammar, [t.name]),)), _written(grammar, [c.name for c in t.columns])) for t in tables
    ]
    # what a derived table shows may be called by an alias
    owned.append(((_written(grammar, aliases),), _written(grammar, [*columns, *aliases])))
    yield "QCOLUMN", [(*owner, dot, names) for owner, names in owned]
    yield "QSTAR", [(*owner, dot, star) for owner, _ in owned]


def _written(grammar: Grammar, names: Iterable[str]) -> Choice:
    """Return how names are written: bare where they may be, and in quotes."""
    quoting = grammar.quoting
    several = sorted(dict.fromkeys(names), key=lambda name: (-len(name), name))
    bare = [
        ExportLiteral(n, folded=n.isascii()) for n in several if quoting.bare(n)
    ]  # engines fold other letters or do not
    return (*bare, *(ExportLiteral(quoting.quoted(n), folded=False) for n in several))
