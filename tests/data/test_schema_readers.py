"""Schemas out of DDL, SQLite, URLs and the public sets' files."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing
from pathlib import Path

import pytest
from cases import rows
from spider_pets import PETS

from querent.data.databases.schema_readers import from_sqlite, from_url, read_schema
from querent.data.domains.collection import from_spider
from querent.data.errors import DatabaseError, SchemaError
from querent.data.schema.ddl import from_ddl
from querent.data.schema.ddl_writer import to_ddl
from querent.data.schema.schema import Column, ForeignKey, Schema

FILE = Path(__file__).with_suffix(".toml")
CASES = tomllib.loads(FILE.read_text("utf-8"))

MYSQL = CASES["mysql"]

COMMENTED = CASES["commented"]


def test_ddl_of_mysql_with_keys_comments_and_reserved_names():
    schema = from_ddl(MYSQL, "mysql")
    order, line = schema.tables
    assert order.name == "order"
    assert order.columns[0] == Column("order id", "int(11)", "订单号")
    assert [c.name for c in order.columns] == ["order id", "group"]
    assert order.primary_key == ("order id",)
    assert order.description == "orders; all of them"
    assert line.primary_key == ("n",)
    assert line.foreign_keys == (ForeignKey(("owner",), "order", ("order id",)),)


@pytest.mark.parametrize(
    ("dialect", "written"),
    [
        ("mysql", "int unsigned; bigint(20) unsigned; tinytext; timestamp; ENUM('A', 'b'); point; inet4; uuid; year"),
        ("postgres", "real; double precision; bytea; int[]; timestamptz; mood; numeric(5, 2); time(3)"),
        ("sqlite", "int; text; datetime; decimal(10, 2)"),
    ],
)
def test_ddl_keeps_types_as_the_dialect_writes_them(dialect, written):
    columns = ", ".join(f"c{i} {kind} NOT NULL" for i, kind in enumerate(written.split("; ")))
    (table,) = from_ddl(f"CREATE TABLE t ({columns})", dialect).tables
    found = "; ".join(column.type for column in table.columns)
    assert found == (written.replace("numeric", "decimal"))


def test_a_zerofill_column_stays_unsigned():
    (table,) = from_ddl("CREATE TABLE t (n INT(6) ZEROFILL NOT NULL)", "mysql").tables
    assert table.columns[0].type == "int(6) zerofill"


def test_ddl_of_mysql_knows_no_types_of_users():
    with pytest.raises(SchemaError, match=r"column 'n' of table 't' is of no type of MySQL: varhcar.*'varchar'"):
        from_ddl("CREATE TABLE t (n varhcar(10))", "mysql")


def test_ddl_comments_become_descriptions():
    item = from_ddl(COMMENTED, "sqlite").table("item")
    assert item.description == "what people buy"
    assert [c.description for c in item.columns] == ["编号", "in euros", "what it is"]
    assert item.foreign_keys == (ForeignKey(("kind",), "kind", ("name",)),)


def test_ddl_of_postgres_with_comment_statements():
    sql = """CREATE TABLE public.t (a serial PRIMARY KEY, "b c" text);
    COMMENT ON TABLE public.t IS 'things'; COMMENT ON COLUMN public.t."b c" IS 'their name';
    ALTER TABLE ONLY public.t ADD CONSTRAINT k FOREIGN KEY (a) REFERENCES public.t (a);"""
    (table,) = from_ddl(sql, "postgres").tables
    assert (table.name, table.description) == ("t", "things")
    assert table.column("b c").description == "their name"
    assert table.foreign_keys == (ForeignKey(("a",), "t", ("a",)),)


UNIQUE = "CREATE TABLE t (a INTEGER UNIQUE, b VARCHAR(9), c INTEGER, d INTEGER, e VARCHAR(9), UNIQUE (c, d)%s); "


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("sqlite", UNIQUE % ", UNIQUE (b)"),
        ("sqlite", UNIQUE % "" + "CREATE UNIQUE INDEX u ON t (b)"),
        ("mysql", UNIQUE % ", UNIQUE KEY k (b(3))"),
        ("mysql", UNIQUE % "" + "ALTER TABLE t ADD UNIQUE KEY u (b)"),
        ("postgres", UNIQUE % ", CONSTRAINT u UNIQUE (b), UNIQUE (a)"),
        ("postgres", UNIQUE % "" + "ALTER TABLE ONLY t ADD CONSTRAINT u UNIQUE (b)"),
        ("postgres", UNIQUE % "" + "CREATE UNIQUE INDEX u ON public.t USING btree (b DESC)"),
    ],
)
def test_ddl_tells_what_is_unique_by_itself(dialect, sql):
    schema = from_ddl(sql, dialect)
    assert schema.table("t").unique == ("a", "b")
    assert from_ddl(to_ddl(schema, lambda name: name), dialect) == schema
    assert Schema.from_json(schema.to_json()) == schema


@rows(FILE, "other_indexes_make_no_column_unique")
def test_other_indexes_make_no_column_unique(index, tmp_path):
    script = UNIQUE % "" + index
    assert from_ddl(script, "postgres").table("t").unique == ("a",)
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
        connection.executescript("CREATE TABLE elsewhere (b INTEGER); " + script)
    assert from_sqlite(tmp_path / "t.sqlite").table("t").unique == ("a",)
    assert read_schema(f"sqlite:///{tmp_path}/t.sqlite").table("t").unique == ("a",)


@rows(FILE, "ddl_that_cannot_be_read")
def test_ddl_that_cannot_be_read(sql, message):
    with pytest.raises(SchemaError, match=message):
        from_ddl(sql, "sqlite", file="schema.sql")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(COMMENTED)
        connection.execute('CREATE TABLE "order" (a INT, b INT, PRIMARY KEY (b, a))')
    return path


def test_sqlite_file(database):
    schema = read_schema(database)
    assert [t.name for t in schema.tables] == ["item", "kind", "order"]
    assert schema.table("order").primary_key == ("b", "a")
    assert schema.table("item").foreign_keys[0].table == "kind"
    assert schema.table("item").column("price") == Column("price", "decimal(10, 2)", "in euros")
    assert schema.table("order").columns[0] == Column("a", "int")


def test_generated_columns_are_columns(database):
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(
            "CREATE TABLE box (w INT, h INT, area INT AS (w * h), code INT GENERATED ALWAYS AS (w) STORED)"
        )
    columns = from_sqlite(database).table("box").columns
    assert columns == (Column("w", "int"), Column("h", "int"), Column("area", "int"), Column("code", "int"))


def test_databases_that_are_not_there(tmp_path):
    with pytest.raises(SchemaError, match="no such database file"):
        from_sqlite(tmp_path / "gone.sqlite")
    (tmp_path / "text.sqlite").write_text("this is no database at all, it is a text")
    with pytest.raises(SchemaError, match="cannot read the database"):
        from_sqlite(tmp_path / "text.sqlite")
    with pytest.raises(DatabaseError, match="install the driver"):
        from_url("nosuch+driver://host/db")


def test_json_round_trip(tmp_path, database):
    schema = from_sqlite(database)
    (tmp_path / "schema.json").write_text(json.dumps(schema.to_json()))
    assert read_schema(tmp_path / "schema.json") == schema
    (tmp_path / "schema.json").write_text("{\n,}")
    with pytest.raises(SchemaError, match=r"schema\.json:2: not JSON"):
        read_schema(tmp_path / "schema.json")


def test_spider_tables(tmp_path):
    file = tmp_path / "tables.json"
    file.write_text(json.dumps([PETS]))
    schema = from_spider(file, "pets")
    assert schema.table("Has_Pet").foreign_keys[0] == ForeignKey(("StuID",), "Student", ("StuID",))
    assert schema.table("Student").column("LName") == Column("LName", "text", "last name")
    assert schema.table("Student").primary_key == ("StuID",)
    with pytest.raises(SchemaError, match="did you mean 'pets'"):
        from_spider(file, "pest")


@pytest.mark.parametrize(
    ("name", "tables", "columns"),
    [("geography", 8, 31), ("restaurants", 3, 12), ("academic", 15, 42), ("atis", 25, 131)],
)
def test_public_sets(shared_data, name, tables, columns):
    schema = read_schema(shared_data / "text2sql" / f"{name}-schema.csv")
    assert (len(schema.tables), sum(1 for _ in schema.columns())) == (tables, columns)


def test_yibao_dump(shared_data):
    schema = read_schema(shared_data / "css-yibao" / "yibao.sql", "mysql")
    assert [(t.name, len(t.columns), t.primary_key) for t in schema.tables] == [
        ("t_kc21", 42, ("MED_CLINIC_ID",)),
        ("t_kc22", 44, ("MED_EXP_DET_ID",)),
        ("t_kc24", 46, ("MED_SAFE_PAY_ID",)),
    ]
    assert schema.table("t_kc22").foreign_keys == (ForeignKey(("MED_CLINIC_ID",), "t_kc21", ("MED_CLINIC_ID",)),)
    assert schema.table("t_kc21").column("person_age").type.startswith("int")


def test_schema_module_is_light():
    code = "import sys, querent.data.schema.schema; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"sqlglot", "sqlalchemy", "torch", "lark"} & set(loaded)
    assert Schema.__module__ in loaded
