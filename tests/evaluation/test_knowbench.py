"""KnowBench: what its domains hold, and that every question has the query, the rows and the grounding it claims.

Of the layouts of each domain every fourth is written; with QUERENT_ALL_INSTANCES=1 all are.
"""

from __future__ import annotations

import json
import re
import sqlite3
import tomllib
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import sqlglot
from draws import some
from sqlglot import exp

from bench.knowbench.__main__ import main
from bench.knowbench.content import Formula, chinese, domains
from bench.knowbench.layouts import layouts
from bench.knowbench.meaning import meaning, parsed
from bench.knowbench.questions import meanings, wordings
from bench.knowbench.writing import bank, write

ROOT = Path(__file__).resolve().parents[2]
DOMAINS = {domain.name: domain for domain in domains()}
LANGUAGES = ("en", "zh")
WRITTEN = len(some(range(12), 4))
"""Layouts of a domain, of twelve."""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("knowbench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bench.knowbench.writing.layouts", written_layouts)
        main([str(folder), "--seed", "3"])
    return folder


def written_layouts(domain, language):
    return some(layouts(domain, language), 4)


def lines(folder, language, part):
    text = (folder / language / f"{part}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def everything(written):
    """Each question with its language, the tree of its gold query, and what runs a query on its database."""
    with ExitStack() as stack:
        files = [(path.parts[-3], path) for path in written.glob("*/databases/*.sqlite")]
        opened = {(where, p.stem): stack.enter_context(closing(sqlite3.connect(p))) for where, p in files}
        yield [
            (language, line, sqlglot.parse_one(line["sql"], read="sqlite"), opened[language, line["db"]].execute)
            for language in LANGUAGES
            for part in ("train", "test")
            for line in lines(written, language, part)
        ]


def layout_of(domain, name, language="en", way=0):
    return next(a for a in layouts(DOMAINS[domain], language) if a.structure == name and a.way == way)


def formula_of(domain, name, number=0):
    return [f for f in DOMAINS[domain].formulas if f.name == name][number]


@pytest.mark.parametrize("name", DOMAINS)
def test_a_domain_has_formulas_of_every_kind_and_candidates(name):
    domain = DOMAINS[name]
    kinds = Counter(f.kind for f in domain.formulas)
    assert 10 <= len(domain.formulas) <= 14
    assert kinds["calculation"] >= 6
    assert kinds["condition"] >= 3
    assert kinds["union"] >= 1
    assert max(Counter(f.name for f in domain.formulas).values()) == 2
    assert len(domain.structures) == 4
    for formula in domain.formulas:
        assert formula.aliases("en")
        assert formula.aliases("zh")


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_formula_is_asked_of_some_structure_and_candidates_of_different_ones(name, language):
    asked = {(f.right, a.structure) for a in layouts(DOMAINS[name], language) for f in [m.formula for m in meanings(a)]}
    for formula in DOMAINS[name].formulas:
        assert any(right == formula.right for right, _ in asked), formula
    for formula in DOMAINS[name].formulas:
        candidates = {f.right for f in DOMAINS[name].formulas if f.name == formula.name} - {formula.right}
        here = {structure for right, structure in asked if right == formula.right}
        assert here.isdisjoint(structure for right, structure in asked if right in candidates)


@pytest.mark.parametrize("name", DOMAINS)
def test_the_bank_is_the_domains_formulas_over_the_concepts_it_tells(name):
    told = tomllib.loads(bank(DOMAINS[name]))
    formulas = [Formula(f["name"], f["kind"], f["is"], tuple(f["says"])) for f in told["formula"]]
    known = {*told["concepts"], *(f.name for f in formulas)}
    assert not set(told["concepts"]) & {f.name for f in formulas}
    counted = {t.name for t in DOMAINS[name].things.values()}
    for formula in formulas:
        for part in parsed(formula):
            assert {c.name for c in part.find_all(exp.Column)} <= known | counted, formula
    for aliases in told["concepts"].values():
        assert any(map(chinese, aliases))


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_tables_or_columns_of_a_database_are_called_the_same(name, language):
    for layout in layouts(DOMAINS[name], language):
        tables = [t.name.lower() for t in layout.tables.values()]
        assert len(tables) == len(set(tables)), layout.name
        for table in layout.tables.values():
            columns = {table.key, *table.links.values(), *table.columns.values()}
            shared = table.key in table.links.values()
            assert len(columns) == 1 + len(table.links) + len(table.columns) - shared, (layout.name, table)


def test_no_prefixed_name_says_whole_numbers_are_real():
    layout = layout_of("estate", "wide", way=2)
    assert layout.entity.columns["occupied units"] == "n_occupied_units"
    assert layout.entity.columns["security cost"] == "f_security_cost"


def test_names_differ_between_the_ways_and_the_structures_stay():
    plain, short, prefixed = (a for a in layouts(DOMAINS["finance"], "en") if a.structure == "wide")
    assert [a.entity.columns["revenue"] for a in (plain, short, prefixed)] == ["revenue", "rev_amt", "n_revenue"]
    zh = [a for a in layouts(DOMAINS["finance"], "zh") if a.structure in {"wide", "star"} and a.way == 2]
    assert [a.holder("revenue").columns["revenue"] for a in zh] == ["yingyeshouru", "yysr"]


@pytest.mark.parametrize(("part", "formulas", "plain"), [("test", 450, 150), ("train", 900, 300)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough_questions(written, language, part, formulas, plain):
    found = lines(written, language, part)
    kinds = Counter("plain" if line["kind"] == "none" else "formula" for line in found)
    assert kinds["formula"] >= formulas * WRITTEN / 12
    assert kinds["plain"] >= plain * WRITTEN / 12
    assert len({line["id"] for line in found}) == len(found)
    assert len({line["db"] for line in found}) == WRITTEN * len({line["domain"] for line in found})


def test_every_query_runs_and_has_rows_without_null(everything):
    for _, line, _, run in everything:
        rows = run(line["sql"]).fetchall()
        assert rows, line
        assert all(cell is not None for row in rows for cell in row), line


def test_every_quotient_is_of_real_numbers(everything):
    for _, line, tree, _ in everything:
        for node in tree.find_all(exp.Div):
            assert any("." in literal.name for literal in node.this.find_all(exp.Literal)), line


def test_no_join_repeats_rows_of_the_first_table(everything):
    for _, line, _, run in everything:
        source = re.search(r" FROM (.*?)(?: WHERE | GROUP BY | ORDER BY |$)", line["sql"])[1]
        if " JOIN " in source:
            joined, alone = (run(f"SELECT COUNT(*) FROM {s}").fetchone() for s in (source, source.split()[0]))
            assert joined == alone, line


def test_the_few_that_are_asked_for_are_told_from_the_next(everything):
    for _, line, tree, run in everything:
        if " LIMIT " in line["sql"]:
            limit, order = int(tree.args["limit"].expression.name), tree.args["order"].expressions[0].this
            values = [row[-1] for row in run(tree.select(order.copy()).limit(limit + 1).sql("sqlite"))]
            assert len(values) == limit + 1
            assert values[-1] != values[-2], line


def test_keys_hold_and_tables_have_rows(written):
    for path in sorted(written.glob("*/databases/*.sqlite")):
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA foreign_key_check").fetchall() == [], path
            tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            counts = {t: database.execute(f'SELECT COUNT(*) FROM "{t}"').fetchone()[0] for t in tables}
            assert all(count <= 60 for count in counts.values())
            assert max(counts.values()) >= 20


def test_the_grounding_names_tables_columns_and_values_of_the_database(everything):
    for _, line, _, run in everything:
        for concept, place in line["grounding"].items():
            if isinstance(place, list):
                assert all(f"'{value}'" in concept for value in place), line
            else:
                table, _, column = place.partition(".")
                run(f'SELECT "{table}".{column or "rowid"} FROM "{table}"')
        told = {f["name"] for f in line["formulas"]}
        named = {c.name for f in line["formulas"] for c in sqlglot.parse_one(f"SELECT {f['is']}").find_all(exp.Column)}
        assert named <= {*line["grounding"], *told}, line
        assert bool(told) == (line["kind"] != "none")


def test_slots_are_filled_and_the_language_is_the_questions(everything):
    for language, line, _, _ in everything:
        assert "{" not in line["question"], line
        assert chinese(line["question"]) == (language == "zh"), line
        asked = line["formulas"][0]["name"] if line["formulas"] else None
        aliases = [s for f in DOMAINS[line["domain"]].formulas if f.name == asked for s in f.aliases(language)]
        assert asked is None or any(s.lower() in line["question"].lower() for s in aliases), line


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_wording_belongs_to_both_parts(language):
    train, test = (wordings(language, part) for part in ("train", "test"))
    assert train.keys() == test.keys()
    assert {w for ways in train.values() for w in ways}.isdisjoint(w for ways in test.values() for w in ways)


def test_each_question_is_asked_in_the_words_of_its_part(everything):
    patterns = {
        (language, part, template): [_pattern(wording) for wording in ways]
        for language in LANGUAGES
        for part in ("train", "test")
        for template, ways in wordings(language, part).items()
    }
    for language, line, _, _ in everything:
        own = patterns[language, DOMAINS[line["domain"]].part, line["template"]]
        assert any(one.fullmatch(line["question"]) for one in own), line


def _pattern(wording):
    """Return the questions that a wording asks; some conditions take no 的."""
    written = re.escape(wording).replace(r"\{condition\}的", r"\{condition\}的?")
    return re.compile(re.sub(r"\\{\w+\\}", ".+", written), re.IGNORECASE)


def test_the_same_seed_writes_the_same(written, tmp_path, monkeypatch):
    of_each = {part: next(one for one in DOMAINS.values() if one.part == part) for part in ("train", "test")}
    monkeypatch.setattr("bench.knowbench.writing.domains", of_each.values)
    monkeypatch.setattr("bench.knowbench.writing.layouts", written_layouts)
    write(tmp_path, "en", seed=3)
    for part, domain in of_each.items():
        own = [line for line in lines(written, "en", part) if line["domain"] == domain.name]
        assert lines(tmp_path, "en", part) == own != []
        bank_of = f"en/knowledge/{domain.name}.toml"
        assert (tmp_path / bank_of).read_bytes() == (written / bank_of).read_bytes()


def test_a_candidate_means_nothing_where_its_columns_are_missing():
    from_top, from_bottom = (formula_of("finance", "EBIT", n) for n in (0, 1))
    wide, star = layout_of("finance", "wide"), layout_of("finance", "star")
    assert meaning(wide, from_top).formula == from_top
    assert meaning(wide, from_bottom) is None
    assert meaning(star, from_top) is None
    assert meaning(star, from_bottom).base.thing == "report"


def test_a_formula_within_a_formula_is_grounded_and_told():
    found = meaning(layout_of("finance", "wide"), formula_of("finance", "EBIT"))
    assert [f.name for f in found.used] == ["EBIT", "gross profit"]
    assert found.grounding["cost of goods sold"] == "companies.cost_of_goods_sold"


def test_values_that_the_database_codes_differently_are_left_out():
    found = meaning(layout_of("finance", "wide", way=1), formula_of("finance", "high-tech"))
    assert ["SW", "SEMI", "BIO"] in found.grounding.values()
    assert found.parts[0].sql("sqlite") == "industry IN ('SW', 'SEMI', 'BIO')"


def test_a_ratio_is_not_summed_and_a_join_that_repeats_rows_is_not_made():
    assert not meaning(layout_of("finance", "star"), formula_of("finance", "current ratio")).additive
    assert meaning(layout_of("finance", "wide"), formula_of("finance", "gross profit")).additive
    assert meaning(layout_of("retail", "order"), formula_of("retail", "sales density")) is None
