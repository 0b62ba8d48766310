"""Queries as people read them: what a derived table shows goes by its column's own name, where it has one alone.

SELECT t1.c1, t1.c2 FROM (SELECT Album.Title AS c1, COUNT(*) AS c2 FROM …) AS t1
SELECT t1.Title, t1.c2 FROM (SELECT Album.Title, COUNT(*) AS c2 FROM …) AS t1
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ...grammar.vocabulary.build import split_name
from .keys import Words
from .shorthand import ShortForm

__all__ = ["with_own_names"]

_BEFORE = ("SELECT", "DISTINCT", ",")
"""What stands before an output."""


@dataclass
class _Derived:
    """What stands within a bracket, a derived table's maybe: names that it gives to columns, each with its place."""

    named: dict[str, tuple[str, int]] = field(default_factory=dict[str, "tuple[str, int]"])

    def alone(self) -> dict[str, tuple[str, int]]:
        """Return those of columns that no other is called like."""
        times = Counter(column.lower() for column, _ in self.named.values())
        return {name: told for name, told in self.named.items() if times[told[0].lower()] == 1}


def with_own_names(sql: str, form: ShortForm) -> str:
    """Return a query in normal form with its columns' own names for what its derived tables show."""
    outputs, derived = ({text for text, _ in some} for some in (form.outputs, form.derived))
    if not any(f"AS {name}" in sql for name in derived):
        return sql
    tokens = tuple((token.text, token.terminal) for token in form.grammar.tokenize(sql))
    tables = _named(tokens, outputs, derived)
    changed = {f"{table}.{name}": f"{table}.{column}" for table, own in tables for name, (column, _) in own.items()}
    left_out = {place + more for _, own in tables for _, place in own.values() for more in (1, 2)}
    kept = ((changed.get(text, text), terminal) for i, (text, terminal) in enumerate(tokens) if i not in left_out)
    return form.grammar.spell(kept)


def _named(tokens: Words, outputs: set[str], derived: set[str]) -> list[tuple[str, dict[str, tuple[str, int]]]]:
    """Return each derived table whose name no other has, with the columns that it gives names to."""
    open_, closed, found = [_Derived()], _Derived(), list[tuple[str, _Derived]]()
    for place, (text, terminal) in enumerate(tokens):
        if text == "(":
            open_.append(_Derived())
        elif text == ")":
            closed = open_.pop()
        elif terminal == "ALIAS" and text in derived:
            found.append((text, closed))
        elif terminal == "ALIAS" and text in outputs:
            (before, _), (column, kind) = tokens[place - 3], tokens[place - 2]
            if kind == "QCOLUMN" and before in _BEFORE:
                open_[-1].named[text] = split_name(column)[1], place - 2
    times = Counter(name for name, _ in found)
    return [(name, of.alone()) for name, of in found if times[name] == 1]
