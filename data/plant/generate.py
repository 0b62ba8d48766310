"""Fill the plant's database: a week of values every half hour, with stories in it.

All times lie between `START` and `NOW`, the fixed moment that «now» means in the questions. The
same seed gives the same rows. The stories:

- a hot atmospheric furnace on the 28th (TI-201, with its fuel gas FI-202 up);
- a trip of the vacuum furnace in the night to the 29th, with a flood of alarms;
- an oxygen analyser that drifts all week (AI-201), a stuck level (LI-601), a chattering one (LI-102);
- a dead transmitter (PI-401), a dead analyser every calibration (AI-301), rows lost for FI-103;
- short upsets of many tags, and some tags outside their limits, or silent, at `NOW`.
"""

from __future__ import annotations

import math
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from .catalogue import HERE, Model, Tag, models, tags

__all__ = ["NOW", "START", "build", "readings"]

NOW = datetime(2024, 3, 31, 8)
START = NOW - timedelta(days=7)
STEP = timedelta(minutes=30)
STEPS = (NOW - START) // STEP + 1
_INFERENCE_EVERY = 4  # steps
_STOPPED_AT = datetime(2024, 3, 28)  # a stopped model has results before this
_SILENT = "reboiler_svm"  # a model that has not run yet


@dataclass
class Reading:
    """One row of t_rt_data without its tag and time; ``lost`` rows are not stored."""

    value: float | None
    quality: str = "good"
    lost: bool = False


Week = dict[str, list[Reading]]


def build(path: Path, *, seed: int = 0) -> None:
    """Write the SQLite database to ``path``; what stands there is replaced once the new one is whole."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(partial)) as database, database:
            database.executescript((HERE / "schema.sql").read_text(encoding="utf-8"))
            _fill(database, seed)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def readings(*, seed: int = 0) -> Week:
    """Return the week's readings by tag code, `STEPS` each, from `START` to `NOW`."""
    week = {tag.code: _usual(tag, random.Random(f"{seed}:{tag.code}")) for tag in tags()}
    _stories(week, random.Random(f"{seed}:stories"))
    for tag in tags():
        for reading in week[tag.code]:
            if reading.value is not None:
                reading.value = round(reading.value, tag.digits)
    return week


def _fill(database: sqlite3.Connection, seed: int) -> None:
    week = readings(seed=seed)
    database.executemany(
        "INSERT INTO t_rt_info VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(t.code, t.description, t.kind, t.measure_unit, t.process_unit, t.low, t.high, t.priority) for t in tags()],
    )
    database.executemany(
        "INSERT INTO t_rt_data VALUES (?, ?, ?, ?)",
        [
            (code, _iso(step), reading.value, reading.quality)
            for code, series in week.items()
            for step, reading in enumerate(series)
            if not reading.lost
        ],
    )
    database.executemany(
        "INSERT INTO t_model_data VALUES (?, ?, ?, ?, ?, ?)",
        [(m.name, m.algorithm, m.target, m.accuracy, m.trained_at, m.status) for m in models()],
    )
    by_code = {tag.code: tag for tag in tags()}
    for model in models():
        rows = _inferences(model, by_code[model.target], week[model.target], random.Random(f"{seed}:{model.name}"))
        database.executemany("INSERT INTO t_inference_data VALUES (?, ?, ?, ?, ?, ?)", rows)


def _iso(step: int) -> str:
    return (START + step * STEP).isoformat(sep=" ")


def _step(text: str) -> int:
    """Return the step of a moment of the week, written ``28 14:30``: day of March and time."""
    return (datetime.strptime(f"2024-03-{text}", "%Y-%m-%d %H:%M") - START) // STEP


def _usual(tag: Tag, rng: random.Random) -> list[Reading]:
    """A daily wave and noise with memory around the usual value, and up to five short upsets."""
    series: list[Reading] = []
    phase, noise = rng.uniform(0, 2 * math.pi), 0.0
    for step in range(STEPS):
        noise = 0.8 * noise + 0.6 * rng.gauss(0, tag.noise)
        wave = 0.7 * tag.noise * math.sin(2 * math.pi * step / 48 + phase)
        series.append(Reading(tag.normal + wave + noise))
    for _ in range(rng.randrange(6)):
        start, length = rng.randrange(STEPS - 8), rng.randrange(2, 7)
        limit = tag.high if rng.random() < 0.65 else tag.low
        _bump(series, start, length, peak=(limit - tag.normal) * rng.uniform(0.9, 1.25))
    return series


def _bump(series: list[Reading], start: int, length: int, *, peak: float) -> None:
    """Add half a sine of height ``peak`` over ``length`` steps."""
    for i in range(length):
        reading = series[start + i]
        if reading.value is not None:
            reading.value += peak * math.sin(math.pi * (i + 1) / (length + 1))


def _stories(week: Week, rng: random.Random) -> None:
    hot = _step("28 14:00")
    _bump(week["TI-201"], hot, 9, peak=9.0)
    _bump(week["FI-202"], hot - 2, 10, peak=1350.0)
    _bump(week["TI-202"], hot, 9, peak=88.0)
    trip = _step("29 02:00")
    for code, peak in {
        "TI-501": -46.0, "TI-502": -260.0, "FI-501": -140.0, "AI-501": 4.2, "PI-601": 4.6, "TI-601": 21.0,
        "TI-602": -30.0, "FI-601": -60.0, "FI-602": 62.0, "LI-601": -34.0, "LI-101": 33.0, "PI-102": 30.0,
    }.items():  # fmt: skip
        _bump(week[code], trip + rng.randrange(3), 9 + rng.randrange(4), peak=peak)
    for step, reading in enumerate(week["AI-201"]):
        reading.value = (reading.value or 0) + 2.3 * step / STEPS
    held = week["LI-601"][_step("26 10:00")].value
    for reading in week["LI-601"][_step("26 10:00") : _step("27 20:00")]:
        reading.value, reading.quality = held, "uncertain"
    for step in range(_step("30 18:00"), _step("30 23:30")):
        week["LI-102"][step].value = 75 + (2.2 if step % 2 else -2.4) + rng.uniform(-1, 1)
    _bump(week["LI-101"], _step("25 07:00"), 8, peak=-26.0)
    _silence(week["PI-401"], _step("26 06:00"), _step("26 15:00"))
    for day in range(24, 31):
        _silence(week["AI-301"], _step(f"{day} 09:00"), _step(f"{day} 10:30"))
    for code in rng.sample(sorted(week), 12):  # a reading lost here and there
        at = rng.randrange(STEPS - 4)
        _silence(week[code], at, at + rng.randrange(1, 4))
    for reading in week["FI-103"][_step("30 00:00") : _step("30 04:00")]:
        reading.lost = True
    for code, value in {"TI-101": 137.4, "LI-301": 27.5, "PI-101": 83.2, "TI-601": 86.1, "FI-301": 18.9}.items():
        series = week[code]
        for back in range(4):
            series[-1 - back] = Reading(value + (series[0].value or value) * rng.uniform(-0.004, 0.004))
    for code in ("TI-402", "PI-701"):
        _silence(week[code], STEPS - 3, STEPS)


def _silence(series: list[Reading], start: int, end: int) -> None:
    for reading in series[start:end]:
        reading.value, reading.quality = None, "bad"


def _inferences(
    model: Model, tag: Tag, series: list[Reading], rng: random.Random
) -> Iterator[tuple[str, str, float, float, int, int]]:
    """Predict every two hours from the reading half an hour before, the worse the model the wider off."""
    if model.name == _SILENT:
        return
    for step in range(_INFERENCE_EVERY, STEPS, _INFERENCE_EVERY):
        if model.status == "stopped" and START + step * STEP >= _STOPPED_AT:
            return
        actual, before = series[step].value, series[step - 1].value
        base = before if before is not None else tag.normal
        predicted = round(base + rng.gauss(0, tag.noise * 6 * (1 - model.accuracy)), tag.digits)
        room = min(predicted - tag.low, tag.high - predicted) / (tag.high - tag.low)
        confidence = round(min(0.99, 0.55 + abs(room) * model.accuracy + rng.uniform(-0.08, 0.08)), 2)
        foretold = not tag.low <= predicted <= tag.high
        came = actual is not None and not tag.low <= actual <= tag.high
        yield model.name, _iso(step), predicted, confidence, int(foretold), int(came)
