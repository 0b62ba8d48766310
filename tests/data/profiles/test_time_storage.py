"""How times are stored, and what is doubtful about it."""

from __future__ import annotations

import pytest

from querent.meaning.profile import TimeStorage
from querent.meaning.time_finding import Neighbours
from querent.meaning.time_storage import time_of


def found(sample, neighbours=None):
    return time_of(sample, neighbours or Neighbours())


@pytest.mark.parametrize(
    ("cells", "name", "storage"),
    [
        (["2021-05-06", "2019-12-31"], "x", TimeStorage("iso", "day", True, first="2019-12-31", last="2021-05-06")),
        (["2021-05"], "x", TimeStorage("iso", "month", True, first="2021-05-01", last="2021-05-31")),
        (["9999-12"], "x", TimeStorage("iso", "month", True, first="9999-12-01", last="9999-12-31")),
        (["2021-05-06T07:08:09Z"], "x", TimeStorage("iso", "second", True, first="2021-05-06", last="2021-05-06")),
        (
            ["2021-05-06 07:08:09.25", "2021-05-07"],
            "x",
            TimeStorage("iso", "second", True, first="2021-05-06", last="2021-05-07"),
        ),
        (["2021/05/06"], "x", TimeStorage("year first", "day", True, "/", first="2021-05-06", last="2021-05-06")),
        (
            ["2021-5-6", "2021-12-31"],
            "x",
            TimeStorage("year first", "day", True, "-", padded=False, first="2021-05-06", last="2021-12-31"),
        ),
        (["2021年"], "x", TimeStorage("year first", "year", True, "年", first="2021-01-01", last="2021-12-31")),
        (
            ["2021年5月6日", "2021年12月1日"],
            "x",
            TimeStorage("year first", "day", True, "年", padded=False, first="2021-05-06", last="2021-12-01"),
        ),
        (
            ["06/05/2021", "31/12/2020 23:10"],
            "x",
            TimeStorage("day first", "second", True, "/", first="2020-12-31", last="2021-05-06"),
        ),
        (
            ["5/6/2021", "12/31/2020"],
            "x",
            TimeStorage("month first", "day", True, "/", padded=False, first="2020-12-31", last="2021-05-06"),
        ),
        (
            ["May 6, 2021", "Dec 31, 2020"],
            "x",
            TimeStorage("month name", "day", True, ", ", padded=False, first="2020-12-31", last="2021-05-06"),
        ),
        (
            ["06-May-2021"],
            "x",
            TimeStorage("month name", "day", True, "-", day_before_month=True, first="2021-05-06", last="2021-05-06"),
        ),
        ([1620259200], "seen_at", TimeStorage("unix", "second", False, first="2021-05-06", last="2021-05-06")),
        ([1620259200000], "created", TimeStorage("unix ms", "second", False, first="2021-05-06", last="2021-05-06")),
        (["1620259200"], "ts", TimeStorage("unix", "second", True, first="2021-05-06", last="2021-05-06")),
        ([20210506], "shipped_on", TimeStorage("digits", "day", False, first="2021-05-06", last="2021-05-06")),
        (["202105"], "month", TimeStorage("digits", "month", True, first="2021-05-01", last="2021-05-31")),
        ([1998, 2004], "year_built", TimeStorage("year", "year", False, first="1998-01-01", last="2004-12-31")),
    ],
)
def test_each_storage_is_told(sampled, cells, name, storage):
    assert found(sampled(cells, name)).storage == storage
    assert found(sampled(cells, name)).doubt == ""


@pytest.mark.parametrize(
    ("cells", "doubt"),
    [
        (["31/12/2020", "12/31/2020"], "12/31"),
        (["06/05/21", "31/12/20"], "two digits"),
        (["0000-00-00"], "none of the dates"),
        (["3rd of May 2021", "4th of May 2021"], "not read"),
        (["May 6, 2021", "May. 7, 2021"], "several ways"),
        ([" 06/05/2021", "31/12/2020"], "blanks"),
        (["2021-05-06", "06/05/2021"], "several ways"),
        (["2021-05-06"] * 9 + ["2021?"], "'2021?'"),
        (["2021-05", "2021/05/06"], "several ways"),
        (["2021/05/06", "2021.05.07"], "several separators"),
        (["10:30", "23:15"], "without a date"),
        (["May 6", "December 31"], "without a year"),
        (["1946", "1949", "July 1942"], "several ways"),
        (["1946", "1949", "1950", "6/1954"], "'6/1954'"),
    ],
)
def test_what_cannot_be_told_is_a_doubt_and_no_storage(sampled, cells, doubt):
    told = found(sampled(cells, "on_date"))
    assert told.storage is None
    assert doubt in told.doubt


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        ([1620259200, 1620259201], "revenue"),  # neither name nor neighbours speak of time
        ([1620259200], "device_id"),
        ([20210506], "sku"),
        ([1950, 2000, 1999], "price"),
        ([120, 1998], "year"),
        (["2003-04", "2010-11", "2012-13"], "x"),  # seasons
        (["1998/99", "1999/00"], "x"),
        (["10-7-3", "4-4-1"], "record"),
        (["1.2.3", "2.0.1"], "version"),
        (["2021-05-06-15", "2021-05-07-15"], "x"),
        (["5-1", "2-0"], "score"),
        (["may"], "name"),
        ([], "created_at"),
    ],
)
def test_what_is_no_time_is_left_alone(sampled, cells, name):
    assert found(sampled(cells, name, "integer" if cells and isinstance(cells[0], int) else "text")) is None


def test_where_day_and_month_are_open_neighbours_tell_or_use(sampled):
    open_ = ["03/02/2024", "04/05/2024"]
    told = found(sampled(open_))
    assert (told.storage.form, told.forced) == ("month first", False)
    assert "more usual" in told.doubt
    told = found(sampled(open_), Neighbours({"/": ("day first", "trip.ended")}))
    assert told.storage.form == "day first"
    assert "trip.ended" in told.doubt
    assert found(sampled(["03.02.2024", "04.05.2024"])).storage.form == "day first"
    assert found(sampled([f"01/{month:02}/2024" for month in (2, 3, 4)])).storage.form == "day first"


def test_neighbours_tell_of_unix_times(sampled):
    assert found(sampled([1620259200], "arrival")) is None
    assert found(sampled([1620259200], "arrival"), Neighbours(unix=True)).storage.form == "unix"


def test_empty_cells_and_zones_are_told_and_the_storage_stays(sampled):
    for cells in (["2021-05-06", "", "N/A"], ["2021-05-06", "0000-00-00"], ["2021-05-06"] * 9 + ["present"]):
        told = found(sampled(cells))
        assert (told.storage.form, told.storage.gaps, told.storage.first) == ("iso", True, "2021-05-06")
        assert "stands where there is none" in told.doubt
    assert found(sampled(["06/05/2021", "31/12/2020", "-"])).storage.gaps
    assert found(sampled(["20210506", ""], "day")).storage.gaps
    told = found(sampled(["2021-05-06T10:00:00Z", "2021-05-06T10:00:00+02:00"]))
    assert told.storage.form == "iso"
    assert "+02:00, Z" in told.doubt


@pytest.mark.parametrize(
    ("kind", "form", "grain"),
    [("date", "native", "day"), ("timestamp with time zone", "native", "second"), ("year", "year", "year")],
)
def test_a_servers_types_tell_even_without_cells(sampled, kind, form, grain):
    storage = found(sampled([], "x", kind, "mysql")).storage
    assert (storage.form, storage.grain, storage.text) == (form, grain, False)


def test_only_what_sorts_says_so():
    assert TimeStorage("year first", "day", True, "/").sorts
    assert not TimeStorage("year first", "day", True, "/", padded=False).sorts
    assert not TimeStorage("day first", "day", True, "/").sorts


def test_dates_beside_seconds_are_a_doubt(sampled):
    for cells in (["2024-02-03", "1706918400", "1706918500"], ["03/02/2024", "Feb 3, 2024", "1706918400000"]):
        found = time_of(sampled(cells, "seen", "TEXT"), Neighbours())
        assert found is not None and found.storage is None and "several ways" in found.doubt
    assert time_of(sampled(["2024-02-03", "1706918400", "a word", "another"], "seen", "TEXT"), Neighbours()) is None
