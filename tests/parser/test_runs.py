"""The run folder: what a kill may leave behind, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from querent.data.errors import RunError
from querent.data.whole_files import recover, replace_folder, write_text
from querent.parser.settings.options import TrainConfig
from querent.parser.settings.run_folder import RunFolder


def fill(text):
    return lambda folder: (folder / "a.txt").write_text(text, encoding="utf-8") and None


def test_a_folder_is_replaced_whole(tmp_path):
    place = tmp_path / "best"
    replace_folder(place, fill("1"))
    replace_folder(place, fill("2"))
    assert (place / "a.txt").read_text() == "2"
    assert [p.name for p in tmp_path.iterdir()] == ["best"]


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


def test_the_curve_has_each_epoch_once_whatever_a_kill_left(tmp_path):
    run = RunFolder.open(tmp_path / "run", TrainConfig())
    assert run.curve() == []
    lines = ['{"epoch": 1, "loss": 2.0}', '{"epoch": 2, "lo', '{"epoch": 2, "loss": 1.5}', '{"epoch": 2, "loss": 1.0}']
    run.curve_file.write_text("\n".join([*lines, '{"epoch": 3, "l']))
    assert run.curve() == [{"epoch": 1, "loss": 2.0}, {"epoch": 2, "loss": 1.0}]


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
