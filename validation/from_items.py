"""What stands in FROM in other words: tables that functions make, and USING and NATURAL as conditions.

What such a join makes one column is the left side's; behind RIGHT and FULL, where it is not, a query stays as it is.
Columns that are of one type in some tables and of another in others are written with their owner, too: the rules take a
bare name for one of the commonest type.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace

from ..grammar.reading.lexer import Lexeme
from .query_rewriting import (
    CLAUSES,
    JOINING,
    Group,
    Node,
    Nodes,
    QueryRewriting,
    UnableError,
    alias_of,
    flat,
    index_of,
    items_of,
    label_of,
    owned_by,
    split,
    types_called,
    word,
)

__all__ = ["made_by_function", "shown_by", "with_conditions"]

_JSON_EACH = ("key", "value", "type", "atom", "id", "parent", "fullkey", "path")
_CAST = {"INT": "SIGNED", "INTEGER": "SIGNED", "BIGINT": "SIGNED", "VARCHAR": "CHAR", "TEXT": "CHAR"}

_ELSE = re.compile(r"(?:(?:NULL|DEFAULT (?:'[^']*'|[\w.]+)) ON (?:EMPTY|ERROR)(?: |$))*")
"""What a column of JSON_TABLE shows in place of an error."""


def made_by_function(rewriting: QueryRewriting, function: Lexeme, called: Group, alias: str) -> str | None:
    """Return the SELECT of what a function makes of its arguments, without FROM; None if nothing is known of it.

    Args:
        rewriting: of the query that calls it.
        function: its name.
        called: its arguments, in brackets.
        alias: what the table is called, empty if nothing.
    """
    arguments = split(called.nodes)
    match rewriting.grammar.dialect, word(function), len(arguments):
        case "sqlite", "JSON_EACH" | "JSON_TREE", 1 | 2:
            path = _text(arguments[1]) if len(arguments) > 1 else "'$'"
            value = f"JSON_EXTRACT({_text(arguments[0])}, {path})"
            return "SELECT " + ", ".join(f"{value} AS {name}" for name in _JSON_EACH)
        case "mysql", "JSON_TABLE", 2 if isinstance(columns := arguments[1][-1], Group) and len(arguments[1]) == 3:
            document = f"JSON_EXTRACT({_text(arguments[0])}, {_text(arguments[1][:1])})"
            found = [_json_column(part, document) for part in split(columns.nodes)]
            able = all(found) and _is_json(rewriting, arguments[0])
            return f"SELECT {', '.join(filter(None, found))}" if able else None
        case "postgres", name, _:
            return _rows(rewriting, name, called, alias or name.lower())
        case _:
            return None


def _rows(rewriting: QueryRewriting, name: str, called: Group, alias: str) -> str | None:
    """Return the SELECT of what a function of PostgreSQL makes."""
    arguments = split(called.nodes)
    if name == "GENERATE_SERIES" and len(arguments) in {2, 3}:
        return _series(arguments, alias)
    if name == "UNNEST":
        return f"SELECT {_element(rewriting, called.nodes)} AS {alias}"
    return None


def _element(rewriting: QueryRewriting, array: Nodes) -> str:
    """Return what is in an array that is written out, or in a column of texts or of integers."""
    match array:
        case (Lexeme() as made, Lexeme(text="["), *listed, Lexeme(text="]")) if word(made) == "ARRAY":
            if index_of(tuple(listed), ("]",)) < len(listed):  # several arrays
                raise UnableError
            return f"COALESCE({_text(tuple(listed))})"
        case (Lexeme() as column,) if types_called(rewriting, column) == {"VARCHAR[]"}:
            return f"ARRAY_TO_STRING({column.text}, '')"
        case _:
            return f"({_text(array)})[1]"


def _is_json(rewriting: QueryRewriting, document: Nodes) -> bool:
    """Say whether a document is a column of JSON, or a text that is some."""
    match document:
        case (Lexeme(kind="string") as text,):
            return "document" in rewriting.grammar.types.literal_kinds(text.text[1:-1])
        case (Lexeme() as column,):
            return types_called(rewriting, column) == {"JSON"}
        case _:
            return False


def _json_column(part: Nodes, document: str) -> str | None:
    """``name VARCHAR(20) PATH '$.a'``: as a cast of what is there."""
    path, name = index_of(part, ("PATH",)), _text(part[:1])
    if [word(n) for n in part[1:]] == ["FOR", "ORDINALITY"]:
        return f"1 AS {name}"
    last = part[path + 1] if path + 1 < len(part) else None
    sized = all(isinstance(node, Group) for node in part[2:path])
    if not isinstance(last, Lexeme) or not sized or not _ELSE.fullmatch(_text(part[path + 2 :]).upper()):
        return None
    type_ = " ".join([_CAST.get(word(part[1]), word(part[1])), _text(part[2:path])])
    return f"CAST(JSON_VALUE({document}, {last.text}) AS {type_}) AS {name}"


def _series(arguments: Sequence[Nodes], name: str) -> str | None:
    """``generate_series(1, n)`` of numbers, with a third argument of times as well, by a step that is written out."""
    first, last = map(_text, arguments[:2])
    step = [lexeme.text for lexeme in flat(arguments[2])] if len(arguments) > 2 else ["1"]
    step = step[:-2] if step[-2:-1] == ["::"] else step
    if (
        len(arguments[0]) == 1 == first.count("'") - 1
        or step[-1].strip("'")[:1] not in set("123456789")
        or len(step) > 2
    ):
        return None
    # what has no remainder, as doubles, has no series
    numbers = f"({first}) % 7, ({last}) % 7, 0"
    like = numbers if step[-1].isdigit() else f"TIMESTAMP '2024-01-01 00:00:00' + INTERVAL {step[-1]}"
    return f"SELECT COALESCE({first}, {last}, {like}) AS {name}"


def _text(nodes: Nodes) -> str:
    return " ".join(lexeme.text for lexeme in flat(nodes))


@dataclass
class _From:
    """FROM as far as it is rewritten: what each source shows, and the columns that are one, by their keys."""

    nodes: list[Node] = field(default_factory=list[Node])
    sources: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])
    merged: dict[str, str] = field(default_factory=dict[str, str])


def with_conditions(rewriting: QueryRewriting, nodes: Nodes, *, compound: bool) -> Nodes:
    """Return a SELECT that joins ON conditions, its merged columns and those of several types with their owner.

    Behind the last SELECT of a ``compound`` ORDER BY is by the output columns of all.
    """
    start = index_of(nodes, ("FROM",)) + 1
    end = index_of(nodes, CLAUSES, start)
    words, several = {word(n) for n in nodes[start:end]}, _of_several_types(rewriting)
    merging = bool(words & {"USING", "NATURAL"})
    found = _rewritten(rewriting, nodes[start:end]) if merging or several else None
    if found is None or (merging and words & {"RIGHT", "FULL"}):
        return nodes
    columns = [(rewriting.key(column), owner) for owner, some in found.sources for column in some]
    labels = {rewriting.key(x.text): len(i) for i in split(items_of(nodes)) for x in flat(label_of(rewriting, i))}
    named = Counter(key for key, _ in columns)
    owners = {key: owner for key, owner in columns if key in several and named[key] == 1 == labels.get(key, 1)}
    owners |= {key: column.rpartition(".")[0] for key, column in found.merged.items()}
    if not merging and not owners:
        return nodes

    def owned(lexeme: Lexeme) -> Lexeme:
        owner = owners.get(rewriting.key(lexeme.parts[0].text)) if len(lexeme.parts) == 1 else None
        return owned_by(lexeme, owner) if owner else lexeme

    items: list[Node] = []
    for item in split(items_of(nodes)):
        named = len(item) - len(label_of(rewriting, item)) * (len(item) > 1)
        shown = _owned(item[:named], owned) + item[named:]
        if merging and len(item) == 1 and word(item[0]) == "*":
            others = [f"{o}.{c}" for o, some in found.sources for c in some if rewriting.key(c) not in found.merged]
            shown = rewriting.made(", ".join([*found.merged.values(), *others]), item[0])
        items += (*(rewriting.made(",", nodes[0]) if items else ()), *shown)
    at = nodes.index(items_of(nodes)[0])
    order = index_of(nodes, ("ORDER",), end) if compound else len(nodes)
    behind = (*_owned(nodes[end:order], owned), *nodes[order:])
    return (*nodes[:at], *items, *nodes[at + len(items_of(nodes)) : start], *found.nodes, *behind)


def _owned(nodes: Nodes, owned: Callable[[Lexeme], Lexeme]) -> Nodes:
    """Change the columns of one SELECT, those of queries within left out."""
    found: list[Node] = []
    for before, node, behind in zip((None, *nodes), nodes, (*nodes[1:], None), strict=False):
        if isinstance(node, Group):
            found.append(node if node.is_query else replace(node, nodes=_owned(node.nodes, owned)))
        else:
            named = isinstance(behind, Group) or (before is not None and word(before) in {"AS", "::"})
            found.append(node if named else owned(node))
    return tuple(found)


def _of_several_types(rewriting: QueryRewriting) -> Set[str]:
    """Return the keys of columns that are of one type in one table and of another in another, where that matters."""
    types, kinds = rewriting.grammar.types, defaultdict[str, set[object]](set)
    for _, column in rewriting.grammar.schema.columns() if types.apart else ():
        kinds[rewriting.key(column.name)].add(types.kind(types.column(column.type)))
    return {key for key, some in kinds.items() if len(some) > 1}


def _rewritten(rewriting: QueryRewriting, nodes: Nodes) -> _From | None:
    """Return FROM with conditions, None where the columns of a source are not known."""
    found, at, natural = _From(), 0, False
    while at < len(nodes):
        if word(nodes[at]) == "NATURAL":
            natural, at = True, at + 1
        elif word(nodes[at]) in JOINING - {"ON"}:
            found.nodes.append(nodes[at])
            at += 1
        elif word(nodes[at]) == "ON":
            stop = index_of(nodes, JOINING, at + 1)
            found.nodes += nodes[at:stop]
            at = stop
        else:
            stop = index_of(nodes, JOINING, at)
            source, at = nodes[at:stop], stop
            columns = shown_by(rewriting, source)
            if columns is None:
                return None
            found.nodes += source
            names = None
            if natural:
                before = {rewriting.key(c) for _, some in found.sources for c in some}
                names = [c for c in columns[1] if rewriting.key(c) in before]
            elif at < len(nodes) and word(nodes[at]) == "USING":
                names, at = _named(nodes[at + 1 : at + 2]), at + 2
            if names is not None:
                condition = " AND ".join(_equal(rewriting, found, columns[0], name) for name in names) or "1 = 1"
                found.nodes += rewriting.made(f"ON {condition}", source[0])
            found.sources.append(columns)
            natural = False
    return found


def _named(shared: Nodes) -> list[str]:
    """Return the columns that USING names."""
    match shared:
        case (Group() as group,) if not group.is_query:
            columns = [column for part in split(group.nodes) for column in part]
            if len(columns) == len(split(group.nodes)) and all(
                isinstance(c, Lexeme) and len(c.parts) == 1 for c in columns
            ):
                return [column.text for column in flat(columns)]
        case _:
            pass
    raise UnableError


def _equal(rewriting: QueryRewriting, found: _From, owner: str, name: str) -> str:
    """Return the equation of a column with that of the sources before, which is what its name means from now on."""
    key = rewriting.key(name)
    before = [f"{o}.{c}" for o, some in found.sources for c in some if rewriting.key(c) == key]
    if key not in found.merged and len(before) != 1:
        raise UnableError
    left = found.merged.setdefault(key, before[0])
    return f"{left} = {owner}.{name}"


def shown_by(rewriting: QueryRewriting, source: Nodes) -> tuple[str, list[str]] | None:
    """Return what a source is called and its columns, as they are written; None if not all are known."""
    head = source[0] if source else None
    if not isinstance(head, Lexeme):
        return None
    table = rewriting.grammar.names.table(head.parts)
    alias, _ = alias_of(source[1:])
    owner = (alias or head).text
    if table is not None:
        return owner, [rewriting.grammar.quoting.write(c.name) for c in table.columns]
    labels = [label_of(rewriting, item) for item in split(items_of(rewriting.common.get(head.text, ())))]
    return (owner, [flat(label)[0].text for label in labels]) if labels and all(labels) else None
