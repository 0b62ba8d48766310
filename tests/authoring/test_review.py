"""What is wrong with a domain's prototypes, and with pairs that are older than they."""

import json
from pathlib import Path

import databases
import pytest
from cases import table
from typer.testing import CliRunner

from querent.authoring.check import Report, Review, check
from querent.authoring.source import fill_domain
from querent.commands.cli import app
from querent.data.domains.loading import load_domain

MANIFEST = 'name = "towns"\nlanguage = "en"\ndialect = "sqlite"\ndatabase = "towns.sqlite"\ninstances = 3\n'
TOWNS = """
[[prototype]]
id = "towns.large"
question = ["towns over {number0}", "which towns exceed {number0}"]
sql = "SELECT name FROM city WHERE size > {number0}"
fill = { number0 = { from = 1, to = 9 } }

[[prototype]]
id = "towns.all"
question = ["all towns", "every town"]
sql = "SELECT name FROM city"
"""


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    folder = tmp_path / "towns"
    (folder / "prototypes").mkdir(parents=True)
    schema = "CREATE TABLE city (name TEXT, size INTEGER);"
    (folder / "schema.sql").write_text(schema, encoding="utf-8")
    (folder / "domain.toml").write_text(MANIFEST, encoding="utf-8")
    (folder / "prototypes" / "towns.toml").write_text(TOWNS, encoding="utf-8")
    rows = ", ".join(f"('t{n}', {n})" for n in range(20))
    databases.create(folder / "towns.sqlite", f"{schema} INSERT INTO city VALUES {rows};")
    return folder


def add(folder: Path, text: str) -> None:
    with (folder / "prototypes" / "towns.toml").open("a", encoding="utf-8") as file:
        file.write(text)


def looked(folder: Path) -> tuple[Report, Review]:
    report = check(load_domain(folder))
    assert report.review is not None
    return report, report.review


def test_prototypes_and_their_pairs_without_fault(towns: Path) -> None:
    report, review = looked(towns)
    assert (report.pairs, review.prototypes, report.errors, report.warnings) == (0, 2, 0, 0)
    fill_domain(towns)
    report, review = looked(towns)
    assert (report.pairs, report.errors, report.warnings, review.stale) == (5, 0, 0, ())


@pytest.mark.parametrize(("fields", "problem"), table(__file__, "a_wrong_prototype_is_an_error_with_file_and_line"))
def test_a_wrong_prototype_is_an_error_with_file_and_line(towns: Path, fields: str, problem: str) -> None:
    add(towns, f'\n[[prototype]]\nid = "towns.bad"\n{fields}\n')
    report, review = looked(towns)
    (wrong,) = review.wrong
    assert report.errors == 1
    assert problem in wrong.problem
    assert (Path(wrong.file).name, wrong.lines) == ("towns.toml", (14,))


def test_a_repeated_query_is_an_error_and_no_answer_a_warning(towns: Path) -> None:
    again = 'id = "towns.big"\nquestion = ["big towns, over {number1}"]\n'
    again += 'sql = "SELECT name FROM city WHERE size > {number1}"\nfill = { number1 = "few" }\n'
    add(towns, f"\n[[prototype]]\n{again}")
    add(
        towns, '\n[[prototype]]\nid = "towns.tiny"\nquestion = ["tiny"]\nsql = "SELECT name FROM city WHERE size < 0"\n'
    )
    report, review = looked(towns)
    assert (report.errors, report.warnings) == (1, 1)
    assert "has the query of 'towns.large' (towns.toml:3)" in review.repeated[0].problem
    assert (review.repeated[0].lines, review.empty[0].lines) == ((14,), (20,))


def test_an_entity_named_outside_of_slots_is_a_warning(towns: Path) -> None:
    says = '{"sql": "uruk", "type": "town", "says": ["all towns", "the great city"]}'
    (towns / "entities.jsonl").write_text(says, encoding="utf-8")
    report, review = looked(towns)
    assert (report.errors, report.warnings) == (0, 1)
    assert (review.naming[0].lines, review.naming[0].text) == ((9,), "all towns")


@pytest.mark.parametrize(("old", "new", "problem"), table(__file__, "pairs_older_than_their_prototypes_are_an_error"))
def test_pairs_older_than_their_prototypes_are_an_error(towns: Path, old: str, new: str, problem: str) -> None:
    fill_domain(towns)
    assert old in TOWNS
    (towns / "prototypes" / "towns.toml").write_text(TOWNS.replace(old, new, 1), encoding="utf-8")
    report, review = looked(towns)
    assert any(problem in remark.problem for remark in review.stale)
    assert report.errors == len(review.stale) > 0


def test_the_command_ends_with_1_where_there_are_errors(towns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(towns.parent)
    filled = CliRunner().invoke(app, ["fill", "towns", "--json"])
    assert json.loads(filled.stdout)["pairs"] == {"en": 5}
    right = CliRunner().invoke(app, ["check", "towns"])
    assert (right.exit_code, "0 errors, 0 warnings" in right.stdout) == (0, True)
    (towns / "prototypes" / "towns.toml").write_text(TOWNS.replace("every town", "each town"), encoding="utf-8")
    wrong = CliRunner().invoke(app, ["check", "towns"])
    assert (wrong.exit_code, "1 errors, 0 warnings" in wrong.stdout) == (1, True)
    assert "towns/prototypes/towns.toml:9: " in wrong.stdout
