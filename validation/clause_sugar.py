"""Clauses of one SELECT in other words, and what follows from its keys.

Named windows, DISTINCT ON and ROLLUP are written with clauses that the grammar has; `finds_one` knows a query by a key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from itertools import pairwise

from ..grammar.reading.lexer import Lexeme
from .expression_keys import terms_of
from .lexeme_tree import Group, Node, Nodes, UnableError, flat, index_of, split, word
from .query_rewriting import CLAUSES, SETS, QueryRewriting, alias_of, text_of

__all__ = ["distinct_on", "finds_one", "grouping", "windows"]


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
