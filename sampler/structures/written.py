"""Queries about numbers that texts say, as «$1,200» does: those about other numbers, drawn over such columns alone."""

from .groups import GROUPS
from .orders import ORDERS
from .selections import SELECTIONS
from .shape import Structure, kept_to

_ALL = {**SELECTIONS, **ORDERS, **GROUPS}
_OF = ("aggregate", "aggregate-eq", "filter-number", "filter-between", "filter-average", "count-number", "order", "top",
       "top-n", "group-value", "group-value-top")  # fmt: skip


WRITTEN: dict[str, Structure] = {f"written-{name}": kept_to(_ALL[name], written=True) for name in _OF}
