"""Queries of WITH RECURSIVE: what of one is its anchor and its step, and when a step may be taken again and again.

A step may be repeated for ever if it makes of columns of some types columns of the same types, no larger than before: a
fixpoint, as abstract interpretation has it. Counters, ``n + 1``, are the exception: they grow by so little that a query
has run out of time long before a counter is too large.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..grammar import Grammar
from ..grammar.reading.lexer import Lexeme
from ..grammar.types.abstract_values import AbstractValue
from .lexeme_tree import Group, Node, Nodes, UnableError, flat, index_of, split, word
from .query_rewriting import QueryRewriting, is_aggregate, types_called

__all__ = ["Recursion", "Stable"]

_NEVER = {"GROUP", "HAVING", "DISTINCT", "OVER", "ORDER", "LEFT", "RIGHT", "FULL", "UNION", "INTERSECT", "EXCEPT"}
"""What some engine takes in no step, or not with what the step reads of itself."""

_ASKING = {"||", "=", "<", ">", "<=", ">=", "<>", "!=", "<=>", "IF", "CASE", "AND", "OR", "XOR", "NOT", "BETWEEN", "IN"}
"""Words of conditions, for which MySQL takes texts for numbers."""

_SIZED = {"text", "dec", "null", "blob", "small", "any"}
"""Types of columns that engines give sizes or labels, which a step may not change."""

_SMALL = re.compile("SMALL|TINY|MEDIUM|BOOL|YEAR")  # columns of MariaDB that stay so where they are counted up
_UNITS = {"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"}

_LARGEST = "999999999"
"""What a counter counts to, at most: no engine makes another type of it."""


@dataclass(frozen=True)
class Stable:
    """Queries of WITH, one step after another, which must not change what their columns hold.

    Attributes:
        names: that of the anchor alone, of it with one step, which is what the query reads, and with two.
        counters: the places of columns that are counted up without a bound.
        times: the places of columns that are counted up by intervals, and must be times.
        alike: for each column whether sizes are those of the anchor, whatever its type is; empty where none matter.
    """

    names: tuple[str, ...]
    counters: frozenset[int]
    times: frozenset[int]
    alike: tuple[bool, ...]

    def holds(self, shown: Mapping[str, Sequence[tuple[str, AbstractValue]]]) -> bool:
        """Say whether types and sizes stay what they are, given what each query of WITH shows."""
        columns = [[(value.type, value.magnitude) for _, value in shown[name]] for name in self.names]
        for place, (first, second, third) in enumerate(zip(*columns, strict=True)):
            is_time = second[0] in {"date", "stamp"}
            endless = place in (self.counters if is_time else self.times)
            changed = first != second and not first[0] == second[0] == "text"
            sized = self.alike and (changed or (first[0] in _SIZED and not self.alike[place]))
            if second != third or endless or sized:
                return False
        return True


@dataclass(frozen=True)
class Recursion:
    """The parts of ``anchor UNION ALL step``; the step reads the whole."""

    anchor: Nodes
    operator: Nodes
    step: Nodes
    dialect: str

    @classmethod
    def of(cls, grammar: Grammar, name: Lexeme, body: Nodes) -> Recursion | None:
        """Return the parts of a query that reads itself, None if it is not sure that the engine takes it."""
        at = index_of(body, ("UNION",))
        start = at + 1 + (at + 1 < len(body) and word(body[at + 1]) in {"ALL", "DISTINCT"})
        step, key = body[start:], grammar.quoting.key
        read = [x for x in flat(body) if len(x.parts) == 1 and key(x.parts[0].text) == key(name.parts[0].text)]
        words = {word(x) for x in flat(step)}
        aggregates = any(is_aggregate(grammar, w) for w in words)
        limited = "LIMIT" in words and grammar.dialect != "sqlite"
        shown = {word(x) for x in flat(step[: index_of(step, ("FROM",))])}
        asks = grammar.dialect == "mysql" and bool(shown & _ASKING)  # a text is no number where a table is filled
        if at == len(body) or len(read) != 1 or read[0] not in step or words & _NEVER or aggregates or limited or asks:
            return None
        return cls(body[:at], tuple(n for n in body[at:start] if word(n) != "DISTINCT"), step, grammar.dialect)

    def without_counters(
        self, anchor: Nodes, step: Nodes, names: Sequence[str], rewriting: QueryRewriting
    ) -> tuple[Nodes, Nodes, frozenset[int], frozenset[int]]:
        """Return anchor and step with ``n`` for ``n + 1``, and for where it begins a number as large as any it reaches.

        Also the places of the columns that count without a bound, and of those that count by intervals. ``n + 1``
        becomes a condition, to be no error.
        """
        counted = {name: i for i, name in enumerate(names) if name}
        items = split(step[1 : index_of(step, ("FROM",))])
        bound = step[index_of(step, ("WHERE",)) :]
        below = {word(a).rpartition(".")[2] for a, b in pairwise(bound) if word(b) in {"<", "<="}}
        read = Counter(word(x).rpartition(".")[2] for x in flat(bound))
        below = {n for n in below if read[n] == 1} if index_of(bound, ("OR", "NOT")) == len(bound) else set()
        places, unbound, times, checks = set[int](), set[int](), set[int](), list[Node]()
        for i, item in enumerate(map(_uncast, items[: len(names)])):
            reads = flat(item)[2 if word(item[0]) in {"DATE_ADD", "DATE_SUB", "DATE"} else 0 :][:1]
            counter = word(reads[0]).rpartition(".")[2] if reads else ""
            if counted.get(counter) == i and _counts(item, self.dialect):
                added = items[i][: index_of(items[i], ("AS",))]
                checks += (
                    *rewriting.made("AND" if bound or checks else "WHERE", reads[0]),
                    *added,
                    *rewriting.made("IS NOT NULL", reads[0]),
                )
                times |= {i} if "INTERVAL" in map(word, flat(item)) else set[int]()
                typed = ":: TIMESTAMP" if item == items[i] else ":: DATE"
                cast = rewriting.made(typed, reads[0]) if self.dialect == "postgres" and i in times else ()
                items[i] = (reads[0], *cast, *items[i][len(added) :])
                places.add(i)
                unbound |= {i} - {i for name in below if name == counter}
        firsts = split(anchor[1 : index_of(anchor, ("FROM", "WHERE"))])
        for i in places:
            at = firsts[i][0]
            types = {t for x in flat(firsts[i]) for t in types_called(rewriting, x)}
            if self.dialect == "mysql" and any(map(_SMALL.match, types)):
                raise UnableError
            if isinstance(at, Lexeme) and at.text.isdigit() and (len(firsts[i]) == 1 or word(firsts[i][1]) == "AS"):
                firsts[i] = (*rewriting.made(_LARGEST, at), *firsts[i][1:])

        anchor = (anchor[0], *rewriting.listed(firsts), *anchor[index_of(anchor, ("FROM", "WHERE")) :])
        start, end = (index_of(step, (name,)) for name in ("FROM", "LIMIT"))
        return (
            anchor,
            (step[0], *rewriting.listed(items), *step[start:end], *checks, *step[end:]),
            frozenset(unbound),
            frozenset(times),
        )

    def alike(self, rewriting: QueryRewriting, anchor: Nodes, step: Nodes) -> tuple[bool, ...]:
        """Return of each column whether both parts take it from columns of one name, or the anchor has a TEXT."""
        pairs = zip(*(split(some[1 : index_of(some, ("FROM",))]) for some in (anchor, step)), strict=False)
        return tuple(_last(a) == _last(b) != "" or _is_text(rewriting, a) for a, b in pairs)


def _last(item: Nodes) -> str:
    """Return the column that an item is, nothing if it is more than that."""
    item = item[: index_of(item, ("AS",))]
    return word(item[0]).rpartition(".")[2] if len(item) == 1 and not isinstance(item[0], Group) else ""


def _is_text(rewriting: QueryRewriting, item: Nodes) -> bool:
    lexemes = flat(item[: index_of(item, ("AS",))])
    words = [word(x) for x in lexemes]
    if len(words) == 1 and types_called(rewriting, lexemes[0]) == {"TEXT"} and rewriting.grammar.dialect == "postgres":
        return True
    return words[1:3] == ["::", "TEXT"] or (words[:1] == ["CAST"] and words[-4:-1] == ["AS", "TEXT", ")"])


def _uncast(item: Nodes) -> Nodes:
    """``(d + INTERVAL '1 day')::date``: what is in the brackets."""
    match item:
        case (Group() as group, Lexeme(text="::"), Lexeme() as type_, *_) if word(type_) == "DATE":
            return group.nodes
        case _:
            return item


def _counts(item: Nodes, dialect: str) -> bool:
    """Say whether an item is a column and a little more: ``n + 1``, ``d + INTERVAL 1 DAY``, ``DATE_ADD(d, …)``."""
    words = [word(x) for x in flat(item[: index_of(item, ("AS",))])]
    if words[:2] in (["DATE_ADD", "("], ["DATE_SUB", "("]) and dialect == "mysql":
        words = [words[2], "+", *words[4:-1]]
    if len(words) == 3:
        return words[1] in {"+", "-"} and words[2].isdigit() and len(words[2]) == 1
    if dialect == "postgres":  # which raises beyond the last time, and before the first one
        return len(words) == 4 and words[1:] == ["+", "INTERVAL", ""]
    return len(words) == 5 and words[1:3] in (["+", "INTERVAL"], ["-", "INTERVAL"]) and words[4] in _UNITS
