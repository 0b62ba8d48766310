"""What may fill a slot: a name, a query, a list of values, or a range.

    fill = { number0 = "few" }                                       a name of the domain's [fill] table, or one below
    fill = { tag0 = "SELECT DISTINCT data_tag FROM t_rt_data" }      candidates from the domain's database
    fill = { number0 = ["10", "20"] }                                these values
    fill = { number0 = { from = 2, to = 10 } }                       2, 3, … 10; with step = 2 every second one

A query is written in the domain's dialect and may hold slots that are filled before it. A list of queries
stands for the first of them whose slots the prototype has. Ranges of days and of moments go by days and by hours.

Names that every domain has, times seen from the domain's ``now``:

    number   few (4 to 8)   top (2 to 10)   count (10 to 60)   hours (2 to 24)   days (2 to 14)   small (0.5 to 5)
             percent (80 % to 95 %, in SQL 0.8 to 0.95)   share (5 % to 50 %, in SQL 5 to 50)
    time     day (of the last 30)   moment (an hour of these days)   past (a day of the half year before)
             since («the last 8 hours», in SQL its beginning)   week («this week», in SQL its Monday)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias, cast

from ..records import Record
from ..values.numerals import plain, value_of


@dataclass(frozen=True)
class Named:
    """A name of the domain's ``[fill]`` table or of `NAMES`."""

    name: str


@dataclass(frozen=True)
class Queries:
    """Queries for candidates; the first whose slots are there counts."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Values:
    """Candidates in SQL form; ``how`` is their form in questions if that is another one.

    ``how`` is ``percent``, ``share``, ``since``, ``week`` or empty.
    """

    values: tuple[str, ...]
    how: str = ""


Rule: TypeAlias = Named | Queries | Values

_RANGES = {"few": (4, 8), "top": (2, 10), "count": (10, 60), "hours": (2, 24), "days": (2, 14)}
_NUMBERS = {
    **{name: Values(tuple(map(str, range(low, high + 1)))) for name, (low, high) in _RANGES.items()},
    "small": Values(tuple(plain(Fraction(n, 2)) for n in range(1, 11))),
    "percent": Values(("0.8", "0.85", "0.9", "0.95"), "percent"),
    "share": Values(tuple(plain(Fraction(n, 100)) for n in range(5, 51, 5)), "share"),
}
NAMES = {"number": tuple(_NUMBERS), "time": ("day", "moment", "past", "since", "week")}
"""Names that every domain has, by type of slot."""

_MOST = 20_000


def parse_rule(value: object) -> Rule:
    """Read what stands behind a slot in ``fill``, or behind a name in ``[fill]``.

    Raises:
        ValueError: it is none of the four forms.
    """
    if isinstance(value, str) and value.strip():
        return Queries((value,)) if _is_query(value) else Named(value)
    if isinstance(value, list) and value:
        items = cast("list[object]", value)
        texts = [item for item in items if isinstance(item, str)]
        if len(texts) == len(items) and all(map(_is_query, texts)):
            return Queries(tuple(texts))
        return Values(tuple(_text(item) for item in items))
    if isinstance(value, dict):
        return Values(_range(cast("dict[str, Any]", value)))
    raise ValueError("not a way to fill a slot; write a name, a SELECT, a list, or { from = 2, to = 10 }")


def parsed_rule(record: Record, name: str, value: object) -> Rule:
    """Return what `parse_rule` reads of an entry of a record's ``fill`` table.

    Raises:
        DomainError: it is none of the four forms.
    """
    try:
        return parse_rule(value)
    except ValueError as error:
        raise record.error(str(error), f"fill.{name}") from error


@cache
def generic(kind: str, name: str, now: datetime | None) -> Values | None:
    """Return the candidates of one of `NAMES`, None if there is no such name or it needs a ``now``.

    Args:
        kind: type of the slot.
        name: of the fill.
        now: the domain's.
    """
    if kind == "number":
        return _NUMBERS.get(name)
    return _times(name, now) if now is not None and name in NAMES.get(kind, ()) else None


def _times(name: str, now: datetime) -> Values:
    hour, today = timedelta(hours=1), now.date()
    if name == "since":
        back = [*(n * hour for n in range(2, 25)), *(timedelta(days=n) for n in range(2, 15))]
        return Values(tuple(str(now - b) for b in back), "since")
    if name == "week":
        monday = today - timedelta(days=today.weekday())
        return Values((str(monday), str(monday - timedelta(days=7))), "week")
    if name == "moment":
        first = datetime.combine(today - timedelta(days=30), datetime.min.time())
        return Values(tuple(str(first + n * hour) for n in range((now - first) // hour + 1)))
    furthest, nearest = (30, 1) if name == "day" else (210, 10)
    return Values(tuple(str(today - timedelta(days=n)) for n in range(furthest, nearest - 1, -1)))


def _range(data: dict[str, Any]) -> tuple[str, ...]:
    if not {"from", "to"} <= data.keys() <= {"from", "to", "step"}:
        raise ValueError("a range has from and to, and perhaps step")
    low, high, step = _text(data["from"]), _text(data["to"]), value_of(_text(data.get("step", 1)))
    first, last = value_of(low), value_of(high)
    if step is None or step <= 0:
        raise ValueError("the step of a range is a number above 0")
    if first is not None and last is not None:
        return _bounded([plain(first + n * step) for n in range(min(_MOST, int((last - first) / step)) + 1)])
    try:
        start, end = datetime.fromisoformat(low), datetime.fromisoformat(high)
    except ValueError as error:
        raise ValueError(f"{low!r} to {high!r} is no range of numbers, days or moments") from error
    whole = len(low) == len("2024-03-01")
    every = timedelta(days=float(step)) if whole else timedelta(hours=float(step))
    times = [start + n * every for n in range(min(_MOST, (end - start) // every) + 1)]
    return _bounded([str(time.date()) if whole else str(time) for time in times])


def _bounded(values: Sequence[str]) -> tuple[str, ...]:
    if not values:
        raise ValueError("a range goes from the smaller value to the larger one")
    return tuple(values)


def _is_query(text: str) -> bool:
    return text.lstrip().upper().startswith(("SELECT ", "SELECT\n"))


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float | date):
        raise ValueError(f"{value!r} is no text, number or date")
    return plain(Fraction(str(value))) if isinstance(value, float) else str(value)
