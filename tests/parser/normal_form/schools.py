"""Schools with teachers, lessons and rooms: a small database whose joins repeat rows."""

from __future__ import annotations

import random
import sqlite3

from querent.data.schema.schema import Column, ForeignKey, Schema, Table


def _table(name: str, columns: str, key: str | tuple[str, ...] = "id", **refers: str) -> Table:
    read = (column.split() for column in columns.split(", "))
    keys = tuple(ForeignKey((column,), other, ("id",)) for column, other in refers.items())
    return Table(name, tuple(Column(*one) for one in read), (key,) if isinstance(key, str) else key, keys)


SCHOOLS = Schema(
    (
        _table("school", "id int, title text, town text, budget int"),
        _table("teacher", "id int, name text, school_id int, wage int", school_id="school"),
        _table("lesson", "id int, teacher_id int, subject text, hours int", teacher_id="teacher"),
        _table("room", "id int, school_id int, floor int", school_id="school"),
        _table("tool", "id int, label text, price int"),
        _table("skill", "teacher_id int, tool_id int", ("teacher_id", "tool_id"), teacher_id="teacher", tool_id="tool"),
    ),
    "schools",
)

ROWS = {
    "school": [(1, "Elm", "Ulm", 10), (2, "Oak", "Ulm", 20), (3, "Fir", "Gap", 40)],
    "teacher": [(1, "Ada", 1, 5), (2, "Bo", 1, 7), (3, "Cy", 2, 9), (4, "Di", None, 11)],
    "lesson": [(1, 1, "art", 2), (2, 1, "art", 3), (3, 1, "maths", 4), (4, 3, "art", 5), (5, None, "maths", 6)],
    "room": [(1, 1, 0), (2, 1, 1), (3, 1, 2), (4, 2, 0)],
    "tool": [(1, "lathe", 3), (2, "loom", 4)],
    "skill": [(1, 1), (1, 2), (3, 1)],
}


def opened(rows: dict[str, list[tuple[object, ...]]]) -> sqlite3.Connection:
    """Return a database in memory."""
    database = sqlite3.connect(":memory:")
    for table in SCHOOLS.tables:
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        database.execute(f"CREATE TABLE {table.name} ({columns})")
        marks = ", ".join("?" * len(table.columns))
        database.executemany(f"INSERT INTO {table.name} VALUES ({marks})", rows[table.name])
    return database


def random_rows(rng: random.Random, *, paired: bool) -> dict[str, list[tuple[object, ...]]]:
    """Return rows at random; if they are paired, every key is referred to by one row of each table that refers."""
    count = rng.randint(2, 5)
    keys = list(range(1, count + 1))

    def some() -> list[int | None]:
        return rng.sample(keys, count) if paired else [rng.choice([*keys, None]) for _ in range(count)]

    def number() -> int:
        return rng.randint(0, 2)

    linked = list(zip(some(), some(), strict=True))
    linked = linked if paired else [pair for pair in dict.fromkeys(linked) if None not in pair]
    return {
        "school": [(key, f"s{key}", rng.choice("uv"), number()) for key in keys],
        "teacher": [(key, f"t{key}", other, number()) for key, other in zip(keys, some(), strict=True)],
        "lesson": [(key, other, rng.choice("ab"), number()) for key, other in zip(keys, some(), strict=True)],
        "room": [(key, other, number()) for key, other in zip(keys, some(), strict=True)],
        "tool": [(key, f"w{key}", number()) for key in keys],
        "skill": list(linked),
    }


_FROM = (
    ("school", "teacher"),
    ("school", "teacher", "lesson"),
    ("teacher", "lesson"),
    ("school", "room"),
    ("teacher", "skill", "tool"),
    ("school", "teacher", "room"),
    ("school", "teacher", "skill"),
)
_ON = {
    "teacher": "school.id = teacher.school_id",
    "lesson": "teacher.id = lesson.teacher_id",
    "room": "school.id = room.school_id",
    "skill": "teacher.id = skill.teacher_id",
    "tool": "skill.tool_id = tool.id",
}
_NUMBERS = {
    "school": "budget",
    "teacher": "wage",
    "lesson": "hours",
    "room": "floor",
    "tool": "price",
    "skill": "tool_id",
}
_NAMES = {
    "school": "title",
    "teacher": "name",
    "lesson": "subject",
    "tool": "label",
    "room": "id",
    "skill": "teacher_id",
}


def random_from(rng: random.Random) -> tuple[tuple[str, ...], str]:
    """Return tables at random with FROM and WHERE over them."""
    tables = rng.choice(_FROM)
    joins = "".join(f" JOIN {table} ON {_ON[table]}" for table in tables[1:])
    asked = [f"{table}.{_NUMBERS[table]} {rng.choice('<>=')} 1" for table in tables if rng.random() < 0.4]
    return tables, f"FROM {tables[0]}{joins}" + (f" WHERE {' AND '.join(asked)}" if asked else "")


def random_query(rng: random.Random) -> str:
    """Return a query with joins at random."""
    tables, rest = random_from(rng)
    one, other = rng.choice(tables), rng.choice(tables)
    number, name = f"{other}.{_NUMBERS[other]}", f"{one}.{_NAMES[one]}"
    total = rng.choice([f"SUM({number})", f"AVG({number})", f"COUNT({number})", "COUNT(*)", f"MAX({number})"])
    few = f" HAVING COUNT(*) < {rng.randint(1, 3)}" if rng.random() < 0.3 else ""
    return rng.choice(
        [
            f"SELECT {total} {rest}",
            f"SELECT {name} {rest}",
            f"SELECT DISTINCT {name} {rest}",
            f"SELECT {name}, {total} {rest} GROUP BY {name}{few}",
            f"SELECT {name} {rest} GROUP BY {name} ORDER BY COUNT(*), {name} LIMIT 2",
            f"SELECT {name} FROM {one} WHERE {one}.{_NUMBERS[one]} NOT IN (SELECT {number} {rest})",
        ]
    )
