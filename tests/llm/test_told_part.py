"""Which tables a prompt tells: what a query needs, others among which to choose, and no more than fits."""

from __future__ import annotations

import random

from scripted import SCHEMA

from querent.data.databases.schema_readers import from_ddl
from querent.llm.pruned_schema import needs_of, told_part

JOINED = "SELECT T1.country FROM author AS T1 JOIN book AS T2 ON T1.name = T2.author WHERE pages > 300"
WIDE = from_ddl("CREATE TABLE wide (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT, d TEXT, e TEXT, f TEXT);", "sqlite")


def width(table) -> int:
    return len(table.columns)


def test_what_a_query_needs():
    assert needs_of(JOINED, SCHEMA) == {"author": {"country", "name"}, "book": {"author", "pages"}}
    assert needs_of("SELECT count(*) FROM Book", SCHEMA) == {"book": set()}
    assert needs_of("SELECT * FROM author", SCHEMA) == {"author": {"name", "country", "birth"}}
    assert needs_of("no query", SCHEMA) == {}


def test_tables_are_told_in_order_while_they_fit():
    told = told_part(["book", "author"], SCHEMA, width, 7)
    assert [table.name for table in told.tables] == ["book", "author"]
    assert [table.name for table in told_part(["book", "author"], SCHEMA, width, 6).tables] == ["book"]
    assert [table.name for table in told_part(["book"], SCHEMA, width, 1).tables] == ["book"]  # one there must be
    assert told_part(["book"], SCHEMA, width, 6).tables[0].foreign_keys == ()  # into a table that is not told


def test_what_is_needed_is_told_though_it_takes_more():
    needs = {"author": {"name"}, "book": {"title"}}
    told = told_part(["author", "book"], SCHEMA, width, 4, needs=needs)
    assert [table.name for table in told.tables] == ["author", "book"]


def test_columns_that_nobody_needs_make_room():
    narrow = {
        tuple(c.name for c in told_part(["wide"], WIDE, width, 3, needs={"wide": {"e"}}, drawn=drawn).tables[0].columns)
        for drawn in map(random.Random, range(9))
    }
    assert all({"id", "e"} <= {*columns} and len(columns) <= 3 for columns in narrow)
    assert len(narrow) > 1
