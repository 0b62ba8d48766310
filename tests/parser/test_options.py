"""Options: defaults, files, overrides, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from querent.data.errors import InputError
from querent.grammar import LEVELS
from querent.parser.settings.options import TrainConfig


def test_defaults_survive_a_round_trip(tmp_path: Path) -> None:
    config = TrainConfig()
    file = tmp_path / "config.yaml"
    file.write_text(config.to_yaml(), encoding="utf-8")
    assert TrainConfig.load(file) == config
    assert "global:" in config.to_yaml()  # files know no trailing underscore


def test_overrides_win_over_the_file_and_the_last_over_those_before(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("seed: 3\noptim:\n  lr: 1e-3\n  epochs: 50\nconstraint: {global: hard}\n", encoding="utf-8")
    given = ["optim.lr=1", "optim.lr=3e-4", "constraint.global=off", "constraint.level=off", "model.base=none"]
    config = TrainConfig.load(file, given)
    assert (config.seed, config.optim.epochs, config.optim.lr) == (3, 50, 3e-4)
    assert (config.constraint.global_, config.constraint.level, config.model.base) == ("off", "off", "none")
    assert TrainConfig.load(file).constraint.global_ == "hard"


@pytest.mark.parametrize("level", [*LEVELS, "off"])
def test_every_level_is_an_option(level: str) -> None:
    assert TrainConfig.load(None, [f"constraint.level={level}"]).constraint.level == level
    assert TrainConfig().constraint.level == LEVELS[-1]


def test_null_clears_an_optional_option() -> None:
    assert TrainConfig.load(None, ["model.frozen=2", "model.frozen=null"]).model.frozen is None
    assert TrainConfig.load(None, ["model.base=shipped", "model.base="]).model.base is None


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("optim.learning=1", "Key 'learning' not in"),
        ("optim.epoch=1", "did you mean 'epochs'"),
        ("optimm.epochs=1", "did you mean 'optim'"),
        ("optim=1", "is not a subclass of OptimOptions"),
        ("seed.x=1", "could not be converted to Integer"),
        ("optim.epochs=many", "'many' of type 'str' could not be converted to Integer"),
        ("optim.epochs=1.5", "could not be converted to Integer"),
        ("optim.epochs=true", "could not be converted to Integer"),
        ("optim.lr=fast", "could not be converted to Float"),
        ("optim.lr=yes", "could not be converted to Float"),
        ("model.base=[en]", "'list'"),
        ("constraint.global=sof", "did you mean 'soft'"),
        ("constraint.level=run", "did you mean 'runs'"),
        ("constraint.level=all", "one of ['off', 'scope', 'types', 'runs']"),
        ("data.split=querry", "did you mean 'query'"),
        ("eval.values=golden", "did you mean 'gold'"),
        ("seed=[1, 2]", "'list'"),
        ("seed", "section.option=value"),
        ("=1", "section.option=value"),
        ("seed=", "is not Optional"),
        ("seed={", "not YAML"),
    ],
)
def test_wrong_overrides_are_refused(override: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        TrainConfig.load(None, [override])
    assert said in str(caught.value)


def test_a_text_is_taken_as_it_stands() -> None:
    assert TrainConfig.load(None, ["data.domain=${oc.env:HOME}"]).data.domain == "${oc.env:HOME}"
    assert TrainConfig.load(None, ["data.domain=1_000"]).data.domain == "1_000"


@pytest.mark.parametrize(
    ("override", "wanted"),
    [
        ("model.dropout=1", "a share between 0 and 1"),
        ("model.heads=7", "a multiple of model.heads (7)"),
        ("model.heads=0", "a multiple of model.heads (0)"),
        ("model.layers=0", "1 to 200"),
        ("model.decoder_layers=1000000000", "1 to 200"),
        ("model.frozen=-1", "0 or above"),
        ("optim.epochs=0", "at least 1"),
        ("optim.batch_size=0", "at least 1"),
        ("optim.lr=0", "above 0"),
        ("optim.lr=nan", "above 0"),
        ("optim.encoder_lr=-1", "0 or above"),
        ("optim.warmup=1", "a share between 0 and 1"),
        ("optim.weight_decay=-0.1", "0 or above"),
        ("optim.anchor=-1", "0 or above"),
        ("optim.average=1", "a share between 0 and 1"),
        ("optim.clip=0", "above 0"),
        ("augment.sampled=-1", "0 or above"),
        ("augment.strange=-1", "0 or above"),
        ("eval.every=0", "at least 1"),
        ("eval.dev_examples=0", "at least 1"),
        ("eval.beam=0", "at least 1"),
        ("eval.train_examples=0", "at least 1"),
        ("seed=-1", "0 or above"),
        ("threads=0", "at least 1"),
    ],
)
def test_values_out_of_range_are_refused_with_the_range(override: str, wanted: str) -> None:
    with pytest.raises(InputError, match="out of range") as caught:
        TrainConfig.load(None, [override])
    name = override.partition("=")[0]
    assert caught.value.field == ("model.width" if name == "model.heads" else name)
    assert caught.value.hint == f"must be {wanted}"


def test_a_wrong_file_is_told_with_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("seed: 1\noptim:\n  lr: 1e-3\n  epoch: 5\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        TrainConfig.load(file)
    assert (caught.value.file, caught.value.line, caught.value.field) == (file, 4, "optim.epoch")


@pytest.mark.parametrize(
    ("text", "said"),
    [("- seed\n", "not a mapping"), ("seed: [", "not YAML"), ("3", "not a mapping"), (b"\xff", "read")],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str | bytes, said: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=said) as caught:
        TrainConfig.load(file)
    assert caught.value.file == file


def test_a_missing_file_is_refused_and_an_empty_one_is_the_default(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        TrainConfig.load(tmp_path / "none.yaml")
    (tmp_path / "c.yaml").write_text("", encoding="utf-8")
    assert TrainConfig.load(tmp_path / "c.yaml") == TrainConfig()


@pytest.mark.parametrize(
    ("language", "given", "base", "encoder"),
    [
        ("en", None, "shipped", None),  # a base brings its encoder
        ("en", "none", "none", "e5"),
        ("fr", None, "none", "e5"),
        ("en", "runs/mine", "runs/mine", None),
    ],
)
def test_the_base_depends_on_the_language_unless_given(
    language: str, given: str | None, base: str, encoder: str | None
) -> None:
    config = TrainConfig()
    config = replace(config, model=replace(config.model, base=given))
    resolved = config.resolved(domain="d", language=language)
    assert (resolved.model.base, resolved.model.encoder) == (base, encoder)
    assert (resolved.data.domain, resolved.data.language) == ("d", language)
    kept = replace(config, model=replace(config.model, encoder="some/model"))
    assert kept.resolved(domain="d", language=language).model.encoder == "some/model"
    assert resolved.resolved(domain="d", language=language) == resolved
