"""Recipes: what is refused, what every kind of stage makes, and that a killed walk ends at the same weights."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from cases import table
from tiny_recipe import SMALL, WHOLE, tiny, walk

import querent
from bench.train import names
from bench.train.__main__ import main, read
from querent.data.errors import InputError, RunError
from querent.data.shipped import shipped_database
from querent.encoders.weights import selected
from querent.knowledge.formulas.bank import Bank
from querent.parser.network.saved import load_network

SHIPPED = Path(__file__).resolve().parents[2] / "parser" / "base" / "recipe.toml"
DATA = SHIPPED.parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny(tmp_path_factory.mktemp("recipe"), SMALL)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the stages of a whole recipe."""
    file, few = tiny(tmp_path_factory.mktemp("whole"), WHOLE), list(names.shipped_groups())[:70]
    with pytest.MonkeyPatch.context() as patch:  # thousands of words would be read by a random encoder
        patch.setattr(names, "shipped_groups", lambda: few)
        patch.setattr(names, "open_banks", lambda _: Bank([], {}))
        patch.setattr(names, "known_by_name", lambda *_: few[0])
        walk(file, file.parent / "out").run()
    return file.parent / "out"


def changed(recipe: Path, tmp_path: Path, old: str, new: str) -> Path:
    text = recipe.read_text(encoding="utf-8")
    assert old in text
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "recipe.toml").write_text(text.replace(old, new), encoding="utf-8")
    return tmp_path / "recipe.toml"


@pytest.mark.parametrize(("old", "new", "problem", "field", "hint"), table(__file__, "wrong_recipes"))
def test_what_stands_for_nothing_is_refused_with_its_place_and_the_nearest_right_thing(
    recipe, tmp_path, old, new, problem, field, hint
) -> None:
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        read(changed(recipe, tmp_path, old, new))
    assert caught.value.field == field
    assert hint is None or hint in (caught.value.hint or "")


def test_other_data_than_the_recipe_says_is_named_before_anything_is_made(recipe, tmp_path) -> None:
    shutil.copytree(recipe.parent / "tiny", tmp_path / "tiny")
    shutil.copytree(recipe.parent / "reworded", tmp_path / "reworded")
    other = changed(recipe, tmp_path, "Nobody 2026", "Nobody 2026")
    (tmp_path / "reworded" / "train.json").write_text("[]")
    with pytest.raises(InputError) as caught:
        walk(other, tmp_path / "out").run()
    assert "reworded (has another hash), talk (is not there)" in caught.value.problem
    assert "tiny" not in caught.value.problem
    assert not (tmp_path / "out").exists()


def test_a_changed_stage_is_not_taken_for_the_one_that_was_made(made) -> None:
    other = made.parent / "other"
    assert walk(made.parent / "recipe.toml", made).done("both")
    shutil.copytree(made / "both", other / "both")
    (other / "both" / "begun.json").write_text(json.dumps({"key": "another"}))
    with pytest.raises(RunError, match="begun with other options or data"):
        walk(made.parent / "recipe.toml", other).done("both")


def test_one_stage_needs_those_before_it(recipe, tmp_path) -> None:
    with pytest.raises(InputError, match="both needs first, which is not finished"):
        walk(recipe, tmp_path / "out").run("both")
    with pytest.raises(InputError) as caught:
        walk(recipe, tmp_path / "out").run("booth")
    assert caught.value.hint == "did you mean 'both'?"


def test_every_kind_of_stage_notes_what_it_made(made) -> None:
    noted = {file.parent.name: json.loads(file.read_text()) for file in made.glob("*/done.json")}
    assert noted.keys() == read(made.parent / "recipe.toml").stages.keys()
    counts = noted["more"]["counts"]
    composed = ("5 composed, shop", "5 composed, rows", "6 retold, rows")
    for family in ("1 self-keys, shop", "2 twins, shop", "3 follow-ups, shop", *composed):
        assert counts[family] > 0, family
    assert counts["4 formulas, bench"] == 2
    assert noted["questions"]["counts"]["1 asked, tiny"] == noted["questions"]["counts"]["1 asked, reworded"] == 8
    assert noted["questions"]["judged"] == 4  # on the database that is held out, which one stage learns
    assert noted["held-out"]["counts"]["1 asked, tiny"] == 4
    assert noted["there"]["languages"] == ["en", "zh"]
    assert load_network(made / "there" / "best").calibration is not None
    assert noted["talks"]["counts"] == {"1 dialogues, talk": 1}
    assert noted["answers"]["asked"] == {"tiny": 8}
    assert noted["confidence"]["not fitted to"]["tiny, swapped"]["right"] == 0
    assert noted["union"]["questions"] == 16
    assert "exact" in noted["first"]["curve"][-1]
    assert json.loads((made / "own" / "queries.json").read_text()).keys() == {
        "music-dialogue-0-0",
        "music-dialogue-0-1",
    }
    for file in ("spans/spans.safetensors", "tables/weights.safetensors", "projection/encoder.safetensors"):
        assert (made / file).stat().st_size
    weights = json.loads((made / "grounding" / "weights.json").read_text())
    assert weights["en"].keys() >= {"constant"}
    reranker = json.loads((made / "confidence" / "reranker.json").read_text())["weights"]
    assert reranker["query before"] == -2.0


def test_the_mean_has_the_shares_of_the_recipe(made) -> None:
    each = {n: selected(load_network(made / n / "best").network.weights) for n in ("first", "second", "both")}
    name = next(name for name in each["both"] if name.endswith("role_key.weight"))
    one, other, both = (each[n][name].astype(np.float32) for n in ("first", "second", "both"))
    away = np.abs(both - (0.75 * one + 0.25 * other)).mean()  # weights are kept in eight bits
    assert away < min(np.abs(both - one).mean(), np.abs(both - (0.5 * one + 0.5 * other)).mean())


def test_the_model_says_what_it_is_made_of_and_answers(made) -> None:
    recipe = read(made.parent / "recipe.toml")
    card = (made / "model" / "best" / "README.md").read_text(encoding="utf-8")
    assert recipe.sha256 in card
    for one in recipe.data.values():
        assert f"- {one.source}, {one.license}, SHA-256 {one.sha256}" in card
    assert "| shipped | train | more, held-out, talks-own, questions, both |" in card
    assert load_network(made / "model" / "best").calibration is not None
    with querent.connect(str(shipped_database("shop")), parser=str(made / "model")) as database:
        answer = database.ask("how many orders are there?")
    assert answer.status in ("ok", "unsure", "no_answer")
    with querent.connect(str(made.parent / "tiny/database/music/music.sqlite"), parser=str(made / "model")) as database:
        assert database.ask("how many artists are there?").rows == ((3,),)


def test_a_finished_recipe_is_left_as_it_is_and_listed(made, capsys) -> None:
    recipe, before = made.parent / "recipe.toml", (made / "model" / "done.json").stat().st_mtime_ns
    given = [str(recipe), "--data", str(made.parent), "--out", str(made)]
    assert main(given) == 0
    assert (made / "model" / "done.json").stat().st_mtime_ns == before
    assert main([*given, "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(read(recipe).stages)
    assert all("done in" in line for line in lines)
    assert main([*given, "--only", "modle"]) == 2


def test_the_recipe_of_what_ships_stands_for_something() -> None:
    recipe = read(SHIPPED)
    assert list(recipe.stages)[-1] == "model"
    learnt = {name for name, stage in recipe.stages.items() if stage.options.get("part") == "held-out"}
    assert learnt
    assert not learnt & set(recipe.before("figures"))  # the network of the figures has seen no held-out database
    assert learnt <= set(recipe.before("shipped"))


@pytest.mark.parametrize("file", [SHIPPED, SHIPPED.parents[2] / "bench" / "train" / "worth.toml"], ids=lambda f: f.stem)
def test_the_public_data_is_that_of_the_recipe(file: Path) -> None:
    recipe = read(file)
    there = {name: digest for name, one in recipe.data.items() if (digest := one.digest(DATA))}
    if not there:
        pytest.skip(f"the public data is not at {DATA}")
    assert there == {name: recipe.data[name].sha256 for name in there}
