"""Description files: written, mended and read back."""

from datetime import datetime
from pathlib import Path

import pytest
from cases import cases

from querent.data.databases.database import Database
from querent.data.databases.schema_readers import from_sqlite
from querent.data.errors import DomainError
from querent.data.schema.schema import ForeignKey
from querent.meaning.description.files import description_text, read_description
from querent.meaning.profile import FlagCells, KeyProfile
from querent.meaning.profiling import profile_of

SCRIPT = """
CREATE TABLE dlr (dlr_id INTEGER PRIMARY KEY, nm TEXT);
CREATE TABLE region (code INTEGER PRIMARY KEY);
CREATE TABLE branch (dlr_id INTEGER REFERENCES dlr REFERENCES region);
CREATE TABLE sale (
    id INTEGER PRIMARY KEY, dlr INTEGER REFERENCES dlr, dt TEXT, rev REAL, grp INTEGER, open TEXT, "odd ""x" TEXT,
    agent_no INTEGER
);
INSERT INTO dlr VALUES (1, 'Ash'), (2, 'Elm');
INSERT INTO sale VALUES (1, 1, '03/02/2021', 5.5, 1, 'Y', 'a', 2), (2, 1, '04/05/2021', 7, 2, 'N', NULL, 1);
"""


@pytest.fixture
def described(tmp_path: Path, write_script):
    """Return what reads a description of the dealers, with their schema and profile."""
    file = write_script(SCRIPT)
    schema = from_sqlite(file)
    with Database.open(file) as database:
        profile = profile_of(database, schema)

    def read(text: str):
        path = tmp_path / "dealers.toml"
        path.write_text(text, encoding="utf-8")
        return read_description(path, schema, profile)

    return read, schema, profile


def test_what_is_written_reads_back_the_same(described):
    read, schema, profile = described
    text = description_text(schema, profile)
    assert "# doubtful: the day might stand first as well" in text
    found = read(text)
    assert (found.schema, found.profile, found.now, found.fiscal_month, found.names) == (schema, profile, None, 1, {})


def test_an_empty_file_changes_nothing(described):
    read, schema, profile = described
    assert (read("").schema, read("").profile) == (schema, profile)


def test_names_kinds_flags_and_orders(described):
    read, schema, _ = described
    found = read("""
        fiscal_month = 4
        now = 2021-06-30
        [tables.Dlr]
        name = "dealer"
        zh = ["经销商"]
        [tables.sale.columns]
        rev = { scale = 1000, name = "revenue", en = ["turnover", "takings"], zh = ["营业额"] }
        dt = { first = "day" }
        grp = { kind = "category" }
        open = { yes = "N", no = "Y" }
        agent_no = { kind = "flag", yes = "1", no = "2" }
    """)
    assert (found.now, found.fiscal_month) == (datetime(2021, 6, 30), 4)
    assert found.schema.table("dlr").description == "dealer"
    assert found.schema.table("sale").column("rev").description == "revenue"
    assert found.names == {
        ("dlr", None): {"zh": ("经销商",)},
        ("sale", "rev"): {"en": ("turnover", "takings"), "zh": ("营业额",)},
    }
    assert found.profile.column("sale", "rev").scale == 1000
    dt = found.profile.column("sale", "dt")
    assert (dt.time.form, dt.doubt) == ("day first", "")
    assert found.profile.column("sale", "grp").kind == "category"
    assert found.profile.column("sale", "open").flag == FlagCells("N", "Y", "text")
    assert found.profile.column("sale", "agent_no").flag == FlagCells("1", "2", "number")
    assert schema.table("dlr").description == ""


def test_another_kind_takes_away_what_is_no_longer_true(described):
    read, *_ = described
    dt = read('[tables.sale.columns]\ndt = { kind = "text" }').profile.column("sale", "dt")
    assert (dt.kind, dt.time, dt.doubt) == ("text", None, "")


def test_what_is_hidden_is_nowhere(described):
    read, *_ = described
    found = read("[tables.sale.columns]\nrev = { hidden = true }\n[tables.dlr]\nhidden = true")
    assert [table.name for table in found.schema.tables] == ["region", "branch", "sale"]
    assert ("sale", "rev") not in found.profile.columns
    assert ("dlr", "nm") not in found.profile.columns
    assert found.schema.table("sale").foreign_keys == ()
    assert {(key.table, key.other) for key in found.profile.keys} == {("branch", "region")}
    assert "dlr" not in found.profile.rows


def test_keys_are_told_and_denied(described):
    read, *_ = described
    found = read('[tables.sale.columns]\nagent_no = { refers = "DLR.dlr_id" }\ndlr = { refers = "" }')
    assert found.schema.table("sale").foreign_keys == (ForeignKey(("agent_no",), "dlr", ("dlr_id",)),)
    assert KeyProfile("sale", ("agent_no",), "dlr", ("dlr_id",), declared=False) in found.profile.keys
    assert [key.columns for key in found.profile.keys if key.table == "sale"] == [("agent_no",)]
    assert read('[tables.sale]\nkey = ["id", "dt"]').schema.table("sale").primary_key == ("id", "dt")


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("wrong_descriptions.toml")))
def test_what_is_wrong_is_told_with_its_place(described, case: dict[str, str]):
    read, *_ = described
    with pytest.raises(DomainError) as error:
        read(case["text"])
    assert case["name"] in str(error.value).replace(", field 'knd'", "").replace(", field 'table'", "")


def test_names_in_the_language_of_questions(described):
    read, _, _ = described
    found = read("""
        [tables.dlr]
        name = "dealer"
        zh = ["经销商", "代理商"]
        [tables.sale]
        name = "销售"
        en = ["deals"]
        zh = ["成交"]
        [tables.sale.columns]
        rev = { zh = ["营业额"], en = ["turnover"] }
        """)
    english, chinese = found.schema_in("en"), found.schema_in("zh")
    assert [s.table("dlr").description for s in (english, chinese)] == ["dealer", "经销商"]
    assert [s.table("sale").description for s in (english, chinese)] == ["deals", "销售"]  # one in the language stays
    assert [s.table("sale").column("rev").description for s in (english, chinese)] == ["", "营业额"]
    assert found.called("zh")["sale", "rev"] == ("营业额", "turnover")
    assert found.called("en")["sale", "rev"] == ("turnover", "营业额")
