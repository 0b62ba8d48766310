"""Options: defaults, files, overrides, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest
from cases import table

from querent.data.errors import InputError, RunError
from querent.data.whole_files import recover, replace_folder, write_text
from querent.grammar import LEVELS
from querent.parser.settings.options import TrainConfig
from querent.parser.settings.run_folder import RunFolder


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


@pytest.mark.parametrize(("language", "given", "base", "encoder"), table(__file__, "bases"))
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


# --- the run folder: what a kill may leave behind, and what is refused


def fill(text):
    return lambda folder: (folder / "a.txt").write_text(text, encoding="utf-8") and None


def test_a_failed_write_leaves_the_old_folder(tmp_path):
    place = tmp_path / "best"
    replace_folder(place, fill("1"))

    def broken(folder):
        (folder / "a.txt").write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        replace_folder(place, broken)
    recover(tmp_path)
    assert (place / "a.txt").read_text() == "1"
    assert [p.name for p in tmp_path.iterdir()] == ["best"]


def test_a_kill_between_the_renames_is_undone(tmp_path):
    place = tmp_path / "best"
    replace_folder(place, fill("1"))
    place.rename(tmp_path / ".best.old")
    (tmp_path / ".best.draft").mkdir()
    (tmp_path / ".summary.json.draft").write_text("half")
    recover(tmp_path)
    assert (place / "a.txt").read_text() == "1"
    assert [p.name for p in tmp_path.iterdir()] == ["best"]


def test_a_stage_is_made_once(tmp_path):
    run = RunFolder.open(tmp_path / "run", TrainConfig())
    made = []

    def make(folder):
        made.append(folder)
        (folder / "x").write_text("1")

    assert run.stage("scores", make) == run.stage("scores", make)
    assert len(made) == 1


def test_another_configuration_is_refused_with_its_key(tmp_path):
    config = TrainConfig()
    RunFolder.open(tmp_path / "run", config)
    other = replace(config, optim=replace(config.optim, lr=5e-3))
    with pytest.raises(RunError, match="another --out") as caught:
        RunFolder.open(tmp_path / "run", other)
    assert caught.value.field == "optim.lr"


def test_a_run_is_not_resumed_against_the_wish(tmp_path):
    RunFolder.open(tmp_path / "run", TrainConfig())
    with pytest.raises(RunError, match="holds a run already"):
        RunFolder.open(tmp_path / "run", TrainConfig(), resume=False)


def test_a_folder_of_other_things_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(RunError, match="not empty"):
        RunFolder.open(tmp_path, TrainConfig())
    with pytest.raises(RunError, match="not a folder"):
        RunFolder.open(tmp_path / "thesis.txt", TrainConfig())


@pytest.mark.parametrize("broken", [b"{", b"\xff", b"[1]\n", b""])
def test_a_configuration_that_cannot_be_read_is_no_other_run(tmp_path, broken):
    run = RunFolder.open(tmp_path / "run", TrainConfig())
    run.config_file.write_bytes(broken)
    with pytest.raises(RunError) as caught:
        RunFolder.open(tmp_path / "run", TrainConfig())
    assert caught.value.file == run.config_file
    assert run.config_file.read_bytes() == broken


def test_a_summary_is_the_end(tmp_path):
    run = RunFolder.open(tmp_path / "run", TrainConfig())
    assert not run.finished
    write_text(run.summary_file, '{"best": 1}')
    assert (run.finished, run.summary()) == (True, {"best": 1})
    run.summary_file.write_text("{")
    with pytest.raises(RunError, match="summary cannot be read"):
        run.summary()
