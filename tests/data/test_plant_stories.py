"""The stories in the shipped plant's database, and that they make answers differ."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing

import pytest

from querent.data.plant import generate
from querent.data.plant.catalogue import models, tags
from querent.data.plant.series import SHAPES
from querent.data.plant.stories import events

NOW = generate.NOW.isoformat(sep=" ")
OUTSIDE = (
    "FROM t_rt_data AS a JOIN t_rt_info ON a.data_tag = tag_code "
    "WHERE (a.read_value > high_limit OR a.read_value < low_limit)"
)
STARTS = OUTSIDE.replace(
    "WHERE",
    "JOIN t_rt_data AS b ON b.data_tag = a.data_tag AND b.read_time = DATETIME(a.read_time, '-1 hour') "
    "WHERE b.read_value BETWEEN low_limit AND high_limit AND",
)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    file = tmp_path_factory.mktemp("plant") / "plant.sqlite"
    generate.build(file)
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        yield lambda sql: database.execute(sql).fetchall()


@pytest.fixture(scope="module")
def one(rows):
    return lambda sql: rows(sql)[0][0]


def test_stories_are_of_known_tags_and_shapes_within_the_month():
    codes = {tag.code for tag in tags()}
    for event in events():
        assert event.tag in codes, event
        assert event.shape in SHAPES, event
        assert 0 <= event.start < event.stop <= generate.STEPS, event


def test_the_trip_floods_the_panel_and_the_shifts_differ(rows, one):
    by_day = dict(rows(f"SELECT DATE(a.read_time), COUNT(*) {OUTSIDE} GROUP BY 1"))
    assert len(by_day) == 31
    assert max(by_day, key=by_day.__getitem__) == "2024-03-29"
    trip = "AND a.read_time BETWEEN '2024-03-29 02:00:00' AND '2024-03-29 05:00:00'"
    assert one(f"SELECT COUNT(DISTINCT a.data_tag) {OUTSIDE} {trip}") >= 30
    night, day, evening = (n for _, n in rows(f"SELECT strftime('%H', a.read_time) / 8, COUNT(*) {OUTSIDE} GROUP BY 1"))
    assert night > 1.1 * evening > 1.1 * day
    assert one(f"SELECT COUNT(*) {OUTSIDE} AND a.data_tag = 'TI-201' AND DATE(a.read_time) = '2024-03-28'") >= 4


@pytest.mark.parametrize(
    ("unit", "start", "end"),
    [
        ("desalter", "2024-03-12 13:00:00", "2024-03-13 00:00:00"),
        ("utilities", "2024-03-07 19:00:00", "2024-03-08 00:00:00"),
        ("side strippers", "2024-03-19 03:00:00", "2024-03-19 10:00:00"),
    ],
)
def test_other_units_have_upsets_too(one, unit, start, end):
    sql = f"SELECT COUNT(DISTINCT tag_code) {OUTSIDE} AND process_unit = '{unit}'"
    assert one(f"{sql} AND a.read_time BETWEEN '{start}' AND '{end}'") >= 4


def test_the_analyser_drifts_until_it_is_calibrated_and_exchangers_foul(one):
    mean = "SELECT AVG(read_value) FROM t_rt_data WHERE data_tag = '{}' AND DATE(read_time) BETWEEN '{}' AND '{}'"
    assert (
        one(mean.format("AI-201", "2024-03-26", "2024-03-26"))
        > one(mean.format("AI-201", "2024-03-03", "2024-03-03")) + 1.5
    )
    assert one(mean.format("AI-201", "2024-03-28", "2024-03-28")) < 3.5
    assert (
        one(mean.format("TI-401", "2024-03-25", "2024-03-30"))
        < one(mean.format("TI-401", "2024-03-01", "2024-03-06")) - 4
    )
    swing = "SELECT AVG(read_value) FROM t_rt_data WHERE data_tag = 'TI-1201' AND strftime('%H', read_time) = '{}'"
    assert one(swing.format("15")) > one(swing.format("03")) + 3


def test_values_are_stuck_missing_and_lost(one):
    stuck = "data_tag = 'LI-601' AND read_time BETWEEN '2024-03-26 10:00:00' AND '2024-03-27 20:00:00'"
    assert one(f"SELECT COUNT(*) FROM t_rt_data WHERE {stuck} AND quality = 'uncertain'") >= 33
    assert one(f"SELECT COUNT(DISTINCT read_value) FROM t_rt_data WHERE {stuck}") == 1
    assert one("SELECT COUNT(*) FROM t_rt_data WHERE data_tag = 'PI-401' AND read_value IS NULL") >= 18
    assert one("SELECT COUNT(*) FROM t_rt_data WHERE data_tag = 'FI-103'") <= generate.STEPS - 8
    silent = (
        "SELECT COUNT(*) FROM t_rt_info WHERE tag_code NOT IN (SELECT data_tag FROM t_rt_data WHERE read_time = '{}')"
    )
    assert one(silent.format(NOW)) == 3


def test_alarms_stand_chatter_or_never_come(rows, one):
    standing = dict(rows(f"SELECT tag_code, COUNT(*) {OUTSIDE} AND a.read_time > '2024-03-30 08:00:00' GROUP BY 1"))
    assert sorted(code for code, hours in standing.items() if hours == 24) == [
        "AI-402", "FI-702", "LI-301", "SI-202", "TI-405", "VI-1102",
    ]  # fmt: skip
    starts = dict(rows(f"SELECT tag_code, COUNT(*) {STARTS} GROUP BY 1"))
    assert {"LI-102", "LI-1001"} <= set(sorted(starts, key=starts.__getitem__)[-4:])
    never = one(f"SELECT COUNT(*) FROM t_rt_info WHERE tag_code NOT IN (SELECT a.data_tag {OUTSIDE})")
    assert 10 <= never <= 40


def test_now_some_tags_of_many_units_are_in_alarm_and_some_silent(rows):
    found = rows(f"SELECT process_unit, priority, a.read_value > high_limit {OUTSIDE} AND a.read_time = '{NOW}'")
    assert 15 <= len(found) <= 25
    assert len({unit for unit, _, _ in found}) >= 10
    assert {priority for _, priority, _ in found} == {"critical", "high", "medium", "low"}
    assert {above for _, _, above in found} == {0, 1}
    quality = Counter(q for (q,) in rows(f"SELECT quality FROM t_rt_data WHERE read_time = '{NOW}'"))
    assert quality["bad"] >= 4
    assert quality["uncertain"] >= 2
    assert quality["good"] >= 180


def test_models_hit_miss_cry_wolf_and_rest(rows):
    assert {kind for (kind,) in rows("SELECT DISTINCT predicted_alarm || actual_alarm FROM t_inference_data")} == {
        "00", "01", "10", "11",
    }  # fmt: skip
    (low, high) = rows("SELECT MIN(confidence), MAX(confidence) FROM t_inference_data")[0]
    assert 0 < low < 0.6 < 0.9 < high < 1
    last = dict(rows("SELECT infer_model, MAX(infer_time) FROM t_inference_data GROUP BY 1"))
    status = {model.name: model.status for model in models()}
    assert status.keys() - last.keys() == {"reboiler_svm"}
    assert all(last[name] < "2024-03-28" for name in status if status[name] == "stopped")
    assert [name for name in last if status[name] == "running" and last[name] < "2024-03-30"] == ["condenser_xgb"]
    watched = Counter(model.target for model in models())
    assert sum(n == 2 for n in watched.values()) >= 4


@pytest.mark.parametrize(
    "counted",
    [
        f"SELECT tag_code, COUNT(*) {OUTSIDE} GROUP BY 1",
        f"SELECT tag_code, COUNT(*) {OUTSIDE} AND a.read_time >= '2024-03-25' GROUP BY 1",
        f"SELECT process_unit, COUNT(*) {OUTSIDE} GROUP BY 1",
        f"SELECT DATE(a.read_time), COUNT(*) {OUTSIDE} GROUP BY 1",
        f"SELECT tag_kind, COUNT(*) {OUTSIDE} GROUP BY 1",
        f"SELECT tag_code, COUNT(*) {STARTS} GROUP BY 1",
        f"SELECT process_unit, COUNT(*) {STARTS} GROUP BY 1",
        "SELECT process_unit, COUNT(*) FROM t_rt_info GROUP BY 1",
        "SELECT data_tag, COUNT(*) FROM t_rt_data WHERE read_value IS NULL GROUP BY 1",
        "SELECT data_tag, COUNT(*) FROM t_rt_data WHERE quality = 'uncertain' GROUP BY 1",
        "SELECT data_tag, 729 - COUNT(*) FROM t_rt_data GROUP BY 1",
        "SELECT infer_model, COUNT(*) FROM t_inference_data GROUP BY 1",
        "SELECT infer_model, AVG(confidence) FROM t_inference_data GROUP BY 1",
        "SELECT model_name, accuracy FROM t_model_data",
    ],
)
def test_the_first_ten_are_not_tied(rows, counted):
    first = sorted((n for _, n in rows(counted)), reverse=True)[:11]
    assert len(first) == len(set(first))
