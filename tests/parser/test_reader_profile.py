"""What a trained network keeps of its domain: there and back, and which databases it is for."""

import json
import shutil
import sqlite3
import warnings
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import databases
import pytest

from querent.data.databases.schema_readers import from_ddl, from_sqlite
from querent.data.errors import InputError, RunError
from querent.data.hashed_folder import write_hashes
from querent.dialogue.connection import connect
from querent.ner.index import FoundValue
from querent.ner.language.question import QuestionText
from querent.parser.network.saved import load_network
from querent.parser.reader.profile import Profile

CONSTANTS = (
    FoundValue(0, 0, "", "150000", "number", "constant", (("city", "people"),), 0.0),
    FoundValue(0, 0, "", "king's", "cell", "constant", (), 0.0),
)


@pytest.fixture
def profile(tiny: Path) -> Profile:
    found = load_network(tiny / "run" / "best").profile
    assert found is not None
    return found


def test_there_and_back(profile: Profile, tmp_path: Path) -> None:
    full = replace(
        profile, dialect="mysql", grouping="loose", now=datetime(2024, 3, 31, 8), budget=77, constants=CONSTANTS
    )
    full.save(tmp_path)
    assert Profile.load(tmp_path) == replace(full, values=tmp_path / "values.sqlite")
    assert full.bounds["without"] == ("grouping",)
    assert full.catalogue(None).whole.constants == CONSTANTS
    full.save(tmp_path)  # onto itself
    bare = Profile.of(profile.schema, dialect="sqlite", language="zh", database=None)
    (tmp_path / "bare").mkdir()
    bare.save(tmp_path / "bare")
    assert Profile.load(tmp_path / "bare") == bare
    assert Profile.load(tmp_path / "nowhere") is None


def test_what_is_kept_is_what_was_trained_on(tiny: Path, profile: Profile) -> None:
    assert (profile.name, profile.language, profile.dialect) == ("tiny", "en", "sqlite")
    assert profile.database is not None
    assert Path(profile.database).name == "tiny.sqlite"
    assert [t.name for t in profile.schema.tables] == ["city", "state"]
    assert profile.values == tiny / "run" / "best" / "values.sqlite"
    assert (profile.constants, profile.now, profile.grouping, profile.bounds["without"]) == ((), None, "strict", ())
    values = profile.catalogue(None).whole.values(QuestionText("what is the area of the pine tree state or of texas"))
    assert {"maine", "texas"} <= {value.value for value in values}


def test_another_moment(profile: Profile) -> None:
    seen, question = replace(profile, now=datetime(2024, 3, 1, 8)), QuestionText("cities since yesterday")
    assert "2024-02-29" in {value.value for value in seen.catalogue(None).whole.values(question)}
    assert "time" not in {value.kind for value in profile.catalogue(None).whole.values(question)}


def test_a_database_fits_that_has_its_tables_and_columns(profile: Profile) -> None:
    state = "CREATE TABLE state (name TEXT, area REAL, flag TEXT);"
    more = f"CREATE TABLE CITY (Name TEXT, state TEXT, people INT, mayor TEXT); CREATE TABLE river (x INT); {state}"
    less = f"CREATE TABLE city (name TEXT, state TEXT); {state}"
    assert profile.fits(from_ddl(more, "sqlite"))
    assert not profile.fits(from_ddl(less, "sqlite"))


# --- changed files


@pytest.fixture
def copied(tiny: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny / "run" / "best", tmp_path / "best"))


@pytest.mark.parametrize("name", ["domain.json", "values.sqlite"])
def test_a_changed_or_missing_file_is_named(copied: Path, name: str) -> None:
    data = bytearray((copied / name).read_bytes())
    data[-20] ^= 1
    (copied / name).write_bytes(data)
    with pytest.raises(RunError, match="not the one that was saved") as caught:
        load_network(copied)
    assert caught.value.file == copied / name
    (copied / name).unlink()
    with pytest.raises(RunError, match="missing"):
        load_network(copied)


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about.pop("schema"),
        lambda about: about.pop("dialect"),
        lambda about: about.update(more=1),
        lambda about: about.update(now="yesterday"),
        lambda about: about.update(constants=[["x"]]),
        lambda about: about.update(schema={"tables": 3}),
    ],
)
def test_a_file_of_something_else_is_no_domain(copied: Path, change) -> None:
    about = json.loads((copied / "domain.json").read_text("utf-8"))
    change(about)
    (copied / "domain.json").write_text(json.dumps(about), "utf-8")
    write_hashes(copied)
    with pytest.raises(RunError, match="not a domain") as caught:
        load_network(copied)
    assert (caught.value.file, bool(caught.value.hint)) == (copied / "domain.json", True)


# --- connect


def test_without_a_database_queries_are_written_and_nothing_is_run(tiny: Path) -> None:
    with connect(None, parser=tiny / "run") as connection:
        answer = connection.ask("how many cities are in ohio", beam=1)
        connection.probe()
    assert answer.sql == "SELECT COUNT(*) FROM city WHERE city.state = 'ohio'"
    assert (answer.columns, answer.rows) == ((), ())


def test_without_a_database_and_a_domain_nothing_tells_the_tables(copied: Path) -> None:
    for name in ("domain.json", "values.sqlite"):
        (copied / name).unlink()
    write_hashes(copied)
    with pytest.raises(InputError, match="nothing tells which tables") as caught:
        connect(None, parser=copied)
    assert caught.value.field == "database"


def test_its_own_database_elsewhere_is_no_other_one(tiny: Path, tmp_path: Path) -> None:
    shutil.copy(tiny / "domain" / "tiny.sqlite", tmp_path / "moved.sqlite")
    with closing(sqlite3.connect(tmp_path / "moved.sqlite")) as database, database:
        database.execute("UPDATE state SET area = 7.0 WHERE name = 'texas'")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with connect(tmp_path / "moved.sqlite", parser=tiny / "run") as connection:
            assert connection.ask("what is the area of texas", beam=1).rows == ((7.0,),)


def test_another_database_is_warned_of_and_read_as_it_stands(tiny: Path, tmp_path: Path) -> None:
    rivers = "CREATE TABLE river (name TEXT, length REAL); INSERT INTO river VALUES ('ohio', 9);"
    databases.create(tmp_path / "other.sqlite", rivers)
    with pytest.warns(UserWarning, match="trained for tiny, whose tables this database has not"):
        connection = connect(tmp_path / "other.sqlite", parser=tiny / "run")
    with connection:
        assert connection.schema.tables == from_sqlite(tmp_path / "other.sqlite").tables
        assert "river" in connection.ask("how long is ohio", beam=1).sql


def test_a_level_that_is_none_is_refused(tiny: Path) -> None:
    with pytest.raises(InputError, match=r"no level 'run' \(did you mean 'runs'\?\)"):
        connect(None, parser=tiny / "run", level="run")
