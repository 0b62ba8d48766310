"""Queries outside of the grammar, written with what it has: where the rewritten query runs, the query does.

A step may be repeated for ever if it makes of columns of some types columns of the same types, no larger than before: a
fixpoint, as abstract interpretation has it. Counters, ``n + 1``, are the exception: they grow by so little that a query
has run out of time long before a counter is too large.

This is how compilers treat syntactic sugar. Derived tables become queries of WITH, whose columns are known before the
SELECT that reads them; so do VALUES, tables that functions make, and what LATERAL derives from the sources before it.
The window of a name is written where it is used; DISTINCT ON, ROLLUP and their like are taken away once what they ask
for is there. Nothing is executed. All lexemes stay the query's own or stand at the place of one, so that what the rules
say of the rewritten query is said of the place in the query. Whatever cannot be rewritten so that the query fails where
it failed before, is left undecided.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ..grammar import MAX_WORDS, Grammar, State
from ..grammar.reading.lexer import Lexeme
from ..grammar.types.abstract_values import AbstractValue
from .derived_tables import labelled, operand, rows_of_items, selects_of_values, with_sources, without_stars
from .expression_keys import keys_by_position
from .from_items import with_conditions
from .guards import guarded
from .query_rewriting import (
    SETS,
    Group,
    Node,
    Nodes,
    QueryRewriting,
    UnableError,
    flat,
    grouped,
    index_of,
    is_aggregate,
    items_of,
    label_of,
    mapped,
    split,
    types_called,
    word,
)
from .sugar import distinct_on, finds_one, grouping, windows, without_sugar

__all__ = ["desugared"]

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


_SORTING = {"ORDER", "LIMIT", "OFFSET", "FETCH"}


@dataclass(frozen=True)
class Desugared:
    """A query rewritten; it runs as the original does if each query of ``stable`` keeps its types."""

    lexemes: list[Lexeme]
    stable: tuple[Stable, ...]

    def keeps_types(self, state: State) -> bool:
        """Say whether each query that reads itself shows the same types and sizes after one step and after two."""
        scope = state.next_words.scope
        shown = {table.name.lower(): table.columns for table in scope.select.common} if scope else {}
        return all(one.holds(shown) for one in self.stable)


def desugared(grammar: Grammar, lexemes: Sequence[Lexeme]) -> Desugared | None:
    """Return a query without what can be written by other means, None if there is no such thing or no way to say it."""
    nodes = grouped(lexemes)
    if not nodes or len(lexemes) > MAX_WORDS or word(nodes[0]) not in {"SELECT", "WITH", "VALUES", ""}:
        return None
    rewriting = _Desugaring(grammar, lexemes)
    try:
        nodes = rewriting.query(without_sugar(rewriting, nodes))
        found = flat((*rewriting.defined(nodes[0]), *nodes))
    # IndexError of a clause that ends where a word must stand, RecursionError of brackets by the thousand
    except (UnableError, IndexError, RecursionError):
        return None
    return None if [x.text for x in found] == [x.text for x in lexemes] else Desugared(found, tuple(rewriting.stable))


@dataclass
class _Desugaring(QueryRewriting):
    """The walk through one query and the queries in it; ``stable`` has those that read themselves."""

    stable: list[Stable] = field(default_factory=list[Stable])
    depth: int = 0

    def defined(self, at: Node) -> Nodes:
        """Return WITH and all that it defines."""
        found: list[Node] = []
        for name, body in self.common.items():
            found += (*self.made(f"{', ' if found else 'WITH '}{name} AS", at), *self.around("(X)", body))
        return tuple(found)

    def query(self, nodes: Nodes) -> Nodes:
        """Return a query without WITH, the operands of its set operators rewritten."""
        self.depth += 1
        if word(nodes[0]) == "WITH":
            nodes = self._with(nodes)
        match nodes:
            case (Group() as group, following, *_) if group.is_query and word(following) in _SORTING:
                if not _SORTING & {word(n) for n in group.nodes}:
                    nodes = (*group.nodes, *nodes[1:])
            case _:
                pass
        found: list[Node] = []
        start = 0
        while start < len(nodes):
            end = index_of(nodes, SETS, start)
            compound, part = start > 0 or end < len(nodes), nodes[start:end]
            part = part if compound else keys_by_position(self, part, outermost=self.depth == 1)
            part = self._select(part, compound=compound)
            found += operand(self, part) if compound and part and self.grammar.dialect != "sqlite" else part
            start = end + 1 + (end + 1 < len(nodes) and word(nodes[end + 1]) in {"ALL", "DISTINCT"})
            found += nodes[end:start]
        self.depth -= 1
        return tuple(found)

    def _with(self, nodes: Nodes) -> Nodes:
        """Take the queries of WITH; return what stands behind them."""
        recursive = word(nodes[1]) == "RECURSIVE"
        at = 1 + recursive
        while True:
            name, named = nodes[at], nodes[at + 1]
            start = index_of(nodes, ("AS",), at) + 1
            if start != at + 2 + isinstance(named, Group):
                raise UnableError
            if self.grammar.dialect != "mysql":
                start += [word(n) for n in nodes[start : start + 2]] == ["NOT", "MATERIALIZED"]
                start += word(nodes[start]) == "MATERIALIZED"
            body = nodes[start] if start < len(nodes) else None
            if not isinstance(name, Lexeme) or len(name.parts) != 1 or not isinstance(body, Group) or not body.is_query:
                raise UnableError
            columns = split(named.nodes) if isinstance(named, Group) else None
            if self.key(name.parts[0].text) in self.taken:
                raise UnableError
            self.taken.add(self.key(name.parts[0].text))
            if recursive and any(self.is_named(name, x) for x in flat(body.nodes)):
                self._recursive(name, body.nodes, columns)
            else:
                self.common[name.text] = labelled(self, self.query(body.nodes), columns)
            if start + 1 >= len(nodes) or word(nodes[start + 1]) != ",":
                return nodes[start + 1 :]
            at = start + 2

    def _recursive(self, name: Lexeme, body: Nodes, columns: list[Nodes] | None) -> None:
        """Define what a query is that reads itself, by two steps, of which the second may change no type."""
        found = Recursion.of(self.grammar, name, body)
        if found is None:
            raise UnableError
        first, second = self.fresh(), self.fresh()
        anchor, step = labelled(self, self.query(found.anchor), columns), found.step
        names = columns or [label_of(self, item) for item in split(items_of(anchor))]
        anchor, step, counters, times = found.without_counters(
            anchor, step, [word(n[-1]) if n else "" for n in names], self
        )
        self.common[first] = anchor
        for before, after in ((first, name.text), (name.text, second)):
            read = mapped(step, lambda x, before=before: self.renamed(x, name, before))
            self.common[after] = (*anchor, *found.operator, *self.query(read))
        parts = tuple(x.lower() for x in (first, self.key(name.parts[0].text), second))
        loose = self.grammar.dialect == "sqlite"
        self.stable.append(Stable(parts, counters, times, () if loose else found.alike(self, anchor, found.step)))

    def _select(self, nodes: Nodes, *, compound: bool) -> Nodes:
        if nodes and word(nodes[0]) == "VALUES":
            return selects_of_values(self, nodes)
        nodes = tuple(map(self._nested, ("", *map(word, nodes)), nodes))
        if not nodes or word(nodes[0]) != "SELECT":
            return nodes
        if self.grammar.dialect == "postgres":
            nodes = guarded(self, nodes)
        nodes = with_sources(self, rows_of_items(self, windows(nodes)))
        nodes = without_stars(self, with_conditions(self, nodes, compound=compound))
        return grouping(self, distinct_on(self, nodes))

    def _nested(self, before: str, node: Node) -> Node:
        """Return a node with the queries in it rewritten; one that finds a row by its key says so with LIMIT."""
        if isinstance(node, Lexeme):
            return node
        if not node.is_query:
            return replace(node, nodes=tuple(map(self._nested, ("", *map(word, node.nodes)), node.nodes)))
        nodes = self.query(node.nodes)
        pinned = before not in {"IN", "ANY", "ALL", "SOME", "EXISTS"} and finds_one(self, nodes)
        return replace(node, nodes=(*nodes, *self.made("LIMIT 1", node)) if pinned else nodes)
