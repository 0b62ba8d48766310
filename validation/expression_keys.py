"""Expressions as keys: what GROUP BY and ORDER BY repeat of the select list, written as the grammar knows it again.

The grammar's rules know the columns that a query groups by, and whether an output is a key as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from ..grammar.reading.lexer import Lexeme
from .query_rewriting import (
    CLAUSES,
    Group,
    Node,
    Nodes,
    QueryRewriting,
    UnableError,
    flat,
    index_of,
    is_aggregate,
    items_of,
    label_of,
    split,
    text_of,
    unlabelled,
    word,
)

__all__ = ["keys_by_position", "terms_of"]

_SETS_OF_KEYS = {"ROLLUP", "CUBE", "GROUPING"}


def keys_by_position(rewriting: QueryRewriting, nodes: Nodes, *, outermost: bool) -> Nodes:
    """``SELECT MONTH(d) FROM t GROUP BY MONTH(d) ORDER BY MONTH(d)``: ``GROUP BY 1 ORDER BY 1``.

    Args:
        outermost: whether no other query sees more outputs: the keys of GROUP BY that are none yet.
    """
    items = split(items_of(nodes))
    if rewriting.grammar.dialect == "sqlite" or not all(items) or any(word(item[-1]).endswith("*") for item in items):
        return nodes
    keys = [key for key, _ in terms_of(nodes, "GROUP") if _is_known_again(rewriting, key)]
    places = {text_of(unlabelled(rewriting, item)): place for place, item in enumerate(items, 1)}
    for key in keys if outermost and word(nodes[1]) != "DISTINCT" else ():
        if text_of(key) not in places:
            places[text_of(key)] = len(places) + 1
            at = index_of(nodes, ("FROM", *CLAUSES))
            nodes = (*nodes[:at], *rewriting.made(",", key[0]), *key, *nodes[at:])
    if len({text.lower() for text in places}) < len(places):  # which are one thing to MariaDB
        return nodes
    # MariaDB takes a name within ORDER BY for that of an output, if that is of each row
    named = {text_of(label_of(rewriting, item)): unlabelled(rewriting, item) for item in items if len(item) > 1}
    for clause, outputs in (("ORDER", named if rewriting.grammar.dialect == "mysql" else {}), ("GROUP", {})):
        found: list[Nodes] = []
        for term, direction in terms_of(nodes, clause):
            first = term[0]
            read = outputs.keys() & {text_of((x,)) for x in flat(term)} if len(term) > 1 else set[str]()
            able = all(_is_of_rows(rewriting, outputs[name]) for name in read)
            written = tuple(_with_outputs(rewriting, term, outputs)) if read and able else term
            place = places.get(text_of(term)) if _is_known_again(rewriting, term) and not read else None
            found.append((*(rewriting.made(str(place), first) if place else written), *direction))
        start, end = _clause(nodes, clause)
        nodes = (*nodes[:start], *rewriting.listed(found), *nodes[end:])
    return _with_keys_in_expressions(rewriting, nodes, keys)


def _with_outputs(rewriting: QueryRewriting, term: Nodes, outputs: Mapping[str, Nodes]) -> Iterator[Node]:
    """``SELECT b - a AS n … ORDER BY n IS NULL``: ``ORDER BY (b - a) IS NULL``, since MariaDB reads n so."""
    for node in term:
        if isinstance(node, Group):
            inner = node.nodes if node.is_query else tuple(_with_outputs(rewriting, node.nodes, outputs))
            yield replace(node, nodes=inner)
        elif text_of((node,)) in outputs:
            yield from rewriting.around("(X)", outputs[text_of((node,))])
        else:
            yield node


def _is_of_rows(rewriting: QueryRewriting, item: Nodes) -> bool:
    words = {word(lexeme) for lexeme in flat(item)}
    return not words & {"OVER", "SELECT"} and not any(is_aggregate(rewriting.grammar, name) for name in words)


def _with_keys_in_expressions(rewriting: QueryRewriting, nodes: Nodes, keys: Collection[Nodes]) -> Nodes:
    """``SELECT EXTRACT(YEAR FROM d) + 1``, grouped by the year: ``SELECT MAX(EXTRACT(YEAR FROM d)) + 1``.

    MariaDB knows a key within an expression in the order of a window alone.
    """
    texts = {text_of(key): len(key) for key in keys if _is_unit(key)}
    everywhere = rewriting.grammar.dialect == "postgres"

    def written(some: Nodes, *, known: bool = everywhere) -> Iterator[Node]:
        at = 0
        while at < len(some):
            length = next((n for text, n in texts.items() if known and text_of(some[at : at + n]) == text), 0)
            node, before = some[at], word(some[at - 1]) if at else ""
            if length:
                yield from rewriting.around("MAX(X)", some[at : at + length])
            elif isinstance(node, Group) and not node.is_query and not is_aggregate(rewriting.grammar, before):
                yield replace(node, nodes=tuple(written(node.nodes, known=known or before == "OVER")))
            else:
                yield node
            at += length or 1

    items = split(items_of(nodes))
    found = [x if text_of(unlabelled(rewriting, x)) in texts else tuple(written(x)) for x in items]
    first, last = 1 + (word(nodes[1]) in {"DISTINCT", "ALL"}), index_of(nodes, ("FROM", *CLAUSES))
    _, behind = _clause(nodes, "GROUP")
    shown = rewriting.listed(found)
    return (*nodes[:first], *shown, *nodes[last:behind], *written(nodes[behind:])) if texts else nodes


def _is_known_again(rewriting: QueryRewriting, term: Nodes) -> bool:
    """Say whether the engine knows that a term is an output: MariaDB does not where conditions are joined."""
    words = [word(lexeme) for lexeme in flat(term)]
    joined = words.count("AND") > words.count("BETWEEN") or not {"OR", "XOR", "NULLIF", "SELECT"}.isdisjoint(words)
    expression = len(term) > 1 and not label_of(rewriting, term) and words[0] not in _SETS_OF_KEYS
    return expression and any(x.parts for x in flat(term)) and not (joined and rewriting.grammar.dialect == "mysql")


def _is_unit(key: Nodes) -> bool:
    """Say whether a key is one thing wherever it stands, as ``a + b`` is not in ``a + b * 2``."""
    called = isinstance(key[0], Lexeme) and isinstance(key[1], Group)
    cast = len(key) == 4 and word(key[2]) == "::"
    return (called and (cast or len(key) == 2)) or (word(key[0]) == "CASE" and index_of(key, ("END",)) == len(key) - 1)


def _clause(nodes: Nodes, name: str) -> tuple[int, int]:
    """Return where the terms of GROUP BY or ORDER BY begin and end."""
    start = min(index_of(nodes, (name,)) + 2, len(nodes))
    return start, index_of(nodes, CLAUSES[2:], start)


def terms_of(nodes: Nodes, clause: str) -> Iterator[tuple[Nodes, Nodes]]:
    """Yield each expression of GROUP BY or ORDER BY, and its direction."""
    start, end = _clause(nodes, clause)
    for term in split(nodes[start:end]) if start < end else ():
        length = index_of(term, ("ASC", "DESC", "NULLS", "WITH"))
        if not length:
            raise UnableError
        yield term[:length], term[length:]
