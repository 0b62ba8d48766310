"""Words of flags, what is between two times, keys into the same table, and the clock."""

from __future__ import annotations

from datetime import datetime

import pytest
from sqlite_rows import write_sqlite

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.schema.schema import Column
from querent.meaning.profile import ColumnProfile, DatabaseProfile, FlagCells, TimeStorage
from querent.sampler import clock_of, sample
from querent.sampler.facts.facts import ColumnFacts
from querent.sampler.facts.flag_words import FlagWords, flag_words
from querent.sampler.facts.verbalisation import Noun
from querent.sampler.parts.draws import SamplingFrame

NAMES = ("Amber", "Basalt", "Cobalt", "Dolomite", "Emerald", "Flint", "Garnet", "Halite", "Iolite", "Jasper")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("是否会员", FlagWords("adj", "会员")),
        ("已付款", FlagWords("adj", "付款")),
        ("有无保险", FlagWords("has", "保险")),
        ("启用标志", FlagWords("marked", "启用标志")),
        ("is main yn", FlagWords("marked", "main")),
    ],
)
def test_words_of_flags_in_chinese(said, words):
    known = ColumnProfile("flag", flag=FlagCells("1", "0", "number"))
    column = ColumnFacts(Column("c", "int"), "t", "c", Noun(said, said), "flag", "", (0, 1), False, profile=known)
    assert flag_words(column, "zh") == words


def test_times_of_no_order_in_the_rows_have_nothing_between_them(tmp_path):
    days = [(n, f"2023-01-{1 + n}", f"2023-01-{1 + (n * 7) % 25:02}") for n in range(9, 25)]
    file = write_sqlite(
        tmp_path / "a.sqlite", "CREATE TABLE job (job_id INTEGER, started TEXT, ended TEXT)", {"job": days}
    )
    with Database.open(file) as database:
        found = sample(from_sqlite(file), database, language="en", count=200, seed=1)
    assert {s.structure for s in found} >= {"span-count", "part-count"}
    assert not any(s.structure.startswith("elapsed-") for s in found)


def test_a_key_called_after_another_table_is_none_into_its_own(tmp_path):
    ddl = """
    CREATE TABLE actor (actor_id INTEGER PRIMARY KEY, name TEXT, play_id INTEGER REFERENCES actor (actor_id));
    CREATE TABLE play (play_id INTEGER PRIMARY KEY, title TEXT);
    """
    rows = {"actor": [(n, NAMES[n], n % 4) for n in range(10)], "play": [(n, f"The {NAMES[n]}") for n in range(5)]}
    file = write_sqlite(tmp_path / "a.sqlite", ddl, rows)
    with Database.open(file) as database:
        assert SamplingFrame.of(from_sqlite(file), database, "en").self_keys == []


def test_the_clock_heeds_no_end_of_all_days():
    def stored(last):
        return ColumnProfile("time", TimeStorage("iso", "day", text=True, first="2020-01-01", last=last))

    columns = {("t", "begun"): stored("2023-05-06"), ("t", "valid_until"): stored("9999-12-31")}
    assert clock_of(DatabaseProfile(columns)) == datetime(2023, 5, 6, 12)
    assert clock_of(DatabaseProfile()) is None
