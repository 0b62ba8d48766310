"""A saved parser answers as before, or says which file is wrong."""

import json
import os
import subprocess
import sys

import pytest
from tiny import EXAMPLES, parser

from querent.data.errors import InputError, RunError
from querent.ner import ValueFinder
from querent.parser import Parser
from querent.parser.global_constraint import GlobalConstraint

QUESTIONS = [e.question for e in EXAMPLES]
VALUES = [e.values for e in EXAMPLES]


@pytest.fixture(scope="module")
def tiny():
    made = parser()
    made.global_constraint = GlobalConstraint.fit(
        made.vocabulary, EXAMPLES, EXAMPLES, epochs=1, mode="soft", weight=0.3
    )
    return made


@pytest.fixture
def folder(tiny, tmp_path):
    tiny.save_pretrained(tmp_path / "saved", facts={"exact match": 0.72})
    return tmp_path / "saved"


def test_it_answers_as_before(tiny, folder):
    again = Parser.from_pretrained(folder)
    for before, after in zip(tiny(QUESTIONS, values=VALUES), again(QUESTIONS, values=VALUES), strict=True):
        assert (after.sql, after.score) == (before.sql, before.score)
        assert after.account.tables == before.account.tables
    assert (again.global_constraint.mode, again.global_constraint.weight) == ("soft", 0.3)
    assert (again.language, again.local, again.alpha) == ("en", True, 1.0)


@pytest.mark.parametrize(
    ("level", "promise"),
    [
        ("grammar", "Every query it writes parses and ends in time."),
        ("scope", "Every query it writes parses and ends in time, and has names that resolve."),
        ("runs", "has types that fit, and executes."),
    ],
)
def test_the_level_is_kept_and_stands_in_the_card(tmp_path, level, promise):
    made = parser()
    made.level = level
    made.save_pretrained(tmp_path / "saved")
    card = (tmp_path / "saved" / "README.md").read_text(encoding="utf-8")
    assert f"| local constraint | level {level} |" in card
    assert "| grouping | strict |" in card
    assert promise in card
    again = Parser.from_pretrained(tmp_path / "saved")
    assert (again.level, again.constraint.level, again.grouping) == (level, level, "strict")


def test_loading_may_set_another_level(tmp_path):
    made = parser(local=False)
    made.grouping = "loose"
    made.save_pretrained(tmp_path / "saved")
    assert "| local constraint | off |" in (tmp_path / "saved" / "README.md").read_text(encoding="utf-8")
    again = Parser.from_pretrained(tmp_path / "saved", level="scope")
    assert (again.local, again.level, again.grouping) == (True, "scope", "loose")
    assert "grouping" not in again.constraint.rules
    with pytest.raises(InputError, match=r"no level 'scop' \(did you mean 'scope'\?\)"):
        Parser.from_pretrained(tmp_path / "saved", level="scop")


def test_no_pickle_and_a_card_with_the_facts(folder):
    names = {file.name for file in folder.rglob("*")}
    assert not {n for n in names if n.endswith((".bin", ".pt", ".pkl", ".pickle"))}
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "| exact match | 0.72 |" in card
    assert "CITY, RIVER" in card


def test_the_card_may_be_edited(folder):
    (folder / "README.md").write_text("ours", encoding="utf-8")
    Parser.from_pretrained(folder)


@pytest.mark.parametrize("name", ["schema.json", "vocabulary.json", "model.safetensors", "parser.json", "config.json"])
def test_a_changed_file_is_named(folder, name):
    file = folder / name
    file.write_bytes(file.read_bytes().replace(b"e", b"f", 1))
    with pytest.raises(RunError, match=name):
        Parser.from_pretrained(folder)


@pytest.mark.parametrize("name", ["tokenizer.json", "classifiers/tables.safetensors", "hashes.json"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(RunError, match=name.split("/")[-1]):
        Parser.from_pretrained(folder)


def test_weights_of_another_vocabulary_are_refused_even_with_right_hashes(tiny, folder):
    import hashlib

    config = json.loads((folder / "config.json").read_text())
    config["vocab_size"] += 1
    (folder / "config.json").write_text(json.dumps(config))
    hashes = json.loads((folder / "hashes.json").read_text())
    hashes["config.json"] = hashlib.sha256((folder / "config.json").read_bytes()).hexdigest()
    (folder / "hashes.json").write_text(json.dumps(hashes))
    with pytest.raises(RunError, match="weights do not fit"):
        Parser.from_pretrained(folder)


def test_a_folder_that_is_none_is_told(tmp_path):
    with pytest.raises(RunError, match="no such folder"):
        Parser.from_pretrained(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunError, match=r"hashes\.json"):
        Parser.from_pretrained(tmp_path / "empty")


def test_saving_replaces_what_was_there_whole(tiny, folder):
    (folder / "stray.txt").write_text("old")
    tiny.save_pretrained(folder)
    assert not (folder / "stray.txt").exists()
    assert [p.name for p in folder.parent.iterdir()] == ["saved"]
    Parser.from_pretrained(folder)


def test_a_save_that_fails_leaves_what_was_there(tiny, folder):
    broken = parser()
    broken.finder = object()
    with pytest.raises(AttributeError):
        broken.save_pretrained(folder)
    Parser.from_pretrained(folder)


def test_another_process_loads_it_and_finds_the_same(tiny, folder):
    code = (
        "import sys; from querent.parser import Parser; from tiny import EXAMPLES;"
        "p = Parser.from_pretrained(sys.argv[1]);"
        "print(*[a.sql for a in p([e.question for e in EXAMPLES], values=[e.values for e in EXAMPLES])], sep='\\n')"
    )
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}  # noqa: PTH120
    found = subprocess.run(
        [sys.executable, "-c", code, str(folder)], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines() == [a.sql for a in tiny(QUESTIONS, values=VALUES)]


def test_the_package_imports_without_torch():
    code = "import sys, querent.parser; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_value_finder_comes_along(tiny, tmp_path):
    from querent.data.domain import Domain

    domain = Domain(
        name="tiny",
        language="en",
        dialect="sqlite",
        schema=tiny.grammar.schema,
        examples=tuple(EXAMPLES),
        source="test",
    )
    made = parser()
    made.finder = ValueFinder.fit(EXAMPLES, domain=domain, epochs=1)
    made.save_pretrained(tmp_path / "saved")
    again = Parser.from_pretrained(tmp_path / "saved")
    assert again.finder.find(QUESTIONS) == made.finder.find(QUESTIONS)
    assert [a.sql for a in again(QUESTIONS)] == [a.sql for a in made(QUESTIONS)]
