"""The first rows of each group, written out for engines, which do not know the PER of the normal form.

    SELECT Product.Name, Product.Price FROM Product ORDER BY Product.Price DESC LIMIT 3 PER Product.Kind

    SELECT t1.Name, t1.Price FROM (SELECT Product.Name, Product.Price, Product.Kind, ROW_NUMBER() OVER
    (PARTITION BY Product.Kind ORDER BY Product.Price DESC) AS c1 FROM Product) AS t1
    WHERE t1.c1 <= 3 ORDER BY t1.Kind, t1.c1

`numbered_rows` reads it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...data.errors import QueryError
from ...data.schema.later_uses import names_in
from ...grammar import Grammar
from ...grammar.vocabulary.build import split_name
from .derived_names import derived_name, output_name
from .keys import Words

__all__ = ["written_out"]


def written_out(sql: str, grammar: Grammar) -> str:
    """Return a query, slotted or filled, with what PER stands for, as it was where there is none.

    What is outside the grammar, or beside a star or DISTINCT, where no rule holds, stays as it was: no engine takes it.
    """
    if " PER " not in sql:
        return sql
    try:
        query = _Limited.read(tuple((token.text, token.terminal) for token in grammar.tokenize(sql)), grammar)
    except QueryError:
        return sql
    return sql if query is None else query.numbered()


@dataclass
class _Limited:
    """A query with PER, in parts.

    Attributes:
        grammar: of its words.
        outputs: what it shows.
        rest: from FROM to GROUP BY and HAVING.
        order: behind ORDER BY.
        most: behind LIMIT.
        past: behind OFFSET, empty for none.
        key: behind PER.
        taken: names that stand in it, in lower case.
    """

    grammar: Grammar
    outputs: list[Words]
    rest: Words
    order: Words
    most: str
    past: str
    key: Words
    taken: set[str]

    @classmethod
    def read(cls, words: Words, grammar: Grammar) -> _Limited | None:
        """Take a query apart; None if it has no PER, or cannot be written out."""
        at = {mark: place for place, mark in _marks(words, grammar)}
        items, starts = words[1 : at.get("FROM", 1)], ("FROM", "ORDER", "LIMIT", "PER")
        starred = any(terminal == "QSTAR" for _, terminal in items) or items[:1] == (("*", "STAR"),)
        if not all(start in at for start in starts) or starred or "DISTINCT" in at:
            return None
        commas = [-1, *(place - 1 for place, mark in _marks(words[: at["FROM"]], grammar) if mark == ","), len(items)]
        outputs = [_unnamed(items[a + 1 : b]) for a, b in pairwise(commas)]
        return cls(
            grammar,
            outputs,
            words[at["FROM"] : at["ORDER"]],
            words[at["ORDER"] + 2 : at["LIMIT"]],
            words[at["LIMIT"] + 1][0],
            words[at["OFFSET"] + 1][0] if "OFFSET" in at else "",
            words[at["PER"] + 1 :],
            {part.lower() for text, _ in words for part in (text, *split_name(text))},
        )

    def numbered(self) -> str:
        """Return the query of a derived table that numbers the rows of each group."""
        spell = self.grammar.spell
        columns = list(dict.fromkeys([*self.outputs, self.key]))
        known = self.taken | {column.name.lower() for _, column in self.grammar.schema.columns()}
        times = Counter(_own_name(column).lower() for column in columns)
        names, places = dict[Words, str](), iter(range(1, len(columns) + 2))
        for column in columns:
            own = _own_name(column)
            names[column] = own if own and times[own.lower()] == 1 else output_name(next(places), known)
        number = output_name(next(places), known)
        table = derived_name(1, self.taken | set(names_in(self.grammar.schema)))
        shown = [spell(c) if names[c] == _own_name(c) else f"{spell(c)} AS {names[c]}" for c in columns]
        over = f"OVER (PARTITION BY {spell(self.key)} ORDER BY {spell(self.order)})"
        past = f"{table}.{number} > {self.past} AND " if self.past else ""
        return (
            f"SELECT {', '.join(self._read(table, column, names[column]) for column in self.outputs)} "
            f"FROM (SELECT {', '.join(shown)}, ROW_NUMBER() {over} AS {number} {spell(self.rest)}) AS {table} "
            f"WHERE {past}{table}.{number} <= {self._last()} "
            f"ORDER BY {table}.{names[self.key]}, {table}.{number}"
        )

    @staticmethod
    def _read(table: str, column: Words, name: str) -> str:
        """Return an output of the whole, called as its column is, though several are called so."""
        own = _own_name(column)
        return f"{table}.{name}" if own in ("", name) else f"{table}.{name} AS {own}"

    def _last(self) -> str:
        """Return the number of the last row: their sum where the limits are told, which slots do not."""
        if not self.past:
            return self.most
        told = self.past.isdigit() and self.most.isdigit()
        return str(int(self.past) + int(self.most)) if told else f"{self.past} + {self.most}"


def _marks(words: Words, grammar: Grammar) -> Iterator[tuple[int, str]]:
    """Yield the places of keywords and commas that stand in no brackets."""
    depth = 0
    for place, (text, terminal) in enumerate(words):
        depth += (text == "(") - (text == ")")
        if not depth and grammar.tables.texts.get(terminal) == text:
            yield place, text


def _unnamed(output: Words) -> Words:
    """Return an output without a name of its own."""
    if output[-1][1] != "ALIAS" or len(output) == 1:
        return output
    return output[:-2] if output[-2][0] == "AS" else output[:-1]


def _own_name(output: Sequence[tuple[str, str]]) -> str:
    """Return the name of a column without its owner, empty of anything else."""
    return split_name(output[0][0])[1] if len(output) == 1 and output[0][1] == "QCOLUMN" else ""
