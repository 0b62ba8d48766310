"""SQL for times: a time in an interval, a part of a time, days between times.

Each function returns an expression of one dialect (sqlite, mysql, postgres) for a column reference; next to operators
it needs brackets. Where the cells sort, they are compared with the ends of an interval, so that an index can be used;
where they do not, an expression turns them into a value that sorts:

    t.c >= '2024-02-01' AND t.c < '2024-03-01'        ISO text, types of a server
    t.c >= 1706745600 AND t.c < 1709251200            seconds since 1970, UTC
    SUBSTR(t.c, 7, 4) = '2024'                        03/02/2024

The patterns for each storage, part and dialect are rows of ``times.toml``.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..data.errors import QueryError
from ..data.values.slots import quoted
from .profile import GRAINS, Grain, TimeStorage

TimePart: TypeAlias = Literal[
    "year", "quarter", "month", "month of year", "week", "weekday", "day", "day of month", "hour"
]
"""Parts of a time: ``quarter``, ``month``, ``week`` include the year (2024-Q1, 2024-02, 2024-W07), ``day`` is a date;
``weekday`` is 1 for Monday to 7. Week and its year are those of ISO 8601."""

DurationUnit: TypeAlias = Literal["days", "hours", "years"]
"""Units of durations: ``days`` are calendar days (from 23:00 to 1:00 is one), ``years`` completed years, as in an age;
``hours`` may have fractions."""

_PARTS: Mapping[str, tuple[str, ...]] = {
    "year": ("year",),
    "month": ("year", "quarter", "month", "month of year"),
    "day": ("year", "quarter", "month", "month of year", "week", "weekday", "day", "day of month"),
}
"""The parts that cells of each granularity have; cells with seconds have all parts."""

_RECURRING: Mapping[str, TimePart] = {
    "month": "month of year",
    "day": "day of month",
    "weekday": "weekday",
    "hour": "hour",
}
_FIRST, _LAST = "1000", ":"
"""The texts before and after all that begin with a year of four digits: placeholders are outside of them."""


@cache
def _rows(file: str) -> Mapping[frozenset[str], Mapping[str, Any]]:
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return {frozenset(name.split(", ")): row for name, row in tomllib.loads(text).items()}


class _Filling(dict[str, str]):
    """The values of a pattern's placeholders; a placeholder without a value gets the pattern of its name."""

    def __init__(self, patterns: Mapping[str, str], **given: str) -> None:
        super().__init__(given)
        self._patterns = patterns

    def __missing__(self, name: str) -> str:
        return self._patterns[name].format_map(self)


@dataclass(frozen=True)
class TimePatterns:
    """The patterns of SQL for one storage of times in one dialect."""

    storage: TimeStorage
    dialect: str

    @cached_property
    def _facts(self) -> frozenset[str]:
        """Return the facts about the storage that the rows of the table match."""
        storage, form = self.storage, self.storage.form
        facts = {"any", self.dialect, form, f"to the {storage.grain}", "text" if storage.text else "number"}
        facts |= {"padded" if storage.padded else "unpadded", storage.separator.strip()}
        facts |= {name for name, holds in (("gaps", storage.gaps), ("offset", storage.offset)) if holds}
        if form == "unix ms":
            facts |= {"unix", "milliseconds"}
        if form in ("day first", "month first"):
            facts.add("numeric")
        if form == "month name":
            behind = storage.day_before_month and storage.grain != "month"
            facts = (facts - {form}) | {"named", "day and name" if behind else form}
            facts |= {"comma"} if "," in storage.separator else set()
        if not storage.sorts and storage.grain != "second":
            facts.add("ends with the year")
        if not storage.sorts and storage.grain in ("day", "second"):
            facts.add("unsorted")
        if self.in_pieces:
            facts.add("in pieces")
        elif form == "year first":
            facts.add("read")
        return frozenset(facts)

    @property
    def in_pieces(self) -> bool:
        """Is a time split into digits, since no function of the dialect parses it?"""
        storage, form = self.storage, self.storage.form
        if self.dialect == "mysql" or form in ("native", "unix", "unix ms"):
            return False
        if self.dialect == "postgres":
            return True
        read = form == "year first" and storage.padded and storage.grain == "day" and storage.separator != "年"
        return not read and form not in ("iso", "year")

    @cached_property
    def patterns(self) -> Mapping[str, str]:
        """Return the patterns by name."""
        return {
            name: text
            for facts, row in _rows("times.toml").items()
            if facts <= self._facts
            for name, text in row.items()
        }

    def spellings(self, name: str, ref: str, **given: str) -> list[str]:
        """Return other common expressions for a part or a duration."""
        rows = (row for facts, row in _rows("spellings.toml").items() if facts <= self._facts)
        filling = _Filling(self.patterns, c=ref, **given)
        return [text.format_map(filling) for row in rows for text in row.get(name, ())]

    def write(self, name: str, ref: str, **given: str) -> str:
        """Return a filled pattern.

        Args:
            ref: the column reference in SQL.
            given: the values of further placeholders.

        Raises:
            QueryError: the dialect has no such pattern for this storage.
        """
        sign = self.storage.separator or " "
        signs = {"sign": sign, "s": quoted(sign), "width": str(len(sign)), "clock": ""}
        signs["k"] = quoted(self.storage.clock.strip()[:1] or " ")
        try:
            return _Filling(self.patterns, c=ref, **(signs | given))[name]
        except KeyError as error:
            problem = f"{self.dialect} takes no {name} out of what is stored as {self.storage.form}"
            raise QueryError(problem, hint="use a view that casts it to a date") from error

    def guarded(self, name: str, ref: str) -> str:
        """Return a filled pattern that is NULL for cells that are no times, if the column has such texts."""
        value, storage = self.write(name, ref), self.storage
        if not (storage.gaps and storage.text):
            return value
        return f"CASE WHEN {ref} LIKE {quoted(self.write('like', ref))} THEN {value} END"

    def cell(self, moment: datetime) -> str:
        """Return the shortest literal of a moment for a comparison with cells that sort."""
        storage, iso = self.storage, moment.date().isoformat()
        if storage.form in ("unix", "unix ms"):
            seconds = str(int(moment.replace(tzinfo=UTC).timestamp()) * (1000 if storage.form == "unix ms" else 1))
            return quoted(seconds) if storage.text and self.dialect == "postgres" else seconds
        text = self.write("cell", "", yyyy=iso[:4], mm=iso[5:7], dd=iso[8:])
        if storage.form in ("iso", "native") and moment.time() != time():
            text = moment.isoformat(" ", "seconds")
        return quoted(text) if storage.text or storage.form == "native" else text


patterns_of = lru_cache(1024)(TimePatterns)
"""Returns the cached patterns of a storage and a dialect."""


def sortable(ref: str, storage: TimeStorage, dialect: str) -> str:
    """Return an expression that sorts by time: the column itself, or its days as 20240203 or as dates."""
    patterns = patterns_of(storage, dialect)
    if storage.sorts:
        return ref
    return patterns.write("moment", ref) if dialect == "mysql" else patterns.guarded("digits", ref)


def part_of(ref: str, storage: TimeStorage, dialect: str, part: TimePart, *, number: bool = False) -> str:
    """Return a part of a time, which is NULL for placeholders.

    Day of the month, hour and weekday are numbers. Year and month of the year are, in SQLite, texts of four and two
    digits, as strftime returns them and people display them; elsewhere they are numbers, except a year that PostgreSQL
    extracts from a text.

    Args:
        number: whether SQLite must return the year or month of the year as a number, for comparisons with numbers.

    Raises:
        QueryError: the cells lack the part, or PostgreSQL cannot extract it from a text.
    """
    if storage.grain != "second" and part not in _PARTS[storage.grain]:
        raise QueryError(f"cells that tell no more than the {storage.grain} have no {part}")
    patterns = patterns_of(storage, dialect)
    if patterns.in_pieces and part not in ("week", "weekday"):
        value = patterns.guarded(part, ref)
    else:
        value = patterns.write(part, ref, clock=f"{storage.clock}%H:%i" if part == "hour" else "")
    whole = number and dialect == "sqlite" and part in ("year", "month of year") and storage.form != "year"
    return f"CAST({value} AS INTEGER)" if whole else value


def recurring(ref: str, storage: TimeStorage, dialect: str, part: str, numbers: Sequence[int]) -> str:
    """Return the condition that a part is one of some numbers.

    Args:
        part: ``month``, ``quarter``, ``weekday``, ``day`` (of the month) or ``hour``, as a `TimeSpan` has it.
        numbers: the numbers of the part, such as 12, or 6 and 7 for a weekend.

    Raises:
        QueryError: the same as in `part_of`.
    """
    if part == "quarter":
        months = [month for n in sorted(numbers) for month in (3 * n - 2, 3 * n - 1, 3 * n)]
        return recurring(ref, storage, dialect, "month", months)
    value, listed = part_of(ref, storage, dialect, _RECURRING[part]), sorted(numbers)
    written = [quoted(f"{n:02}") if part == "month" and dialect == "sqlite" else str(n) for n in listed]
    if len(written) == 1:
        return f"{value} = {written[0]}"
    together = listed[-1] - listed[0] == len(listed) - 1 and len(listed) > 2
    return f"{value} BETWEEN {written[0]} AND {written[-1]}" if together else f"{value} IN ({', '.join(written)})"


def within(ref: str, storage: TimeStorage, dialect: str, start: datetime | None, end: datetime | None) -> str:
    """Return the condition that a time is in [start, end), where None is an open end.

    A cell that is only a year, month or day is a period: it matches if the period overlaps with the interval.

    Raises:
        ValueError: there is neither a start nor an end.
    """
    if start is None and end is None:
        raise ValueError("an interval without ends says nothing")
    start, end = rounded(storage, start, end)
    if not storage.sorts:
        return _within_days(ref, patterns_of(storage, dialect), start, end)
    if storage.form == "iso" and any(moment and moment.time() != time() for moment in (start, end)):
        read = dialect == "sqlite" and not storage.offset  # SQLite would convert times with an offset to UTC
        ref = f"DATETIME({ref})" if read else f"REPLACE({ref}, 'T', ' ')"
    if storage.form in ("unix", "unix ms") and storage.text and dialect != "postgres":
        ref = f"CAST({ref} AS {'SIGNED' if dialect == 'mysql' else 'INTEGER'})"
    cell = patterns_of(storage, dialect).cell
    if storage.grain != "second" and start and end and _ceil(start + timedelta(microseconds=1), storage.grain) == end:
        return f"{ref} = {cell(start)}"
    low = cell(start) if start else _bound(_FIRST, storage, dialect)
    high = cell(end) if end else _bound(_LAST, storage, dialect)
    return " AND ".join(f"{ref} {sign} {moment}" for sign, moment in ((">=", low), ("<", high)) if moment is not None)


def _bound(text: str, storage: TimeStorage, dialect: str) -> str | None:
    """Return the bound that excludes placeholders, None where there are none or the comparison excludes them."""
    if not storage.gaps or storage.form in ("unix", "unix ms"):
        return None
    if storage.form == "native":
        return "'1000-01-01'" if dialect == "mysql" and text == _FIRST else None
    return quoted(text) if storage.text else None


def _within_days(ref: str, patterns: TimePatterns, start: datetime | None, end: datetime | None) -> str:
    """Return the condition on texts that do not sort: their days are between the first and the last."""
    last = None if end is None else end - timedelta(days=1)
    days = [None if moment is None else moment.date().isoformat() for moment in (start, last)]
    if patterns.dialect == "mysql":
        value = patterns.write("moment", ref)
    else:
        grain = max((_finest(moment) for moment in (start, end) if moment is not None), key=GRAINS.index)
        value = patterns.guarded(f"digits to the {grain}", ref)
        digits = {"year": 4, "month": 6}.get(grain, 8)
        days = [day and day.replace("-", "")[:digits] for day in days]
        days[0] = days[0] or (_FIRST if patterns.storage.gaps else None)
    low, high = (day and quoted(day) for day in days)
    if low == high:
        return f"{value} = {low}"
    if low is None or high is None:
        return f"{value} >= {low}" if high is None else f"{value} <= {high}"
    return f"{value} BETWEEN {low} AND {high}"


def _finest(moment: datetime) -> Grain:
    """Return the coarsest granularity that expresses a moment at the beginning of a day."""
    return "day" if moment.day > 1 else "month" if moment.month > 1 else "year"


def rounded(
    storage: TimeStorage, start: datetime | None, end: datetime | None
) -> tuple[datetime | None, datetime | None]:
    """Return an interval extended to the granularity of cells: whole years, months or days that overlap with it."""
    if storage.grain == "second" and storage.sorts and storage.form != "year first":
        return start, end
    grain: Grain = "day" if storage.grain == "second" else storage.grain
    return (None if start is None else _floor(start, grain)), (None if end is None else _ceil(end, grain))


def _floor(moment: datetime, grain: Grain) -> datetime:
    """Return the beginning of the year, month or day of a moment."""
    first = {"year": (moment.year, 1, 1), "month": (moment.year, moment.month, 1)}
    return datetime(*first.get(grain, (moment.year, moment.month, moment.day)))


def _ceil(moment: datetime, grain: Grain) -> datetime:
    """Return the first beginning of a year, month or day that is not before a moment."""
    floor = _floor(moment, grain)
    if floor == moment:
        return moment
    return _floor(floor + timedelta(days={"year": 366, "month": 31}.get(grain, 1)), grain)


def elapsed(  # noqa: PLR0917 - a column is a reference and a storage
    start_ref: str, start_storage: TimeStorage, end_ref: str, end_storage: TimeStorage, dialect: str, unit: DurationUnit
) -> str:
    """Return the duration from one column to another, which is NULL where one of them has no time.

    Raises:
        QueryError: the cells are too coarse, or PostgreSQL cannot compute with a text.
    """
    forms = {start_storage.form, end_storage.form}
    if unit == "years" and forms == {"year"} and (dialect == "sqlite" or not (start_storage.text or end_storage.text)):
        return f"{end_ref} - {start_ref}"
    if unit == "hours" and {start_storage.grain, end_storage.grain} != {"second"}:
        raise QueryError("days have no hours between them")
    if forms in ({"unix"}, {"unix ms"}) and unit != "years" and dialect != "mysql":
        scale = 1000 if forms == {"unix ms"} else 1
        if unit == "hours":
            return f"({end_ref} - {start_ref}) / {3600 * scale}.0"
        return f"{end_ref} / {86400 * scale} - {start_ref} / {86400 * scale}"
    start, end = (
        patterns_of(storage, dialect).write(f"{unit} operand", ref)
        for ref, storage in ((start_ref, start_storage), (end_ref, end_storage))
    )
    return patterns_of(start_storage, dialect).write(f"{unit} between", start_ref, start=start, end=end)


def age(ref: str, storage: TimeStorage, dialect: str, now: datetime) -> str:
    """Return the completed years from a column to a fixed time; the errors are those of `elapsed`."""
    if storage.form == "year":
        text, end = str(now.year), TimeStorage("year", "year", text=False)
    elif dialect == "sqlite":
        text, end = f"{now:%Y%m%d}", TimeStorage("digits", "day", text=False)
    elif dialect == "postgres":
        text, end = f"DATE '{now:%Y-%m-%d}'", TimeStorage("native", "day", text=False)
    else:
        text, end = f"'{now:%Y-%m-%d}'", TimeStorage("iso", "day", text=True)
    return elapsed(ref, storage, text, end, dialect, "years")
