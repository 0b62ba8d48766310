"""Times that are numbers, or digits alone: unix seconds, 20240203, years."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from ...schema.meanings import is_year
from ..column_profile import TimeForm, TimeStorage
from .cell_sample import CellSample
from .time_cells import TimeCell, read_digits
from .time_finding import TIME_TYPE, Neighbours, TimeFinding, ends_of, gaps_of, says_time

__all__ = ["time_of_numbers"]

_UNIX: Mapping[TimeForm, tuple[int, tuple[int, int]]] = {
    "unix": (1, (315_532_800, 2_524_608_000)),  # 1980 to 2050
    "unix ms": (1000, (315_532_800_000, 2_524_608_000_000)),
}


def time_of_numbers(sample: CellSample, neighbours: Neighbours) -> TimeFinding | None:
    """Return what numbers, or texts of digits alone, say: unix times, dates in digits, years."""
    text = bool(sample.texts)
    if not text and any(isinstance(n, float) and not n.is_integer() for n in sample.numbers):
        return _unix(sample, sample.numbers, neighbours, text=False)
    numbers = [int(t) for t in sample.texts] if text else sample.numbers
    digits = [*sample.texts] if text else [str(int(number)) for number in numbers]
    cells = [*_read_while(digits)]
    forms = {(cell.form, cell.grain) for cell in cells}
    if len(cells) == len(digits) and len(forms) == 1 and _plausible(sample, cells):
        first, last = ends_of(cells)
        one = cells[0]
        form: TimeForm = "year" if one.form == "year" else "digits"
        storage = TimeStorage(form, one.grain, text=text, gaps=bool(sample.nothing), first=first, last=last)
        return TimeFinding(storage, gaps_of(sample))
    return _unix(sample, numbers, neighbours, text=text)


def _read_while(digits: Iterable[str]) -> Iterator[TimeCell]:
    """Yield what digits say up to the first that say no time."""
    for one in digits:
        if (cell := read_digits(one)) is None:
            return
        yield cell


def _plausible(sample: CellSample, cells: list[TimeCell]) -> bool:
    """Are numbers that could be dates or years any, by the column's name, or since nothing else looks so?"""
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
            earliest = 1900 if sample.numbers else 1700  # amounts are seldom written as text
            recent = all(earliest <= cell.year <= 2035 for cell in cells)
            named = sample.meaning or sample.coded or sample.numbering
            return recent and len(cells) > 2 and not named and sample.rows > 4


def _unix(
    sample: CellSample, numbers: Iterable[int | float], neighbours: Neighbours, *, text: bool
) -> TimeFinding | None:
    some = [*numbers]
    if not (says_time(sample) or TIME_TYPE.search(sample.type) or neighbours.unix) or sample.numbering:
        return None
    for form, (unit, (low, high)) in _UNIX.items():
        if some and all(low <= number <= high for number in some):
            first, last = (datetime.fromtimestamp(end / unit, UTC).date().isoformat() for end in (min(some), max(some)))
            storage = TimeStorage(form, "second", text=text, gaps=bool(sample.nothing), first=first, last=last)
            return TimeFinding(storage, gaps_of(sample))
    return None
