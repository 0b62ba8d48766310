"""Finding the times that a question says, with the side of them that is meant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from .periods import Bound, Period, TimeSpan, last_of
from .ranges import completed, read_range, sibling
from .timed_question import TimedQuestion
from .whole import read_period, settled_edge

__all__ = ["find_spans"]


_AT_END: dict[Bound, Bound] = {"before": "until", "since": "after"}
_AT_START: dict[Bound, Bound] = {"after": "since", "until": "before"}


@dataclass(frozen=True)
class _Said:
    """A period with the positions of its first word, of the first one with its prepositions, and behind the last."""

    period: Period
    bound: Bound
    first: int
    last: int
    opens: int
    closes: int


def find_spans(question: str, *, language: str, now: datetime, fiscal_month: int = 1) -> list[TimeSpan]:
    """Return the times that a question says, in order of position, none overlapping.

    Words of English and Chinese are read whatever the language, since questions mix them.

    Args:
        language: ``en`` and ``zh`` read ``8/12/2013`` month first where that is a date, other languages day first.
        now: the moment that «yesterday» is seen from, without a zone.
        fiscal_month: in which fiscal years begin; those that do not begin in January are named after their end.
    """
    asked = TimedQuestion(question, month_first=language in {"en", "zh"}, now=now, fiscal_month=fiscal_month)
    found: list[_Said] = []
    i = 0
    while i < len(asked.tokens):
        said = _sharing(asked, i) or [one for one in (_said(asked, i),) if one]
        found += said
        i = said[-1].closes if said else i + 1
    return [_span(asked, said) for said in _told_apart(asked, _listed(asked, found))]


def _sharing(asked: TimedQuestion, i: int) -> list[_Said]:
    """Read «first and second quarters of 2023», 1、2月: the numbers before the last one share its words."""
    heads: list[tuple[int, int, int]] = []  # the number, its first token, the one behind
    at, ordered = i, True
    while at < len(asked.tokens):
        ordinal = asked.ordinal(at)
        number = ordinal or asked.number(at)
        joined = number and asked.match(number[1], "lists")
        if not number or not joined:
            break
        ordered = ordered and ordinal is not None
        heads.append((number[0], at, number[1]))
        at = asked.skip(joined[1], "the")
    unit = asked.token(at + 1)
    alike = asked.ordinal(at) if ordered else asked.number(at) and unit and not unit.text.isascii()  # no «3, and 5 May»
    last = read_period(asked, at) if heads and alike else None
    if last is None:
        return []
    periods = [sibling(n, last[0]) for n, _, _ in heads]
    said = [_Said(p, "in", a, b, a, b) for p, (_, a, b) in zip(periods, heads, strict=True) if p]
    return [*said, _Said(last[0], "in", at, last[1], at, last[1])] if len(said) == len(heads) else []


def _said(asked: TimedQuestion, i: int) -> _Said | None:
    """Read a period or range with the bound before or behind it."""
    plain = _period(asked, i)
    bound = asked.match(i, "bound")
    bounded = _behind_bound(asked, bound[1]) if bound else None
    if bound and bounded and (plain is None or plain[2] < bounded[2]):
        period, first, last = bounded
        side: Bound = bound[0]
    elif plain:
        period, first, last = plain
        side = period.bound or "in"
    else:
        return None
    behind = _behind(asked, last, first)
    if behind and side in {"in", "since"}:
        return _Said(replace(period, sure=True), behind[0], first, last, i, behind[1])
    return _Said(period, side, first, last, i, last)


def _behind_bound(asked: TimedQuestion, i: int) -> tuple[Period, int, int] | None:
    """Read what a bound is of, «the» and «in» left out."""
    for _ in range(4):
        if found := _period(asked, i):
            return found
        if (after := asked.skip(asked.skip(i, "fillers"), "quotes")) == i:
            return None
        i = after
    return None


def _period(asked: TimedQuestion, i: int) -> tuple[Period, int, int] | None:
    if found := read_range(asked, i):
        return found
    plain = read_period(asked, i)
    return (plain[0], i, plain[1]) if plain else None


def _behind(asked: TimedQuestion, i: int, first: int) -> tuple[Bound, int] | None:
    """Read the bound behind a period: «or later», 之前; «on» only where «from» stands before it."""
    i = asked.skip(i, "quotes")
    opened = first - asked.is_text(first - 1, "the")
    if asked.follows(opened, "from") and (found := asked.match(i, "behind_from")):
        return found
    found = asked.match(i, "behind")
    if found is None or (found[1] == i + 1 and asked.match(found[1], "no_bound_before")):
        return None
    if found[1] == i + 1 and (number := asked.token(found[1])) is not None and number.number is not None:
        return None  # 2023年前十名 are the first ten of 2023
    return found


def _listed(asked: TimedQuestion, found: list[_Said]) -> list[_Said]:
    """Give what lacks its year the one of its neighbour in a list: «in March and April 2023»."""
    said = list(found)
    for i in range(len(said) - 1, 0, -1):
        if _joined(asked, said[i - 1], said[i]) and said[i].period.part is None:
            said[i - 1] = replace(said[i - 1], period=_like(said[i - 1].period, said[i].period))
    for i in range(1, len(said)):
        if _joined(asked, said[i - 1], said[i]) and said[i - 1].period.part is None:
            said[i] = replace(said[i], period=_like(said[i].period, said[i - 1].period))
    return said


def _told_apart(asked: TimedQuestion, found: list[_Said]) -> list[_Said]:
    """Take «the previous year» for unsure behind another time, which it may be seen from."""
    said: list[_Said] = []
    for one in found:
        near = one.period.relative and asked.match(one.first, "seen_from_another")
        unsure = near and any(not other.period.relative and other.period.start for other in said)
        said.append(replace(one, period=replace(one.period, sure=False)) if unsure else one)
    return said


def _like(period: Period, other: Period) -> Period:
    if period.grain != other.grain:
        return period
    return replace(completed(period, other), sure=period.sure or (other.sure and period.lacks is None))


def _joined(asked: TimedQuestion, left: _Said, right: _Said) -> bool:
    return (found := asked.match(left.closes, "lists")) is not None and found[1] >= right.opens


def _span(asked: TimedQuestion, said: _Said) -> TimeSpan:
    """Return the span, the start or end of a period settled by the bound: «until the end of 2022» is until 2022."""
    period, bound = said.period, said.bound
    if period.edge == "end":
        bound = _AT_END.get(bound, bound)
    elif period.edge == "start" or (period.grain == "hour" and len(period.numbers) < 2):
        bound = _AT_START.get(bound, bound)  # an hour is said for the moment that it begins
    if bound == "since" and period.lacks and period.part and (nearest := last_of(period.lacks, asked.now)):
        period = nearest
    if period.edge and bound == "in":
        period = settled_edge(period, period.edge)
    first, last = asked.tokens[said.first].start, asked.tokens[said.last - 1].end
    return TimeSpan(
        *(first, last, asked.text[first:last], period.start, period.end, period.grain),
        *(bound, period.relative, period.part, period.numbers, period.note, period.sure),
    )
