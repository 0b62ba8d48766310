"""Detects the storage of a column's times, in texts of one form or in numbers, with doubts for a person to check."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime

from ..data.schema.plain_names import is_year
from .cell_sample import CellSample
from .profile import Grain, TimeForm, TimeStorage
from .time_finding import (
    TIME_TYPE,
    CellForm,
    DayOrder,
    Neighbours,
    TimeCell,
    TimeFinding,
    ends_of,
    gaps_of,
    read_digits,
    read_time,
    says_time,
)

_UNREAD: Mapping[CellForm, str] = {
    "clock": "times of day or lengths of time, without a date",
    "no year": "dates without a year",
    "irregular": "dates with words or signs that are not read",
}
_SEASON = re.compile(r"(\d{4})\s?[-/–]\s?(\d\d|\d{4})")
_UTC = frozenset({"", "Z", "UTC", "GMT"})
_MOST = 0.8  # the share of times among the cells from which a column counts as one of times
_WORDS = 3  # the largest number of distinct words in place of a time: present, never
_TELLING = 5  # the number of distinct times from which a word is a placeholder regardless of its frequency
_LOOKED_AT = 24  # the number of cells that are parsed first, to skip columns without times


def _time_of_texts(sample: CellSample, neighbours: Neighbours) -> TimeFinding | None:
    """Return the storage of times in texts, None if there are none, or if they are seasons of two years."""
    texts = sample.texts
    probe = [*texts][:: max(1, len(texts) // _LOOKED_AT)]
    likely = says_time(sample)
    if not (likely or any(map(read_time, probe))) or sum(map(_is_season, texts)) >= _MOST * len(texts):
        return None
    read = {
        text: read_time(text) or (read_digits(text) if likely and len(text) == 4 and text.isdecimal() else None)
        for text in texts
    }
    cells = [cell for cell in read.values() if cell is not None]
    readable = sum(times for text, times in sample.texts.items() if read[text] is not None)
    total = sum(sample.texts.values()) + sum(sample.counts[number] for number in sample.numbers)
    odd = [text for text, cell in read.items() if cell is None]
    if likely and len(odd) == 1 and odd[0].isalpha() and len(cells) >= _TELLING and not sample.numbers:
        readable = total  # one word marks the many rows whose time is in the future, such as incumbent
    if readable < _MOST * total and (seconds := _seconds(sample, read)):
        example = next(text for text, cell in read.items() if cell is not None)
        return TimeFinding(None, f"times are written in several ways: {example!r}, {seconds!r}")
    if readable < _MOST * total:
        time = next((text for text, cell in read.items() if cell is not None), None)
        other = next((text for text, cell in read.items() if cell is None), None)
        doubt = f"some cells are times ({time!r}), others are not ({other!r})"
        return TimeFinding(None, doubt) if likely and readable > 0.4 * total else None
    if sample.numbers or any(c.isdigit() for text in odd for c in text) or len(odd) > _WORDS:
        example = odd[0] if odd else sample.numbers[0]
        return TimeFinding(None, f"most cells are times, but not {example!r}")
    if {(cell.form, cell.separator) for cell in cells} == {("iso", ""), ("year first", "-")}:  # 1999-9-9, 1999-10-10
        cells = [replace(cell, form="year first", separator="-") for cell in cells]
    forms = Counter(cell.form for cell in cells)
    if len(forms) > 1:
        example = [next(text for text, cell in read.items() if cell and cell.form == form) for form in forms]
        return TimeFinding(None, f"times are written in several ways: {', '.join(map(repr, example[:3]))}")
    return _with_gaps(_of_one_form(sample, cells, neighbours), odd[0] if odd else None)


def _seconds(sample: CellSample, read: Mapping[str, TimeCell | None]) -> str:
    """Return an example of the cells that are no dates, if all of these are unix times in seconds or milliseconds."""
    unread = [text for text, cell in read.items() if cell is None] + [str(number) for number in sample.numbers]
    count = all(text.isdecimal() and len(text) in (10, 13) for text in unread)
    return unread[0] if unread and count and any(cell is not None for cell in read.values()) else ""


def _with_gaps(finding: TimeFinding | None, odd: str | None) -> TimeFinding | None:
    """Return a finding whose placeholders include a word among the times: present, never."""
    if finding is None or finding.storage is None or odd is None:
        return finding
    doubt = finding.doubt or f"{odd!r} stands where there is none"
    return replace(finding, storage=replace(finding.storage, gaps=True), doubt=doubt)


def _of_one_form(sample: CellSample, cells: list[TimeCell], neighbours: Neighbours) -> TimeFinding | None:
    dated = [cell for cell in cells if not _is_zero(cell)]
    problem = "none of the dates is one" if not dated else _several_ways(sample, dated)
    match cells[0].form:
        case "clock" | "no year" | "irregular" as form:
            return TimeFinding(None, _UNREAD[form])
        case "short year":
            likely = says_time(sample) or cells[0].separator == "/" or cells[0].day_before_month
            return TimeFinding(None, "years of two digits") if likely else None
        case "numeric" if not problem:
            finding = _of_numeric(dated, neighbours)
        case "iso" | "year first" | "month name" as form if not problem:
            finding = TimeFinding(_storage(form, dated), _zones(dated))
        case _:
            return TimeFinding(None, problem)
    if finding.storage is None or (len(dated) == len(cells) and not sample.nothing):
        return finding
    zero = next((f"'{c.year:04}-{c.month:02}-{c.day:02}'" for c in cells if _is_zero(c)), None)
    gap = gaps_of(sample) if zero is None else f"{zero} stands where there is none"
    return replace(finding, storage=replace(finding.storage, gaps=True), doubt=finding.doubt or gap)


def _is_zero(cell: TimeCell) -> bool:
    """Is it 0000-00-00, or another impossible day?"""
    return (
        cell.form in ("iso", "year first")
        and cell.grain in ("day", "second")
        and 0 in (cell.year, cell.month, cell.day)
    )


def _is_season(text: str) -> bool:
    """Is a text a season of two consecutive years, as 2003-04 and 1999/2000?"""
    match = _SEASON.fullmatch(text)
    return match is not None and (int(match[1]) + 1) % 100 == int(match[2]) % 100


def _several_ways(sample: CellSample, cells: list[TimeCell]) -> str:
    """Return the difference between cells of one form that no single expression can parse, "" if there is none."""
    if cells[0].form == "iso":
        return ""
    if len({cell.separator for cell in cells}) > 1:
        return "times are written with several separators"
    dated = [cell for cell in cells if cell.grain in ("day", "second")]
    if len({cell.day_before_month for cell in cells}) > 1 or 0 < len(dated) < len(cells):
        return "times are written in several ways"
    padded = any(isinstance(cell, str) and cell != cell.strip() and cell.strip() for cell in sample.counts)
    return "blanks stand around some dates" if padded else ""


def _zones(cells: list[TimeCell]) -> str:
    zones = {cell.zone for cell in cells}
    names = ", ".join(sorted(zone or "none" for zone in zones)[:3])
    return f"of several time zones: {names}; each is read as it stands" if len(zones) > 1 else ""


def _of_numeric(cells: list[TimeCell], neighbours: Neighbours) -> TimeFinding:
    """Decide the order of day and month: by unambiguous cells, else by neighbours, else by the usual order."""
    day = next((cell for cell in cells if cell.month > 12), None)
    month = next((cell for cell in cells if cell.day > 12), None)
    if day and month:
        example = f"{day.month}{day.separator}{day.day} and {month.month}{month.separator}{month.day}"
        return TimeFinding(None, f"{example} in one column: does the day or the month stand first?")
    separator = cells[0].separator
    if day or month:
        return TimeFinding(_storage("day first" if day else "month first", cells))
    order, by = neighbours.orders.get(separator, (_usual(cells, separator), ""))
    why = f"as in {by}" if by else "which is more usual"
    first_part = "the month" if order == "day first" else "the day"
    return TimeFinding(_storage(order, cells), f"{first_part} might stand first as well; {order}, {why}", sure=False)


def _usual(cells: list[TimeCell], separator: str) -> DayOrder:
    """Return the likelier order: many dates are the first of a month, but few columns have a single month."""
    first, second = {cell.month for cell in cells}, {cell.day for cell in cells}
    if first == {1} and len(second) > 2:
        return "day first"
    if second == {1} and len(first) > 2:
        return "month first"
    return "month first" if separator == "/" else "day first"


def _storage(form: TimeForm, cells: list[TimeCell]) -> TimeStorage:
    if form == "day first":
        cells = [TimeCell(c.form, c.grain, c.year, c.day, c.month, c.separator, c.padded) for c in cells]
    first, last = ends_of(cells)
    grains: tuple[Grain, ...] = ("second", "day", "month", "year")
    finest: Grain = next(grain for grain in grains if any(c.grain == grain for c in cells))
    padded = all(cell.padded for cell in cells)
    offset = form == "iso" and any(cell.zone.strip("+-:0") not in _UTC for cell in cells)
    sign, day_first = cells[0].separator, cells[0].day_before_month
    return TimeStorage(form, finest, True, sign, padded, day_first, first=first, last=last, offset=offset)


_UNIX: Mapping[TimeForm, tuple[int, tuple[int, int]]] = {
    "unix": (1, (315_532_800, 2_524_608_000)),  # 1980 to 2050
    "unix ms": (1000, (315_532_800_000, 2_524_608_000_000)),
}


def _time_of_numbers(sample: CellSample, neighbours: Neighbours) -> TimeFinding | None:
    """Return the storage of times in numbers or texts of digits: unix times, dates in digits, years."""
    text = bool(sample.texts)
    if not text and any(isinstance(n, float) and not n.is_integer() for n in sample.numbers):
        return _unix(sample, sample.numbers, neighbours, text=False)
    numbers = [int(t) for t in sample.texts] if text else sample.numbers
    digits = [*sample.texts] if text else [str(int(number)) for number in numbers]
    read = map(read_digits, digits)
    cells = [cell for cell in iter(lambda: next(read, None), None) if cell]  # up to the first that is no time
    forms = {(cell.form, cell.grain) for cell in cells}
    if len(cells) == len(digits) and len(forms) == 1 and _plausible(sample, cells):
        first, last = ends_of(cells)
        first_cell = cells[0]
        form: TimeForm = "year" if first_cell.form == "year" else "digits"
        storage = TimeStorage(form, first_cell.grain, text=text, gaps=bool(sample.nothing), first=first, last=last)
        return TimeFinding(storage, gaps_of(sample))
    return _unix(sample, numbers, neighbours, text=text)


def _plausible(sample: CellSample, cells: list[TimeCell]) -> bool:
    """Are numbers likely dates or years, by the column's name or because no other numbers look like them?"""
    if TIME_TYPE.search(sample.type):
        return True
    match cells[0].grain:
        case "day":
            return says_time(sample) or (len(cells) > 2 and not sample.meaning)
        case "month":
            return says_time(sample) or (len(cells) > 5 and not sample.meaning and not sample.numbering)
        case _:
            if is_year(sample.column.name, sample.column.description):
                return True
            if says_time(sample) and len(cells) > 1 and not sample.numbering:
                return all(1500 <= cell.year <= 2100 for cell in cells)
            earliest = 1900 if sample.numbers else 1700  # amounts are rarely stored as text
            recent = all(earliest <= cell.year <= 2035 for cell in cells)
            named = sample.meaning or sample.coded or sample.numbering
            return recent and len(cells) > 2 and not named and sample.rows > 4


def _unix(
    sample: CellSample, numbers: Iterable[int | float], neighbours: Neighbours, *, text: bool
) -> TimeFinding | None:
    seen = [*numbers]
    if not (says_time(sample) or TIME_TYPE.search(sample.type) or neighbours.unix) or sample.numbering:
        return None
    for form, (unit, (low, high)) in _UNIX.items():
        if seen and all(low <= number <= high for number in seen):
            first, last = (datetime.fromtimestamp(end / unit, UTC).date().isoformat() for end in (min(seen), max(seen)))
            storage = TimeStorage(form, "second", text=text, gaps=bool(sample.nothing), first=first, last=last)
            return TimeFinding(storage, gaps_of(sample))
    return None


def time_of(sample: CellSample, neighbours: Neighbours) -> TimeFinding | None:
    """Return the finding of times in a column, None if it has no times."""
    if sample.served and (native := _native(sample)):
        return native
    if sample.numbers and not sample.texts:
        return _time_of_numbers(sample, neighbours)
    texts = sample.texts
    if not texts or (len(sample.numbers) > len(texts) and not says_time(sample)):
        return None
    if all(text.isdecimal() and text.isascii() for text in texts) and not sample.numbers:
        return _time_of_numbers(sample, neighbours)
    return _time_of_texts(sample, neighbours)


def _native(sample: CellSample) -> TimeFinding | None:
    """Return the storage of a server's time type; cells that a driver returns as text are no dates: 0000-00-00."""
    kind = sample.type
    if kind.startswith("year"):
        return TimeFinding(TimeStorage("year", "year", text=False))
    if not re.match(r"date|timestamp|datetime", kind):
        return TimeFinding(None, "times of day, without a date") if re.match(r"time\b", kind) else None
    days = sorted(cell.isoformat()[:10] for cell in sample.counts if isinstance(cell, date))
    odd = next((cell for cell in sample.counts if isinstance(cell, str)), None)
    doubt = f"among them is {odd!r}, which is no date" if odd is not None else ""
    grain = "day" if re.match(r"date(?!time)", kind) else "second"
    first, last = (days[0], days[-1]) if days else ("", "")
    storage = TimeStorage("native", grain, text=False, gaps=odd is not None, first=first, last=last)
    return TimeFinding(storage, doubt)
