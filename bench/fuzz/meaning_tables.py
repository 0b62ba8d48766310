"""Tables at random whose columns mean something: times in all storages, flags, numbers kept as text."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import sqlalchemy
from sqlalchemy import BigInteger, Boolean, Column, Date, DateTime, Engine, Integer, MetaData, String, Table

__all__ = ["Cells", "tables"]

_ROWS = 40
_FIRST = datetime(2021, 1, 1)

Make = Callable[[datetime, random.Random], Any]

_TEXTS: dict[str, Make] = {
    "iso_day": lambda t, _: t.date().isoformat(),
    "iso_time": lambda t, _: t.isoformat(),
    "iso_zone": lambda t, _: t.isoformat() + "Z",
    "day_first": lambda t, _: f"{t:%d/%m/%Y}",
    "day_dots": lambda t, _: f"{t.day}.{t.month}.{t.year}",
    "month_first": lambda t, _: f"{t:%m/%d/%Y}",
    "with_name": lambda t, _: f"{t:%b} {t.day}, {t.year}",
    "day_and_name": lambda t, _: f"{t.day} {t:%B} {t.year}",
    "digits_text": lambda t, _: f"{t:%Y%m%d}",
    "month_digits": lambda t, _: f"{t:%Y%m}",
    "price": lambda _, rng: f"${rng.randint(1, 90000):,}.{rng.randint(0, 99):02}",
    "load": lambda _, rng: f"{rng.randint(1, 900)} kg",
    "rate": lambda _, rng: f"{rng.randint(0, 99)}.{rng.randint(0, 9)}%",
    "count_text": lambda _, rng: str(rng.randint(0, 5000)),
    "is_active": lambda _, rng: rng.choice("YN"),
    "paid": lambda _, rng: rng.choice(["yes", "no"]),
    "done": lambda _, rng: rng.choice("TF"),
    "status": lambda _, rng: rng.choice(["active", "inactive"]),
}
_NUMBERS: dict[str, Make] = {
    "made_at": lambda t, _: int(t.replace(tzinfo=UTC).timestamp()),
    "made_ms": lambda t, _: int(t.replace(tzinfo=UTC).timestamp()) * 1000,
    "made_on": lambda t, _: int(f"{t:%Y%m%d}"),
    "made_year": lambda t, _: t.year,
    "is_paid": lambda _, rng: rng.randint(0, 1),
    "amount": lambda _, rng: rng.randint(0, 2000),
}
_STRANGE = ("", "n/a", "null", "-", "soon", "31/31/2024", "0")


@dataclass(frozen=True)
class Cells:
    """Tables with their rows.

    Attributes:
        metadata: of the tables.
        rows: of each table, by its name.
        later: those that come when the tables were looked at, some of which say something else.
    """

    metadata: MetaData
    rows: dict[str, list[dict[str, Any]]]
    later: dict[str, list[dict[str, Any]]]

    def write(self, engine: Engine) -> None:
        """Make the tables in an empty database, and fill them."""
        self.metadata.create_all(engine)
        self._fill(engine, self.rows)

    def add_later(self, engine: Engine) -> None:
        """Add what comes later."""
        self._fill(engine, self.later)

    def _fill(self, engine: Engine, rows: dict[str, list[dict[str, Any]]]) -> None:
        with engine.begin() as connection:
            for table in self.metadata.sorted_tables:
                connection.execute(table.insert(), rows[table.name])
        engine.dispose()


def tables(rng: random.Random, engine: str) -> Cells:
    """Return two tables, the second of which refers to the first."""
    metadata, rows, later = MetaData(), dict[str, list[dict[str, Any]]](), dict[str, list[dict[str, Any]]]()
    for name in ("thing", "event"):
        makes = {**_drawn(rng, _TEXTS, 4), **_drawn(rng, _NUMBERS, 3)}
        columns: list[Column[Any]] = [Column("id", Integer, primary_key=True), Column("label", String(20))]
        columns += [Column(one, String(40) if one in _TEXTS else BigInteger) for one in makes]
        if engine != "sqlite":
            columns += [Column("born", Date), Column("seen_at", DateTime), Column("verified", Boolean)]
        if name == "event":
            columns.append(Column("thing_id", Integer, sqlalchemy.ForeignKey("thing.id")))
        Table(name, metadata, *columns)
        lies = rng.random() < 0.3  # what comes later is not what the first rows say
        every = [_row(rng, i, makes, {c.name for c in columns}, lies) for i in range(_ROWS)]
        rows[name], later[name] = every[: _ROWS // 2 + 1], every[_ROWS // 2 + 1 :]
    return Cells(metadata, rows, later)


def _drawn(rng: random.Random, makes: dict[str, Make], count: int) -> dict[str, Make]:
    return {name: makes[name] for name in rng.sample(sorted(makes), count)}


def _row(rng: random.Random, place: int, makes: dict[str, Make], names: set[str], lies: bool) -> dict[str, Any]:
    moment = _FIRST + timedelta(minutes=rng.randint(0, 4 * 365 * 24 * 60))
    told: dict[str, Any] = {"id": place + 1, "label": f"label {place % 7}"}
    for name, make in makes.items():
        odd = lies and place > _ROWS // 2 and rng.random() < 0.1
        told[name] = (
            None if rng.random() < 0.1 else rng.choice(_STRANGE) if odd and name in _TEXTS else make(moment, rng)
        )
    if "born" in names:
        born = date(1950, 1, 1) + timedelta(days=rng.randint(0, 20000))
        told |= {"born": born, "seen_at": moment, "verified": rng.random() < 0.5}
    if "thing_id" in names:
        told["thing_id"] = rng.choice([None, rng.randint(1, _ROWS // 2)])
    return told
