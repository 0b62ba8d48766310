"""Readings of one tag over the month, and the shapes that a story gives them.

A shape changes the readings of some hours. Its ``size`` is measured in the tag's own limits: 1 is
the upper limit, -1 the lower one, 0 the normal value.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from .catalogue import Tag

__all__ = ["NOW", "SHAPES", "START", "STEP", "STEPS", "SensorReading", "Series", "iso", "step_of", "usual"]

NOW = datetime(2024, 3, 31, 8)
START = datetime(2024, 3, 1)
STEP = timedelta(hours=1)
STEPS = (NOW - START) // STEP + 1
_SHIFTS = (0, 0, 0, 0, 0, 1, 1, 2, 2, 2)  # upsets begin most often in the night shift


@dataclass(slots=True)
class SensorReading:
    """One row of t_rt_data without its tag and time; ``lost`` rows are not stored."""

    value: float | None
    quality: str = "good"
    lost: bool = False


Series = list[SensorReading]


def iso(step: int) -> str:
    """Return the time of a step as SQL has it."""
    return (START + step * STEP).isoformat(sep=" ")


def step_of(text: str) -> int:
    """Return the step of a time written as SQL has it."""
    return (datetime.fromisoformat(text) - START) // STEP


def usual(tag: Tag, rng: random.Random, *, upsets: float) -> Series:
    """Return noise with memory around the normal value, and about ``upsets`` upsets: none for some tags."""
    series: Series = []
    noise = 0.0
    for _ in range(STEPS):
        noise = 0.8 * noise + 0.6 * rng.gauss(0, tag.noise)
        series.append(SensorReading(tag.normal + noise))
    for _ in range(int(min(2.5, rng.expovariate(1)) * upsets)):
        start = 24 * rng.randrange(30) + 8 * rng.choice(_SHIFTS) + rng.randrange(8)
        size = rng.uniform(0.75, 1.35) * (1 if rng.random() < 0.62 else -1)
        _swell(series[start : start + rng.randrange(2, 9)], tag, size, rng)
    return series


def _reach(tag: Tag, size: float) -> float:
    """How far from the normal value ``size`` is."""
    return size * (tag.high - tag.normal) if size >= 0 else -size * (tag.low - tag.normal)


def _add(reading: SensorReading, more: float) -> None:
    if reading.value is not None:
        reading.value += more


def _swell(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """Half a sine of that height on top."""
    for i, reading in enumerate(part):
        _add(reading, _reach(tag, size) * math.sin(math.pi * (i + 1) / (len(part) + 1)))


def _trip(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """A jump on top, and a slow way back."""
    for i, reading in enumerate(part):
        _add(reading, _reach(tag, size) * math.exp(-3 * max(0, i - 1) / len(part)) * (0.8 if i == 0 else 1))


def _hold(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """A value that stays there, quieter than usual."""
    for reading in part:
        if reading.value is not None:
            reading.value = tag.normal + _reach(tag, size) + 0.25 * (reading.value - tag.normal)


def _drift(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """A straight slope on top, from nothing to that height."""
    for i, reading in enumerate(part):
        _add(reading, _reach(tag, size) * (i + 1) / len(part))


def _daily(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """A swing on top, highest at 15:00 and lowest at 03:00; the first reading is one of midnight."""
    for i, reading in enumerate(part):
        _add(reading, _reach(tag, size) * math.cos(2 * math.pi * (i - 15) / 24))


def _chatter(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """Now beyond the limit, now inside."""
    for i, reading in enumerate(part):
        side = 0.12 if i % 2 == 0 else -0.12
        reading.value = tag.normal + _reach(tag, size + math.copysign(side + rng.uniform(-0.06, 0.06), side))


def _freeze(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """The first value again and again, of uncertain quality."""
    for reading in part:
        reading.value, reading.quality = part[0].value, "uncertain"


def _spike(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """Values that nobody believes."""
    for reading in part:
        if reading.value is not None:
            reading.value, reading.quality = tag.normal + _reach(tag, size * rng.uniform(0.9, 1.1)), "bad"


def _doubt(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """The values stand, but their quality is uncertain."""
    for reading in part:
        if reading.value is not None and reading.quality == "good":
            reading.quality = "uncertain"


def _dead(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """Rows without a value."""
    for reading in part:
        reading.value, reading.quality = None, "bad"


def _lost(part: Series, tag: Tag, size: float, rng: random.Random) -> None:
    """No rows."""
    for reading in part:
        reading.lost = True


Shape = Callable[[Series, Tag, float, random.Random], None]
SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "swell": _swell, "trip": _trip, "hold": _hold, "drift": _drift, "daily": _daily, "chatter": _chatter,
        "freeze": _freeze, "spike": _spike, "doubt": _doubt, "dead": _dead, "lost": _lost,
    }
)  # fmt: skip
