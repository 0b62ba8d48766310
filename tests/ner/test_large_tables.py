"""Tables so large that texts nearly unique are kept to the letter alone, and that the index is built behind answers."""

import io
import pickle
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

import querent
import querent.ner.cells.building as behind
from querent.data.databases.row_counts import LARGE
from querent.data.databases.schema_readers import from_sqlite
from querent.data.errors import RunError
from querent.ner.cells.store import IndexStore
from querent.ner.index import FoundValue, ValueIndex

ROWS = LARGE + 1_000
NAMES = ("Ann Lee", "Bo Diaz", "Cy Young", "Di Ross")
WORDS = ("late", "parcel", "came", "back", "twice", "customer", "called", "again", "box", "broken")


def row(n: int) -> tuple[int, str, str, str, str, int]:
    note = " ".join(WORDS[(n // 10**digit) % 10] for digit in range(5))
    return n, NAMES[n % 4], f"User{n}@Example.org", f"ZX-{n:07}", f"{note}, {n % 10} of ten", n % 3


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "large.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE parcel (id INTEGER, owner TEXT, mail TEXT, code TEXT, note TEXT, size INTEGER)")
        database.executemany("INSERT INTO parcel VALUES (?, ?, ?, ?, ?, ?)", map(row, range(ROWS)))
        database.execute("CREATE INDEX by_code ON parcel (code)")
    return path


@pytest.fixture(scope="module")
def index(file: Path) -> Iterator[ValueIndex]:
    with ValueIndex.open(file, from_sqlite(file), cache=file.parent / "whole") as opened:
        yield opened


def cells(found: tuple[FoundValue, ...]) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    return {(one.value, one.columns) for one in found if one.kind in ("cell", "quoted") and one.columns}


def test_what_is_nearly_unique_is_kept_to_the_letter_and_names_by_their_words(index: ValueIndex, file: Path) -> None:
    [made] = (file.parent / "whole").iterdir()
    store = IndexStore(made)
    assert store.by_key(["zx0000007", "annlee"]).keys() == {"zx0000007", "annlee"}
    assert store.known(["zx", "lee"]).keys() == {"lee"}
    assert "zx0000007" not in store.near("zx0000008") and "annlee" in store.near("anlee")
    assert made.stat().st_size < 3 * file.stat().st_size
    assert sorted(index.few("parcel", "size")) == ["0", "1", "2"] and len(index.samples("parcel", "mail")) == 4


@pytest.mark.parametrize(
    "question",
    [
        f"who owns {row(40_123)[3]}?",
        f"who owns {row(40_123)[3].lower()}?",
        f"whose mail is {row(40_123)[2]}",
        f"whose mail is {row(40_123)[2].lower()}",
        f"which parcels have the note '{row(40_123)[4]}'?",
    ],
)
def test_what_is_said_to_the_letter_is_found(index: ValueIndex, question: str) -> None:
    [(value, columns)] = cells(index.find(question))
    assert value in row(40_123) and columns[0][1] in ("mail", "code", "note")


def test_a_cell_of_both_kinds_of_columns_has_them_all(tmp_path: Path) -> None:
    path = tmp_path / "both.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE a (code TEXT)")
        database.execute("CREATE TABLE b (code TEXT)")
        database.execute("INSERT INTO a VALUES ('ZX-0000007')")
        database.executemany("INSERT INTO b VALUES (?)", ([row(n)[3]] for n in range(ROWS)))
    with ValueIndex.open(path, from_sqlite(path), cache=tmp_path) as index:
        assert ("ZX-0000007", (("a", "code"), ("b", "code"))) in cells(index.find("what is ZX-0000007?"))


def test_a_column_holds_what_the_database_has(index: ValueIndex) -> None:
    asked = ["user7@example.org", "nobody@example.org"]
    assert index.held("parcel", "mail", asked) == {"user7@example.org": "User7@Example.org"}


def test_while_the_index_is_built_some_rows_are_known(file: Path, tmp_path: Path, index: ValueIndex) -> None:
    schema, question = from_sqlite(file), "did Cy Young own ZX-0000007 or ann lee ZX-0000009?"
    with ValueIndex.open(file, schema, cache=tmp_path, wait=False) as first:
        assert {"Cy Young", "Ann Lee"} <= {value for value, _ in cells(first.find(question))}
        assert not first.is_outdated or first.notes() == ("the value index is built",)
        until(lambda: first.is_outdated)
    with ValueIndex.open(file, schema, cache=tmp_path, wait=False) as then:
        assert (then.is_outdated, then.notes()) == (False, ())
        assert then.find(question) == index.find(question)
        assert [made.suffixes for made in tmp_path.iterdir()] == [[".sqlite"]]


def test_a_view_is_not_read_before_the_index_is_there(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(file.read_bytes())
    with closing(sqlite3.connect(copy)) as database, database:
        database.execute("CREATE VIEW held AS SELECT owner, COUNT(*) AS parcels FROM parcel GROUP BY owner")
    with ValueIndex.open(copy, from_sqlite(copy), cache=tmp_path / "kept", wait=False) as first:
        assert first.samples("held", "owner") == ()
        assert cells(first.find("what of Ann Lee?")) == {("Ann Lee", (("parcel", "owner"),))}
        until(lambda: first.is_outdated)


def test_a_table_that_changes_all_the_time_is_not_always_read(file: Path, tmp_path: Path) -> None:
    copy, schema = tmp_path / "copy.sqlite", from_sqlite(file)
    copy.write_bytes(file.read_bytes())
    with ValueIndex.open(copy, schema, cache=tmp_path / "kept", wait=False) as first:
        until(lambda: first.is_outdated)
    with closing(sqlite3.connect(copy)) as database, database:
        database.execute("UPDATE parcel SET owner = 'Ed Fox' WHERE id = 1")
    with ValueIndex.open(copy, schema, cache=tmp_path / "kept", wait=False) as then:
        assert then.notes() == () and cells(then.find("is it Ann Lee?")) and not cells(then.find("is it Ed Fox?"))
    with ValueIndex.open(copy, schema, cache=tmp_path / "kept") as anew:
        assert cells(anew.find("is it Ed Fox?"))


def test_why_it_cannot_be_built_is_told(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **how: bool) -> None:
        if not how.get("sampled"):
            raise RunError("the disk is full")

    making = behind.Building(tmp_path / "made.sqlite")
    told = pickled(str(file), from_sqlite(file), making.path, "of now")
    monkeypatch.setattr("querent.ner.cells.building.build", broken)
    monkeypatch.setattr("sys.stdin", told)
    monkeypatch.setattr("os.nice", lambda _: 0)
    monkeypatch.setattr(behind, "_HEAD_START", 0.0)
    behind.main()
    assert not making.done and str(making) == "the value index cannot be built: the disk is full"


def test_a_connection_takes_the_index_when_it_is_there(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("querent.ner.index.cache_folder", lambda: tmp_path)
    with querent.connect(file, language="en") as connection:
        answer = connection.ask("how many parcels does Ann Lee have?")
        assert answer.rows == ((sum(n % 4 == 0 for n in range(ROWS)),),)
        until(lambda: not list((tmp_path / "values").glob("*.building")))
        assert connection.ask("how many parcels does Bo Diaz have?").notes == ()
        assert connection.values("di") == (("Di Ross", "parcel", "owner"),)


def until(what: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "nothing came"
        time.sleep(0.05)


def pickled(*told: object) -> SimpleNamespace:
    return SimpleNamespace(buffer=io.BytesIO(pickle.dumps(told)))
