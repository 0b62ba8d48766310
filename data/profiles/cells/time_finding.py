"""What was found of a column's times, and what its name and its neighbours say of it."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ...schema.meanings import is_year, without_unit
from ..column_profile import TimeStorage
from .cell_sample import CellSample
from .time_cells import TimeCell

__all__ = ["TIME_TYPE", "DayOrder", "Neighbours", "TimeFinding", "ends_of", "gaps_of", "says_time"]

DayOrder: TypeAlias = Literal["day first", "month first"]

TIME_TYPE = re.compile(r"date|time(?!span)|^year")
_SAYS_TIME = {
    *("date", "time", "day", "at", "on", "when", "timestamp", "ts", "epoch", "unix", "datetime", "created", "updated"),
    *("modified", "deleted", "since", "until", "from", "to", "start", "end", "started", "ended", "begin", "birthday"),
    *(
        "birth",
        "dob",
        "born",
        "died",
        "death",
        "creation",
        "deadline",
        "due",
        "expires",
        "expiry",
        "last",
        "login",
        "seen",
        "period",
        "month",
        "ym",
    ),
}
_SAYS_TIME_ZH = ("时间", "日期", "时刻", "日", "月份", "年月", "时间戳", "生日")


@dataclass(frozen=True)
class Neighbours:
    """What columns around one tell of it.

    Attributes:
        orders: by separator, whether their dates begin with the day or the month, and which column says so.
        unix: does a column of the same table hold unix times?
    """

    orders: Mapping[str, tuple[DayOrder, str]] = field(default_factory=dict[str, tuple[DayOrder, str]])
    unix: bool = False


@dataclass(frozen=True)
class TimeFinding:
    """A column of times.

    Attributes:
        storage: None where they are told in no one way.
        doubt: in one line, empty if there is none.
        forced: does the sample leave no other order of day and month?
    """

    storage: TimeStorage | None
    doubt: str = ""
    forced: bool = True


def says_time(sample: CellSample) -> bool:
    """Is it likely by its name or type that a column holds times?"""
    names = (sample.column.name, sample.column.description)
    if TIME_TYPE.search(sample.type) or _SAYS_TIME & set(sample.said) or is_year(*names):
        return True
    return any(without_unit(name).endswith(_SAYS_TIME_ZH) for name in names if name)


def gaps_of(sample: CellSample) -> str:
    """Return the doubt of a column in which some texts say nothing; none of others."""
    return f"{sample.nothing[0]!r} stands where there is none" if sample.nothing else ""


def ends_of(cells: list[TimeCell]) -> tuple[str, str]:
    """Return the first and the last day that cells mean, a month's last day of a month."""
    days = sorted((cell.year, cell.month or 1, cell.day or 1) for cell in cells)
    lasts = sorted((c.year, c.month or 12, c.day or monthrange(c.year, c.month or 12)[1]) for c in cells)
    return "{:04}-{:02}-{:02}".format(*days[0]), "{:04}-{:02}-{:02}".format(*lasts[-1])
