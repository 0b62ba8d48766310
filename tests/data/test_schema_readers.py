"""Schemas out of DDL, SQLite, URLs and the public sets' files."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cases import cases, rows
from databases import create
from spider_pets import PETS

from querent.data.databases.schema_readers import from_sqlite, read_schema
from querent.data.domains.collection import from_spider
from querent.data.errors import DatabaseError, SchemaError
from querent.data.schema.ddl import from_ddl
from querent.data.schema.ddl_writer import to_ddl
from querent.data.schema.schema import Column, ForeignKey, Schema

FILE = Path(__file__).with_suffix(".toml")
COMMENTED = tomllib.loads(FILE.read_text("utf-8"))["script"][1]["sql"]


@pytest.mark.parametrize("case", cases(FILE, "script"))
def test_what_a_script_creates(case):
    """It is written as the tables, types, keys and descriptions that are read of it."""
    schema = from_ddl(case["sql"], case["dialect"])
    assert to_ddl(schema, str).splitlines() == case["becomes"].splitlines()
    assert schema.left_out == tuple(case.get("left_out", ()))
    assert Schema.from_json(schema.to_json()) == schema


UNIQUE = "CREATE TABLE t (a INTEGER UNIQUE, b VARCHAR(9), c INTEGER, d INTEGER, e VARCHAR(9), UNIQUE (c, d)%s); "


@rows(FILE, "unique")
def test_ddl_tells_what_is_unique_by_itself(dialect, within, behind):
    schema = from_ddl(UNIQUE % (within or "") + (behind or ""), dialect)
    assert schema.table("t").unique == ("a", "b")
    assert from_ddl(to_ddl(schema, lambda name: name), dialect) == schema


@rows(FILE, "other_indexes_make_no_column_unique")
def test_other_indexes_make_no_column_unique(index, tmp_path):
    script = UNIQUE % "" + index
    create(tmp_path / "t.sqlite", "CREATE TABLE elsewhere (b INTEGER); " + script)
    read = [from_ddl(script, "postgres"), read_schema(f"sqlite:///{tmp_path}/t.sqlite")]
    assert [schema.table("t").unique for schema in read] == [("a",)] * 2


@rows(FILE, "ddl_that_cannot_be_read")
def test_ddl_that_cannot_be_read(sql, dialect, message):
    with pytest.raises(SchemaError, match=message):
        from_ddl(sql, dialect or "sqlite", file="schema.sql")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    more = """CREATE TABLE "order" (a INT, b INT, PRIMARY KEY (b, a));
        CREATE TABLE box (w INT, h INT, area INT AS (w * h), code INT GENERATED ALWAYS AS (w) STORED);"""
    return create(tmp_path / "shop.sqlite", COMMENTED + more)


def test_sqlite_file(database):
    schema = read_schema(database)
    assert [t.name for t in schema.tables] == ["item", "kind", "order", "box"]
    assert schema.table("order").primary_key == ("b", "a")
    assert schema.table("item").foreign_keys[0].table == "kind"
    assert schema.table("item").column("price") == Column("price", "decimal(10, 2)", "in euros")
    assert schema.table("box").columns == tuple(Column(name, "int") for name in ("w", "h", "area", "code"))


def test_databases_that_are_not_there(tmp_path):
    with pytest.raises(SchemaError, match="no such database file"):
        from_sqlite(tmp_path / "gone.sqlite")
    (tmp_path / "text.sqlite").write_text("this is no database at all, it is a text")
    with pytest.raises(SchemaError, match="cannot read the database"):
        from_sqlite(tmp_path / "text.sqlite")
    with pytest.raises(DatabaseError, match="install the driver"):
        read_schema("nosuch+driver://host/db")


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


TEXT2SQL = """Field Name, Type, Table Name, Is Primary Key, Is Foreign Key, Other
id, int(11), SHOP, y, n, -
-, -, -, -, -, -
shop, int(11), SALE, n, y, 7
sum, float(3,2) DEFAULT NULL, SALE, n, n
"""


def test_text2sql_csv_is_read_by_its_header(tmp_path):
    (tmp_path / "x-schema.csv").write_text(TEXT2SQL)
    shop, sale = read_schema(tmp_path / "x-schema.csv").tables
    assert (shop.name, shop.primary_key, shop.foreign_keys) == ("SHOP", ("id",), ())
    assert sale.columns == (Column("shop", "int(11)"), Column("sum", "float(3,2)"))
    assert sale.foreign_keys == ()


@rows(FILE, "text2sql_csv_that_does_not_fit")
def test_text2sql_csv_that_does_not_fit(tmp_path, text, message):
    (tmp_path / "x-schema.csv").write_text(text)
    with pytest.raises(SchemaError, match=message):
        read_schema(tmp_path / "x-schema.csv")


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
