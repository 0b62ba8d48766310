"""Queries about rows of several times: the question's verb says which, «how many did we acquire in 2024»."""

from .parts import PARTS
from .shape import Structure, kept_to
from .spans import TIME_SPANS

_ALL = {**TIME_SPANS, **PARTS}
_OF = ("span-entities", "span-count", "bound-entities", "bound-count", "range-count", "recurring-count", "part-count",
       "part-in-year", "part-since", "part-top")  # fmt: skip


TOLD_TIMES: dict[str, Structure] = {f"told-{name}": kept_to(_ALL[name], told=True) for name in _OF}
