"""What conditions keep from dividing by zero: ``CASE WHEN b > 0 THEN a / b END``, ``SELECT a / b FROM t WHERE b <> 0``.

PostgreSQL, which raises at a division by zero, evaluates WHERE before the select list, FILTER before its aggregate,
HAVING before what is shown of a group, and a branch of CASE where its condition holds alone. So a divisor that such a
condition keeps from being zero is written as ``NULLIF(b, 0)``, whose type says so. In a SELECT with groups each group
has a row, so that ``COUNT(*)`` is no zero, and neither is the number of rows of the table that FROM begins with.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from ..grammar.reading.lexer import Lexeme
from .query_rewriting import (
    CLAUSES,
    Group,
    Node,
    Nodes,
    QueryRewriting,
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

Nonzero = Set[str]
"""The texts of expressions that are no zero."""

_NOTHING: Nonzero = frozenset()
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OTHERWISE = {"=": "<>", "<=": ">", "<": ">=", ">": "<=", ">=": "<"}
_CHANGING = {"RANDOM", "CLOCK_TIMESTAMP", "OVER"}
"""What may be something else when it is evaluated again, or is evaluated after the conditions."""


def guarded(rewriting: QueryRewriting, nodes: Nodes) -> Nodes:
    """Return a SELECT in which it is written what its conditions keep from being zero."""
    start, where, having = (index_of(nodes, (name,)) for name in ("FROM", "WHERE", "HAVING"))
    behind = index_of(nodes, CLAUSES, start)
    behind = index_of(nodes, CLAUSES, where + 1) if behind == where else behind
    last = index_of(nodes, CLAUSES, having + 1)
    rows = _nonzero(nodes[where + 1 : behind]) if where < len(nodes) else _NOTHING
    groups = rows | _counted(rewriting, nodes, start)
    shown = groups | (_nonzero(nodes[having + 1 : last]) if having < len(nodes) else _NOTHING)
    parts = [(nodes[:start], shown), (nodes[start:behind], _NOTHING), (nodes[behind:having], shown)]
    parts += [(nodes[having:last], groups), (nodes[last:], shown)]
    return tuple(node for part, known in parts for node in _written(rewriting, part, known, rows & known))


def _counted(rewriting: QueryRewriting, nodes: Nodes, start: int) -> Nonzero:
    """Return the counts that are no zero since a row is shown."""
    words = {word(n) for n in nodes}
    grouped = "GROUP" in words and not {"ROLLUP", "CUBE", "GROUPING"} & words
    each_row = "HAVING" not in words and not any(has_aggregate(rewriting, item) for item in split(items_of(nodes)))
    first = f"( select count ( * ) from {text_of(nodes[start + 1 : start + 2])} )"
    has_row = (grouped or each_row) and not {"RIGHT", "FULL"} & words
    return frozenset({"count ( * )"} if grouped else ()) | frozenset({first} if has_row else ())


def _nonzero(condition: Nodes, *, otherwise: bool = False) -> Nonzero:
    """Return what is no zero where a condition holds, or ``otherwise`` where it does not."""
    found: Nonzero = _NOTHING
    if index_of(condition, ("CASE", ("OR", "AND")[otherwise])) < len(condition):
        return found
    for part in split(condition, ("OR",) if otherwise else ("AND",)):
        if len(part) == 1 and isinstance(part[0], Group) and not part[0].is_query:
            found |= _nonzero(part[0].nodes, otherwise=otherwise)
        for operand, written, number in _compared(part):
            sign = _OTHERWISE.get(written, "") if otherwise else written
            nonzero = (sign == ">" and number >= 0) or (sign in {">=", "="} and number > 0)
            nonzero |= sign in {"<>", "!=", "<"} and number == 0
            # what names no column is evaluated before any condition
            if nonzero and any(x.parts for x in flat(operand)) and not {word(x) for x in flat(operand)} & _CHANGING:
                found |= {text_of(operand)}
    return found


def _compared(part: Nodes) -> Iterator[tuple[Nodes, str, float]]:
    """Yield both sides of a comparison with a number, and its sign as the number stands behind it."""
    if len(part) < 3:
        return
    for operand, sign, number in ((part[:-2], part[-2], part[-1]), (part[2:], part[1], part[0])):
        if isinstance(number, Lexeme) and number.kind == "number":
            yield operand, word(sign) if number is part[-1] else _TURNED.get(word(sign), word(sign)), float(number.text)


def _written(rewriting: QueryRewriting, nodes: Nodes, known: Nonzero, rows: Nonzero) -> Nodes:
    """Return nodes in which it is written what is known; within aggregates alone what is known of ``rows``."""
    found: list[Node] = []
    at = 0
    while at < len(nodes):
        node = nodes[at]
        if word(node) == "CASE":
            end = _end_of_case(nodes, at)
            found += _case(rewriting, nodes[at:end], known, rows)
            at = end
            continue
        behind, following = word(found[-1]) if found else "", nodes[at + 1 : at + 2]
        called = not isinstance(node, Group) and bool(following) and isinstance(following[0], Group)
        unit = nodes[at : at + 1 + called]
        over = "OVER" in map(word, nodes[at + len(unit) : at + len(unit) + 1])
        if behind in {"/", "%"} and not over and text_of(unit) in known:
            found += rewriting.around("NULLIF(X, 0)", unit)
            at += len(unit)
            continue
        if isinstance(node, Group) and not node.is_query:
            windowed = "OVER" in {behind, *map(word, following)}  # evaluated whatever a CASE around it says
            aggregate = windowed or is_aggregate(rewriting.grammar, behind)
            inner = rows | _filtered(nodes[at + 1 : at + 3]) if aggregate else known
            node = replace(node, nodes=_written(rewriting, node.nodes, inner, rows))
        found.append(node)
        at += 1
    return tuple(found)


def _filtered(nodes: Nodes) -> Nonzero:
    """Return what ``FILTER (WHERE b > 0)`` says, where it is that."""
    match nodes:
        case (Lexeme() as name, Group() as condition) if word(name) == "FILTER":
            return _nonzero(condition.nodes[1:])
        case _:
            return _NOTHING


def _end_of_case(nodes: Nodes, at: int) -> int:
    depth = 0
    for place in range(at, len(nodes)):
        depth += {"CASE": 1, "END": -1}.get(word(nodes[place]), 0)
        if depth == 0:
            return place + 1
    return len(nodes)


def _case(rewriting: QueryRewriting, nodes: Nodes, known: Nonzero, rows: Nonzero) -> Nodes:
    """``CASE WHEN b = 0 THEN 0 ELSE a / b END``: each branch with what its condition says, and those before it."""
    found: list[Node] = [nodes[0]]
    subject, condition = tuple[Node, ...](), tuple[Node, ...]()
    at, failed = 1, known  # what is known where all conditions before have failed
    while at < len(nodes):
        end = at
        while end < len(nodes) and word(nodes[end]) not in {"WHEN", "THEN", "ELSE", "END"}:
            end = _end_of_case(nodes, end) if word(nodes[end]) == "CASE" else end + 1
        part, holding = nodes[at:end], failed
        match word(found[-1]):
            case "CASE":
                subject = (*part, *rewriting.made("=", nodes[0])) if part else ()
            case "WHEN":
                condition = (*subject, *part)
            case "THEN":
                holding = failed | _nonzero(condition)
                failed |= _nonzero(condition, otherwise=True)
            case _:
                pass
        found += (*_written(rewriting, part, holding, rows), *nodes[end : end + 1])
        at = end + 1
    return tuple(found)
