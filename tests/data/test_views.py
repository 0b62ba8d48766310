"""What a view's definition tells of its columns and keys."""

from __future__ import annotations

import pytest

from querent.data.schema.ddl import from_ddl
from querent.data.schema.schema import Column, ForeignKey, Table
from querent.data.schema.views import with_origins

TABLES = (
    Table(
        "author", (Column("id", "integer"), Column("name", "text"), Column("code", "text")), ("id",), unique=("code",)
    ),
    Table(
        "book",
        (Column("id", "integer"), Column("author_id", "integer"), Column("price", "numeric")),
        ("id",),
        (ForeignKey(("author_id",), "author", ("id",)),),
    ),
)
TO_AUTHOR, TO_BOOK = ("author", ("id",)), ("book", ("id",))
VIEWS = {
    "one table": (
        "SELECT id AS no, code, name FROM author WHERE id > 3",
        "no code name",
        ("no",),
        ("code",),
        {"no": TO_AUTHOR},
    ),
    "a star": ("SELECT * FROM book", "id author_id price", ("id",), (), {"author_id": TO_AUTHOR, "id": TO_BOOK}),
    "a join": (
        "SELECT b.id, a.name, b.author_id FROM (book b JOIN author a ON (b.author_id = a.id))",
        *("id name author_id", (), (), {"id": TO_BOOK, "author_id": TO_AUTHOR}),
    ),
    "groups": (
        "SELECT author_id, COUNT(*) AS n FROM book GROUP BY author_id",
        "author_id n",
        (),
        (),
        {"author_id": TO_AUTHOR},
    ),
    "distinct": ("SELECT DISTINCT id FROM author", "id", (), (), {"id": TO_AUTHOR}),
    "an aggregate": ("SELECT MAX(id) AS id FROM author", "id", (), (), {}),
    "rows made of arrays": ("SELECT id, UNNEST(ARRAY[1, 2]) AS n FROM author", "id n", (), (), {"id": TO_AUTHOR}),
    "a union": ("SELECT id FROM author UNION ALL SELECT id FROM book", "id", (), (), {}),
    "a query in FROM": ("SELECT q.id FROM (SELECT id FROM author) AS q", "id", (), (), {}),
    "another name": ('CREATE VIEW "V" (x, y) AS SELECT id, code FROM author', "x y", ("x",), ("y",), {"x": TO_AUTHOR}),
    "nothing that can be read": ("SELECT FROM WHERE", "id", (), (), {}),
    "nothing at all": ("", "id", (), (), {}),
}


def viewed(definition: str, columns: str) -> Table:
    view = Table("v", tuple(Column(name, "integer") for name in columns.split()))
    return with_origins((*TABLES, view), {"v": definition}, "postgres")[-1]


@pytest.mark.parametrize("what", VIEWS)
def test_keys(what: str) -> None:
    definition, columns, primary, unique, foreign = VIEWS[what]
    view = viewed(definition, columns)
    assert (view.primary_key, view.unique) == (primary, unique)
    assert {key.columns[0]: (key.table, key.references) for key in view.foreign_keys} == foreign
    assert view.behind > 0


def test_what_is_reckoned_is_told_from_what_is_shown() -> None:
    view = viewed(
        "SELECT id, COUNT(*), SUM(price), price + 1, MAX(price) FROM book GROUP BY id, price", "id n s more most"
    )
    assert [c.computed for c in view.columns] == [False, False, True, True, True]
    assert [c.computed for c in viewed("SELECT id FROM book UNION SELECT 7", "id").columns] == [True]


def test_views_of_views_count_the_tables_behind_them() -> None:
    views = [Table(name, (Column("id", "integer"),)) for name in ("outer_one", "pair")]
    told = {
        "outer_one": "SELECT p.id FROM pair p JOIN author ON author.id = p.id",
        "pair": "SELECT b.id FROM book b JOIN book c ON b.id = c.id",
    }
    *_, outer, pair = with_origins((*TABLES, *views), told, "mysql")
    assert (outer.behind, pair.behind) == (3, 2)
    assert ForeignKey(("id",), "book", ("id",)) in outer.foreign_keys


AGGREGATED = {
    "SELECT COUNT(*) FROM book": True,
    "SELECT id FROM author UNION ALL SELECT MAX(id) FROM book": True,
    "SELECT author_id FROM book GROUP BY author_id ORDER BY COUNT(*)": True,
    "SELECT JSON_ARRAYAGG(id) FROM book": True,
    "SELECT SOME_AGGREGATE(id) FROM book": True,
    "SELECT id FROM author WHERE id IN (SELECT n FROM total)": True,
    "SELECT id FROM": True,
    "SELECT author_id FROM book GROUP BY author_id": False,
    "SELECT DISTINCT id FROM book": False,
    "SELECT SUM(price) OVER () FROM book": False,
    "SELECT (SELECT MAX(id) FROM book) FROM author": False,
    "SELECT d.n FROM (SELECT MAX(id) AS n FROM book) AS d": False,
    "SELECT id FROM plain": False,
}


@pytest.mark.parametrize("definition", AGGREGATED)
def test_a_view_holds_aggregates_of_its_own_or_of_views_behind_it(definition: str) -> None:
    told = {"v": definition, "total": "SELECT COUNT(*) FROM book", "plain": "SELECT id FROM book"}
    views = [
        Table(name, (Column(column, "integer"),)) for name, column in (("v", "x"), ("total", "n"), ("plain", "id"))
    ]
    found = with_origins((*TABLES, *views), told, "mysql")
    assert {t.name: t.aggregated for t in found if t.behind} == {
        "v": AGGREGATED[definition], "total": True, "plain": False
    }  # fmt: skip


def test_a_script_has_views_and_no_parts() -> None:
    schema = from_ddl(
        """
        CREATE TABLE day (id int PRIMARY KEY, at date) PARTITION BY RANGE (at);
        CREATE TABLE day_1 PARTITION OF day FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
        CREATE TABLE day_2 (id int, at date);
        ALTER TABLE ONLY day ATTACH PARTITION public.day_2 FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
        CREATE TABLE old_day () INHERITS (day);
        CREATE MATERIALIZED VIEW late AS SELECT id AS no, at FROM day;
        CREATE VIEW whole AS SELECT * FROM day;
        """,
        "postgres",
    )
    assert [t.name for t in schema.tables] == ["day", "late"]
    assert schema.table("late").columns == (Column("no", "int"), Column("at", "date"))
    assert schema.table("late").primary_key == ("no",)
    assert schema.left_out == ("whole: its columns are not listed",)
