"""How sure a match is, and which of overlapping ones count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from ..cells.found import FoundValue

__all__ = ["drop_overlaps", "leaves_no_room", "ranked"]

_FLOOR = 0.2
"""Smaller scores are left out."""

_SPELLINGS = 3  # of one span
_SURE = 0.5
_A_WORD = 5  # letters of a word, with the space before it


def drop_overlaps(found: Iterable[FoundValue]) -> list[FoundValue]:
    """Weaken what lies inside or across a longer sure match, and drop guesses that touch one."""
    order = sorted(found, key=lambda f: (f.how in {"typo", "part"} or f.kind == "text", -(f.end - f.start), -f.score))
    sure: list[tuple[int, int]] = []
    kept: list[FoundValue] = []
    for value in order:
        touched = [span for span in sure if span[0] < value.end and value.start < span[1]]
        crossed = value.how == "typo" and any(not _well_within(span, (value.start, value.end)) for span in touched)
        covered = [(a, b) for a, b in touched if a <= value.start and value.end <= b]
        guess = value.how in {"typo", "part"} or value.kind == "text"
        if guess and (covered or crossed or (value.kind == "text" and len(touched) > 1)):
            continue
        # a text that no cell is may well hold one: «清华大学» in a database that knows «清华»
        around = value.kind == "text" and all(value.start <= a and b <= value.end for a, b in touched)
        longer = [] if around else [span for span in touched if span != (value.start, value.end)]
        weak = 1.0 if not longer or value.kind == "quoted" else 0.3 if any(span in covered for span in longer) else 0.6
        kept.append(replace(value, score=value.score * weak))
        if kept[-1].score >= _SURE and value.kind in {"cell", "quoted"}:
            sure.append((value.start, value.end))
    return kept


def leaves_no_room(value: FoundValue, start: int, end: int) -> bool:
    """Say whether a value leaves no room for a typo there: it overlaps, and is no small part of what is said there."""
    return value.start < end and start < value.end and not _well_within((value.start, value.end), (start, end))


def _well_within(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """Say whether one lies within another that has a word more: «Cuma», a title, in «Gukiba Cuma», a person."""
    return other[0] <= span[0] and span[1] <= other[1] and other[1] - other[0] >= span[1] - span[0] + _A_WORD


def ranked(found: Iterable[FoundValue], most: int) -> tuple[FoundValue, ...]:
    """Return the best, each once, with at most a few spellings of one span, in order of score."""
    spans: Counter[tuple[int, int, str, bool]] = Counter()
    seen: set[tuple[object, ...]] = set()
    best: list[FoundValue] = []
    for value in sorted(found, key=lambda f: (-f.score, f.kind != "quoted", f.start, -f.end)):
        span = (value.start, value.end, value.kind, value.how == "literal")
        meant = value.span and (value.span.interval, value.span.part, value.span.numbers, value.span.bound)
        same = (value.value, "number" if value.kind == "number" else "text", meant)
        if value.score < _FLOOR or same in seen or spans[span] >= _SPELLINGS:
            continue
        spans[span] += 1
        seen.add(same)
        best.append(value)
    return tuple(best[:most])
