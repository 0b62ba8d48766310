"""Figures on the README and on pages of docs/ are those of bench/results/, and each one names its source."""

import json
from pathlib import Path

import pytest

from bench import report

ROOT = Path(__file__).resolve().parents[2]
PAGE = """
Right are .82<!--= held/spider/ex --> on 1,200<!--= held/spider/n --> questions, 82 %<!--= held/spider/ex --> in all.

| | EX <!--: ex --> | **n** <!--: n --> | seeds <!--: seeds --> | left <!--: left --> |
| --- | --- | --- | --- | --- |
| Spider <!--: held/spider --> | 0.820 | **1,200** | 1, 2 | – |
"""


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    spider = {"ex": 0.8196, "n": 1200, "seeds": [1, 2]}
    (tmp_path / "held.json").write_text(
        json.dumps({"command": "python x.py", "network": "abc", "sets": {"spider": spider}})
    )
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", report.PAGES, ids=lambda page: page.name)
def test_the_page_says_what_the_results_say(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert report.refreshed(text) == text, "run python -m bench.report"
    assert report.unsourced(text) == []


def test_results_fit_on_a_page_and_are_of_the_network_that_ships() -> None:
    assert len((ROOT / "docs" / "results.md").read_text(encoding="utf-8").splitlines()) <= 350
    assert [line for line in report.stale() if ", on " in line] == []


def test_figures_and_tables_are_filled(results: Path) -> None:
    assert report.refreshed(PAGE) == PAGE
    old = PAGE.replace(".82", ".79").replace("82 %", "79 %").replace("0.820", "?").replace("**1,200**", "**7**")
    assert report.refreshed(old) == PAGE
    with pytest.raises(LookupError, match="held/sparc/ex"):
        report.refreshed(".82<!--= held/sparc/ex -->")


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("EX is .82 on Spider.", ".82"),
        ("of these 44 % are right", "44 %"),
        ("5 of these 171 are wrong", "5 of these 171"),
        ("of these, 152 are right", "152 are right"),
        ("a question takes 94 ms", "94 ms"),
        ("9.0 are asked back", "9.0"),
        ("| a | b |\n| --- | --- |\n| x | 12 |", "12"),
        ("Python 3.11, SQLite 3.40 and Apache-2.0", None),
        ("from `.7` on; `EX .82`; «the last 8 hours»; [page](x.md#0.82)", None),
        ("```\nok  confidence 0.93\n```", None),
    ],
)
def test_a_figure_without_a_source_is_found(text: str, figure: str | None) -> None:
    found = report.unsourced(text)
    assert [one.endswith(figure) for one in found] == [True] if figure else found == []


def test_results_of_another_network_are_listed_with_the_pages_that_cite_them(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = results / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(report, "PAGES", (page,))
    for ships, found in (("abc", 0), ("new", 1)):
        (results / "networks.json").write_text(json.dumps({"abc": {"about": "ships"}, "old": {"twin of": "new"}}))
        monkeypatch.setattr(report, "network_hash", lambda _parser, ships=ships: ships)
        lines = report.stale()
        assert len(lines) == found
        assert all("held: network abc" in line and line.endswith("on page.md") for line in lines)
