"""Clauses of one SELECT in other words, and what follows from keys and groups, written out.

Named windows, WITHIN GROUP, DISTINCT ON and ROLLUP are written with clauses that the grammar has. A divisor that counts
the rows of a group, which are one at least, becomes one that is no zero, and `finds_one` knows a query by a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..grammar.lr.functions import AGGREGATES
from ..grammar.reading.lexer import Lexeme
from .lexeme_tree import Group, Node, Nodes, flat, index_of, split, word
from .query_rewriting import CLAUSES, SETS, QueryRewriting, UnableError, alias_of, items_of, text_of

__all__ = ["distinct_on", "finds_one", "grouping", "nonzero", "windows", "within_group"]


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
        named[word(part[0])] = part[2]

    def written(some: Nodes) -> Iterator[Node]:
        for before, node in zip((None, *some), some, strict=False):
            if isinstance(node, Group):
                yield node if node.is_query else replace(node, nodes=tuple(written(node.nodes)))
            elif before is not None and word(before) == "OVER":
                if word(node) not in named:
                    raise UnableError
                yield named[word(node)]
            else:
                yield node

    return tuple(written((*nodes[:start], *nodes[end:])))


def within_group(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """``PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY a)``: as AVG, that of one of the values as MAX."""
    at = index_of(nodes, ("WITHIN",))
    called, terms = nodes[at - 1 : at], nodes[at + 2 : at + 3]
    if not called or not terms or not isinstance(called[0], Group) or not isinstance(terms[0], Group):
        return nodes
    name, share = word(nodes[at - 2]), text_of(called[0].nodes)
    argument = terms[0].nodes[2 : index_of(terms[0].nodes, ("ASC", "DESC"))]
    over = at + 3 < len(nodes) and word(nodes[at + 3]) == "OVER"
    fits = not share if name == "MODE" else re.fullmatch(r"0?\.\d+|[01](\.0+)?", share) is not None
    if not fits or len(split(argument)) > 1 or over != (rewriting.grammar.dialect == "mysql"):
        raise UnableError
    found = rewriting.made("AVG(X)" if name == "PERCENTILE_CONT" else "MAX(X)", called[0])
    if name == "PERCENTILE_CONT" and not over:
        argument = rewriting.around("CAST(X AS DOUBLE PRECISION)", argument)
    return (*nodes[: at - 2], found[0], replace(found[1], nodes=argument), *within_group(rewriting, nodes[at + 3 :]))


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
    terms = split(nodes[order + 2 : index_of(nodes, ("LIMIT", "OFFSET", "FETCH"), order)])
    plain = [part[: index_of(part, ("ASC", "DESC", "NULLS"))] for part in terms]
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
    if any(len(key) != 1 or rewriting.key(flat(key)[0].parts[-1].text) in primary for key in flat_keys):
        raise UnableError
    found: list[Node] = []
    for key in {text_of(key): key for key in flat_keys}.values():
        found += (*(rewriting.made(",", key[0]) if found else ()), *key)
    return (*nodes[:start], *found, *nodes[end:])


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


def nonzero(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """Return a SELECT whose items say what they divide by that is no zero."""
    start, words = index_of(nodes, ("FROM",)), [word(n) for n in nodes]
    grouped_by = "GROUP" in words and not {"ROLLUP", "CUBE", "GROUPING"} & set(words)
    each_row = "HAVING" not in words and not any(_aggregates(rewriting, item) for item in split(items_of(nodes)))
    counted = (grouped_by or each_row) and not {"RIGHT", "FULL"} & set(words)
    source = text_of(nodes[start + 1 : start + 2]) if counted else ""
    return (*_counted(rewriting, nodes[:start], grouped_by=grouped_by, source=source), *nodes[start:])


def _counted(rewriting: QueryRewriting, nodes: Nodes, *, grouped_by: bool, source: str) -> Nodes:
    """``/ COUNT(*)`` of a group, which has a row at least: ``/ NULLIF(COUNT(*), 0)``.

    So has the table that FROM begins with, where an item is reckoned of each of its rows.
    """
    found: list[Node] = []
    for node in nodes:
        behind = word(found[-1]) if found else ""
        if isinstance(node, Group) and not node.is_query:
            all_rows = [word(x) for x in node.nodes] == ["*"] and behind == "COUNT"
            if all_rows and grouped_by and len(found) > 1 and word(found[-2]) in {"/", "%"}:
                found[-1:] = rewriting.around("NULLIF(X, 0)", (found[-1], node))
                continue
            found.append(replace(node, nodes=_counted(rewriting, node.nodes, grouped_by=grouped_by, source=source)))
            continue
        whole = isinstance(node, Group) and text_of(node.nodes) == f"select count ( * ) from {source}"
        found += rewriting.around("NULLIF(X, 0)", (node,)) if whole and behind in {"/", "%"} else (node,)
    return tuple(found)


def _aggregates(rewriting: QueryRewriting, nodes: Nodes) -> bool:
    """Say whether an aggregate stands in an expression, subqueries within left out."""
    known = rewriting.grammar.functions
    called = any((name := word(n)) in known and known[name].terminal in AGGREGATES for n in nodes)
    return called or any(isinstance(n, Group) and not n.is_query and _aggregates(rewriting, n.nodes) for n in nodes)
