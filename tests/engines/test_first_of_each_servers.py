"""The first rows of each group, as PER is written out, on MariaDB and PostgreSQL."""

from __future__ import annotations

import sqlalchemy

from querent.data.databases.database import Database
from querent.data.schema.schema import Column, Schema, Table
from querent.data.sql.query import Query
from querent.grammar import Grammar
from querent.parser.decoding.rewritten import as_people_write

TENT = Table("tent", (Column("id", "INTEGER"), Column("brand", "VARCHAR(9)"), Column("price", "INTEGER")), ("id",))
ROWS = [(1, "a", 30), (2, "a", 10), (3, "a", 20), (4, "b", 7), (5, "b", 9), (6, "b", 8), (7, "c", 1)]
QUERIES = {
    "SELECT tent.id FROM tent ORDER BY tent.price DESC LIMIT 2 PER tent.brand": [(1,), (3,), (5,), (6,), (7,)],
    "SELECT tent.id, tent.brand FROM tent ORDER BY tent.price LIMIT 1 OFFSET 1 PER tent.brand": [(3, "a"), (6, "b")],
    "SELECT tent.brand, MAX(tent.price) FROM tent GROUP BY tent.brand ORDER BY SUM(tent.price) DESC LIMIT 2 "
    "PER tent.brand": [("a", 30), ("b", 9), ("c", 1)],
}


def test_it_has_the_first_rows_of_each(dialect: str, scratch: str) -> None:
    engine = sqlalchemy.create_engine(scratch)
    with engine.begin() as made:
        made.execute(sqlalchemy.text("CREATE TABLE tent (id INTEGER PRIMARY KEY, brand VARCHAR(9), price INTEGER)"))
        for row in ROWS:
            made.execute(sqlalchemy.text(f"INSERT INTO tent VALUES {row}"))
    engine.dispose()
    grammar = Grammar.for_schema(Schema((TENT,)), dialect=dialect)
    with Database.open(scratch) as database:
        for sql, rows in QUERIES.items():
            assert (
                list(map(tuple, database.query(as_people_write(Query(sql, dialect), grammar.schema).sql).rows)) == rows
            )
