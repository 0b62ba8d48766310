"""The value index of a database on a server."""

from pathlib import Path

from servers import execute

from querent.data.databases.database import Database
from querent.data.databases.row_counts import LARGE, counted, statistic
from querent.data.databases.schema_watch import fingerprint_of
from querent.data.schema.schema import Schema
from querent.ner.index import ValueIndex

DATABASE = "units"
ROWS = 60_000
"""Of the table of codes."""


def test_a_server_is_read_and_its_growth_seen(url: str, schema: Schema, tmp_path: Path) -> None:
    small = Schema((schema.table("unit"),), "served")
    index = ValueIndex.open(url, small, cache=tmp_path)
    assert [f.value for f in index.find("is unit TI-101 in Lisbon")] == ["TI-101", "Lisbon"]
    assert (index.skipped, index.unread) == (1, {})
    assert index.few("unit", "no") == ("5",)
    assert index.samples("unit", "raw") == ()
    execute(url, "INSERT INTO unit (unit) VALUES ('Faro')")
    assert [f.value for f in ValueIndex.open(url, small, cache=tmp_path).find("where is Faro")] == ["Faro"]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_large_table_is_counted_by_statistics_and_its_codes_are_found(
    url: str, schema: Schema, tmp_path: Path
) -> None:
    assert LARGE < ROWS
    large = Schema((schema.table("code"),), "served")
    before = fingerprint_of(url, large, "form")
    execute(url, "INSERT INTO code VALUES ('ZX-9999999', 'kind 0')")
    assert fingerprint_of(url, large, "form") == before
    with Database.open(url) as opened:
        assert abs((statistic(opened, large.tables[0]) or 0) - ROWS) < ROWS / 10
        assert counted(opened, large.tables[0]) == LARGE + 1
    index = ValueIndex.open(url, large, cache=tmp_path)
    found = {value.value: value.columns for value in index.find("is zx-0012345 of kind 2?")}
    assert found["ZX-0012345"] == (("code", "code"),) and found["kind 2"] == (("code", "kind"),)
    assert index.held("code", "code", ["ZX-0000001", "ZX-7"]) == {"ZX-0000001": "ZX-0000001"}
