"""Options: defaults, files, overrides, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from case_tables import rows

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


LINES = Path(__file__).with_name("wrong_options.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("line", [line for line in LINES if line and not line.startswith("#")])
def test_wrong_overrides_are_refused(line: str) -> None:
    override, *said = line.split(" | ")
    with pytest.raises(InputError) as caught:
        TrainConfig.load(None, [override])
    assert all(text in str(caught.value) for text in said)


def test_a_text_is_taken_as_it_stands() -> None:
    assert TrainConfig.load(None, ["data.domain=${oc.env:HOME}"]).data.domain == "${oc.env:HOME}"
    assert TrainConfig.load(None, ["data.domain=1_000"]).data.domain == "1_000"


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


@pytest.mark.parametrize(("language", "given", "base", "encoder"), rows("bases"))
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
