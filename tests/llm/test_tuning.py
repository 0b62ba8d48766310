"""`querent.tune` on a small model: a domain, the stages on collections, what they learn from, and a kill."""

import json
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from cases import table
from safetensors.torch import load_file
from small_collection import write_collection
from small_models import save_small
from typer.testing import CliRunner

import querent
from querent.commands.cli import app
from querent.data.domains.collection import read_collection
from querent.data.errors import InputError
from querent.llm.backends.causal_model import load_model
from querent.llm.prompts.templates import load_prompts
from querent.llm.recipe import read_recipe
from querent.llm.tuning.lessons import corrections, judged, preferences, preferred, sampled, tuning_questions

pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("trl") is None, reason="pip install '.[tune]'")]

PROMPTS = load_prompts()
OPTIONS = querent.TuningOptions(1, 4, 1e-2, 4, tokens=300, samples=2, max_tokens=16)


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
    return questions(loaded, spec)


def questions(loaded, spec, seed=0):
    collection = read_collection(spec).part("train")
    return list(tuning_questions(collection, loaded.tokenizer, PROMPTS, tokens=800, seed=seed))


def recipe(model: Path, spec: str, stage: str) -> querent.Recipe:
    return querent.Recipe(str(model), None, "en", shots=0, schema=True, collections=(spec,), stage=stage)


def fenced(sql: str) -> str:
    return f"```sql\n{sql}\n```"


def test_the_command_tunes_on_a_domain_and_its_model_is_asked_as_it_was_tuned(small, domain, tmp_path):
    out = tmp_path / "run"
    call = ["tune", str(domain), "--model", str(small), "--out", str(out), "--epochs", "1", "--batch", "6", "--json"]
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout.splitlines()[-1])["losses"]
    again = CliRunner().invoke(app, call)
    assert "holds this run, finished" in again.output
    other = CliRunner().invoke(app, [*call, "--shots", "2"])
    assert "a run with shots 1 is there, not 2" in other.output
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InputError, match="something else"):
        querent.tune(querent.Recipe(str(small), str(domain), "en"), tmp_path)
    backend = querent.load_backend(str(out))
    options = querent.options_of(backend)
    assert (options.shots, options.schema) == (1, False)
    with querent.connect_llm(domain / "tiny.sqlite", backend) as connection:
        answer = connection.ask("which cities are in texas")
    assert answer.sql
    assert answer.status in ("ok", "unsure")  # it is masked: whatever it wrote ran
    assert (answer.prompt_tokens or 0) < 300  # one shot and no tables


@pytest.mark.parametrize(("text", "problem"), table(__file__, "a_recipe_that_is_none_is_said"))
def test_a_recipe_that_is_none_is_said(tmp_path, text, problem):
    (tmp_path / "recipe.json").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_recipe(tmp_path)


def test_a_lesson_tells_what_its_query_needs_among_others(loaded, spec):
    runs = [questions(loaded, spec, seed) for seed in range(8)]
    prompts = [one.messages()[-1].content for run in runs for one in run if "wrote" in one.pair.question]
    assert all("CREATE TABLE book" in text for text in prompts)
    assert {"CREATE TABLE author" in text for text in prompts} == {True, False}
    assert {text.index("CREATE TABLE book") < text.find("CREATE TABLE author") for text in prompts} == {True, False}
    assert {one.pair.database for one in runs[0]} == {"books", "zoo"}  # the others are held out
    assert [one.messages() for one in questions(loaded, spec, 3)] == [one.messages() for one in runs[3]]
    (dune,) = (one for one in runs[0] if "Dune" in one.pair.question)
    system, user = dune.messages()
    assert "SQLite" in system.content
    assert "title text, -- e.g. 'Dune'" in user.content
    assert user.content.endswith("Question: who wrote Dune?\nNamed: Dune in book.title")
    assert dune.answer == fenced("SELECT author FROM book WHERE title = 'Dune'")


def test_samples_are_kept_and_a_killed_run_draws_the_same(loaded, asked, tmp_path):
    whole, torn = tmp_path / "whole.jsonl", tmp_path / "torn.jsonl"
    texts = sampled(loaded, asked, whole, OPTIONS, batch=2)
    assert [len(some) for some in texts] == [2] * 6
    lines = whole.read_text().splitlines(keepends=True)
    torn.write_text("".join(lines[:4]) + lines[4][:3])
    shares: list[float] = []
    assert sampled(loaded, asked, torn, OPTIONS, batch=2, progress=shares.append) == texts
    assert shares == [4 / 6, 1.0]
    assert torn.read_text() == whole.read_text()


def test_preferences_are_made_by_execution(loaded, asked):
    wrong, bad = fenced("SELECT pages FROM book"), fenced("SELECT nothing FROM book")
    right = fenced("SELECT count(title) FROM book")
    texts = [[wrong, right, bad, wrong], [bad, wrong], [bad]]
    pairs, counts = preferences(loaded, judged([asked[0], asked[4], asked[5]], texts, 2.0), querent.rows_match)
    assert [tuple(loaded.tokenizer.decode(one[name]) for name in ("chosen_ids", "rejected_ids")) for one in pairs] == [
        (f"{right}</s>", f"{wrong}</s>"),
        (f"{right}</s>", f"{bad}</s>"),
        (f"{asked[4].answer}</s>", f"{bad}</s>"),
    ]
    assert counts == Counter(
        {
            "answers: wrong": 1,
            "answers: right": 1,
            "answers: failing": 3,
            "pairs: right before wrong": 1,
            "pairs: right before failing": 1,
            "pairs: gold before failing": 1,
            "questions whose rows tell nothing": 1,  # none is in cage Z
        }
    )
    assert list(preferred({"fails": "failing", "runs": "wrong"}, "gold")) == [
        ("gold", "runs", "gold before wrong"),
        ("runs", "fails", "running before failing"),
    ]
    assert list(preferred({"good": "right"}, "gold")) == []


def test_a_correction_shows_the_failure_as_it_is_shown_when_asked(loaded, asked):
    bad, empty = fenced("SELECT titel FROM book"), fenced("SELECT title FROM book WHERE pages > 9000")
    good = fenced("SELECT title FROM book")
    lessons, counts = corrections(loaded, judged(asked[:3], [[good, bad, empty], [good], [good]], 2.0))
    learnt = [
        [token for token, mask in zip(one["input_ids"], one["completion_mask"], strict=True) if mask] for one in lessons
    ]
    first, second, *plain = (loaded.tokenizer.decode(one["input_ids"]) for one in lessons)
    assert "SELECT titel FROM book\nno column is called 'titel'" in first.replace("```", "").replace("sql\n", "")
    assert "it runs, but finds no row" in second
    assert len(plain) == 2
    assert {loaded.tokenizer.decode(one) for one in learnt[:2]} == {f"{asked[0].answer}</s>"}
    assert counts == Counter({"lessons: names": 1, "lessons: empty": 1, "lessons: plain": 2})


class Kill(Exception):
    pass


def until_half(share: float) -> None:
    if share > 0.5:
        raise Kill


def test_each_stage_goes_on_from_the_one_before_and_after_a_kill(small, spec, tmp_path):
    model, told = small, {"same": querent.rows_match}
    for stage in ("sft", "dpo", "correct"):
        out = tmp_path / stage
        if stage != "sft":
            with pytest.raises(Kill):
                querent.tune(recipe(model, spec, stage), out, OPTIONS, **told, progress=until_half)
        shares: list[float] = []
        written = (out / "samples.jsonl").stat().st_mtime_ns if stage != "sft" else 0
        counts, losses = querent.tune(recipe(model, spec, stage), out, OPTIONS, **told, progress=shares.append)
        assert losses
        assert stage == "sft" or shares[0] > 0.3
        report = json.loads((out / "stage.json").read_text())
        assert (report["counts"], report["recipe"]["training"]["seed"]) == (counts, 0)
        assert {"trl", "torch"} <= {*report["versions"]}
        assert json.loads((out / "adapter_config.json").read_text())["base_model_name_or_path"] == str(model)
        assert read_recipe(out) == replace(recipe(model, spec, stage), training=report["recipe"]["training"])
        assert written == 0 or len((out / "samples.jsonl").read_text().splitlines()) == 6
        model = out
    assert counts["questions"] == 6
    assert counts["lessons: text"] > 0  # so small a model writes no SQL
    assert querent.tune(recipe(tmp_path / "dpo", spec, "correct"), model, OPTIONS) == ({}, [])
    whole = tmp_path / "whole"
    querent.tune(recipe(tmp_path / "sft", spec, "dpo"), whole, OPTIONS, **told)
    ours, never_killed = (load_file(folder / "adapter_model.safetensors") for folder in (tmp_path / "dpo", whole))
    assert all(value.allclose(never_killed[name], atol=1e-4) for name, value in ours.items())
    backend = querent.load_backend(str(model))
    with querent.connect_llm(Path(spec.partition(":")[2]) / "database/trains/trains.sqlite", backend) as connection:
        assert connection.ask("how many trains are there?").sql


def test_what_no_stage_can_do_is_said(small, spec, domain, tmp_path):
    for wrong, problem in (
        (recipe(small, spec, "stf"), "did you mean 'sft'"),
        (recipe(small, spec, "dpo"), "give rows_match"),
        (recipe(small, f"c{spec}", "sft"), "questions in zh, not en"),
    ):
        with pytest.raises(InputError, match=problem):
            querent.tune(wrong, tmp_path / "a", OPTIONS)
    with pytest.raises(InputError, match="0 is less than 1"):
        querent.TuningOptions(lessons=0)
    short = save_small(tmp_path / "short", context=40)
    with pytest.raises(InputError, match="the model reads 40"):
        querent.tune(querent.Recipe(str(short), str(domain), "en", shots=0), tmp_path / "b", OPTIONS)


def test_the_command_tunes_a_stage_and_refuses_what_is_of_a_domain(small, spec, tmp_path):
    call = ["tune", "--collections", spec, "--model", str(small), "--out", str(tmp_path / "run"), "--epochs", "1"]
    done = CliRunner().invoke(app, [*call, "--lessons", "4", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout.splitlines()[-1])["counts"]["questions"] == 4
    assert read_recipe(tmp_path / "run").training["rate"] == 1e-3
    for more, problem in (
        (["--shots", "2"], "'--shots': means nothing here"),
        (["library"], "a domain is wanted, or collections, and not both"),
    ):
        refused = CliRunner().invoke(app, [*call, *more])
        assert refused.exit_code == 2
        assert problem in refused.output
    alone = CliRunner().invoke(app, ["tune", "library", "--stage", "dpo", "--model", "x", "--out", "y"])
    assert "use it with --collections" in alone.output
