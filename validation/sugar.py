"""Syntactic sugar in words that the grammar has: by a table (sugar.toml), and clauses by what follows from their keys.

Named windows, DISTINCT ON and ROLLUP are written with clauses that the grammar has; `finds_one` knows a query by a key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from zoneinfo import available_timezones

from ..grammar.reading.lexer import Lexeme
from .expression_keys import terms_of
from .query_rewriting import (
    CLAUSES,
    SETS,
    Group,
    Node,
    Nodes,
    QueryRewriting,
    UnableError,
    alias_of,
    flat,
    grouped,
    index_of,
    split,
    text_of,
    types_called,
    word,
)

__all__ = ["distinct_on", "finds_one", "grouping", "windows", "without_sugar"]

_HOLE = re.compile(r"[XERDNFPTZACGQ]\d")
_TYPES = {"A": {"TEXT[]", "VARCHAR[]"}, "C": {"TEXT"}, "G": {"TEXT[]"}}
_SHARE = re.compile(r"0?\.\d+|[01](\.0+)?")
_NUMBER = re.compile(r"[1-9]\d*")


def without_sugar(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """Return a query with each pattern of the table replaced, the innermost first."""
    inner = [n if isinstance(n, Lexeme) else replace(n, nodes=without_sugar(rewriting, n.nodes)) for n in nodes]
    nodes, found, at = tuple(inner), list[Node](), 0
    while at < len(nodes):
        for pattern, instead in _patterns(rewriting.grammar.dialect, rewriting.grammar.tokenizer.lexemes):
            able = _hole(pattern[0]) or (
                word(pattern[0]) == word(nodes[at]) and not _apart(rewriting, nodes[at : at + 2])
            )
            fit = next(_Fit(rewriting).ends(pattern, nodes, at, {}), None) if able else None
            if fit is not None and fit[0] > at and _links(fit[1]):
                if not instead:
                    raise UnableError
                found += _filled(rewriting.made(instead, _first(nodes[at])), fit[1])
                at = fit[0]
                break
        else:
            found.append(nodes[at])
            at += 1
    return tuple(found)


def _links(held: Mapping[str, Nodes]) -> bool:
    """Say whether columns with owners, Q1 and its like, are one of the source that R1 joins and one of another."""
    columns = [x for hole, some in held.items() if hole[0] == "Q" for x in flat(some)]
    owners = {column.parts[0].text.lower() for column in columns}
    return not columns or (len(owners) == 2 and flat(held["R1"])[-1].text.rpartition(".")[2].lower() in owners)


def _apart(rewriting: QueryRewriting, nodes: Nodes) -> bool:
    """Say whether a function is no call because its bracket stands apart."""
    match nodes:
        case (Lexeme() as name, Group() as called):
            return word(name) in rewriting.grammar.quoting.refused.unspaced and called.opening.start > name.end
        case _:
            return False


@lru_cache
def _patterns(dialect: str, lexemes: Callable[[str], Iterable[Lexeme]]) -> list[tuple[Nodes, str]]:
    """Return the table of a dialect, whose patterns a lexer has cut."""
    table: Mapping[str, Mapping[str, str]] = tomllib.loads(
        (resources.files(__package__ or __name__) / "sugar.toml").read_text("utf-8")
    )
    return [(grouped(list(lexemes(pattern))) or (), instead) for pattern, instead in table[dialect].items()]


def _first(node: Node) -> Lexeme:
    return node if isinstance(node, Lexeme) else node.opening


def _hole(node: Node) -> str:
    return node.text if isinstance(node, Lexeme) and _HOLE.fullmatch(node.text) else ""


@dataclass(frozen=True)
class _Fit:
    """Fits patterns to the nodes of one query."""

    rewriting: QueryRewriting

    def ends(
        self, pattern: Nodes, nodes: Nodes, at: int, held: Mapping[str, Nodes]
    ) -> Iterator[tuple[int, Mapping[str, Nodes]]]:
        """Yield where a pattern ends that begins at a place, and what its holes hold."""
        if not pattern:
            yield at, held
            return
        first, rest = pattern[0], pattern[1:]
        hole, node = _hole(first), nodes[at] if at < len(nodes) else None
        if isinstance(first, Group):
            inner = node.nodes if isinstance(node, Group) else None
            for end, within in self.ends(first.nodes, inner, 0, held) if inner is not None else ():
                if end == len(inner or ()):
                    yield from self.ends(rest, nodes, at + 1, within)
            return
        for end in self._ends_of(hole, nodes, at):
            if text_of(held.get(hole, nodes[at:end])) == text_of(nodes[at:end]):
                yield from self.ends(rest, nodes, end, {**held, hole: nodes[at:end]})
        if not hole and node is not None and word(node) == word(first) != "":
            yield from self.ends(rest, nodes, at + 1, held)
        elif word(first) == "," and _hole(rest[0])[:1] == "R":
            yield from self.ends(rest[1:], nodes, at, {**held, _hole(rest[0]): ()})

    def _ends_of(self, hole: str, nodes: Nodes, at: int) -> Iterator[int]:
        """Yield where what a hole may hold ends, the shortest first."""
        match hole[:1]:
            case "X" | "E" as kind:
                comma = index_of(nodes, (",",), at)
                yield from (end for end in range(at + 1, comma + 1) if kind == "X" or not _bare(nodes[at:end]))
            case "R":
                yield from range(at, len(nodes) + 1)
            case "D":
                yield at
                yield from [at + 1] * (_word_at(nodes, at) in {"ASC", "DESC"})
            case "":
                return
            case kind:
                node = nodes[at] if at < len(nodes) else None
                yield from [at + 1] * (isinstance(node, Lexeme) and self._is(kind, node))

    def _is(self, kind: str, node: Lexeme) -> bool:
        """Say whether a lexeme may fill a hole of a kind."""
        text = node.text[1:-1]
        match kind:
            case "N" | "F":
                able = node.kind == "number" and (_NUMBER if kind == "N" else _SHARE).fullmatch(node.text) is not None
            case "P":
                able = node.kind == "string" and _NUMBER.match(text) is not None
            case "Q":
                able = len(node.parts) == 2
            case "Z":
                able = node.kind == "string" and text in available_timezones()
            case "A" | "C" | "G":
                types = types_called(self.rewriting, node)
                able = bool(types) and types <= _TYPES[kind]
            case _:
                able = node.kind == "string"
        return able


def _bare(nodes: Nodes) -> bool:
    """Say whether an expression is a text or NULL alone, of which an engine may know no type."""
    written = [x for x in flat(nodes[: index_of(nodes, ("ORDER",))]) if x.text.upper() not in {"(", ")", "DISTINCT"}]
    return len(written) == 1 and (written[0].kind == "string" or word(written[0]) == "NULL")


def _word_at(nodes: Nodes, at: int) -> str:
    """Return the word at a place, nothing behind the last."""
    return word(nodes[at]) if at < len(nodes) else ""


def _filled(nodes: Nodes, held: Mapping[str, Nodes]) -> Nodes:
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Group):
            found.append(replace(node, nodes=_filled(node.nodes, held)))
        elif hole := _hole(node):
            if not held[hole] and found and word(found[-1]) == ",":
                found.pop()
            found += held[hole]
        else:
            found.append(node)
    return tuple(found)


def windows(nodes: Nodes) -> Nodes:
    """``OVER w … WINDOW w AS (ORDER BY a)``: ``OVER (ORDER BY a)``."""
    start = index_of(nodes, ("WINDOW",))
    if start == len(nodes):
        return nodes
    end = index_of(nodes, ("ORDER", "LIMIT", "OFFSET", "FETCH"), start)
    named: dict[str, Group] = {}
    for part in split(nodes[start + 1 : end]):
        if len(part) != 3 or not isinstance(part[2], Group):
            raise UnableError
        if word(part[0]) in named or not any(_over(nodes[:start], word(part[0]))):
            raise UnableError
        named[word(part[0])] = _based(part[2], named)

    def written(some: Nodes) -> Iterator[Node]:
        for before, node in zip((None, *some), some, strict=False):
            if isinstance(node, Group):
                based = _based(node, named) if before is not None and word(before) == "OVER" else node
                yield node if node.is_query else replace(node, nodes=tuple(written(based.nodes)))
            elif before is not None and word(before) == "OVER":
                if word(node) not in named:
                    raise UnableError
                yield named[word(node)]
            else:
                yield node

    return tuple(written((*nodes[:start], *nodes[end:])))


def _over(nodes: Nodes, name: str) -> Iterator[bool]:
    """Yield True for each use of a window, which is looked at where it is used alone."""
    for before, node in pairwise(nodes):
        inner = node.nodes if isinstance(node, Group) else ()
        if word(before) == "OVER" and (word(node) == name or (inner and word(inner[0]) == name)):
            yield True
        yield from _over(inner, name)


def _based(window: Group, named: Mapping[str, Group]) -> Group:
    """``(w ROWS 1 PRECEDING)``: with what w has."""
    base = named.get(word(window.nodes[0])) if window.nodes else None
    if base and {"ROWS", "RANGE", "GROUPS"} & {word(n) for n in base.nodes}:
        raise UnableError
    return replace(window, nodes=(*base.nodes, *window.nodes[1:])) if base else window


def distinct_on(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """``SELECT DISTINCT ON (a) b FROM t ORDER BY a``: refused where something else comes first in ORDER BY."""
    if [word(n) for n in nodes[1:3]] != ["DISTINCT", "ON"]:
        return nodes
    if rewriting.grammar.dialect != "postgres" or not isinstance(nodes[3], Group):
        raise UnableError
    keys = split(nodes[3].nodes)
    order = index_of(nodes, ("ORDER",))
    if order == len(nodes):
        end = index_of(nodes, ("LIMIT", "OFFSET", "FETCH"))
        return (nodes[0], *nodes[4:end], *rewriting.made("ORDER BY", nodes[3]), *nodes[3].nodes, *nodes[end:])
    plain = [term for term, _ in terms_of(nodes, "ORDER")]
    if {text_of(p) for p in plain[: len(keys)]} != {text_of(key) for key in keys}:
        raise UnableError
    return (nodes[0], *nodes[4:])


def grouping(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """``GROUP BY ROLLUP (a, b)``: ``GROUP BY a, b``, but for a primary key, which stands for no row any more."""
    start = index_of(nodes, ("GROUP",)) + 2
    end = index_of(nodes, ("HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH"), start)
    keys = nodes[start:end]
    rolled = rewriting.grammar.dialect == "mysql" and [word(n) for n in keys[-2:]] == ["WITH", "ROLLUP"]
    if rolled and index_of(nodes, ("ORDER",)) == len(nodes):
        return (*nodes[:start], *keys[:-2], *nodes[end:])
    sets = [part for part in split(keys) if part and word(part[0]) in {"ROLLUP", "CUBE", "GROUPING"}]
    if not sets or rewriting.grammar.dialect != "postgres":
        return nodes
    flat_keys = [x for part in split(keys) for x in _keys_of(part, {"ROLLUP", "CUBE", "GROUPING", "SETS"})]
    primary = {rewriting.key(c) for table in rewriting.grammar.schema.tables for c in table.primary_key}
    if any(rewriting.key(x.parts[-1].text) in primary for key in flat_keys for x in flat(key) if x.parts):
        raise UnableError
    by_text = {text_of(key): key for key in flat_keys}
    before, behind = (_counted(rewriting, some, by_text.keys()) for some in (nodes[:start], nodes[end:]))
    return (*before, *rewriting.listed([*by_text.values()]), *behind)


def _counted(rewriting: QueryRewriting, nodes: Nodes, keys: Set[str]) -> Nodes:
    """``GROUPING(a)`` of a key, which is a number of each group: ``COUNT(*)``."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Group) and found and word(found[-1]) == "GROUPING":
            if not keys >= {text_of(one) for one in split(node.nodes)}:
                raise UnableError
            found[-1:] = rewriting.made("COUNT(*)", node)
        elif isinstance(node, Group) and not node.is_query:
            found.append(replace(node, nodes=_counted(rewriting, node.nodes, keys)))
        else:
            found.append(node)
    return tuple(found)


def _keys_of(part: Nodes, words: set[str]) -> list[Nodes]:
    """Return the keys of a grouping set, or a key that is none."""
    if part and word(part[0]) in words:
        return [
            key for node in part if isinstance(node, Group) for one in split(node.nodes) for key in _keys_of(one, words)
        ]
    if len(part) == 1 and isinstance(part[0], Group):
        return [key for one in split(part[0].nodes) if one for key in _keys_of(one, words)]
    return [part] if part else []


def finds_one(rewriting: QueryRewriting, nodes: Nodes) -> bool:
    """Say whether a query finds one row of one table, by a key that equals what no column of the table is."""
    start, where = index_of(nodes, ("FROM",)) + 1, index_of(nodes, ("WHERE",))
    source, words = nodes[start:where], {word(n) for n in nodes}
    first = source[0] if 0 < len(source) <= 3 else None
    if not isinstance(first, Lexeme) or words & {*CLAUSES[1:], *SETS, "OR"}:
        return False
    table, (alias, _) = rewriting.grammar.names.table(first.parts), alias_of(source[1:])
    owner = rewriting.key((alias or first).parts[-1].text)
    keys = {*table.unique, *(table.primary_key if len(table.primary_key) == 1 else ())} if table else set[str]()

    def is_key(x: Lexeme) -> bool:
        own = len(x.parts) == 1 or (len(x.parts) == 2 and rewriting.key(x.parts[0].text) == owner)
        return own and rewriting.key(x.parts[-1].text) in map(rewriting.key, keys)

    def is_other(x: Lexeme) -> bool:
        return not x.parts or (len(x.parts) == 2 and rewriting.key(x.parts[0].text) != owner)

    for part in split(nodes[where + 1 :], ("AND",)):
        match part:
            case (Lexeme() as a, Lexeme(text="="), Lexeme() as b) if keys:
                if (is_key(a) and is_other(b)) or (is_key(b) and is_other(a)):
                    return True
            case _:
                pass
    return False
