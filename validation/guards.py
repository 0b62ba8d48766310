"""What conditions keep from an error: ``CASE WHEN b > 0 THEN a / b END``, ``SELECT a / b FROM t WHERE b <> 0``.

An engine that raises at a division by zero evaluates WHERE before the select list, FILTER before its aggregate, HAVING
before what is shown of a group, and a branch of CASE where its condition holds alone. So a divisor of which such a
condition says that it is no zero is written as ``NULLIF(b, 0)``, whose type says so, and the argument of a logarithm or
a root that is not below 0 within ``ABS``. What a condition says of the shape of JSON or of the digits of a text is
written as what is of that shape, ``JSONB_BUILD_ARRAY(x)`` or ``LENGTH(x)``, where the shape matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import groupby

from ..grammar.reading.lexer import Lexeme
from .query_rewriting import (
    CLAUSES,
    JOINING,
    Group,
    Node,
    Nodes,
    QueryRewriting,
    alias_of,
    flat,
    has_aggregate,
    index_of,
    is_aggregate,
    items_of,
    split,
    text_of,
    word,
)

__all__ = ["guarded"]

_DIVIDED = {"/", "%"}
_ABOVE = {"LN", "LOG", "LOG10", "SQRT"}
_INTEGER = 9
"""Digits that any INTEGER may have."""
_NULL_OF_NONE = {"SUM", "AVG", "MIN", "MAX"}
_OF_NULL = {"OVER", "END", "IS", "ISNULL", "NOTNULL", "AND", "OR", "IN"}  # which may make something of NULL
_BEFORE_PRODUCT = {
    *("+", "-", ",", "||", "=", "<", ">", "<=", ">=", "<>", "!=", "SELECT", "DISTINCT", "ALL", "CASE", "WHEN", "THEN"),
    *("ELSE", "AND", "OR", "NOT", "BETWEEN", "IN", "BY", "HAVING", "WHERE", "LIKE"),
}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OTHERWISE = {"=": "<>", "<=": ">", "<": ">=", ">": "<=", ">=": "<"}
_CHANGING = {"RANDOM", "CLOCK_TIMESTAMP", "OVER"}
"""What may be something else when it is reckoned again, or is reckoned after the conditions."""
_SHAPES = {"array": "JSONB_BUILD_ARRAY({})", "object": "JSONB_BUILD_OBJECT('a', {})"}
_OF_SHAPES = re.compile("JSONB_(?!BUILD)")
"""Functions that may fail on JSON of another shape."""
_DIGIT = r"(?:\\d|\[[01]-9\])(?:\{(?:[1-9],)?([1-9])\})?"
_LENGTH = "- LENGTH({})"
_DIGITS = re.compile(rf"\^(?:-\?)?(?:{_DIGIT})+\$")


@dataclass(frozen=True)
class _Facts:
    """The texts of expressions that are no zero, of those that are not below it, and what has the shape of others."""

    nonzero: Set[str] = field(default_factory=frozenset[str])
    positive: Set[str] = field(default_factory=frozenset[str])
    shapes: Mapping[str, str] = field(default_factory=dict[str, str])

    def __or__(self, other: _Facts) -> _Facts:
        shapes = {**self.shapes, **other.shapes}
        return _Facts(self.nonzero | other.nonzero, self.positive | other.positive, shapes)

    def of_texts(self) -> _Facts:
        """Return the facts without shapes of JSON: engines may ask for a shape after what else WHERE asks."""
        return replace(self, shapes={x: shape for x, shape in self.shapes.items() if shape == _LENGTH})


def guarded(rewriting: QueryRewriting, nodes: Nodes, *, nested: bool) -> Nodes:
    """Return a SELECT in which it is written what its conditions keep from being zero, or below.

    One that is ``nested`` may be merged with the query around it, and its WHERE with others.
    """
    start = index_of(nodes, ("FROM",))
    where, having = (_holding(nodes[at + 1 : index_of(nodes, CLAUSES, at + 1)]) for at in _places(nodes))
    words = {word(n) for n in nodes}
    grouped_by = "GROUP" in words and not {"ROLLUP", "CUBE", "GROUPING"} & words
    each_row = "HAVING" not in words and not any(has_aggregate(rewriting, item) for item in split(items_of(nodes)))
    counted: Set[str] = {"count ( * )", *_counted_keys(rewriting, nodes, start)} if grouped_by else frozenset()
    if (grouped_by or each_row) and not {"RIGHT", "FULL"} & words:  # the table that FROM begins with has a row
        counted |= {f"( select count ( * ) from {text_of(nodes[start + 1 : start + 2])} )"}
    groups = where | having | _Facts(counted)
    place, (at, having), order = index_of(nodes, CLAUSES, start), _places(nodes), index_of(nodes, ("ORDER",))
    end, having = index_of(nodes, CLAUSES, at + 1) if at == place else place, min(having, order)
    shown = groups.of_texts() if nested else groups
    parts = [(nodes[:start], shown), *_sources(nodes[start:place], where), (nodes[place:end], where.of_texts())]
    parts += [(nodes[end:having], shown), (nodes[having:order], groups.of_texts()), (nodes[order:], shown)]
    rows = where.of_texts() if nested else where
    return tuple(node for part, known in parts for node in _written(rewriting, part, known, rows))


def _sources(nodes: Nodes, known: _Facts) -> Iterator[tuple[Nodes, _Facts]]:
    """Yield the parts of FROM with what is known in each: what functions make of a row, they make where WHERE holds."""
    joined = ["ON" if word(n) == "ON" else "" if word(n) in JOINING - {"USING"} else None for n in nodes]
    places = [next((j for j in joined[i::-1] if j is not None), "") for i in range(len(nodes))]
    outer = {"LEFT", "RIGHT", "FULL"} & {word(n) for n in nodes}  # their ON is asked before WHERE
    for on, some in groupby(zip(places, nodes, strict=True), key=lambda pair: pair[0]):
        yield tuple(node for _, node in some), known if not on else _Facts() if outer else known.of_texts()


def _counted_keys(rewriting: QueryRewriting, nodes: Nodes, start: int) -> Iterator[str]:
    """Yield ``count ( c.id )`` and its like: primary keys of tables of which each row of a FROM has one."""
    end = index_of(nodes, CLAUSES, start)
    if {"RIGHT", "FULL"} & {word(n) for n in nodes[start:end]}:
        return
    for at in range(start, end - 1):
        source = nodes[at + 1]
        if word(nodes[at]) not in {"FROM", "JOIN", ","} or "LEFT" in {word(n) for n in nodes[at - 2 : at]}:
            continue
        key = rewriting.key(source.text) if isinstance(source, Lexeme) else ""
        if table := rewriting.grammar.names.tables.get(key):
            alias, _ = alias_of(nodes[at + 2 : index_of(nodes, (*JOINING, *CLAUSES), at + 2)])
            owner = text_of((alias or source,))
            for column in map(str.lower, table.primary_key):
                for name in (column, f"{owner}.{column}"):
                    yield from (f"count ( {name} )", f"count ( distinct {name} )")


def _places(nodes: Nodes) -> tuple[int, int]:
    return index_of(nodes, ("WHERE",)), index_of(nodes, ("HAVING",))


def _holding(condition: Nodes, *, otherwise: bool = False) -> _Facts:
    """Return what is known where a condition holds, or ``otherwise`` where it does not."""
    found = _Facts()
    if index_of(condition, ("CASE", ("OR", "AND")[otherwise])) < len(condition):
        return found
    for part in split(condition, ("OR",) if otherwise else ("AND",)):
        if len(part) == 1 and isinstance(part[0], Group) and not part[0].is_query:
            found |= _holding(part[0].nodes, otherwise=otherwise)
        for operand, written, number in _compared(part):
            sign = _OTHERWISE.get(written, "") if otherwise else written
            positive = sign in {">", ">=", "="} and number >= 0
            nonzero = (sign == ">" and number >= 0) or (sign in {">=", "="} and number > 0)
            nonzero |= sign in {"<>", "!=", "<"} and number == 0
            text = frozenset({text_of(operand)})
            # what names no column is reckoned before any condition
            if any(x.parts for x in flat(operand)) and not {word(x) for x in flat(operand)} & _CHANGING:
                found |= _Facts(text if nonzero else frozenset[str](), text if positive else frozenset[str]())
        found |= _Facts(shapes=dict(_shapes(part, otherwise=otherwise)))
    return found


def _shapes(part: Nodes, *, otherwise: bool) -> Iterator[tuple[str, str]]:
    """``jsonb_typeof(x) = 'array'``, ``x ~ '^[0-9]{1,9}$'``: yield x and what has the shape that it has then."""
    match part:
        case (*operand, Lexeme() as sign, Lexeme(kind="string") as text) if operand:
            told, names = text.text[1:-1], {word(x) for x in flat(operand)}
        case _:
            return
    if names & _CHANGING or not any(x.parts for x in flat(operand)):
        return
    if word(sign) in ({"<>", "!="} if otherwise else {"="}) and word(operand[0]) == "JSONB_TYPEOF" and told in _SHAPES:
        yield _bare(tuple(operand[1:])), _SHAPES[told]
    few = _DIGITS.fullmatch(told) and sum(int(most or 1) for most in re.findall(_DIGIT, told)) <= _INTEGER
    if word(sign) == ("!~" if otherwise else "~") and few:
        yield _bare(tuple(operand)), _LENGTH


def _bare(nodes: Nodes) -> str:
    """Return the text of an expression without brackets around all of it."""
    match nodes:
        case (Group() as group,) if not group.is_query:
            return _bare(group.nodes)
        case _:
            return text_of(nodes)


def _shaped(rewriting: QueryRewriting, nodes: Nodes, known: _Facts) -> Nodes:
    """Return what has the shape that an expression is known to have, or the expression."""
    shape = known.shapes.get(_bare(nodes)) if nodes else None
    return rewriting.made(shape.format(" ".join(x.text for x in flat(nodes))), nodes[0]) if shape else nodes


def _compared(part: Nodes) -> Iterator[tuple[Nodes, str, float]]:
    """Yield both sides of a comparison with a number, and its sign as the number stands behind it."""
    if len(part) < 3:
        return
    for operand, sign, number in ((part[:-2], part[-2], part[-1]), (part[2:], part[1], part[0])):
        if isinstance(number, Lexeme) and number.kind == "number":
            yield operand, word(sign) if number is part[-1] else _TURNED.get(word(sign), word(sign)), float(number.text)


def _written(rewriting: QueryRewriting, nodes: Nodes, known: _Facts, of_rows: _Facts) -> Nodes:
    """Return nodes in which it is written what is known; within aggregates alone what is known ``of_rows``."""
    found: list[Node] = []
    at = 0
    while at < len(nodes):
        node = nodes[at]
        if word(node) == "CASE":
            end = _end_of_case(nodes, at)
            found += _case(rewriting, nodes[at:end], known, of_rows)
            at = end
            continue
        behind = word(found[-1]) if found else ""
        if behind in _DIVIDED and _counts(nodes[at : at + 4], known):
            found += rewriting.around("NULLIF(X, 0)", nodes[at : at + 4])
            at += 4
            continue
        called = isinstance(nodes[at + 1], Group) if at + 1 < len(nodes) and not isinstance(node, Group) else False
        unit = nodes[at : at + 1 + called]
        over = word(nodes[at + len(unit)]) == "OVER" if at + len(unit) < len(nodes) else False
        if behind in _DIVIDED and not over and (text_of(unit) in known.nonzero or _of_no_row(found[:-1], unit)):
            found += rewriting.around("NULLIF(X, 0)", unit)
            at += len(unit)
            continue
        casts = at + 2 < len(nodes) and word(nodes[at + 1]) == "::" and word(nodes[at + 2])[:4] != "BOOL"
        if casts and (shaped := _shaped(rewriting, (node,), known)) != (node,):
            found += shaped
            at += 1
            continue
        if isinstance(node, Group) and not node.is_query:
            windowed = "OVER" in {behind, *map(word, nodes[at + 1 : at + 2])}  # whatever a CASE around it says
            aggregate = windowed or is_aggregate(rewriting.grammar, behind)
            inner = of_rows | _filtered(nodes[at + 1 : at + 3]) if aggregate else known
            casts = behind == "CAST" and word(node.nodes[-1])[:4] != "BOOL"
            end = index_of(node.nodes, ("AS",)) if casts or _OF_SHAPES.match(behind) else 0
            shaped = _shaped(rewriting, node.nodes[:end], inner)
            rewritten = (*shaped, *node.nodes[end:]) if shaped != node.nodes[:end] else node.nodes
            rewritten = _written(rewriting, rewritten, inner, of_rows)
            if behind in _ABOVE and text_of(node.nodes) in inner.positive:
                divisor = text_of(node.nodes) in inner.nonzero
                rewritten = rewriting.around("NULLIF(X, 0)", rewritten) if divisor else rewritten
                rewritten = rewriting.around("ABS(X)", rewritten)
            node = replace(node, nodes=rewritten)
        found.append(node)
        at += 1
    return tuple(found)


def _of_no_row(dividend: Sequence[Node], divisor: Nodes) -> bool:
    """``100.0 * SUM(a) / COUNT(*)``: NULL where nothing is counted, whatever it is divided by."""
    start = max((i + 1 for i, node in enumerate(dividend) if word(node) in _BEFORE_PRODUCT), default=0)
    words = ["", *map(word, dividend[start:])]
    if len(divisor) != 2 or word(divisor[0]) != "COUNT" or _OF_NULL & {*words}:
        return False
    for called, node in zip(words, dividend[start:], strict=False):
        if not isinstance(node, Group) or node.is_query:
            continue
        if called in _NULL_OF_NONE and text_of(divisor[1:]) in {"( * )", text_of((node,))}:
            return True
        inner = node.nodes[: index_of(node.nodes, ("AS",))]
        if called in {"", "*", "/", "CAST"} and not _OF_NULL & {*map(word, inner)} and _of_no_row(inner, divisor):
            return True
    return False


def _counts(nodes: Nodes, known: _Facts) -> bool:
    """``COUNT(*) OVER (…)``, ``SUM(COUNT(*)) OVER (…)`` of groups: of all rows of a window, of which there is one."""
    if len(nodes) < 4 or word(nodes[2]) != "OVER" or not isinstance(nodes[3], Group):
        return False
    if {word(n) for n in nodes[3].nodes} & {"ROWS", "RANGE", "GROUPS"}:
        return False
    text = text_of(nodes[:2])
    return text == "count ( * )" or (text == "sum ( count ( * ) )" and "count ( * )" in known.nonzero)


def _filtered(nodes: Nodes) -> _Facts:
    """Return what ``FILTER (WHERE b > 0)`` says, where it is that."""
    match nodes:
        case (Lexeme() as name, Group() as condition) if word(name) == "FILTER":
            return _holding(condition.nodes[1:])
        case _:
            return _Facts()


def _end_of_case(nodes: Nodes, at: int) -> int:
    depth = 0
    for place in range(at, len(nodes)):
        depth += {"CASE": 1, "END": -1}.get(word(nodes[place]), 0)
        if depth == 0:
            return place + 1
    return len(nodes)


def _case(rewriting: QueryRewriting, nodes: Nodes, known: _Facts, of_rows: _Facts) -> Nodes:
    """``CASE WHEN b = 0 THEN 0 ELSE a / b END``: each branch with what its condition says, and those before it."""
    found: list[Node] = [nodes[0]]
    subject, condition = tuple[Node, ...](), tuple[Node, ...]()
    at = 1
    sofar = held = known
    while at < len(nodes):
        end = at
        while end < len(nodes) and word(nodes[end]) not in {"WHEN", "THEN", "ELSE", "END"}:
            end = _end_of_case(nodes, end) if word(nodes[end]) == "CASE" else end + 1
        part = nodes[at:end]
        match word(found[-1]):
            case "CASE":
                subject = (*part, *rewriting.made("=", nodes[0])) if part else ()
                found += _written(rewriting, part, sofar, of_rows)
            case "WHEN":
                condition = (*subject, *part)
                held = sofar | _holding(condition)
                found += _written(rewriting, part, sofar, of_rows)
            case "THEN":
                sofar |= _holding(condition, otherwise=True)
                found += _written(rewriting, _json(rewriting, part, held), held, of_rows)
            case _:
                found += _written(rewriting, _json(rewriting, part, sofar), sofar, of_rows)
        found += nodes[end : end + 1]
        at = end + 1
    return tuple(found)


def _json(rewriting: QueryRewriting, branch: Nodes, known: _Facts) -> Nodes:
    """Return a branch of CASE that is JSON of a known shape as what has that shape."""
    shaped = _shaped(rewriting, branch, known)
    return shaped if branch and word(shaped[0]).startswith("JSONB_BUILD") else branch
