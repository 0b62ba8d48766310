"""The frozen benchmarks of bench/data are those of their card, and no lesson takes their wordings."""

import hashlib
import re
import tomllib
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "bench" / "data"
LANGUAGES = ("en", "zh")


def test_the_card_names_the_files_by_their_hashes():
    card = (FILES / "README.md").read_text(encoding="utf-8")
    named = dict(re.findall(r"^\| `(.+?\.tar\.xz)` .*`([0-9a-f]{64})` \|$", card, re.MULTILINE))
    assert {file.name for file in FILES.iterdir()} == {*named, "README.md"}
    for name, digest in named.items():
        assert hashlib.sha256((FILES / name).read_bytes()).hexdigest() == digest
        assert (FILES / name).stat().st_size < 2_500_000


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
