"""Metrics of a predicted query against the gold one.

Jaccard similarity of the token sets, exact match and validity are the metrics of ChESQL; execution
match is the usual one of Spider and text2sql.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from sqlglot import exp

from ..data.databases.rows import Rows, comparable
from ..data.parsing import parse
from ..data.values.numerals import value_of

Row = tuple[Hashable, ...]


def exact_match(predicted: Sequence[str], gold: Sequence[str]) -> bool:
    """Are the canonical words the same, numbers compared by value (``0.30`` is ``.3``)?"""
    return len(predicted) == len(gold) and all(map(_same_word, predicted, gold))


def _same_word(one: str, other: str) -> bool:
    if one == other:
        return True
    value = value_of(one)
    return value is not None and value == value_of(other)


def jaccard(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """Return the Jaccard similarity of the two sets of words, 1 for two empty ones."""
    one, other = set(predicted), set(gold)
    return len(one & other) / len(one | other) if one | other else 1.0


def execution_match(
    predicted: Sequence[Sequence[Any]],
    gold: Sequence[Sequence[Any]],
    ordered: bool = False,
    *,
    any_columns: bool = False,
) -> bool:
    """Do two queries return the same rows?

    Rows are compared as bags: duplicates count, order does not unless ``ordered``, which is for a
    gold query that sorts (`is_ordered`). Columns keep their order, or may stand in ``any_columns``' order
    as in test-suite accuracy (Zhong et al. 2020). Floats are compared at six significant digits, whole
    floats equal integers, NULL equals NULL only. Two empty results match, which says little: count them apart.
    """
    one, other = ([tuple(map(comparable, row)) for row in rows] for rows in (predicted, gold))
    if len(one) != len(other) or len({len(row) for row in (*one, *other)}) > 1:
        return False
    collect = list[Row] if ordered else Counter[Row]
    if collect(one) == collect(other):
        return True
    if not any_columns:
        return False
    target = collect(other)
    return any(collect(tuple(row[i] for i in order) for row in one) == target for order in _orders(other, one, ordered))


def rows_match(found: Rows, gold: Rows, sql: str, dialect: str = "sqlite", *, any_columns: bool = True) -> bool:
    """Are rows those of a gold query, in order where it sorts? See `execution_match`.

    Args:
        any_columns: in any order.
    """
    return execution_match(found.rows, gold.rows, is_ordered(sql, dialect), any_columns=any_columns)


def _orders(wanted: Sequence[Row], given: Sequence[Row], ordered: bool) -> Iterator[tuple[int, ...]]:
    """Yield the ways to pick for each wanted column another given one that holds the same cells."""
    collect = list[Hashable] if ordered else Counter[Hashable]
    aims, offers = ([collect(column) for column in zip(*rows, strict=True)] for rows in (wanted, given))

    def orders(count: int) -> Iterator[tuple[int, ...]]:
        if not count:
            yield ()
            return
        for rest in orders(count - 1):
            yield from ((*rest, i) for i, cells in enumerate(offers) if i not in rest and cells == aims[count - 1])

    return orders(len(aims))


def is_valid(sql: str, dialect: str) -> bool:
    """Is ``sql`` one query by an independent parser (sqlglot) of ``dialect``?"""
    return parse(sql, dialect) is not None


def is_ordered(sql: str, dialect: str) -> bool:
    """Does the query as a whole, not only a part of it, sort its rows?"""
    tree: Any = parse(sql, dialect)
    while isinstance(tree, exp.Subquery) and tree.args.get("order") is None:
        tree = tree.this
    return isinstance(tree, exp.Query) and tree.args.get("order") is not None
