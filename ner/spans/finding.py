"""Finds the times in a question: periods, two of them as one range, lists, and their bounds."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from ..language.question import QuestionText
from .periods import YEARS, Bound, Period, Reading, TimeSpan, YearPart, in_unit, in_year, last_of, nth, read
from .timed_question import TimedQuestion
from .whole import read_period, settled_edge
from .years import read_part

_AT_END: dict[Bound, Bound] = {"before": "until", "since": "after"}
_AT_START: dict[Bound, Bound] = {"after": "since", "until": "before"}


@dataclass(frozen=True)
class _PlacedPeriod:
    """A period with the positions of its first word, of the first one with its prepositions, and behind the last."""

    period: Period
    bound: Bound
    first: int
    last: int
    opens: int
    closes: int


def find_spans(question: QuestionText, *, now: datetime, fiscal_month: int = 1) -> list[TimeSpan]:
    """Return the times in a question, in order of position, none overlapping.

    English and Chinese words are read in any language, since questions mix them.

    Args:
        now: the time that «yesterday» is relative to, without a zone.
        fiscal_month: in which fiscal years begin; those that do not begin in January are named after their end.
    """
    timed = TimedQuestion(question, now=now, fiscal_month=fiscal_month)
    found, i = list[_PlacedPeriod](), 0
    while i < len(timed.tokens):
        placed = _sharing(timed, i) or _bounded(timed, i)
        found += placed
        i = placed[-1].closes if placed else i + 1
    return [_span(timed, placed) for placed in _with_doubts(timed, _listed(timed, found))]


def _sharing(timed: TimedQuestion, i: int) -> list[_PlacedPeriod]:
    """Read «first and second quarters of 2023», 1、2月: the numbers before the last one share its words."""
    heads, at = list[tuple[int, int, int]](), i
    while joined := timed.seq(at, "nth|# lists"):
        behind = (timed.ordinal(at) or timed.number(at) or (0, at))[1]
        heads.append((joined[0], at, behind))
        at = timed.skip(joined[2], "the")
    ordered = all(timed.ordinal(first) for _, first, _ in heads)
    alike = timed.ordinal(at) if ordered else timed.number(at) and timed.token(at + 1).chinese  # no «3, and 5 May»
    last = read_period(timed, at) if heads and alike else None
    if last is None:
        return []
    placed = [_PlacedPeriod(p, "in", a, b, a, b) for n, a, b in heads if (p := _sibling(n, last[0]))]
    return [*placed, _PlacedPeriod(last[0], "in", at, last[1], at, last[1])] if len(placed) == len(heads) else []


def _bounded(timed: TimedQuestion, i: int) -> list[_PlacedPeriod]:
    """Read a period or range with the bound before or behind it; nothing where none begins."""
    plain, bound = _period(timed, i), timed.match(i, "bound")
    bounded = _behind_bound(timed, bound[1]) if bound else None
    if bound and bounded and (plain is None or plain[2] < bounded[2]):
        period, first, last = bounded
        side: Bound = bound[0]
    elif plain:
        period, first, last = plain
        side = period.bound or "in"
    else:
        return []
    if side in {"in", "since"} and (behind := _behind(timed, last, first)):
        return [_PlacedPeriod(replace(period, sure=True), behind[0], first, last, i, behind[1])]
    return [_PlacedPeriod(period, side, first, last, i, last)]


def _behind_bound(timed: TimedQuestion, i: int) -> tuple[Period, int, int] | None:
    """Read the period behind a bound, without «the» and «in»."""
    for _ in range(4):
        if found := _period(timed, i):
            return found
        i = timed.skip(i, "fillers", "quotes")
    return None


def _period(timed: TimedQuestion, i: int) -> tuple[Period, int, int] | None:
    plain = read_period(timed, i)
    return _read_range(timed, i) or (plain and (plain[0], i, plain[1]))


def _behind(timed: TimedQuestion, i: int, first: int) -> tuple[Bound, int] | None:
    """Read the bound behind a period: «or later», 之前; «on» only where «from» stands before it."""
    i = timed.skip(i, "quotes")
    opened = first - timed.is_text(first - 1, "the")
    if timed.follows(opened, "from") and (found := timed.match(i, "behind_from")):
        return found
    found = timed.match(i, "behind")
    if found is None or found[1] > i + 1:
        return found
    # 2023年前十名 are the first ten of 2023
    other_word = timed.match(i + 1, "no_bound_before") or timed.token(i + 1).number is not None
    return None if other_word else found


def _listed(timed: TimedQuestion, found: list[_PlacedPeriod]) -> list[_PlacedPeriod]:
    """Complete periods without a year by their neighbours in a list: «in March and April 2023»."""
    placed = list(found)
    pairs = [(i, i - 1) for i in range(1, len(placed))]
    for other, own in (*reversed(pairs), *((own, other) for other, own in pairs)):
        between = timed.match(placed[min(own, other)].closes, "lists")
        period, beside = placed[own].period, placed[other].period
        listed = between and between[1] >= placed[max(own, other)].opens
        if listed and beside.part is None and period.grain == beside.grain:
            sure = period.sure or (beside.sure and period.lacks is None)
            placed[own] = replace(placed[own], period=replace(completed(period, beside), sure=sure))
    return placed


def _with_doubts(timed: TimedQuestion, found: list[_PlacedPeriod]) -> list[_PlacedPeriod]:
    """Mark «the previous year» as unsure behind another time, which it may be relative to."""
    absolute = [not one.period.relative and one.period.start is not None for one in found]
    return [
        replace(one, period=replace(one.period, sure=False))
        if one.period.relative and timed.match(one.first, "seen_from_another") and any(absolute[:n])
        else one
        for n, one in enumerate(found)
    ]


def _span(timed: TimedQuestion, placed: _PlacedPeriod) -> TimeSpan:
    """Return the span, the start or end of a period settled by the bound: «until the end of 2022» is until 2022."""
    period, bound = placed.period, placed.bound
    if period.edge == "end":
        bound = _AT_END.get(bound, bound)
    elif period.edge == "start" or (period.grain == "hour" and len(period.numbers) < 2):
        bound = _AT_START.get(bound, bound)  # an hour stands for its first moment
    if bound == "since" and period.lacks and period.part and (nearest := last_of(period.lacks, timed.now)):
        period = nearest
    if period.edge and bound == "in":
        period = settled_edge(period, period.edge)
    first, last = timed.tokens[placed.first].start, timed.tokens[placed.last - 1].end
    return TimeSpan(
        *(first, last, timed.text[first:last], period.start, period.end, period.grain),
        *(bound, period.relative, period.part, period.numbers, period.note, period.sure),
    )


_MODULUS = {"month": 12, "quarter": 4, "weekday": 7, "hour": 24, "day": 31}

_YearUnit = Literal["name", "quarter", "half", "date"]
_YEAR_PARTS: dict[str, _YearUnit] = {"month": "name", "quarter": "quarter", "half": "half"}


def _read_range(timed: TimedQuestion, i: int) -> tuple[Period, int, int] | None:
    """Read a range that begins here, and return it with the positions of its first word and behind its last one."""
    opened = timed.match(i, "opens_range")
    if opened and timed.follows(i, "compares"):
        return None
    firsts = dict.fromkeys((opened[1], timed.skip(opened[1], "fillers", "quotes")) if opened else (i,))
    for start, (left, behind) in ((one, found) for one in firsts for found in _lefts(timed, one)):
        joined = timed.match(timed.skip(behind, "quotes"), "joins_range")
        if joined is None:
            continue
        at = timed.skip(joined[1], "fillers", "fillers", "quotes")
        right = (None if isinstance(left, int) else _day_behind(timed, left, at)) or read_period(timed, at)
        if right is None:
            continue
        closed = timed.match(timed.skip(right[1], "quotes"), "closes_range")
        wants = opened[0] if opened else "and" if closed else "to"
        if joined[0] != wants and not (closed and joined[0] == "to"):
            continue
        if both := _both(left, right[0], opened=opened is not None):
            return both, start, closed[1] if closed else right[1]
    return None


def _day_behind(timed: TimedQuestion, left: Period, at: int) -> Reading:
    """Read 5日 behind 3月1日 as a day of that month, and the 18 of «July 16-18, 2013»."""
    if left.start is None or not left.is_day:
        return None
    part, number, behind = read_part(timed, at), timed.number(at), at + 1
    month = in_unit(left.start, "month")
    if part and part[0].unit == "day":
        day, behind = nth(part[0], month), part[1]
    elif number and number[1] == behind and timed.text[timed.token(at - 1).start] in "-–" and number[0] <= 31:
        day = nth(YearPart("day", number[0]), month)
        if day and day.start and left.lacks and (year := timed.seq(behind, "=, year")):
            lacks = YearPart("date", 100 * day.start.month + day.start.day)
            return in_year(lacks, year[0]) or day, year[1]
    else:
        return None
    return read(day and replace(day, relative=left.relative, note=left.note), behind)


def _lefts(timed: TimedQuestion, i: int) -> Iterator[tuple[Period | int, int]]:
    """Yield the possible left ends: a period, a number alone (3 to 5月), or a year with one (2023年3-5月)."""
    period = read_period(timed, i)
    if period:
        yield period
    if not timed.is_text(i, "第") and (number := timed.ordinal(i) or timed.number(i)):
        yield number
    if period and period[0].grain == "year" and (inner := timed.number(period[1])):
        yield replace(period[0], numbers=(inner[0],)), inner[1]


def _both(left: Period | int, right: Period, *, opened: bool) -> Period | None:
    """Return the range from one period to another, None where the second one does not lie behind the first."""
    if isinstance(left, int):
        filled = _sibling(left, right)
        if filled is None:
            return None
        left = filled
    elif left.numbers and left.start and right.lacks:  # 2023年3-5月
        year, first = replace(left, numbers=()), replace(right.lacks, n=left.numbers[0])
        inner, last = nth(first, year), nth(right.lacks, year)
        if inner is None or last is None:
            return None
        left, right = inner, last
    left, right = completed(left, right), completed(right, left)
    left = _nearer(left, right)
    if left.part or right.part:
        return _again(left, right)
    start = left.end if left.edge == "end" else left.start
    end = right.start if right.edge == "start" else right.end
    if start is None or end is None or not start < end or (left.start and right.start and left.start > right.start):
        return None
    relative = left.relative or right.relative
    likely = all(one.start is not None and one.start.year in YEARS for one in (left, right))
    sure = left.sure or right.sure or (left.grain == right.grain == "year" and not relative and likely and opened)
    grain = right.grain if left.grain == "year" != right.grain else left.grain
    return Period(start, end, grain, relative=relative, note=left.note or right.note, sure=sure)


def _sibling(n: int, right: Period) -> Period | None:
    """Return the period of a number alone beside another period: the 8 of «between 8 and 10 o'clock»."""
    if right.part == "hour" and 0 <= n <= 24:
        last = right.numbers[0]
        return replace(right, numbers=((n + 12) % 24 if n < 12 <= last and n + 12 < last else n % 24,))
    if right.part and right.lacks and right.lacks.unit in {"name", "quarter"}:
        part = replace(right.lacks, n=n)
        return replace(right, numbers=(n,), lacks=part) if 1 <= n <= _MODULUS[right.part] else None
    if right.start is None or not 1 <= n <= 31:
        return None
    if right.is_day:
        day = nth(YearPart("day", n), in_unit(right.start, "month"))
        lacks = right.lacks and replace(right.lacks, n=right.start.month * 100 + n)
        return day and replace(day, relative=right.relative, lacks=lacks)
    unit = _YEAR_PARTS.get(right.grain)
    found = in_year(YearPart(unit, n), right.start.year) if unit else None
    return found and replace(found, relative=right.relative)


def completed(period: Period, other: Period) -> Period:
    """Return a period that lacks its year with that of another one; as it is where the other has none either."""
    part = period.lacks
    if part is None or other.start is None or other.lacks is not None or other.part:
        return period
    found = in_year(part, other.start.year)
    return replace(found, relative=other.relative) if found else period


def _nearer(left: Period, right: Period) -> Period:
    """Return the left end a year earlier where it would lie behind the right one: November to February 2024."""
    start = left.start
    if start is None or right.start is None or start <= right.start or left.grain == "year":
        return left
    kind = _YEAR_PARTS.get(left.grain, "date")
    n = {"quarter": (start.month + 2) // 3, "half": 1 + (start.month > 6), "name": start.month}.get(kind)
    part = YearPart(kind, 100 * start.month + start.day if n is None else n)
    earlier = in_year(part, right.start.year - 1) if start.year == right.start.year else None
    return replace(earlier, relative=left.relative) if earlier else left


def _again(left: Period, right: Period) -> Period | None:
    """Return what comes again from one part to another: months 11 to 2; hours stop where the last one begins."""
    if left.part != right.part or left.part is None or not left.numbers or not right.numbers:
        return None
    size, first, last = _MODULUS[left.part], left.numbers[0], right.numbers[-1]
    low = 0 if left.part == "hour" else 1
    count = (last - first) % size + (left.part != "hour")
    numbers = tuple((first - low + n) % size + low for n in range(count))
    return replace(left, numbers=numbers, lacks=None) if numbers else None
