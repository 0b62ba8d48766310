"""`querent.tune` on a small model: what it learns from, and how it is asked afterwards."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from scripted import SCHEMA
from small_models import save_small
from typer.testing import CliRunner

import querent
from querent.cli import app
from querent.data.errors import InputError
from querent.llm.backends.causal_model import load_model
from querent.llm.prompting import Prompter
from querent.llm.recipe import read_recipe
from querent.llm.tuning.examples import shots_beside, tuning_examples
from querent.retrieval.shots import Shot, ShotStore, ways_named

pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("trl") is None, reason="pip install '.[tune]'")]

SHOTS = [Shot(f"how many {name} are there?", f"SELECT COUNT(*) FROM {name}") for name in ("book", "author")]
OPTIONS = querent.TuningOptions(epochs=2, batch=6, rate=1e-2, rank=4)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return save_small(tmp_path_factory.mktemp("llm") / "small", context=512)


@pytest.fixture(scope="module")
def tuned(small, domain, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("tuned") / "run"
    losses = querent.tune(recipe(small, domain), out, OPTIONS)
    assert losses[-1] < losses[0]
    return out


def recipe(small: Path, domain: Path, **told) -> querent.Recipe:
    return querent.Recipe(str(small), str(domain), "en", **told)


def prompter(**told) -> Prompter:
    return Prompter(querent.load_prompts(), SCHEMA, "sqlite", **told)


def test_a_lesson_is_an_answer_behind_its_prompt(small):
    loaded = load_model(str(small))
    (first, _) = tuning_examples(loaded, prompter(told=False), [(shot, ()) for shot in SHOTS])
    prompt, answer = (loaded.tokenizer.decode(ids) for ids in (first.prompt, first.answer))
    assert "how many book are there?" in prompt
    assert "SELECT" not in prompt
    assert answer == "```sql\nSELECT COUNT(*) FROM book\n```</s>"
    assert first.row["completion_mask"] == [0] * len(first.prompt) + [1] * len(first.answer)


def test_no_question_is_shown_itself():
    shots = [*SHOTS, *SHOTS, Shot("what is the oldest book?", "SELECT 1")]
    store = ShotStore(shots, ways_named(["tfidf"]))
    for shot, near in shots_beside(shots, store, 1):
        assert shot not in near
        assert len(near) <= 1
    assert [near for _, near in shots_beside(shots, store, 0)] == [()] * 5


def test_some_questions_are_shown_none_of_their_own_pattern():
    counts = [Shot(f"how many {name} are there?", f"SELECT COUNT(*) FROM book WHERE x = '{name}'") for name in "abcdef"]
    others = [
        Shot(f"what is in the {name} one?", f"SELECT title FROM book WHERE y = {n}") for n, name in enumerate("ab")
    ]
    store = ShotStore([*counts, *others], ways_named(["tfidf"]))
    for distractors, own in ((0.0, [True] * 6), (1.0, [False] * 6)):
        beside = shots_beside(counts, store, 1, distractors=distractors)
        assert [near[0] in counts for _, near in beside] == own
    some = [near[0] in counts for _, near in shots_beside(counts, store, 1, distractors=0.5, seed=1)]
    assert 0 < sum(some) < 6


def test_a_lesson_tells_the_values_that_its_questions_name(small):
    loaded, named = load_model(str(small)), {SHOTS[0].question: "book in shelf.kind"}
    told = prompter(told=False, named=lambda question: named.get(question, ""))
    first, second = tuning_examples(loaded, told, [(shot, ()) for shot in SHOTS])
    assert "are there?\nNamed: book in shelf.kind" in loaded.tokenizer.decode(first.prompt)
    assert "Named" not in loaded.tokenizer.decode(second.prompt)


def test_a_lesson_that_the_model_cannot_read_is_said(small):
    loaded = replace(load_model(str(small)), context=40)
    with pytest.raises(InputError, match="the model reads 40"):
        tuning_examples(loaded, prompter(), [(SHOTS[0], ())])


def test_a_finished_run_is_left_alone_and_another_one_is_refused(small, domain, tuned, tmp_path):
    assert querent.tune(recipe(small, domain), tuned, OPTIONS) == []
    with pytest.raises(InputError, match="a run with shots 1 is there, not 2"):
        querent.tune(recipe(small, domain, shots=2), tuned, OPTIONS)
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InputError, match="something else"):
        querent.tune(recipe(small, domain), tmp_path, OPTIONS)


def test_a_tuned_model_is_asked_as_it_was_tuned(tuned, domain, cache):
    backend = querent.load_backend(str(tuned))
    options = querent.options_of(backend)
    assert (options.shots, options.program, options.schema) == (1, False, False)
    with querent.connect_llm(domain / "tiny.sqlite", backend) as connection:
        answer = connection.ask("which cities are in texas")
    assert answer.sql
    assert answer.status in ("ok", "unsure")  # it is masked: whatever it wrote ran
    assert (answer.prompt_tokens or 0) < 300  # one shot and no tables


def test_the_command_tunes_and_its_model_answers(small, domain, cache, tmp_path):
    out = tmp_path / "run"
    call = ["tune", str(domain), "--model", str(small), "--out", str(out), "--epochs", "1", "--shots", "0", "--json"]
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout.splitlines()[-1])["losses"]
    asked = ["ask", str(domain / "tiny.sqlite"), "how many cities?", "--llm", str(out), "--correct", "0", "--json"]
    told = json.loads(CliRunner().invoke(app, asked).stdout)
    assert told["sql"]
    assert len(told["attempts"]) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"model": "a", "examples": "b"}', "language"),
        ('{"model": "a", "examples": "b", "language": "en", "shot": 1}', "did you mean 'shots'"),
        ('{"model": "a", "examples": null, "language": "en"}', "a domain is wanted, or collections"),
        ('{"model": "a", "examples": "b", "language": "en", "collections": ["spider:c"]}', "and not both"),
    ],
)
def test_a_recipe_that_is_none_is_said(tmp_path, text, problem):
    (tmp_path / "recipe.json").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_recipe(tmp_path)
