"""Derived tables as queries of WITH, each under a name of its own, and stars as the columns that they stand for."""

from __future__ import annotations

from collections.abc import Mapping

from ..grammar.reading.lexer import Lexeme
from ..grammar.types.quirks import QUIRKS
from .from_items import made_by_function, shown_by
from .query_rewriting import (
    CLAUSES,
    JOINING,
    SETS,
    Group,
    Node,
    Nodes,
    QueryRewriting,
    UnableError,
    alias_of,
    flat,
    has_aggregate,
    index_of,
    items_of,
    label_of,
    mapped,
    split,
    text_of,
    unlabelled,
    word,
)

__all__ = ["labelled", "operand", "rows_of_items", "selects_of_values", "with_sources", "without_stars"]


def with_sources(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """Make queries of WITH of what FROM derives, each under a name that nothing else has."""
    start = index_of(nodes, ("FROM",)) + 1
    source_next, at, names = True, start, list[str]()
    while at < index_of(nodes, CLAUSES, start):
        if not source_next:
            source_next = word(nodes[at]) in {"JOIN", ","}
            at += 1
            continue
        end = _end_of_source(nodes, at)
        nodes, alias = _source(rewriting, nodes, start, at, end)
        names += [alias] if alias else []
        source_next, at = False, at + 1
    if len(set(names)) < len(names):
        raise UnableError
    return nodes


def _end_of_source(nodes: Nodes, at: int) -> int:
    stop = (*JOINING, *CLAUSES)
    return index_of(nodes, stop, at + (word(nodes[at]) == "LATERAL"))


def _source(rewriting: QueryRewriting, nodes: Nodes, start: int, at: int, end: int) -> tuple[Nodes, str]:
    """Return the SELECT with one source replaced, if it derives something, and the key of its alias."""
    source = nodes[at + (lateral := word(nodes[at]) == "LATERAL") : end]
    if not source or (lateral and rewriting.grammar.dialect != "postgres"):
        raise UnableError
    before, head, rest = nodes[start : at - 1], source[0], source[1:]
    while before and word(before[-1]) in JOINING - {",", "ON", "USING"}:
        before = before[:-1]
    body = head.nodes if isinstance(head, Group) and head.is_query else None
    if isinstance(head, Lexeme) and rest and isinstance(rest[0], Group):
        lateral, called, rest = bool(before), rest[0], rest[1:]
        alias, _ = alias_of(rest)
        text = made_by_function(rewriting, head, called, alias.text if alias else "")
        if text is None or has_aggregate(rewriting, called.nodes):
            raise UnableError
        body = rewriting.made(text, head)
    alias, columns = alias_of(rest)
    if columns is not None and rewriting.grammar.dialect != "postgres":
        raise UnableError
    key = rewriting.key(alias.parts[0].text) if alias else ""
    if body is None and isinstance(head, Lexeme):
        body = rewriting.common.get(head.text) if alias and key != rewriting.key(head.text) else None
    if body is None:
        return nodes, key
    if lateral and at > start and {word(n) for n in nodes[at - 3 : at]} & {"RIGHT", "FULL"}:
        raise UnableError
    if lateral:
        body = _beside(rewriting, body, before, head)
    if alias is None and isinstance(head, Lexeme) and rewriting.grammar.dialect != "mysql":
        alias = head
    if alias is None and not QUIRKS[rewriting.grammar.dialect].optional_alias:
        raise UnableError
    name = alias.text if alias and key and key not in rewriting.taken else rewriting.fresh()
    rewriting.taken.add(rewriting.key(name))
    rewriting.common[name] = labelled(rewriting, body, columns)
    nodes = (*nodes[:at], *rewriting.made(name, head), *nodes[end:])
    if alias is not None and alias.text != name:
        nodes = mapped(nodes, lambda x: rewriting.renamed(x, alias, name) if len(x.parts) == 2 else x)
    return nodes, key


def _beside(rewriting: QueryRewriting, body: Nodes, before: Nodes, at: Node) -> Nodes:
    """Return what is derived from each row of the sources before it, with these sources in its FROM."""
    place = index_of(body, ("FROM", *CLAUSES))
    if index_of(body, SETS) < len(body) or any(word(x[-1]).endswith("*") for x in split(items_of(body)) if x):
        raise UnableError
    more = (*rewriting.made("FROM", at), *before)
    if place < len(body) and word(body[place]) == "FROM":
        return (*body[:place], *more, *rewriting.made(",", at), *body[place + 1 :])
    return (*body[:place], *more, *body[place:])


def selects_of_values(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """``VALUES (1, 'a'), (2, 'b')``: ``SELECT 1, 'a' UNION ALL SELECT 2, 'b'``."""
    end = index_of(nodes, CLAUSES)
    found: list[Node] = []
    for number, row in enumerate(split(nodes[1:end])):
        if len(row) != 1 or not isinstance(row[0], Group):
            raise UnableError
        found += rewriting.made("UNION ALL SELECT" if number else "SELECT", row[0])
        named_here = rewriting.grammar.dialect != "mysql" and not number
        for place, value in enumerate(split(row[0].nodes), 1):
            named = rewriting.made(f"AS column{place}", row[0]) if named_here else ()
            found += (*(rewriting.made(",", row[0]) if place > 1 else ()), *value, *named)
    return (*found, *nodes[end:])


def rows_of_items(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """``SELECT generate_series(1, 5)``: what such a function makes, of which a row is shown for each."""
    items = split(items_of(nodes))
    if rewriting.grammar.dialect != "postgres" or not any(len(i) > 1 and isinstance(i[1], Group) for i in items):
        return nodes
    found: list[Node] = []
    for item in items:
        shown = item
        match item:
            case (Lexeme() as name, Group() as called, *rest) if (
                not rest or len(rest) == 1 or word(rest[0]) in {"AS", "::"}
            ):
                text = made_by_function(rewriting, name, called, name.text)
                rows = items_of(rewriting.made(text, name)) if text else ()
                shown = (*(rows[:-2] if rest else rows), *rest) if rows else item
            case _:
                pass
        found += (*(rewriting.made(",", nodes[0]) if found else ()), *shown)
    at = nodes.index(items_of(nodes)[0])
    end = at + len(items_of(nodes))
    several = rewriting.made("UNION ALL", nodes[0]) if end == len(nodes) else ()  # rows, without FROM
    return (*nodes[:at], *found, *nodes[end:], *several, *(nodes[:at] if several else ()), *(found if several else ()))


def operand(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """``(SELECT a FROM t LIMIT 1) UNION``: its SELECT becomes a query of WITH, and is read by all its columns."""
    group = nodes[0]
    words = {word(n) for n in group.nodes} if isinstance(group, Group) and group.is_query else set[str]()
    if not isinstance(group, Group) or not words & {"ORDER", "LIMIT", "OFFSET", "FETCH"}:
        return nodes
    body = without_stars(rewriting, group.nodes, always=True)
    labels = [label_of(rewriting, item) for item in split(items_of(body))]
    columns = [label or rewriting.made(f"c{i}", group) for i, label in enumerate(labels)]
    name = rewriting.fresh()
    rewriting.common[name] = labelled(rewriting, body, columns)
    listed = ", ".join(f"{name}.{text_of(column)}" for column in columns)
    return (*rewriting.made(f"SELECT {listed} FROM {name}", group), *nodes[1:])


def labelled(rewriting: QueryRewriting, query: Nodes, columns: list[Nodes] | None) -> Nodes:
    """Return a query whose columns are called by other names: ``t(n) AS (SELECT 1)``: ``SELECT 1 AS n``."""
    if columns is None:
        return query
    query = without_stars(rewriting, query, always=True)
    items = split(items_of(query))
    if len(items) != len(columns) or any(word(item[-1]).endswith("*") for item in items if item):
        raise UnableError
    found: list[Node] = []
    for item, name in zip(items, columns, strict=True):
        separated = rewriting.made(",", name[0]) if found else ()
        found += (*separated, *unlabelled(rewriting, item), *rewriting.made("AS", name[0]), *name)
    start = query.index(items[0][0])
    return (*query[:start], *found, *query[start + len(items_of(query)) :])


def without_stars(rewriting: QueryRewriting, nodes: Nodes, *, always: bool = False) -> Nodes:
    """``SELECT *, 1 FROM t`` with each column in its place, where no star stands beside others, or in groups."""
    items = split(items_of(nodes))
    late = rewriting.grammar.dialect == "mysql" and any(word(item[0]) == "*" for item in items[1:] if item)
    if not all(items) or late:
        raise UnableError
    stars = [i for i, item in enumerate(items) if len(item) == 1 and word(item[0]).endswith("*")]
    grouped = rewriting.grammar.dialect == "postgres" and index_of(nodes, ("GROUP",)) < len(nodes)
    needed = always or grouped or (len(items) > 1 and QUIRKS[rewriting.grammar.dialect].derived_names_differ)
    columns = _columns(rewriting, nodes) if stars and needed else None
    if columns is None:
        return nodes
    found: list[Node] = []
    for number, item in enumerate(items):
        owner = flat(item)[0].text.rpartition(".")[0] if number in stars else ""
        shown = [c for o, some in columns.items() if rewriting.key(owner) in {"", rewriting.key(o)} for c in some]
        if not shown:  # of no source
            raise UnableError
        written = rewriting.made(", ".join(shown), item[0]) if number in stars else item
        found += (*(rewriting.made(",", item[0]) if found else ()), *written)
    start = nodes.index(items[0][0])
    return (*nodes[:start], *found, *nodes[start + len(items_of(nodes)) :])


def _columns(rewriting: QueryRewriting, nodes: Nodes) -> Mapping[str, list[str]] | None:
    """Return the columns of each source of FROM, written with their owner; None if not all are known."""
    start = index_of(nodes, ("FROM",)) + 1
    end = index_of(nodes, (*CLAUSES, *SETS), start)
    found: dict[str, list[str]] = {}
    if {word(n) for n in nodes[start:end]} & {"USING", "NATURAL"} or start > len(nodes):
        return None
    for part in split(nodes[start:end], ("JOIN", ",")):
        shown = shown_by(rewriting, part[: index_of(part, JOINING)])
        if shown is None:
            return None
        found[shown[0]] = [f"{shown[0]}.{column}" for column in shown[1]]
    return found
