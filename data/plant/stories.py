"""What happened at the plant in the month: the stories of ``stories.csv``, told into the readings.

A row of the file gives one tag a shape (see `series.SHAPES`) for some hours from ``start`` on, all
hours until now where ``hours`` is empty. Later rows change what earlier ones left.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .catalogue import HERE, Tag, tags
from .series import SHAPES, STEPS, Series, step_of

__all__ = ["Event", "events", "tell"]

_CALIBRATED_DAILY = "AI-301"
_DISTURBANCES = (("dead", 0.25, 3), ("doubt", 0.3, 4), ("spike", 0.2, 1), ("lost", 0.2, 2))
"""Shape, part of the tags that have it, hours at most."""


@dataclass(frozen=True)
class Event:
    """What one story did to one tag; ``start`` is a step of the month, ``stop`` one past the last."""

    story: str
    tag: str
    shape: str
    start: int
    stop: int
    size: float


def events() -> Iterator[Event]:
    """Yield the rows of ``stories.csv`` in order."""
    with (HERE / "stories.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            start = step_of(f"2024-{row['start']}")
            stop = start + int(row["hours"]) if row["hours"] else STEPS
            yield Event(row["story"], row["tag"], row["shape"], start, stop, float(row["size"] or 0))


def tell(month: Mapping[str, Series], *, seed: int) -> None:
    """Change the readings of ``month``, by tag code, as the stories have it."""
    by_code = {tag.code: tag for tag in tags()}
    for event in events():
        rng = random.Random(f"{seed}:{event}")
        SHAPES[event.shape](month[event.tag][event.start : event.stop], by_code[event.tag], event.size, rng)
    for tag in tags():
        rng = random.Random(f"{seed}:{tag.code}:disturbed")
        _calibrate(tag, month[tag.code], rng)
        _disturb(tag, month[tag.code], rng)


def _calibrate(tag: Tag, series: Series, rng: random.Random) -> None:
    """Analysers are calibrated in the day shift: one every day, the others once a week."""
    if tag.code == _CALIBRATED_DAILY:
        for day in range(STEPS // 24):
            SHAPES["dead"](series[24 * day + 9 : 24 * day + 11], tag, 0, rng)
    elif tag.kind == "analysis":
        first = 24 * rng.randrange(7) + rng.randrange(9, 15)
        for start in range(first, STEPS - 24, 7 * 24):
            SHAPES["doubt"](series[start : start + rng.randrange(1, 4)], tag, 0, rng)


def _disturb(tag: Tag, series: Series, rng: random.Random) -> None:
    """Here and there a value is missing, doubtful, wild or not stored."""
    for shape, share, longest in _DISTURBANCES:
        if rng.random() < share:
            for _ in range(rng.randint(1, 3)):
                start = rng.randrange(STEPS - 12)
                part = series[start : start + rng.randint(1, longest)]
                SHAPES[shape](part, tag, rng.choice((-1, 1)) * rng.uniform(2, 4), rng)
