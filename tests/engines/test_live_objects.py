"""Views, parts of tables and what may not be read, on a MariaDB and a PostgreSQL."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from servers import execute, fresh_database, reader, script, url_of
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

import querent
from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.errors import DatabaseError
from querent.data.schema.schema import ForeignKey, Schema, labels_of
from querent.data.urls import dialect_of
from querent.grammar import Constraint, Grammar, Vocabulary
from querent.ner.index import ValueIndex

DATABASE = "objects"


def test_views_stand_with_the_keys_of_what_they_show(schema: Schema) -> None:
    named, total = schema.table("named"), schema.table("total")
    assert (named.primary_key, named.unique) == (("pump_id",), ("name",))
    assert named.foreign_keys == (ForeignKey(("pump_id",), "pump", ("id",)),)
    assert (total.primary_key, total.foreign_keys) == ((), (ForeignKey(("pump",), "pump", ("id",)),))
    assert {c.name: c.computed for c in total.columns} == {"pump": False, "runs": False, "litres": True}
    assert schema.table("pump").behind == 0 < total.behind
    assert total.aggregated and not named.aggregated


def test_parts_of_tables_do_not_stand_beside_them(schema: Schema, dialect: str) -> None:
    common = {"pump", "run", "hidden", "named", "total", "event"}
    own = {"kept", "place", "town"} if dialect == "postgres" else {"page", "page_now"}
    assert {t.name for t in schema.tables} == common | own
    if dialect == "postgres":
        assert schema.table("place").primary_key == ()  # a town may have the same one
        assert schema.table("kept").unique == ("id",)


def test_json_is_no_text(url: str, schema: Schema, dialect: str) -> None:
    """MariaDB tells it as a text with a check, and refuses it where it takes texts."""
    if dialect != "mysql":
        pytest.skip("PostgreSQL tells it as it is")
    types = {t: {c.name: c.type for c in schema.table(t).columns} for t in ("page", "page_now")}
    assert types["page"] == {"no": "int(11)", "doc": "json", "said": "longtext"}
    assert types["page_now"] == {"doc": "json", "said": "longtext", "no": "int(11)"}
    sql = "SELECT STR_TO_DATE(said, {0}), EXTRACT(YEAR FROM {0}) FROM page"
    vocabulary = Vocabulary.build(Grammar.for_schema(schema, dialect="mysql"), [sql.format("doc"), sql.format("said")])
    for column, able in (("doc", False), ("said", True)):
        assert Constraint(vocabulary).admits(sql.format(column)) is able
        with nullcontext() if able else pytest.raises(DBAPIError, match="Illegal parameter data type"):
            execute(url, sql.format(column))


def test_what_cannot_be_read_is_left_out(schema: Schema, dialect: str) -> None:
    [reason] = schema.left_out
    assert reason.startswith("unfilled: " if dialect == "postgres" else "stale: ")


def test_a_label_is_found_though_no_row_has_it(url: str, schema: Schema, tmp_path: Path) -> None:
    index = ValueIndex.open(url, schema, cache=tmp_path)
    for label in ("retired", "it's done"):
        [found] = [one for one in index.find(f"events that are {label}") if one.value == label]
        assert ("event", "state") in found.columns


def test_what_a_user_may_not_read_is_left_out(url: str) -> None:
    grants = ("SELECT (id, name) ON pump", "SELECT (pump_id) ON named", "SELECT ON run", "SELECT ON total")
    with reader(url, *grants, "INSERT ON hidden") as url:
        schema = read_schema(url)
        assert {t.name: [c.name for c in t.columns] for t in schema.tables if t.partial} == {
            "pump": ["id", "name"],
            "named": ["pump_id"],
        }
        assert {t.name for t in schema.tables if not t.partial} == {"run", "total"}
        reasons = dict(one.split(": ", 1) for one in schema.left_out)
        assert reasons["pump"].startswith("columns that the user may not read are left out")
        assert {"pump", "named"} <= reasons.keys() <= {"pump", "named", "hidden"}
        with querent.connect(url) as connection:
            assert connection.profile.column("pump", "name") is not None
            assert connection.ask("how many pumps are there?", beam=1).rows == ((1,),)
            answer = connection.ask("what is the name of the pump with id 1?")
            assert (answer.status, answer.rows) == ("ok", (("Gusher",),))
            assert {"name": "Gusher"}.items() <= {c: v for v, _, c in connection.values("gush")}.items()
        with Database.open(url) as opened:
            assert opened.query("SELECT * FROM total").rows == []
        names = Vocabulary.build(Grammar.for_schema(schema, dialect=dialect_of(url)), ["SELECT * FROM run"])
        assert Constraint(names).admits("SELECT * FROM run, total")
        assert not Constraint(names).admits("SELECT * FROM run, pump")


def test_objects_of_another_schema_stand_beside_names_that_differ_in_case() -> None:
    with fresh_database(url_of("postgres")) as url:
        execute(url, *script("case", "postgres"))
        schema = read_schema(url)
        with Database.open(url) as database:
            database.confine(Schema(tuple(table for table in schema.tables if table.name != "Plant.pump")))
            assert database.query('SELECT "Name" FROM "Plant"."Named"').rows == []
            with pytest.raises(DatabaseError, match=r"there is no table Plant\.pump to read here"):
                database.query('SELECT secret FROM "Plant".pump')
    assert {t.name for t in schema.tables} == {"Plant.Pump", "Plant.pump", "Plant.Named", "Plant.event"}
    view = schema.table("Plant.Named")
    assert (view.primary_key, view.foreign_keys) == (("pump_id",), (ForeignKey(("pump_id",), "Plant.Pump", ("id",)),))
    assert labels_of(schema.table("Plant.Pump").column("phase").type) == ("Hot", "cold")


def test_a_view_of_another_database_has_no_keys_of_this_one() -> None:
    with fresh_database(url_of("mysql")) as afar, fresh_database(url_of("mysql")) as here:
        execute(afar, "CREATE TABLE pump (id INTEGER PRIMARY KEY)")
        execute(
            here,
            "CREATE TABLE pump (id INTEGER PRIMARY KEY)",
            f"CREATE VIEW theirs AS SELECT id FROM {make_url(afar).database}.pump",
            "CREATE VIEW ours AS SELECT id FROM pump",
        )
        schema = read_schema(here)
    assert (schema.table("ours").primary_key, schema.table("theirs").primary_key) == (("id",), ())
    assert schema.table("theirs").foreign_keys == ()
