"""What a view's definition tells of its columns and keys."""

from __future__ import annotations

from pathlib import Path

from cases import rows

from querent.data.schema.schema import Column, ForeignKey, Table
from querent.data.schema.views import with_origins

CASES = Path(__file__).with_suffix(".toml")

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


def viewed(definition: str, columns: str) -> Table:
    view = Table("v", tuple(Column(name, "integer") for name in columns.split()))
    return with_origins((*TABLES, view), {"v": definition}, "postgres")[-1]


@rows(CASES, "keys")
def test_keys(sql: str, shows: str, primary: list[str], unique: list[str], refers: dict[str, str]) -> None:
    view = viewed(sql, shows)
    assert ([*view.primary_key], [*view.unique]) == (primary, unique)
    assert {key.columns[0]: key.table for key in view.foreign_keys if key.references == ("id",)} == refers
    assert len(refers) == len(view.foreign_keys)
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


@rows(CASES, "aggregated")
def test_a_view_holds_aggregates_of_its_own_or_of_views_behind_it(definition: str, aggregated: bool) -> None:
    told = {"v": definition, "total": "SELECT COUNT(*) FROM book", "plain": "SELECT id FROM book"}
    views = [
        Table(name, (Column(column, "integer"),)) for name, column in (("v", "x"), ("total", "n"), ("plain", "id"))
    ]
    found = with_origins((*TABLES, *views), told, "mysql")
    assert {t.name: t.aggregated for t in found if t.behind} == {"v": aggregated, "total": True, "plain": False}
