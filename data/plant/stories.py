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


def tell(month: Mapping[str, Series], rng: random.Random) -> None:
    """Change the readings of ``month``, by tag code, as the stories have it."""
    by_code = {tag.code: tag for tag in tags()}
    for event in events():
        SHAPES[event.shape](month[event.tag][event.start : event.stop], by_code[event.tag], event.size, rng)
    for tag in tags():
        _calibrate(tag, month[tag.code], rng)
    _disturb(month, by_code, rng)


def _calibrate(tag: Tag, series: Series, rng: random.Random) -> None:
    """Analysers are calibrated in the day shift: one every day, the others once a week."""
    if tag.code == _CALIBRATED_DAILY:
        for day in range(STEPS // 24):
            SHAPES["dead"](series[24 * day + 9 : 24 * day + 11], tag, 0, rng)
    elif tag.kind == "analysis":
        hour = 24 * rng.randrange(7) + rng.randrange(9, 15)
        for start in range(hour, STEPS - 24, 7 * 24):
            SHAPES["doubt"](series[start : start + rng.randrange(1, 4)], tag, 0, rng)


def _disturb(month: Mapping[str, Series], by_code: Mapping[str, Tag], rng: random.Random) -> None:
    """Here and there a value is missing, doubtful, wild or not stored; of some tags often."""
    for shape, share, longest in (("dead", 0.3, 4), ("doubt", 0.35, 6), ("spike", 0.2, 1), ("lost", 0.22, 3)):
        for code in rng.sample(sorted(month), int(share * len(month))):
            for _ in range(1 + int(rng.expovariate(1 / 1.6))):
                start = rng.randrange(STEPS - 12)
                part = month[code][start : start + rng.randint(1, longest)]
                SHAPES[shape](part, by_code[code], rng.choice((-1, 1)) * rng.uniform(2, 4), rng)
