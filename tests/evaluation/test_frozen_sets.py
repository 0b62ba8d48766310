"""The frozen benchmarks of bench/data: their files are those of the card, and every gold query runs as it claims."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import tarfile
import tomllib
from collections import Counter
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "bench" / "data"
LANGUAGES = ("en", "zh")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frozen")
    for file in FILES.glob("*.tar.xz"):
        with tarfile.open(file) as archive:
            archive.extractall(folder, filter="data")
    return folder


def knowbench(unpacked, language, part):
    text = (unpacked / "knowbench" / language / f"{part}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def proxies(unpacked, language, name):
    """Return the turns of a set, each with its database."""
    home = unpacked / "proxies" / language
    for one in json.loads((home / f"{name}.json").read_text(encoding="utf-8")):
        database = one.get("db_id") or one["database_id"]
        for turn in one.get("interaction", [one]):
            yield home / "database" / database / f"{database}.sqlite", turn


def test_the_card_names_the_files_by_their_hashes():
    card = (FILES / "README.md").read_text(encoding="utf-8")
    named = dict(re.findall(r"^\| `(.+?\.tar\.xz)` .*`([0-9a-f]{64})` \|$", card, re.MULTILINE))
    assert {file.name for file in FILES.iterdir()} == {*named, "README.md"}
    for name, digest in named.items():
        assert hashlib.sha256((FILES / name).read_bytes()).hexdigest() == digest
        assert (FILES / name).stat().st_size < 2_500_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_knowbench_has_fields_kinds_formulas_and_groundings_that_its_databases_have(unpacked, language):
    train, test = (knowbench(unpacked, language, part) for part in ("train", "test"))
    assert (len(train), len(test)) == (1944, 972)
    fields = [{one["domain"] for one in part} for part in (train, test)]
    assert fields == [
        {"energy", "health", "hr", "logistics", "retail", "sports"},
        {"estate", "finance", "transportation"},
    ]
    assert {one["kind"] for one in test} == {"calculation", "condition", "union", "none"}
    for database in {one["db"] for one in (*train, *test)}:
        file = unpacked / "knowbench" / language / "databases" / f"{database}.sqlite"
        with closing(sqlite3.connect(file)) as opened:
            assert opened.execute("PRAGMA foreign_key_check").fetchall() == []
            for one in (one for one in (*train, *test) if one["db"] == database):
                rows = opened.execute(one["sql"]).fetchall()
                assert rows, one
                assert all(cell is not None for row in rows for cell in row), one
                for place in (place for place in one["grounding"].values() if isinstance(place, str)):
                    table, _, column = place.partition(".")
                    opened.execute(f'SELECT "{table}".{column or "rowid"} FROM "{table}"')


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_formula_that_a_question_needs_is_in_the_bank_and_grounded(unpacked, language):
    home = unpacked / "knowbench" / language
    banks = {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in home.glob("knowledge/*.toml")}
    for one in (*knowbench(unpacked, language, "train"), *knowbench(unpacked, language, "test")):
        bank = {(formula["name"], formula["is"]) for formula in banks[one["domain"]]["formula"]}
        needed = {(formula["name"], formula["is"]) for formula in one["formulas"]}
        assert needed <= bank
        assert bool(needed) == (one["kind"] != "none")
        for right in (right for _, right in needed):
            concepts = {column.name for column in sqlglot.parse_one(f"SELECT {right}").find_all(exp.Column)}
            assert concepts <= {*one["grounding"], *(name for name, _ in needed)}, one


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["train", "sparc", "cosql", "doubts"])
def test_gold_queries_of_the_proxies_run_and_their_readings_differ(unpacked, language, name):
    kinds: Counter[str] = Counter()
    for file, turn in proxies(unpacked, language, name):
        golds = turn.get("readings", [turn["query"]] if turn["query"] else [])
        with closing(sqlite3.connect(file)) as opened:
            rows = [opened.execute(sql).fetchall() for sql in golds]
        kind = turn.get("kind", "alone").split()[0]
        kinds[kind] += 1
        assert len(rows) == {"unanswerable": 0, "ambiguous": len(rows)}.get(kind, 1)
        if kind == "ambiguous":
            assert turn["query"] in turn["readings"]
            assert len({repr(some) for some in rows}) > 1, turn
    assert kinds["alone"] > 290 if name == "train" else kinds["unanswerable"] > 50 or name == "sparc"


def test_the_templates_have_the_clauses_and_the_wordings_that_their_comment_says():
    text = (ROOT / "sampler" / "templates.toml").read_text(encoding="utf-8")
    templates = tomllib.loads(text)
    assert len(templates) == 99
    lists, texts = {"select", "where", "group", "if"}, {"having", "order", "limit", "offset", "base"}
    needs = {"named", "coded", "any", "summed", "missing", "whole", "own", "top", "low"}
    for name, one in templates.items():
        assert one.keys() <= {"query", "need", "en", "zh"}, name
        for query in (one["query"], *([one["query"]["sub"]] if "sub" in one["query"] else [])):
            assert query["select"], name
            for clause, told in query.items():
                wanted = list if clause in lists else str if clause in texts else dict if clause == "sub" else bool
                assert isinstance(told, wanted), (name, clause)
        assert {*one.get("need", {}).values()} <= needs, name
        assert len(one["en"]) == 3, name
        assert len(one["zh"]) in (0, 3), name


def own_words(wording):
    """Return a wording without its slots, case and marks."""
    return re.sub(r"[^\w_]+", " ", re.sub(r"\{[^{}]*\}|<[^<>]*>", "_", wording).lower()).strip()


def said(value):
    """Return all that wordings of the sampler say: «[a|b]» is a or b."""
    if not isinstance(value, str):
        return {text for one in (value.values() if isinstance(value, dict) else value) for text in said(one)}
    parts = [part.split("|") if n % 2 else [part] for n, part in enumerate(re.split(r"[\[\]]", value))]
    return {own_words("".join(some)) for some in product(*parts)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_lesson_takes_a_wording_of_the_proxies(language):
    sampler = ROOT / "sampler"
    learnt = said([tomllib.loads(file.read_text("utf-8")) for file in sampler.rglob(f"*_{language}.toml")])
    templates = tomllib.loads((sampler / "templates.toml").read_text(encoding="utf-8"))
    asked = {own_words(wording) for one in templates.values() for wording in one[language]}
    assert (len(learnt) > 1000, len(asked) > 280) == (True, True)
    assert asked & learnt - {""} == set()
