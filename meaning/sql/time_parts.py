"""A part of a time as a value, what of a time sorts, and times as the date functions of a dialect read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from ...data.errors import QueryError
from ..profile import TimeStorage
from .time_pieces import pieces_of, quoted

__all__ = ["TimePart", "guarded", "moment_of", "part_of", "recurring", "sortable"]


def mysql_moment(ref: str, storage: TimeStorage, *, clock: bool) -> str:
    """Return what date functions read of a column; of a text that does not sort the time of day only if ``clock``."""
    if storage.form in ("unix", "unix ms"):  # FROM_UNIXTIME would shift to the zone of the session
        return f"TIMESTAMPADD(SECOND, {ref if storage.form == 'unix' else f'{ref} / 1000'}, '1970-01-01')"
    text, formats = _format(ref, storage)
    if not formats:
        # zero dates and texts that are none become NULL
        return f"DATE_ADD({text}, INTERVAL 0 DAY)" if storage.gaps else text
    read = [f"STR_TO_DATE({text}, {quoted(form + (f'{storage.clock}%H:%i' if clock else ''))})" for form in formats]
    return read[0] if len(read) == 1 else f"IFNULL({', '.join(read)})"


def _format(ref: str, storage: TimeStorage) -> tuple[str, tuple[str, ...]]:
    """Return a text with a day, and how STR_TO_DATE is to read it, one way or the other; none where MySQL reads it."""
    ref = f"LEFT({ref}, 16)" if storage.offset else ref
    sign, added = storage.separator, {"year": ("-01-01", "1月1日"), "month": ("-01", "1日")}.get(storage.grain)
    match storage.form:
        case "year first":
            form = "%Y年%m月%d日" if sign == "年" else f"%Y{sign}%m{sign}%d"
            day = "" if added is None else added[1] if sign == "年" else added[0].replace("-", sign)
            return (f"CONCAT({ref}, {quoted(day)})" if day else ref), (form,)
        case "day first" | "month first":
            first, second = ("d", "m") if storage.form == "day first" else ("m", "d")
            return ref, (f"%{first}{sign}%{second}{sign}%Y",)
        case "month name" if storage.grain == "month":
            return f"CONCAT('1 ', {ref})", ("%d %b %Y", "%d %M %Y")
        case "month name":
            gap = sign or " "
            before, behind = (f"%d{gap}", f"{gap}%Y") if storage.day_before_month else ("", f" %d{gap}%Y")
            return ref, (f"{before}%b{behind}", f"{before}%M{behind}")
        case form:
            day = "" if added is None else added[0].replace("-", "") if form == "digits" else added[0]
            return (f"CONCAT({ref}, {quoted(day)})" if day and form != "native" else ref), ()


def read_by_sqlite(storage: TimeStorage) -> bool:
    """Do SQLite's date functions read such cells, or what little makes of them?"""
    slashed = storage.form == "year first" and storage.padded and storage.grain == "day" and storage.separator != "年"
    return slashed or storage.form in ("iso", "native", "unix", "unix ms")


def moment_of(ref: str, storage: TimeStorage, dialect: str, *, clock: bool = False) -> str:
    """Return what date functions read: ISO text in SQLite, what is a date or reads as one in MySQL.

    Of what does not sort, MySQL reads the time of day if ``clock``, SQLite never does.

    Raises:
        QueryError: PostgreSQL makes a date of no text and no number without the risk of an error.
    """
    if dialect == "mysql":
        return mysql_moment(ref, storage, clock=clock)
    if dialect == "sqlite":
        return _sqlite_moment(ref, storage)
    if storage.form == "native":
        return ref
    raise QueryError(f"{dialect} makes no date of what is stored as {storage.form}", hint="use a view that casts it")


def _sqlite_moment(ref: str, storage: TimeStorage) -> str:
    match storage.form:
        case "unix" | "unix ms":
            return f"DATETIME({ref if storage.form == 'unix' else f'{ref} / 1000'}, 'unixepoch')"
        case "iso" | "native":
            ref = _as_said(ref, storage)
            return f"{ref} || '-01'" if storage.grain == "month" else ref
        case "year first" if read_by_sqlite(storage):
            return f"REPLACE({ref}, {quoted(storage.separator)}, '-')"
        case _:
            day = {"month": " || '-01'", "year": " || '-01-01'"}.get(storage.grain, "")
            return pieces_of(ref, storage, "sqlite").joined("-") + day


def _as_said(ref: str, storage: TimeStorage) -> str:
    """Return a time to its minute, without an offset from UTC by which date functions would move it to another day."""
    return f"SUBSTR({ref}, 1, 16)" if storage.offset else ref


def sortable(ref: str, storage: TimeStorage, dialect: str) -> str:
    """Return what sorts by time: the column itself where its cells do, else their days as 20240203, or dates."""
    if storage.sorts:
        return ref
    if dialect == "mysql":
        return moment_of(ref, storage, dialect)
    pieces = pieces_of(ref, storage, dialect)
    return guarded(ref, pieces.joined(), pieces.pattern, storage)


def guarded(ref: str, value: str, pattern: str, storage: TimeStorage) -> str:
    """Return a value that is NULL where the cell does not look like a time, if the column has such texts."""
    return f"CASE WHEN {ref} LIKE {quoted(pattern)} THEN {value} END" if storage.gaps and storage.text else value


TimePart: TypeAlias = Literal[
    "year", "quarter", "month", "month of year", "week", "weekday", "day", "day of month", "hour"
]
"""``quarter``, ``month`` and ``week`` are told with their year (2024-Q1, 2024-02, 2024-W07), ``day`` is the whole date;
``weekday`` is 1 for Monday to 7. Week and its year are those of ISO 8601."""

_TOLD: dict[str, tuple[str, ...]] = {
    "year": ("year",),
    "month": ("year", "quarter", "month", "month of year"),
    "day": ("year", "quarter", "month", "month of year", "week", "weekday", "day", "day of month"),
}
"""The parts that cells of a grain tell; seconds tell all."""

_SQLITE_FORMATS = {"year": "%Y", "month": "%Y-%m", "month of year": "%m", "day of month": "%d", "hour": "%H"}
_MYSQL_FUNCTIONS = {"year": "YEAR", "month of year": "MONTH", "day": "DATE", "day of month": "DAY", "hour": "HOUR"}
_MYSQL_FORMATS = {"month": "%Y-%m", "week": "%x-W%v"}
_POSTGRES_FIELDS = {"year": "YEAR", "month of year": "MONTH", "day of month": "DAY", "hour": "HOUR"}
_POSTGRES_FORMATS = {"month": "YYYY-MM", "quarter": "YYYY-Q", "week": "IYYY-IW"}


def part_of(ref: str, storage: TimeStorage, dialect: str, part: TimePart, *, number: bool = False) -> str:
    """Return a part of a time, NULL of what is none.

    Day of the month, hour and weekday are numbers. Year and month of the year are, in SQLite, texts of four and two
    digits, as strftime gives them and people show them; elsewhere they are numbers, but for a year that PostgreSQL
    takes out of a text.

    Args:
        number: SQLite shall make a number of the year or month of the year: a text is more than any number there.

    Raises:
        QueryError: the cells do not tell it, or PostgreSQL cannot take it out of a text.
    """
    _told(storage, part)
    if number and dialect == "sqlite" and part in ("year", "month of year") and storage.form != "year":
        return f"CAST({part_of(ref, storage, dialect, part)} AS INTEGER)"
    return _year(ref, storage, dialect) if storage.form == "year" else _part(ref, storage, dialect, part)


def _part(ref: str, storage: TimeStorage, dialect: str, part: TimePart) -> str:
    if dialect == "mysql":
        return _mysql_part(ref, storage, part)
    if storage.form == "native" and dialect == "postgres":
        return _postgres_part(ref, part)
    if dialect == "sqlite" and (read_by_sqlite(storage) or part in ("week", "weekday")):
        return _sqlite_part(moment_of(ref, storage, dialect), part)
    if (not storage.text and part in _POSTGRES_FIELDS and dialect == "postgres") or storage.form in ("unix", "unix ms"):
        return _postgres_of_number(ref, storage, part)
    return _of_pieces(ref, storage, dialect, part)


def _told(storage: TimeStorage, part: str) -> None:
    if storage.grain != "second" and part not in _TOLD[storage.grain]:
        raise QueryError(f"cells that tell no more than the {storage.grain} have no {part}")


def _year(ref: str, storage: TimeStorage, dialect: str) -> str:
    if not storage.text:
        return ref
    if dialect == "postgres":
        return guarded(ref, ref, "____", storage)
    if dialect == "mysql":  # a GROUP BY of MySQL takes no NULLIF
        return f"YEAR({moment_of(ref, storage, dialect)})" if storage.gaps else f"CAST({ref} AS SIGNED)"
    number = f"CAST({ref} AS INTEGER)"
    return f"NULLIF({number}, 0)" if storage.gaps else number


def _sqlite_part(moment: str, part: TimePart) -> str:
    match part:
        case "quarter":
            return f"STRFTIME('%Y-Q', {moment}) || ((STRFTIME('%m', {moment}) + 2) / 3)"
        case "week":
            thursday = f"{_date(moment)[:-1]}, '-3 days', 'weekday 4')"
            number = f"(STRFTIME('%j', {thursday}) + 6) / 7"
            return f"STRFTIME('%Y-W', {thursday}) || SUBSTR(100 + {number}, 2)"
        case "weekday":
            return f"(STRFTIME('%w', {moment}) + 6) % 7 + 1"
        case "day":
            return _date(moment)
        case "year" | "month" | "month of year":
            return f"STRFTIME('{_SQLITE_FORMATS[part]}', {moment})"
        case _:
            return f"CAST(STRFTIME('{_SQLITE_FORMATS[part]}', {moment}) AS INTEGER)"


def _date(moment: str) -> str:
    return moment.replace("DATETIME(", "DATE(", 1) if moment.startswith("DATETIME(") else f"DATE({moment})"


def _mysql_part(ref: str, storage: TimeStorage, part: TimePart) -> str:
    moment = moment_of(ref, storage, "mysql", clock=part == "hour")
    match part:
        case "quarter":
            return f"CONCAT(YEAR({moment}), '-Q', QUARTER({moment}))"
        case "weekday":
            return f"WEEKDAY({moment}) + 1"
        case "month" | "week":
            return f"DATE_FORMAT({moment}, '{_MYSQL_FORMATS[part]}')"
        case _:
            return f"{_MYSQL_FUNCTIONS[part]}({moment})"


def _postgres_part(ref: str, part: TimePart) -> str:
    match part:
        case "weekday":
            return f"(EXTRACT(DOW FROM {ref}) + 6) % 7 + 1"
        case "day":
            return f"CAST({ref} AS DATE)"
        case "month" | "quarter" | "week":
            text = f"TO_CHAR({ref}, '{_POSTGRES_FORMATS[part]}')"
            return text if part == "month" else f"REPLACE({text}, '-', '-{part[0].upper()}')"
        case _:
            return f"EXTRACT({_POSTGRES_FIELDS[part]} FROM {ref})"


def _postgres_of_number(ref: str, storage: TimeStorage, part: TimePart) -> str:
    """Return what integers tell of 20240203, of 202402, and of seconds since 1970, a Thursday."""
    seconds = f"{ref} / 1000" if storage.form == "unix ms" else ref
    months = ref if storage.grain == "month" else f"{ref} / 100"
    told: dict[str, str] = {
        "digits year": f"{months} / 100",
        "digits month of year": f"{months} % 100",
        "digits day of month": f"{ref} % 100",
        "unix weekday": f"({seconds} / 86400 + 3) % 7 + 1",
        "unix hour": f"{seconds} / 3600 % 24",
    }
    form = storage.form.removesuffix(" ms")
    if storage.text or f"{form} {part}" not in told:
        raise QueryError(f"postgres takes no {part} out of what is stored as {form}", hint="use a view that casts it")
    return told[f"{form} {part}"]


def _of_pieces(ref: str, storage: TimeStorage, dialect: str, part: TimePart) -> str:
    pieces = pieces_of(ref, storage, dialect)
    match part:
        case "year":
            value = pieces.year
        case "month":
            value = pieces.joined("-", 2)
        case "day":
            value = pieces.joined("-")
        case "quarter":
            value = f"{pieces.year} || '-Q' || {_quarter(pieces.month, dialect)}"
        case "month of year":
            value = pieces.month if dialect == "sqlite" else _number(pieces.month)
        case "day of month" | "hour":
            text = pieces.day if part == "day of month" else pieces.hour
            value = f"CAST({text} AS INTEGER)" if dialect == "sqlite" else _number(text)
        case _:
            raise QueryError(f"postgres takes no {part} out of a text", hint="use a view that casts it to a date")
    return guarded(ref, value, pieces.pattern, storage)


_TWO_DIGITS = " ".join(f"{n:02}" for n in range(32))


def _number(digits: str) -> str:
    """Return the number from 0 to 31 of two digits, where a cast could be an error."""
    return f"(STRPOS('{_TWO_DIGITS}', {digits}) - 1) / 3"


def _quarter(month: str, dialect: str) -> str:
    if dialect == "sqlite":
        return f"(({month} + 2) / 3)"
    return f"((STRPOS('{_TWO_DIGITS[3:38]}', {month}) + 8) / 9)"


def recurring(ref: str, storage: TimeStorage, dialect: str, part: str, numbers: Sequence[int]) -> str:
    """Return the condition that a part is one of some numbers.

    Args:
        part: ``month``, ``quarter``, ``weekday``, ``day`` (of the month) or ``hour``, as a `TimeSpan` has it.
        numbers: 12; 6 and 7 of a weekend.

    Raises:
        QueryError: as `part_of`.
    """
    if part == "quarter":
        months = [month for n in sorted(numbers) for month in (3 * n - 2, 3 * n - 1, 3 * n)]
        return recurring(ref, storage, dialect, "month", months)
    whole: dict[str, TimePart] = {"month": "month of year", "day": "day of month", "weekday": "weekday", "hour": "hour"}
    value = part_of(ref, storage, dialect, whole[part])
    told = [f"{n:02}" for n in sorted(numbers)] if part == "month" and dialect == "sqlite" else sorted(numbers)
    written = [quoted(n) if isinstance(n, str) else str(n) for n in told]
    if len(written) == 1:
        return f"{value} = {written[0]}"
    together = sorted(numbers)[-1] - sorted(numbers)[0] == len(numbers) - 1 and len(numbers) > 2
    return f"{value} BETWEEN {written[0]} AND {written[-1]}" if together else f"{value} IN ({', '.join(written)})"
