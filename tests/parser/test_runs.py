"""The run folder: what a kill may leave behind, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from querent.data.errors import RunError
from querent.parser.options import TrainConfig
from querent.parser.runs import RunFolder, recover, replace_folder, write_text


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
    (tmp_path / ".metrics.jsonl.draft").write_text("half")
    recover(tmp_path)
    assert (place / "a.txt").read_text() == "1"
    assert [p.name for p in tmp_path.iterdir()] == ["best"]


def test_a_stage_is_made_once(tmp_path):
    run = RunFolder.open(tmp_path / "run", TrainConfig())
    made = []

    def make(folder):
        made.append(folder)
        (folder / "x").write_text("1")

    assert run.stage("ner", make) == run.stage("ner", make)
    assert len(made) == 1


def test_an_unfinished_stage_is_made_again(tmp_path):
    run = RunFolder.open(tmp_path / "run", TrainConfig())
    with pytest.raises(RuntimeError):
        run.stage("ner", lambda folder: (_ for _ in ()).throw(RuntimeError))
    again = RunFolder.open(tmp_path / "run", TrainConfig())
    assert (again.stage("ner", fill("2")) / "a.txt").read_text() == "2"


def test_only_whole_checkpoints_count_and_old_ones_go(tmp_path):
    run = RunFolder.open(tmp_path / "run", TrainConfig())
    assert run.last_checkpoint() is None
    for step in (5, 10, 100):
        draft = run.checkpoints / ".partial.draft" / f"checkpoint-{step}"
        draft.mkdir(parents=True)
        run.add_checkpoint(draft)
    (run.checkpoints / ".partial.draft" / "checkpoint-105").mkdir(parents=True)
    again = RunFolder.open(tmp_path / "run", TrainConfig())
    assert again.last_checkpoint() == run.checkpoints / "checkpoint-100"
    assert sorted(p.name for p in run.checkpoints.iterdir()) == ["checkpoint-100"]


def test_another_configuration_is_refused_with_its_key(tmp_path):
    config = TrainConfig()
    RunFolder.open(tmp_path / "run", config)
    other = replace(config, optim=replace(config.optim, lr=5e-3))
    with pytest.raises(RunError, match="another --out") as caught:
        RunFolder.open(tmp_path / "run", other)
    assert caught.value.field == "optim.lr"


def test_threads_may_change(tmp_path):
    RunFolder.open(tmp_path / "run", TrainConfig())
    RunFolder.open(tmp_path / "run", replace(TrainConfig(), threads=2))


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


def test_metrics_are_cut_back(tmp_path):
    run = RunFolder.open(tmp_path / "run", TrainConfig())
    run.add_metrics({"step": 1, "loss": 2.0})
    with run.metrics_file.open("a") as stream:
        stream.write('{"step": 2, "lo')
    run.write_metrics([{"step": 1, "loss": 2.0}])
    run.add_metrics({"step": 2, "loss": 1.0})
    assert [m["step"] for m in run.metrics()] == [1, 2]


def test_text_is_written_whole(tmp_path):
    write_text(tmp_path / "a.md", "值")
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == "值"
    assert len(list(tmp_path.iterdir())) == 1
