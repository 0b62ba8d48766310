"""CSV, TSV, Excel and Parquet files as databases: what their cells become, what is told, and what is refused."""

import codecs
import os
import re
import sqlite3
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cases import rows as rows_of

from querent.data.domains.manifest import Manifest
from querent.data.domains.schema_places import database_place, open_schema
from querent.data.errors import DatabaseError, InputError, QuerentError
from querent.data.files import database_of_files as module
from querent.data.files.column_reading import ColumnReading, stripped
from querent.data.files.database_of_files import tables_of
from querent.data.files.writing import write_tables
from querent.meaning.profiling import open_profile

CASES = Path(__file__).with_suffix(".toml")

pytestmark = pytest.mark.usefixtures("cache")

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def _read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files in this process: beginning one takes most of the time, and test_hostile_files tests what it bounds."""

    def here(path: Path, files: Sequence[Path], states: tuple[int, int], progress: Callable[[float], None]) -> None:
        module._fill(path, files, states, lambda said: progress(said) if isinstance(said, float) else None)

    monkeypatch.setattr(module, "read_files", here)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file and return its path."""

    def written(name: str, data: str | bytes, encoding: str = "utf-8") -> Path:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode(encoding))
        return file

    return written


def read(place: str | Path) -> tuple[str, list[str]]:
    """Return the SQLite file of files, and what was told of them."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        path = database_place(str(place))
    return path, [str(one.message) for one in said]


def cells(place: str | Path, table: str | None = None) -> list[tuple[Any, ...]]:
    path, _ = read(place)
    with closing(sqlite3.connect(path)) as database:
        (first,) = database.execute("SELECT name FROM sqlite_master LIMIT 1").fetchone()
        return database.execute(f'SELECT * FROM "{table or first}"').fetchall()


def columns(place: str | Path) -> dict[str, str]:
    (table,) = open_schema(read(place)[0])[0].tables
    return {column.name: column.type for column in table.columns}


def column(
    *cells: object, comma: bool | None = None, semicolons: bool = False, typed: bool = False
) -> tuple[str, list]:
    """Return a column's type and what is stored of its cells."""
    reading = ColumnReading(typed=typed)
    half = len(cells) // 2
    reading.see(cells[:half])
    reading.see(cells[half:])
    stored = reading.stored(comma=comma, semicolons=semicolons)
    return stored.type + (f" in {stored.unit}" if stored.unit else ""), list(stored.store(cells))


@rows_of(CASES, "texts_become_what_all_of_them_say")
def test_texts_become_what_all_of_them_say(cells, kind, stored):
    found, held = column(*cells)
    assert (found, ", ".join(map(repr, held))) == (kind, stored)


@pytest.mark.parametrize(
    ("cells", "kind", "stored"),
    [
        ([1.0, 2.0, ""], "INTEGER", [1, 2, None]),
        ([1.5, 2, None], "REAL", [1.5, 2.0, None]),
        ([True, False, ""], "BOOLEAN", [1, 0, None]),
        ([1.0, "n/a", "12"], "INTEGER", [1, None, 12]),
        ([1.0, "see note"], "TEXT", ["1", "see note"]),
        ([date(2024, 1, 2), datetime(2024, 1, 3)], "DATE", ["2024-01-02", "2024-01-03"]),
        ([datetime(2024, 1, 2, 3, 4), None], "DATETIME", ["2024-01-02 03:04:00", None]),
        ([datetime(2024, 1, 2, tzinfo=UTC)], "DATETIME", ["2024-01-02 00:00:00+00:00"]),
        ([time(4, 5), ""], "TEXT", ["04:05:00", None]),
        ([float("nan"), 1.0], "INTEGER", [None, 1]),
        ([Decimal("12.30"), Decimal("1")], "REAL", [12.3, 1.0]),
        ([b"\x00\xff", None], "BLOB", [b"\x00\xff", None]),
        ([["a", 1], []], "TEXT", ['["a", 1]', "[]"]),
        ([2**63, 1], "REAL", [float(2**63), 1.0]),
    ],
)
def test_cells_with_types_of_their_own(cells, kind, stored):
    assert column(*cells) == (kind, stored)


def test_texts_of_a_file_with_types_stay_texts():
    assert column("1", "2", typed=True) == ("TEXT", ["1", "2"])


def test_what_a_comma_is_other_columns_tell():
    assert column("1,234", "5", comma=True) == ("REAL", [1.234, 5.0])
    assert column("1,234", "5", comma=False) == ("INTEGER", [1234, 5])
    assert column("1.234", "5.678", comma=True, semicolons=True) == ("INTEGER", [1234, 5678])
    assert column("1.234", "5.678", semicolons=True)[0] == "TEXT"  # thousands, as likely as not


@rows_of(CASES, "files")
def test_what_a_file_becomes(write, name, text, columns, rows, told):
    file = write(name, text)
    path, said = read(file)
    (table,) = open_schema(path)[0].tables
    if columns is not None:
        assert {column.name: column.type for column in table.columns} == columns
    if rows is not None:
        assert [list(row) for row in cells(file)] == rows
    assert said == [f"{file}: {told}"] * (told is not None)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "gb18030"]
)
def test_encodings(write, encoding):
    texts = {"gb18030": "名称,城市\n张三,北京\n李四,上海\n"}
    text = texts.get(encoding, "nombre,ciudad\nMuñoz,Peñíscola\nIbáñez,Logroño\n")
    file = write("e.csv", text, encoding)
    assert cells(file) == [tuple(line.split(",")) for line in text.splitlines()[1:]]


def test_a_guessed_encoding_is_told(write):
    (said,) = read(write("e.csv", "name,city\n" + "Bob,Rome\n" * 3000 + "Zoë,Köln\n", "cp1252"))[1]
    assert said.endswith("not UTF-8, read as cp1252; save it as UTF-8 if letters are wrong")


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_separators_quotes_and_line_breaks(write, sign):
    text = sign.join(["id", "note"]) + f'\n1{sign}"a{sign} ""b""\nc"\n2{sign}d, e; f\n'.replace("d, e; f", "def")
    assert cells(write("s.csv", text)) == [(1, f'a{sign} "b"\nc'), (2, "def")]


def test_headings_become_names_and_their_own_form_is_kept(write):
    file = write(
        "2024 sales.csv",
        'ID,Unit  Price (€),Unit price,,2019,"two\nlines",HireDate,Discount\n' + "1,2,3,4,5,6,7,8%\n" * 2,
    )
    (table,) = open_schema(read(file)[0])[0].tables
    assert table.name == "table_2024_sales"
    assert [(one.name, one.description) for one in table.columns] == [
        ("id", ""),
        ("unit_price", "Unit Price (€)"),
        ("unit_price_2", "Unit price"),
        ("column_4", ""),
        ("column_2019", "2019"),
        ("two_lines", ""),
        ("HireDate", ""),
        ("discount", "Discount in %"),
    ]


def test_short_rows_are_filled_and_told_once(write):
    file = write("s.csv", "a,b,c\n1,2,3\n4,5\n\n6,7,8,,\n9\n")
    said = read(file)[1]
    assert said == [f"{file}: 2 rows with fewer cells than headings, the first at line 3; filled with NULL"]
    assert cells(file) == [(1, 2, 3), (4, 5, None), (6, 7, 8), (9, None, None)]


@rows_of(CASES, "no_tables")
def test_what_is_no_table_is_one_clear_line(write, cache, name, data, problem):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    if name.endswith(".xlsx"):
        pytest.importorskip("python_calamine")
    many = ",".join("c" * 2001) + "\n" + "1," * 2000 + "1\n"
    file = write(name, data.replace("MANY", many), "latin-1")
    with pytest.raises(InputError) as caught:
        read(file)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list((cache / "files").iterdir()) == []  # nothing half is left


def test_places_without_tables(tmp_path, write):
    (tmp_path / "none").mkdir()
    for place in ("none", "gone.csv", "*.parquet"):
        with pytest.raises(DatabaseError, match="no "):
            read(tmp_path / place)
    write("x-schema.csv", "Table Name,Field Name,Is Primary Key,Is Foreign Key,Type\nt,a,y,n,int\n")
    assert open_schema(tmp_path / "x-schema.csv")[0].table("t").columns[0].name == "a"  # no table, but a schema


def test_a_file_that_may_not_be_read(write, monkeypatch):
    file = write("s.csv", "a,b\n1,2\n")
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != file)  # who is root may read what has no rights
    with pytest.raises(DatabaseError, match="may not be read"):
        tables_of(file)


def test_a_folder_and_a_pattern_join_by_their_keys(write, tmp_path):
    write("shop/customers.csv", "customer_id,name,city\n1,Ann,Oslo\n2,Bob,Rome\n3,Cid,Oslo\n")
    write("shop/orders.csv", "order_id,customer_id,total\n10,1,5.5\n11,1,6\n12,3,7\n")
    write("shop/notes.txt", "no table")
    write("shop/~$open.xlsx", "no table")
    place = database_place(str(tmp_path / "shop"))
    schema, _ = open_schema(tmp_path / "shop")
    own = {table.name: table.primary_key for table in schema.tables}
    assert own == {"customers": ("customer_id",), "orders": ("order_id",)}
    (key,) = open_profile(place, schema).keys
    assert (key.table, key.columns) == ("orders", ("customer_id",))
    assert (key.other, key.references) == ("customers", ("customer_id",))
    assert [table.name for table in open_schema(tmp_path / "shop" / "o*.csv")[0].tables] == ["orders"]


def test_a_domain_may_stand_on_files(write, tmp_path):
    write("shop/customers.csv", "customer_id,name\n1,Ann\n2,Bob\n")
    toml = 'name = "shop"\nlanguage = "en"\ndialect = "sqlite"\ndatabase = "shop"\n'
    place = Manifest.read(write("domain.toml", toml), shipped=False).database()
    assert place == database_place(str(tmp_path / "shop"))
    assert cells(str(place)) == [(1, "Ann"), (2, "Bob")]


def test_an_id_that_is_there_twice_is_no_key(write):
    file = write("log.csv", "id,event\n" + "".join(f"{i},e\n" for i in [*range(9000), 5]))
    (table,) = open_schema(read(file)[0])[0].tables
    assert table.primary_key == ()
    assert len(cells(file)) == 9001


@pytest.mark.parametrize("place", [1, 9_000, 39_999])
def test_a_cell_that_reads_otherwise_changes_its_column_wherever_it_stands(write, place):
    """Types are found while rows are written: each change makes the writer begin anew, and no row is lost by that."""
    lines = [f'{number};{number};{number % 7};2024-01-05;"x\n{number}"' for number in range(40_000)]
    lines[place] = f'{place};1,5;n/a;later;"x\n{place}"'
    lines[place // 2] = f'{place // 2};1;"€ 3";;'
    file = write("s.csv", "id;a;b;c;d\n" + "\n".join(lines) + "\n")
    found = cells(file)
    assert columns(file) == {"id": "integer", "a": "real", "b": "text", "c": "text", "d": "text"}
    assert [row[0] for row in found] == list(range(40_000))
    expected = {place // 2: (1.0, "€ 3", None, None), place: (1.5, "n/a", "later", f"x\n{place}")}
    assert {number: found[number][1:] for number in expected} == expected
    assert found[30_000][1:] == (30_000.0, "5", "2024-01-05", "x\n30000")


def test_files_called_alike_have_tables_of_their_own(write, tmp_path):
    write("a/x.csv", "n,m\n1,2\n")
    write("b/x.csv", "n,m\n3,4\n")
    assert [table.name for table in open_schema(str(tmp_path / "*" / "x.csv"))[0].tables] == ["x", "x_2"]


def test_a_file_is_read_again_when_it_has_changed(write, cache, monkeypatch):
    file = write("s.csv", "a,b\n1,2\n")
    first = database_place(str(file))
    monkeypatch.setattr(module, "read_files", lambda *_: pytest.fail("read again"))
    assert database_place(str(file)) == first
    monkeypatch.undo()
    monkeypatch.setenv("QUERENT_CACHE", str(cache))
    write("s.csv", "a,b\n1,2\n3,4\n")
    assert cells(file) == [(1, 2), (3, 4)]
    Path(first).write_bytes(b"broken")
    assert cells(file) == [(1, 2), (3, 4)]
    assert len([*(cache / "files").iterdir()]) == 1


def test_what_fails_leaves_the_state_before(write, cache, monkeypatch):
    file = write("s.csv", "a,b\n1,2\n")
    database_place(str(file))
    write("s.csv", "a,b\n1,2\n3,4,5\n")
    with pytest.raises(InputError):
        read(file)
    assert len([*(cache / "files").iterdir()]) == 1

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "read_files", killed)
    with pytest.raises(KeyboardInterrupt):
        read(file)
    assert [one.suffix for one in (cache / "files").iterdir()] == [".sqlite"]


def test_what_a_killed_process_has_left_is_swept_away_when_it_is_old(write, cache):
    file = write("s.csv", "a,b\n1,2\n")
    path = Path(database_place(str(file)))
    old, new = (path.with_name(f".{path.stem}.{name}.partial") for name in ("old", "new"))
    for left in (old, new):
        left.write_bytes(b"half")
    os.utime(old, (0, 0))
    write("s.csv", "a,b\n1,2\n3,4\n")
    database_place(str(file))
    assert set((cache / "files").iterdir()) == {path, new}


def test_a_file_that_grows_meanwhile_is_told(write, monkeypatch):
    file = write("s.csv", "a,b\n1,2\n")
    reads = module.read_files

    def slow(*told: Any) -> None:
        reads(*told)
        write("s.csv", "a,b\n1,2\n3,4\n")

    monkeypatch.setattr(module, "read_files", slow)
    with pytest.raises(DatabaseError, match="changed while it was read"):
        read(file)


def test_several_at_once_do_no_harm(write):
    file = write("s.csv", "a,b\n" + "1,2\n" * 20_000)
    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(lambda _: database_place(str(file)), range(8)))
    (path,) = paths
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT COUNT(*) FROM s").fetchone() == (20_000,)


def test_progress_tells_how_much_and_how_long(write, monkeypatch):
    ticks = iter(range(0, 1000))
    monkeypatch.setattr(module.time, "monotonic", lambda: float(next(ticks)))
    said: list[str] = []
    database_place(str(write("s.csv", "a,b\n" + "1,2\n" * 60_000)), said.append)
    assert said[-1].startswith("reading s.csv: 100%, 0 s left")
    assert re.fullmatch(r"reading s.csv: [1-8]\d%, \d+ s left", said[1])


def test_a_cache_that_cannot_be_written(write, tmp_path, monkeypatch):
    monkeypatch.setenv("QUERENT_CACHE", str(write("taken", "a file")))
    with pytest.raises(DatabaseError, match="set QUERENT_CACHE"):
        read(write("s.csv", "a,b\n1,2\n"))


def test_excel(tmp_path):
    pytest.importorskip("python_calamine")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    file = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(file, {"default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet("Sales")
        sheet.merge_range("B1:F1", "Sales of the north")
        sheet.merge_range("D3:E3", "Quarter")
        for place, text in enumerate(["Region", "Shop No", "1", "2", "Opened"]):
            sheet.write(3, place + 1, text)
        sheet.merge_range("B5:B6", "North")
        for row, (number, one, day) in enumerate(
            [("007", 1.5, date(2024, 1, 2)), ("012", 2, date(2024, 2, 3))], start=4
        ):
            sheet.write(row, 2, number)
            sheet.write(row, 3, one)
            sheet.write_formula(row, 4, f"=D{row + 1}*2", None, one * 2)
            sheet.write_datetime(row, 5, day)
        sheet.write_formula(6, 3, "=1/0", None, "#DIV/0!")
        sheet.write(6, 1, "South")
        people = book.add_worksheet("People")
        people.write_row(0, 0, ["id", "name", "active"])
        people.write_row(1, 0, [1, "Ann", True])
        people.write_row(2, 0, [2, "Bob", False])
        book.add_worksheet("Empty")
    path, said = read(file)
    assert said == [
        f"{file}, sheet Sales: 1 row above the headings not read",
        f"{file}, sheet Empty: no headings and rows, left out",
    ]
    sales, people = open_schema(path)[0].tables
    kinds = {"region": "text", "shop_no": "text", "quarter_1": "real", "quarter_2": "integer", "opened": "date"}
    assert {one.name: one.type for one in sales.columns} == kinds
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT * FROM sales").fetchall() == [
            ("North", "007", 1.5, 3, "2024-01-02"),
            ("North", "012", 2.0, 4, "2024-02-03"),
            ("South", None, None, None, None),
        ]
        assert database.execute("SELECT * FROM people").fetchall() == [(1, "Ann", 1), (2, "Bob", 0)]
    assert people.primary_key == ("id",)


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file = tmp_path / "trips.parquet"
    table = pa.table(
        {
            "trip_id": pa.array([1, 2, 3], pa.int64()),
            "zip": pa.array(["01234", "5", None]),
            "fare": pa.array([Decimal("1.50"), None, Decimal("2.25")], pa.decimal128(10, 2)),
            "at": pa.array([datetime(2024, 1, 2, 3, 4, 5)] * 3, pa.timestamp("us")),
            "exact": pa.array([datetime(2024, 1, 2, 3, 4, 5)] * 3, pa.timestamp("ns")),
            "day": pa.array([date(2024, 1, 2)] * 3),
            "shared": pa.array([True, False, None]),
            "tags": pa.array([["a"], [], None], pa.list_(pa.string())),
            "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        }
    )
    parquet.write_table(table, file)
    assert columns(file) == {
        "trip_id": "integer", "zip": "text", "fare": "real", "at": "datetime", "exact": "datetime",
        "day": "date", "shared": "boolean", "tags": "text", "kind": "text",
    }  # fmt: skip
    at = "2024-01-02 03:04:05"
    assert cells(file)[0] == (1, "01234", 1.5, at, at, "2024-01-02", 1, '["a"]', "x")


@pytest.mark.parametrize("name", ["book.xlsx", "trips.parquet"])
def test_an_extra_that_is_missing_is_named(write, name, monkeypatch):
    package, extra = {"x": ("python_calamine", "excel"), "t": ("pyarrow", "parquet")}[name[-1]]
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"pip install '\.\[{extra}\]'"):
        tables_of(write(name, b"PK"))


def test_bytes_of_all_kinds_are_no_traceback(write):
    for seed in range(40):
        data = bytes((seed * 7 + i * i * 31 + i // 3) % 256 for i in range(300))
        try:
            tables = tables_of(write("s.csv", codecs.BOM_UTF8 * (seed % 3) + data))
            with closing(sqlite3.connect(":memory:")) as database:
                write_tables(database, tables, lambda _: None)
        except QuerentError as error:
            assert "s.csv" in str(error)


def test_a_long_cell_is_read_as_fast_as_a_short_one() -> None:
    """Patterns of numbers take the square of a text's length or more: for these they would not end."""
    for text in (" " * 200_000, "1," * 100_000, " 1" * 100_000 + "x"):
        assert stripped(text) is None
