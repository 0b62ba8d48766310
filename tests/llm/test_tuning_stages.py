"""`querent.tune_stage` on a small model: lessons on collections, preferences by execution, corrections, and a kill."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from small_collection import write_collection
from small_models import save_small
from typer.testing import CliRunner

import querent
from querent.cli import app
from querent.data.domains.collection import read_collection
from querent.data.errors import InputError
from querent.llm.backends.batches import BatchWriter
from querent.llm.backends.causal_model import load_model
from querent.llm.backends.chat_prompt import prompt_ids
from querent.llm.prompts import load_prompts
from querent.llm.recipe import read_recipe
from querent.llm.tuning.collection_questions import CollectionPrompts
from querent.llm.tuning.corrections import correction_examples
from querent.llm.tuning.preference_training import train_preferences
from querent.llm.tuning.preferences import preferences, preferred
from querent.llm.tuning.retrieved_tables import retrieved_tables
from querent.llm.tuning.samples import CollectionRunner, sampled

pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("trl") is None, reason="pip install '.[tune]'")]

PROMPTS = load_prompts()
OPTIONS = querent.TuningOptions(epochs=2, batch=2, rate=1e-2, rank=4, distractors=0.0)
ONCE = replace(OPTIONS, epochs=1)
LESSONS = querent.StageOptions(tokens=300, samples=2, write_batch=2, max_tokens=16)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return save_small(tmp_path_factory.mktemp("llm") / "small", context=2048)


@pytest.fixture(scope="module")
def loaded(small):
    return load_model(str(small))


@pytest.fixture(scope="module")
def spec(tmp_path_factory) -> str:
    return write_collection(tmp_path_factory.mktemp("collection"))


@pytest.fixture(autouse=True)
def _cache(cache):
    """Keep the values of the databases out of the user's cache."""


@pytest.fixture
def asked(loaded, spec):
    return list(made(loaded, spec).questions(lessons=True))


def made(loaded, spec, **told) -> CollectionPrompts:
    collection = read_collection(spec).part("train")
    options = {"tokens": 800, "strangers": sorted(collection.databases)} | told
    return CollectionPrompts(collection, loaded.tokenizer, retrieved_tables(collection), **options)


def recipe(model: Path, spec: str, stage: str) -> querent.Recipe:
    return querent.Recipe(str(model), None, "en", shots=0, schema=True, collections=(spec,), stage=stage)


def fenced(sql: str) -> str:
    return f"```sql\n{sql}\n```"


def test_a_lesson_tells_what_its_query_needs_among_others(loaded, spec):
    runs = [list(made(loaded, spec, seed=seed).questions(lessons=True)) for seed in range(8)]
    told = [one for run in runs for one in run if "writers" in one.pair.question]
    names = [[table.name for table in one.told.tables] for one in told]
    assert all({"author", "book"} <= {*some} for some in names)
    assert {"animal" in some for some in names} == {True, False}  # a stranger's, where it fits
    assert len({tuple(some) for some in names}) > 2  # in whatever order
    assert {one.pair.database for one in runs[0]} == {"books", "zoo"}  # the others are held out
    again = list(made(loaded, spec, seed=3).questions(lessons=True))
    assert [one.told for one in again] == [one.told for one in runs[3]]


def test_a_question_tells_what_the_picker_says_and_the_values_it_names(loaded, spec):
    prompts = made(loaded, spec)
    (dune,) = [one for one in prompts.questions(lessons=False) if "Dune" in one.pair.question]
    assert [table.name for table in dune.told.tables] == ["book", "author"]  # the likeliest first
    system, user = dune.messages(PROMPTS)
    assert "SQLite" in system.content
    assert "title text, -- e.g. 'Dune'" in user.content
    assert user.content.endswith("Question: who wrote Dune?\nNamed: Dune in book.title")
    assert dune.answer(PROMPTS) == fenced("SELECT author FROM book WHERE title = 'Dune'")


def test_answers_in_batches_are_those_of_one_by_one(loaded):
    writer = BatchWriter(loaded, batch=3, max_tokens=8)
    prompts = [[5, 6, 7], [8] * 9, [9, 10], [11, 12, 13, 14]]
    together = dict(writer.write(prompts))
    assert [together[n] for n in range(4)] == [dict(writer.write([one]))[0] for one in prompts]
    drawn = [dict(writer.write(prompts, n=3, temperature=1.0, seed=seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(len(texts) == 3 for texts in drawn[0].values())


def test_samples_are_kept_and_a_killed_run_draws_the_same(loaded, asked, tmp_path):
    writer, whole, torn = BatchWriter(loaded, batch=1, max_tokens=4), tmp_path / "whole.jsonl", tmp_path / "torn.jsonl"
    drawn = {"n": 2, "temperature": 1.0, "seed": 3}
    texts = sampled(writer, asked, PROMPTS, whole, **drawn)
    assert len(texts) == len(asked) == 6
    lines = whole.read_text().splitlines(keepends=True)
    torn.write_text("".join(lines[:4]) + lines[4][:3])
    shares: list[float] = []
    assert sampled(writer, asked, PROMPTS, torn, **drawn, progress=shares.append) == texts
    assert shares == [4 / 6, 1.0]
    assert torn.read_text() == whole.read_text()


def test_preferences_are_made_by_execution(loaded, asked):
    books, wrong, bad = asked[0], fenced("SELECT pages FROM book"), fenced("SELECT nothing FROM book")
    right = fenced("SELECT count(title) FROM book")
    with CollectionRunner(2.0) as runner:
        written = [(books, [wrong, right, bad, wrong]), (asked[4], [bad, wrong]), (asked[5], [bad])]
        pairs, counts = preferences(loaded, written, PROMPTS, runner, querent.rows_match)
    said = [(loaded.tokenizer.decode(one.chosen), loaded.tokenizer.decode(one.rejected)) for one in pairs]
    assert said == [
        (f"{right}</s>", f"{wrong}</s>"),
        (f"{right}</s>", f"{bad}</s>"),
        (f"{asked[4].answer(PROMPTS)}</s>", f"{bad}</s>"),
    ]
    assert counts == Counter(
        {
            "answers: wrong": 2,
            "answers: right": 1,
            "answers: failing": 3,
            "pairs: right before wrong": 1,
            "pairs: right before failing": 1,
            "pairs: gold before failing": 1,
            "questions whose rows tell nothing": 1,  # none is in cage Z
        }
    )


def test_where_nothing_is_right_the_gold_answer_is_and_running_goes_before_failing():
    assert list(preferred({"fails": "failing", "runs": "wrong"}, "gold")) == [
        ("gold", "runs", "gold before wrong"),
        ("runs", "fails", "running before failing"),
    ]
    assert list(preferred({"good": "right"}, "gold")) == []


def test_a_correction_shows_the_failure_as_it_is_shown_when_asked(loaded, asked):
    bad, empty = fenced("SELECT titel FROM book"), fenced("SELECT title FROM book WHERE pages > 9000")
    good = fenced("SELECT title FROM book")
    with CollectionRunner(2.0) as runner:
        written = [(asked[0], [good, bad, empty]), *((one, [good]) for one in asked[1:3])]
        lessons, counts = correction_examples(loaded, written, PROMPTS, runner)
    first, second, *plain = (loaded.tokenizer.decode(one.prompt) for one in lessons)
    assert "SELECT titel FROM book\nno column is called 'titel'" in first
    assert "it runs, but finds no row" in second
    assert len(plain) == 2
    assert "does not answer" not in "".join(plain)
    assert {loaded.tokenizer.decode(one.answer) for one in lessons[:2]} == {f"{asked[0].answer(PROMPTS)}</s>"}
    assert counts == Counter({"lessons: names": 1, "lessons: empty": 1, "lessons: plain": 2})


def test_each_stage_goes_on_from_the_one_before(small, spec, tmp_path):
    model = small
    for stage in ("sft", "dpo", "correct"):
        out = tmp_path / stage
        report = querent.tune_stage(recipe(model, spec, stage), out, ONCE, LESSONS, same=querent.rows_match)
        assert report.losses
        told = json.loads((out / "stage.json").read_text())
        assert told["counts"] == report.counts
        assert told["recipe"]["training"]["seed"] == 0
        assert {"trl", "torch", "querent"} <= {*told["versions"]}
        assert json.loads((out / "adapter_config.json").read_text())["base_model_name_or_path"] == str(model)
        assert read_recipe(out) == replace(recipe(model, spec, stage), training=told["recipe"]["training"])
        model = out
    assert report.counts["questions"] == 6
    assert report.counts["lessons: text"] > 0  # so small a model writes no SQL
    assert querent.tune_stage(recipe(tmp_path / "dpo", spec, "correct"), model, ONCE, LESSONS, same=never).losses == []
    backend = querent.load_backend(str(model))
    with querent.connect_llm(Path(spec.partition(":")[2]) / "database/trains/trains.sqlite", backend) as connection:
        assert connection.ask("how many trains are there?").sql


def never(*_: object) -> bool:
    raise AssertionError("a finished stage runs nothing")


@pytest.mark.parametrize("stage", ["sft", "dpo"])
def test_a_killed_stage_goes_on_to_the_same_weights(small, spec, tmp_path, stage):
    class Kill(Exception):
        pass

    def until_half(share: float) -> None:
        if share > 0.5:
            raise Kill

    told = {"same": querent.rows_match}
    querent.tune_stage(recipe(small, spec, stage), tmp_path / "whole", OPTIONS, LESSONS, **told)
    with pytest.raises(Kill):
        querent.tune_stage(recipe(small, spec, stage), tmp_path / "out", OPTIONS, LESSONS, **told, progress=until_half)
    shares: list[float] = []
    written: list[float] = []
    again = {**told, "progress": shares.append, "writing": written.append}
    querent.tune_stage(recipe(small, spec, stage), tmp_path / "out", OPTIONS, LESSONS, **again)
    assert shares[0] > 0.3
    assert written == ([1.0] if stage == "dpo" else [])  # nothing is written again
    ours, whole = (load_file(tmp_path / name / "adapter_model.safetensors") for name in ("out", "whole"))
    assert all(value.allclose(whole[name], atol=1e-4) for name, value in ours.items())


def test_preferences_move_the_model_to_the_better_answer(small, spec, tmp_path, loaded, asked):
    """By what the adapter says of both: the better one gains on the other."""
    right, wrong = fenced("SELECT count(*) FROM book"), fenced("SELECT pages FROM book")
    out = tmp_path / "dpo"

    def likelihood(model, text: str) -> float:
        ids = model.tokenizer(text, add_special_tokens=False)["input_ids"]
        before = prompt_ids(model.tokenizer, asked[0].messages(PROMPTS))
        with torch.inference_mode():
            scores = model.model(torch.tensor([before + ids])).logits[0, len(before) - 1 : -1].log_softmax(-1)
        return float(scores[range(len(ids)), ids].sum())

    learnt = load_model(str(small))
    before = likelihood(learnt, right) - likelihood(learnt, wrong)
    with CollectionRunner(2.0) as runner:
        pairs, _ = preferences(learnt, [(asked[0], [right, wrong])] * 6, PROMPTS, runner, querent.rows_match)
    train_preferences(learnt, pairs, out, OPTIONS, beta=0.1, alpha=1.0)
    tuned = load_model(str(out))
    assert likelihood(tuned, right) - likelihood(tuned, wrong) > before + 0.5


def test_what_no_stage_can_do_is_said(small, spec, tmp_path):
    with pytest.raises(InputError, match="did you mean 'sft'"):
        querent.tune_stage(recipe(small, spec, "stf"), tmp_path / "a", OPTIONS, LESSONS, same=never)
    chinese = replace(recipe(small, f"c{spec}", "sft"))
    with pytest.raises(InputError, match="questions in zh, not en"):
        querent.tune_stage(chinese, tmp_path / "a", OPTIONS, LESSONS, same=never)
    with pytest.raises(InputError, match="0 is less than 1"):
        querent.StageOptions(lessons=0)


def test_the_command_tunes_a_stage_and_refuses_what_is_of_a_domain(small, spec, tmp_path):
    call = ["tune", "--collections", spec, "--model", str(small), "--out", str(tmp_path / "run"), "--epochs", "1"]
    done = CliRunner().invoke(app, [*call, "--lessons", "4", "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["counts"] == {"questions": 4, "questions that are too long": 0}
    assert read_recipe(tmp_path / "run").training["rate"] == querent.stage_rate("sft")
    for more, problem in (
        (["--shots", "2"], "'--shots': means nothing here"),
        (["library"], "a domain is wanted, or collections, and not both"),
    ):
        refused = CliRunner().invoke(app, [*call, *more])
        assert refused.exit_code == 2
        assert problem in refused.output
    alone = CliRunner().invoke(app, ["tune", "library", "--stage", "dpo", "--model", "x", "--out", "y"])
    assert "use it with --collections" in alone.output


def test_lessons_of_a_public_collection(shared_data, loaded):
    collection = read_collection(f"spider:{shared_data}/multi/spider-train").part("train")
    some = replace(collection, pairs=tuple(random.Random(1).sample(collection.pairs, 3)))
    prompts = CollectionPrompts(
        some, loaded.tokenizer, retrieved_tables(some), tokens=2000, strangers=sorted(some.databases)
    )
    for one in prompts.questions(lessons=True):
        assert one.answer(PROMPTS) == fenced(one.pair.sql)
        assert one.told.tables
