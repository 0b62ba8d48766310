"""Files that nobody writes by mistake: each is an error in one line, with its place, and none a traceback."""

import json
import random
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from draws import draws

import querent
from querent.data.databases.database import Database
from querent.data.databases.schema_readers import read_schema
from querent.data.domains.manifest import Manifest, read_functions
from querent.data.domains.schema_places import database_place
from querent.data.errors import DatabaseError, QuerentError, RunError
from querent.data.files import database_of_files as reading_process
from querent.data.hashed_folder import read_json as read_saved
from querent.data.records import read_json, read_jsonl
from querent.data.shipped import cache_folder
from querent.data.texts import yaml_of
from querent.dialogue.questions import read_questions
from querent.ner.cells import building
from querent.ner.index import ValueIndex
from querent.parser.settings.options import TrainConfig
from querent.retrieval.shots import read_shots

DEEP, DIGITS = 100_000, "9" * 5000
NESTED = {
    "JSON": f'{{"question": {"[" * DEEP}{"]" * DEEP}}}',
    "TOML": f"formula = {'[' * DEEP}{']' * DEEP}\n",
    "YAML": f"seed: {'[' * 1500}{']' * 1500}\n",
}
LONG = {"JSON": f'{{"question": {DIGITS}}}', "TOML": f"formula = {DIGITS}\n", "YAML": f"seed: {DIGITS}\n"}
HALF = {"JSON": r'{"question": "\ud800", "sql": "SELECT 1"}', "YAML": 'seed: "\\ud800"\n'}

READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "schema.json": ("JSON", read_schema),
    "data.json": ("JSON", read_json),
    "saved.json": ("JSON", read_saved),
    "data.jsonl": ("JSON", lambda file: list(read_jsonl(file))),
    "questions.jsonl": ("JSON", lambda file: list(read_questions(file))),
    "solved.jsonl": ("JSON", read_shots),
    "statements.jsonl": ("JSON", lambda file: querent.read_statements(file.read_text("utf-8"), field="sql", file=file)),
    "knowledge.toml": ("TOML", lambda file: querent.open_banks([file])),
    "functions.toml": ("TOML", read_functions),
    "domain.toml": ("TOML", lambda file: Manifest.read(file, shipped=False)),
    "role.toml": ("TOML", querent.Access.read),
    "options.yaml": ("YAML", TrainConfig.load),
}


def refusal(file: Path, read: Callable[[Path], Any]) -> str:
    with pytest.raises(QuerentError) as caught:
        read(file)
    assert "\n" not in str(caught.value)
    assert caught.value.file == file
    return str(caught.value)


@pytest.mark.parametrize("name", READERS)
def test_nesting_and_numbers_without_end_are_told_with_their_file(tmp_path, name):
    kind, read = READERS[name]
    (tmp_path / name).write_text(NESTED[kind], "utf-8")
    assert "nested too deep" in refusal(tmp_path / name, read)
    if name != "options.yaml":  # its numbers are read with its fields
        (tmp_path / name).write_text(LONG[kind], "utf-8")
        assert "digits" in refusal(tmp_path / name, read)


def test_aliases_of_aliases_are_told_before_they_are_written_out(tmp_path, name="options.yaml"):
    lines = ["seed: 0", "a0: &a0 {x: 1, y: 2}"]
    lines += [f"a{i}: &a{i} {{{', '.join(f'k{j}: *a{i - 1}' for j in range(9))}}}" for i in range(1, 12)]
    (tmp_path / name).write_text("\n".join(lines), "utf-8")
    assert "its aliases stand for more than can be read" in refusal(tmp_path / name, READERS[name][1])
    assert yaml_of("a: &a [1, *a]\nb: &b {c: 1}\nd: *b")["d"] == {"c": 1}


@pytest.mark.parametrize("name", ["data.json", "data.jsonl", "solved.jsonl", "statements.jsonl"])
def test_half_a_character_is_told(tmp_path, name):
    kind, read = READERS[name]
    (tmp_path / name).write_text(HALF[kind], "utf-8")
    assert r"\ud800 is half a character" in refusal(tmp_path / name, read)


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
def test_a_line_ends_where_json_lines_end(tmp_path, sign):
    told = {"question": f"one{sign}two", "sql": "SELECT 1", "texts": [f"a{sign}b"]}
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(told, ensure_ascii=False) + "\n" + json.dumps(told) + "\n", "utf-8")
    assert [shot.question for shot in read_shots(file)] == [f"one{sign}two"] * 2
    assert [one.text for one in read_questions(file)] == [f"one{sign}two"] * 2


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 5000 + "a" + ")" * 5000,
        "(" * 50 + "a" + ")" * 50,
        "+".join("a" * 3000),
        "NOT " * 3000 + "a",
        f"a + {DIGITS}",
    ],
)
def test_a_formula_without_end_is_told(tmp_path, expression):
    file = tmp_path / "knowledge.toml"
    file.write_text(f'[[formula]]\nname = "x"\nkind = "calculation"\nis = "{expression}"\n', "utf-8")
    assert "field 'is'" in refusal(file, lambda one: querent.open_banks([one]))


@pytest.mark.parametrize("told", [f"CHECK ({'(' * 3000}1{')' * 3000})", f"DEFAULT {'-(' * 2000}"])
def test_a_script_without_end_is_told(tmp_path, told):
    file = tmp_path / "schema.sql"
    file.write_text(f"CREATE TABLE t (a INT {told})", "utf-8")
    refusal(file, read_schema)


# --- databases


def made(file: Path, *statements: str, values: tuple[Any, ...] = ()) -> Path:
    with closing(sqlite3.connect(file)) as database, database:
        for statement in statements:
            database.execute(statement, values if "?" in statement else ())
    return file


def test_a_cell_of_fifty_megabytes_costs_its_column_alone(tmp_path):
    big = ("x" * 50_000_000,)
    file = made(
        tmp_path / "a.sqlite",
        "CREATE TABLE note (title TEXT, body TEXT)",
        "INSERT INTO note VALUES ('first', ?)",
        values=big,
    )
    with ValueIndex.open(file, read_schema(file), cache=tmp_path) as index:
        assert [found.value for found in index.find("which note is 'first'?")] == ["first"]
    with Database.open(file) as database:
        with pytest.raises(DatabaseError, match="values of over 10 MB are not read"):
            database.query("SELECT body FROM note")
        assert database.query("SELECT title FROM note").rows == [("first",)]


@pytest.mark.parametrize("sql", ["SELECT '\ud800'", "SELECT '\x00'", "SELECT " + "(" * 5000])
def test_a_query_that_sqlite_cannot_take_is_told(tmp_path, sql):
    with (
        Database.open(made(tmp_path / "a.sqlite", "CREATE TABLE t (c TEXT)")) as database,
        pytest.raises(DatabaseError),
    ):
        database.query(sql)


def test_a_full_disk_is_told_and_leaves_no_half_index(tmp_path, monkeypatch):
    file = made(tmp_path / "a.sqlite", "CREATE TABLE t (c TEXT)", "INSERT INTO t VALUES ('one')")
    made(file, *["INSERT INTO t SELECT hex(randomblob(30)) FROM t"] * 11)
    monkeypatch.setattr(building, "_TABLES", f"PRAGMA max_page_count = 20; {building._TABLES}")
    with pytest.raises(
        RunError, match=r"the value index cannot be written: database or disk is full \(make room there"
    ):
        ValueIndex.open(file, read_schema(file), cache=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def broken(content: bytes, draw: random.Random) -> bytes:
    """Return a file that is cut off, or has some bits turned, or a piece of a page overwritten."""
    changed = bytearray(content)
    kind = draw.randrange(4)
    if kind == 0:
        return content[: draw.randrange(len(content))]
    if kind == 1:
        for _ in range(draw.choice([1, 5, 50])):
            changed[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    else:
        start = draw.randrange(4096) if kind == 2 else 4096 * draw.randrange(len(content) // 4096)
        changed[start : start + 60] = draw.randbytes(60)
    return bytes(changed)


def test_a_broken_database_is_told_at_whatever_step_it_shows(tmp_path):
    script = "CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT UNIQUE, land TEXT, born DATE)"
    # the same bytes each time
    fill = "INSERT INTO artist (name, land) SELECT printf('%080d', 7919 * COUNT(*)), 'Norway' FROM artist"
    content = made(
        tmp_path / "good.sqlite", script, *[fill] * 300, "CREATE INDEX by_land ON artist (land)"
    ).read_bytes()
    draw, told = random.Random(7), 0
    for number in range(draws(80)):
        file = tmp_path / f"{number}.sqlite"
        file.write_bytes(broken(content, draw))
        with suppress(QuerentError):
            told += 1
            schema = read_schema(file)
            with ValueIndex.open(file, schema, cache=tmp_path / "cache") as index:
                index.find("artists of 'Norway'")
                unread = {*schema.left_out, *index.unread}
            with Database.open(file) as database:
                database.probe(schema)
                database.query("SELECT * FROM artist ORDER BY land")
            told -= not unread
    assert told >= draws(40)


# --- files of tables


@pytest.fixture
def little_memory(monkeypatch, cache):
    monkeypatch.setattr(reading_process, "MOST_MEMORY", 700_000_000)


def told_of_table(place: Path) -> str:
    """Return how a file of tables is refused, in one line that names the limit and what to do; nothing is left."""
    with pytest.raises(QuerentError) as caught:
        database_place(str(place))
    assert caught.value.file == place
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    folder = cache_folder() / "files"
    assert not folder.exists() or not list(folder.iterdir())
    return str(caught.value)


def workbook(file: Path, cells: bytes, *, spanning: str = "", size: int | None = None) -> Path:
    """Write a workbook of one sheet by hand; ``size`` is what it says that it unpacks to."""
    schemas, kinds = "http://schemas.openxmlformats.org", "application/vnd.openxmlformats"
    here = f"{schemas}/officeDocument/2006/relationships"
    links = f'<Relationships xmlns="{schemas}/package/2006/relationships"><Relationship Id="r1" Type="{here}'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{schemas}/package/2006/content-types"><Default Extension="xml" '
        f'ContentType="application/xml"/><Default Extension="rels" ContentType="{kinds}-package.relationships+xml"/>'
        "</Types>",
        "_rels/.rels": f'{links}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/_rels/workbook.xml.rels": f'{links}/worksheet" Target="worksheets/a.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{schemas}/spreadsheetml/2006/main" xmlns:r="{here}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
    }
    first = f'<worksheet xmlns="{schemas}/spreadsheetml/2006/main"><sheetData>'.encode()
    sheet = first + cells + f"</sheetData>{spanning}</worksheet>".encode()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for name, part in parts.items():
            book.writestr(name, part)
        book.writestr("xl/worksheets/a.xml", sheet)
    if size is not None:
        file.write_bytes(file.read_bytes().replace(len(sheet).to_bytes(4, "little"), size.to_bytes(4, "little")))
    return file


def cells(number: int, *texts: str) -> bytes:
    named = zip("AB", texts, strict=True)
    found = (f'<c r="{name}{number}" t="inlineStr"><is><t>{text}</t></is></c>' for name, text in named)
    return f'<row r="{number}">{"".join(found)}</row>'.encode()


TABLE = cells(1, "id", "name") + cells(2, "1", "Ann") + cells(3, "2", "Bob")


@pytest.mark.parametrize(("far", "told"), [("XFD1048576", "takes more than 0.7 GB"), ("XFD2", "16384 columns")])
def test_a_cell_far_from_the_others_ends_no_process(tmp_path, little_memory, far, told):
    pytest.importorskip("python_calamine")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    file = tmp_path / "far.xlsx"
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "name"])
        sheet.write_row(1, 0, [1, "Ann"])
        sheet.write(far, "x")
    assert told in told_of_table(file)


def test_workbooks_that_unpack_to_too_much(tmp_path, little_memory):
    pytest.importorskip("python_calamine")
    blanks = TABLE + b" " * 300_000_000
    packed = workbook(tmp_path / "bomb.xlsx", blanks)
    assert packed.stat().st_size < 400_000
    assert "its parts unpack to more than 271 MB, where the file has 29" in told_of_table(packed)
    assert "larger than its declared" in told_of_table(
        workbook(tmp_path / "lie.xlsx", TABLE + b" " * 9_000_000, size=2000)
    )
    large = workbook(tmp_path / "cell.xlsx", cells(1, "id", "name") + cells(2, "1", "x" * 20_000_000))
    assert "a row of more than 10 MB" in told_of_table(large)


def test_cells_that_span_what_is_not_there_take_no_time(tmp_path, little_memory):
    pytest.importorskip("python_calamine")
    spanning = "<mergeCells>" + '<mergeCell ref="A2:A1048576"/>' * 20_000 + "</mergeCells>"
    file = workbook(tmp_path / "spans.xlsx", TABLE, spanning=spanning)
    with closing(sqlite3.connect(database_place(str(file)))) as database:
        assert database.execute("SELECT * FROM spans").fetchall() == [(1, "Ann"), (1, "Bob")]


def repeated(texts: list[str], rows: int) -> Any:
    """Return a column whose cells are all the first of some texts, as Parquet keeps in a few bytes."""
    pa = pytest.importorskip("pyarrow")
    return pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), texts)})


def test_parquet_files_that_unpack_to_too_much(tmp_path, little_memory):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file = tmp_path / "rows.parquet"
    table = pa.table({f"c{number}": pa.repeat(7, 1_000_000) for number in range(10)})
    with parquet.ParquetWriter(file, table.schema) as writer:
        for _ in range(9):
            writer.write_table(table)
    told = told_of_table(file)
    assert "9,000,000 rows of 10 columns are more cells than the 2" in told and "that a file of 3" in told
    parquet.write_table(repeated(["x" * 1_000_000], 100_000), tmp_path / "texts.parquet")
    assert "takes more than 0.7 GB of memory" in told_of_table(tmp_path / "texts.parquet")
    parquet.write_table(repeated(["x" * 5_000], 80_000), tmp_path / "long.parquet")
    assert "its rows unpack to more than 256 MB, where the file has" in told_of_table(tmp_path / "long.parquet")
    parquet.write_table(pa.table({"a": ["x" * 20_000_000]}), tmp_path / "cell.parquet")
    assert "a row of more than 10 MB" in told_of_table(tmp_path / "cell.parquet")
    parquet.write_table(
        pa.table({"a": pa.ListArray.from_arrays([0, 10_000_000], pa.repeat(1, 10_000_000))}), tmp_path / "list.parquet"
    )
    assert "memory" in told_of_table(tmp_path / "list.parquet")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"a,b\n1,2\n" + b"x," * 10_000_000, "line.csv:3: not read as CSV: a line of over 10,000,000 characters"),
        (b'a,b\n1,"' + b"line\n" * 3_000_000, "line.csv:2: not read as CSV: field larger than field limit (10000000)"),
        (b"a,b\n1,2\n" + b'"\n",' * 100_000, "line.csv: 100001 columns are too many (leave at most 2000"),
        (b"c," * 99_999 + b"c\n" + b"1\n", "line.csv: 100000 columns are too many (leave at most 2000"),
        (b"a,b\n" + b"1,2\n" * 99_999 + b"1," * 99_999, "line.csv:100001: 100000 cells where the headings are 2"),
        (b"a,b\n1," + b"x" * 20_000_000 + b"\n2,y\n", "line.csv:2: not read as CSV: a line of over 10,000,000"),
    ],
    ids=["line", "quote", "row", "columns", "cells", "cell"],
)
def test_lines_and_cells_without_end_are_told(tmp_path, little_memory, data, told):
    (tmp_path / "line.csv").write_bytes(data)
    assert told in told_of_table(tmp_path / "line.csv")


def test_a_thousand_files_are_too_many(tmp_path, cache):
    for number in range(1_001):
        (tmp_path / f"{number}.csv").write_text("a,b\n1,2\n")
    for place in (tmp_path, tmp_path / "*.csv"):
        with pytest.raises(QuerentError, match=r"\d.csv: with this file, more than 1,000 tables \(name fewer files by"):
            database_place(str(place))


def test_a_reading_process_that_does_not_begin_says_why(tmp_path, cache, monkeypatch):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    monkeypatch.setattr(reading_process, "_CHILD", "raise SystemExit('no {1}')")
    with pytest.raises(RuntimeError, match="no 4000000000"):
        database_place(str(tmp_path / "a.csv"))
