"""docs/files.md is followed: its files are asked as it shows, and answer as it tells."""

from __future__ import annotations

import re
import warnings

import pytest
from pages import Page
from said_commands import commands_in

import querent as face
from querent.cli import main

PAGE = Page("files.md")


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    """Write the page's files into a folder with a cache of its own."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "exports").mkdir()
    for name, text in zip(["customers", "orders"], PAGE.blocks(""), strict=True):
        (folder / "exports" / f"{name}.csv").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUERENT_CACHE", str(folder / "cache"))
        yield folder


def test_its_commands_do_what_it_says(exports, querent, monkeypatch):
    monkeypatch.chdir(exports)
    (commands,) = (commands_in(block) for block in PAGE.blocks("sh"))
    said = [querent(*command[1:]) for command in commands]
    assert [one.code for one in said] == [0, 0, 0, 0]
    highest, oslo, february, described = (" ".join(one.out.split()) for one in said)
    shown = re.search(r"answers `(SELECT .*?)`, `([\d.]+)`;", PAGE.text)
    assert all(told in highest for told in shown.groups())
    assert "customers.customer_id = orders.customer_id" in oslo
    assert [word for word in oslo.split() if word.isdecimal()] == ["2"]
    assert [word for word in february.split() if word.isdecimal()][-1] == "2"
    assert "D/M/Y text" in described
    assert "found, not declared" in described


def test_the_shipped_network_answers_on_files_as_on_a_database(exports):
    with face.connect(exports / "exports") as database:
        answer = database.ask("which customers live in Oslo?")
        assert sorted(answer.rows) == [("Ann Lee",), ("Cid Poe",)]
        assert {column.name: column.description for column in database.schema.table("orders").columns} == {
            "order_id": "",
            "customer_id": "",
            "unit_price": "Unit Price (€)",
            "discount": "Discount in %",
            "order_date": "",
        }


def test_its_table_of_cells_is_true(tmp_path):
    """The rows that name cells in backticks; what each becomes is in tests/data/test_files_as_databases.py."""
    for cells, stored in re.findall(r"^\| (`.*) \| (.*) \|$", PAGE.text, re.MULTILINE):
        kinds = {"whole numbers": "integer", "numbers with fractions": "real", "ISO texts": "date"}
        for number, told in enumerate(cells.split("; ")):
            file = tmp_path / f"{len(stored)}{number}.tsv"
            written = [cell for cell in re.findall(r"`(.*?)`", told) if "T" not in cell]
            if stored in kinds:
                file.write_text("\n".join(["heading", *written]), encoding="utf-8")
                (column,) = face.open_schema(face.database_place(str(file)))[0].tables[0].columns
                assert column.type == kinds[stored], written


def test_notes_stand_on_standard_error_without_their_place_in_the_code(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "s.csv").write_text("Report\na,b\n1,2\n", encoding="utf-8")
    with warnings.catch_warnings(), pytest.raises(SystemExit) as ended:
        warnings.simplefilter("always")
        main(["describe", str(tmp_path / "s.csv")])
    assert ended.value.code == 0
    assert capsys.readouterr().err.splitlines() == [f"note: {tmp_path / 's.csv'}: 1 row above the headings not read"]
