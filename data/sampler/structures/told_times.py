"""Queries about rows of several times: the question's verb says which, «how many did we acquire in 2024»."""

from __future__ import annotations

from dataclasses import replace

from ..draws import Draft, Draw
from .parts import PARTS
from .shape import Structure
from .spans import TIME_SPANS

__all__ = ["TOLD_TIMES"]

_ALL = {**TIME_SPANS, **PARTS}
_OF = ("span-entities", "span-count", "bound-entities", "bound-count", "range-count", "recurring-count", "part-count",
       "part-in-year", "part-since", "part-top")  # fmt: skip


def _told(structure: Structure) -> Structure:
    def of_several(draw: Draw) -> Draft:
        return structure(replace(draw, told=True))

    return of_several


TOLD_TIMES: dict[str, Structure] = {f"told-{name}": _told(_ALL[name]) for name in _OF}
