"""Composed queries that become starters: translated for a server they have the rows that they have in SQLite."""

import random
from contextlib import ExitStack
from pathlib import Path

import pytest
from servers import VARIABLES, execute, fresh

from querent.authoring.starters import DialectDatabase, PlainSql, fit_to_start
from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.grammar import Grammar
from querent.meaning.profiling import profile_of
from querent.sampler import SamplingFrame, TemplateBank, composed

KINDS, TOWNS = ("oil", "ink", "wood"), ("Oslo", "Rome")
ROWS = {
    "gallery": [(n, f"Hall {chr(65 + n)}", TOWNS[n % 2]) for n in range(8)],
    "artwork": [
        (n, f"Work {chr(65 + n % 26)}{chr(65 + n // 26)}", n * n % 7, f"20{18 + n % 5}-0{1 + n % 9}-1{n % 10}",
         KINDS[n * n % 11 % 3], 100 + n * 37 % 997, f"${1 + n % 9},{n * 17 % 1000:03}")
        for n in range(60)
    ],
}  # fmt: skip
SCRIPT = [
    "CREATE TABLE gallery (gallery_id INTEGER PRIMARY KEY, name VARCHAR(40), town VARCHAR(40))",
    "CREATE TABLE artwork (artwork_id INTEGER PRIMARY KEY, title VARCHAR(40), gallery_id INTEGER, acquired_on DATE, "
    "kind VARCHAR(40), price INTEGER, deposit VARCHAR(40), FOREIGN KEY (gallery_id) REFERENCES gallery (gallery_id))",
    *(f"INSERT INTO {name} VALUES {', '.join(map(str, rows))}" for name, rows in ROWS.items()),
]


def told(rows):
    """Return rows in one order, and what is a number as one."""

    def cell(value):
        try:
            return float(value)
        except (TypeError, ValueError):
            return str(value)

    return sorted(([*map(cell, row)] for row in rows), key=str)


@pytest.mark.parametrize("dialect", sorted(VARIABLES))
def test_queries_have_the_same_rows_on_a_server(dialect: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        opened = {}
        for one in ("sqlite", dialect):
            url = stack.enter_context(fresh(one, tmp_path))
            execute(url, *SCRIPT)
            schema = read_schema(url)
            plain = PlainSql(one, Grammar.for_schema(schema, dialect=one).quoting.write, schema)
            opened[one] = DialectDatabase(stack.enter_context(Database.open(url)), plain)
        server = opened[dialect]
        draw = random.Random(1)
        drawn = [one for one in (composed("en", draw) for _ in range(600)) if fit_to_start(one, dialect)]
        frame = SamplingFrame.of(schema, server, "en", profile_of(server, schema))
        asked = list(TemplateBank(drawn).questions(frame, server, 200, draw))
        assert len(asked) == 200
        for _, sql in asked:
            if " LIMIT " not in sql and "t7" not in sql:  # of equals, any may come first
                wanted = told(opened["sqlite"].fetch(sql).rows)
                assert told(server.fetch(sql).rows) == [pytest.approx(row, abs=0.01) for row in wanted], sql
        grouped = [sql for _, sql in asked if ' GROUP BY "gallery"."gallery_id"' in sql]
        assert len(grouped) > 5
