"""Queries about numbers that texts say, as «$1,200» does: those about other numbers, drawn over such columns alone."""

from __future__ import annotations

from dataclasses import replace

from ..draws import Draft, Draw
from .groups import GROUPS
from .orders import ORDERS
from .selections import SELECTIONS
from .shape import Structure

__all__ = ["WRITTEN"]

_ALL = {**SELECTIONS, **ORDERS, **GROUPS}
_OF = ("aggregate", "aggregate-eq", "filter-number", "filter-between", "filter-average", "count-number", "order", "top",
       "top-n", "group-value", "group-value-top")  # fmt: skip


def _written(structure: Structure) -> Structure:
    def over_texts(draw: Draw) -> Draft:
        return structure(replace(draw, written=True))

    return over_texts


WRITTEN: dict[str, Structure] = {f"written-{name}": _written(_ALL[name]) for name in _OF}
