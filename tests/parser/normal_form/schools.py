"""Schools with teachers, lessons and rooms: a small database whose joins repeat rows."""

import random
import sqlite3

from sql_pairs import schema, script

SCHOOLS = schema("schools")


def opened(rows: dict[str, list[tuple[object, ...]]] | None = None) -> sqlite3.Connection:
    """Return a database in memory, with its own rows or others."""
    database = sqlite3.connect(":memory:")
    database.executescript(script("schools"))
    for table, some in (rows or {}).items():
        database.execute(f"DELETE FROM {table}")
        for row in some:
            database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
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


_FROM = [one.split() for one in (
    "school teacher", "school teacher lesson", "teacher lesson", "school room", "teacher skill tool",
    "school teacher room", "school teacher skill",
)]  # fmt: skip
_ON = {
    "teacher": "school.id = teacher.school_id",
    "lesson": "teacher.id = lesson.teacher_id",
    "room": "school.id = room.school_id",
    "skill": "teacher.id = skill.teacher_id",
    "tool": "skill.tool_id = tool.id",
}
_TABLES = [table.name for table in SCHOOLS.tables]
_NUMBERS = dict(zip(_TABLES, ("budget", "wage", "hours", "floor", "price", "tool_id"), strict=True))
_NAMES = dict(zip(_TABLES, ("title", "name", "subject", "id", "label", "teacher_id"), strict=True))


def random_from(rng: random.Random) -> tuple[list[str], str]:
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
