"""Fill the plant's database: a month of values every hour, with stories in it.

All times lie between `START` and `NOW`, the fixed moment that «now» means in the questions. The
same seed gives the same rows. What happens is told in ``stories.csv``:

- a small upset of the desalter on the 12th, a loss of cooling water in the evening of the 7th, a
  loss of stripping steam on the 19th;
- a hot atmospheric furnace on the 28th, and a trip of the vacuum furnace in the night to the 29th,
  with a flood of alarms over four units and a slow recovery;
- an oxygen analyser that drifts until it is calibrated (AI-201), exchangers that foul all month
  (TI-401, PDI-402), tags that swing with day and night (TI-1201, LI-401);
- stuck valves (LI-601, LI-803), chattering levels (LI-102, LI-1001) and other bad actors;
- alarms that stood for days (FI-106, AI-902), some of them still there at `NOW` (LI-301, TI-405);
- dead transmitters (PI-401, FI-1202), silent ones at `NOW` (TI-402, PI-701, FI-902), lost rows;
- a dead analyser at every calibration (AI-301), values of uncertain or bad quality.

Besides, tags have short upsets, more of them at night and where a model watches; some tags never had
an alarm. Models differ, too: some cry wolf, some miss alarms, some stopped or have not run for days.
"""

from __future__ import annotations

import math
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ..databases.new_database import new_database
from .catalogue import HERE, Model, Tag, models, tags
from .series import NOW, START, STEP, STEPS, SensorReading, Series, iso, step_of, usual
from .stories import tell

__all__ = ["NOW", "START", "STEP", "STEPS", "SensorReading", "build", "readings"]

_INFERENCE_EVERY = 2  # steps


def build(path: Path, *, seed: int = 0) -> None:
    """Write the SQLite database to ``path``; what stands there is replaced once the new one is whole."""
    with new_database(path) as database:
        database.executescript((HERE / "schema.sql").read_text(encoding="utf-8"))
        _fill(database, seed)


def readings(*, seed: int = 0) -> dict[str, Series]:
    """Return the month's readings by tag code, `STEPS` each, from `START` to `NOW`."""
    watched = {model.target for model in models()}
    month = {
        tag.code: usual(tag, random.Random(f"{seed}:{tag.code}"), upsets=14 if tag.code in watched else 4)
        for tag in tags()
    }
    tell(month, seed=seed)
    for tag in tags():
        for reading in month[tag.code]:
            if reading.value is not None:
                reading.value = _measured(tag, reading.value)
    return month


def _measured(tag: Tag, value: float) -> float:
    """What an instrument would show: no flow below nothing, no level above full."""
    if tag.low >= 0:
        value = max(0.0, value)
    if tag.measure_unit == "%":
        value = min(100.0, value)
    return round(value, tag.digits)


def _fill(database: sqlite3.Connection, seed: int) -> None:
    month = readings(seed=seed)
    times = [iso(step) for step in range(STEPS)]
    database.executemany(
        "INSERT INTO t_rt_info VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(t.code, t.description, t.kind, t.measure_unit, t.process_unit, t.low, t.high, t.priority) for t in tags()],
    )
    database.executemany(
        "INSERT INTO t_rt_data VALUES (?, ?, ?, ?)",
        [
            (code, time, reading.value, reading.quality)
            for code, series in sorted(month.items())
            for time, reading in zip(times, series, strict=True)
            if not reading.lost
        ],
    )
    database.executemany(
        "INSERT INTO t_model_data VALUES (?, ?, ?, ?, ?, ?)",
        [(m.name, m.algorithm, m.target, m.accuracy, m.trained_at, m.status) for m in models()],
    )
    by_code = {tag.code: tag for tag in tags()}
    for model in models():
        rows = _inferences(model, by_code[model.target], month[model.target], random.Random(f"{seed}:{model.name}"))
        database.executemany("INSERT INTO t_inference_data VALUES (?, ?, ?, ?, ?, ?)", rows)


def _inferences(
    model: Model, tag: Tag, series: Series, rng: random.Random
) -> Iterator[tuple[str, str, float, float, int, int]]:
    """Predict every two hours from the reading an hour before, the worse the model the wider off.

    Now and then a run is left out, and always where that reading is missing. The closer to a limit,
    the less sure the model is.
    """
    if model.ran_from == "never":
        return
    first = step_of(model.ran_from) if model.ran_from else _INFERENCE_EVERY
    last = step_of(model.ran_to) if model.ran_to else STEPS - 1
    left_out = rng.uniform(0.0, 0.15)
    for step in range(first + first % _INFERENCE_EVERY, last + 1, _INFERENCE_EVERY):
        actual, before = series[step], series[step - 1]
        if before.value is None or before.lost or rng.random() < left_out:
            continue
        off = model.lean * (tag.high - tag.normal) + rng.gauss(0, tag.noise * 6 * (1 - model.accuracy))
        predicted = _measured(tag, before.value + off)
        room = min(predicted - tag.low, tag.high - predicted) / (tag.high - tag.low)
        doubt = 0.55 * math.exp(-3 * abs(room) * model.accuracy) * rng.uniform(0.7, 1.3)
        foretold = not tag.low <= predicted <= tag.high
        came = actual.value is not None and not actual.lost and not tag.low <= actual.value <= tag.high
        yield model.name, iso(step), predicted, round(1 - max(0.0005, doubt), 4), int(foretold), int(came)
