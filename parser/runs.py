"""The folder of one training run, and how it survives being killed at any moment.

    RUN/
      config.yaml      every option, resolved; written first, a later run must agree with it
      metrics.jsonl    one JSON object per log line: loss, learning rate, dev scores
      stages/          what is finished once and kept: classifiers, values, tokenizer, test scores
      checkpoints/     checkpoint-STEP, whole or absent
      best/            the saved parser with the best dev EM
      logs/            tensorboard
      report.md, *.png, summary.json    written last; summary.json marks a finished run

Everything is written beside its place and renamed into it, so a name always stands for something
whole. Names that start with a dot are leftovers of a kill and are removed by `RunFolder.open`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from ..data.errors import RunError
from .options import TrainConfig

__all__ = ["RunFolder", "replace_folder", "write_text"]

_CHECKPOINT = re.compile(r"checkpoint-(\d+)")


def write_text(file: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    draft = file.with_name(f".{file.name}.draft")
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(file)


def replace_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Let ``fill`` write a new folder, then put it in the place of ``folder``.

    A folder cannot be renamed over a full one, so the old one steps aside first; `recover` brings
    it back if the process dies between the two renames.
    """
    draft, old = folder.with_name(f".{folder.name}.draft"), folder.with_name(f".{folder.name}.old")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    fill(draft)
    _sync(draft)
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    draft.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def recover(parent: Path) -> None:
    """Undo what a killed `replace_folder` or `write_text` left in ``parent``."""
    for old in parent.glob(".*.old"):
        place = parent / old.name[1 : -len(".old")]
        if not place.exists():
            old.rename(place)
    for leftover in [*parent.glob(".*.old"), *parent.glob(".*.draft")]:
        if leftover.is_dir():
            shutil.rmtree(leftover)
        else:
            leftover.unlink()


def _sync(folder: Path) -> None:
    """Have the system put the folder's files on the disk before a rename makes them count."""
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())


class RunFolder:
    """The paths of one run and the order in which they come to be."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.yaml"
        self.metrics_file = path / "metrics.jsonl"
        self.stages = path / "stages"
        self.checkpoints = path / "checkpoints"
        self.best = path / "best"
        self.logs = path / "logs"
        self.report_file = path / "report.md"
        self.summary_file = path / "summary.json"

    @classmethod
    def open(cls, path: Path | str, config: TrainConfig, *, resume: bool = True) -> RunFolder:
        """Make the folder, or take up the one that an earlier run of the same configuration left.

        Raises:
            RunError: the folder holds another run, or one that must not be resumed, or other files.
        """
        run = cls(Path(path))
        if run.path.exists() and not run.path.is_dir():
            raise RunError("not a folder", file=run.path, hint="use another --out")
        if run.config_file.exists():
            if not resume:
                raise RunError("the folder holds a run already", file=run.path, hint="use another --out, or resume it")
            run._compare(config)
        elif run.path.exists() and any(not p.name.startswith(".") for p in run.path.iterdir()):
            raise RunError("the folder is not empty and holds no run", file=run.path, hint="use another --out")
        for folder in (run.path, run.stages, run.checkpoints):
            folder.mkdir(parents=True, exist_ok=True)
            recover(folder)
        if not run.config_file.exists():
            write_text(run.config_file, config.to_yaml())
        return run

    def _compare(self, config: TrainConfig) -> None:
        try:
            found = yaml.safe_load(self.config_file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise RunError("the run's configuration cannot be read", file=self.config_file) from error
        here, there = _leaves(config.to_dict()), _leaves(found if isinstance(found, dict) else {})
        for key in sorted({*here, *there}):
            if key not in _FREE and here.get(key) != there.get(key):
                problem = f"this run was started with {there.get(key)!r}, not {here.get(key)!r}"
                raise RunError(problem, file=self.config_file, field=key, hint="use another --out")

    @property
    def finished(self) -> bool:
        """Whether the run has been through to its summary."""
        return self.summary_file.exists()

    def summary(self) -> dict[str, Any]:
        """Return what a finished run wrote last."""
        try:
            return json.loads(self.summary_file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RunError("the run's summary cannot be read", file=self.summary_file) from error

    def stage(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the folder of a stage, made now unless an earlier run finished it."""
        folder = self.stages / name
        if not folder.exists():
            replace_folder(folder, make)
        return folder

    def last_checkpoint(self) -> Path | None:
        """Return the whole checkpoint with the most steps."""
        found = [(int(m[1]), p) for p in self.checkpoints.iterdir() if (m := _CHECKPOINT.fullmatch(p.name))]
        return max(found)[1] if found else None

    def add_checkpoint(self, draft: Path, *, keep: int = 1) -> None:
        """Move a written checkpoint into place and drop all but the last ``keep``."""
        _sync(draft)
        place = self.checkpoints / draft.name
        shutil.rmtree(place, ignore_errors=True)
        draft.rename(place)
        draft.parent.rmdir()
        found = sorted((int(m[1]), p) for p in self.checkpoints.iterdir() if (m := _CHECKPOINT.fullmatch(p.name)))
        for _, stale in found[:-keep]:
            gone = stale.with_name(f".{stale.name}.old.draft")  # a half-removed checkpoint must not look whole
            stale.rename(gone)
            shutil.rmtree(gone)

    def write_metrics(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Replace metrics.jsonl: after a kill it may be ahead of the checkpoint, or end in half a line."""
        write_text(self.metrics_file, "".join(_line(entry) for entry in lines))

    def add_metrics(self, entry: Mapping[str, Any]) -> None:
        """Append one line to metrics.jsonl."""
        with self.metrics_file.open("a", encoding="utf-8") as stream:
            stream.write(_line(entry))

    def metrics(self) -> list[dict[str, Any]]:
        """Return the lines of metrics.jsonl."""
        if not self.metrics_file.exists():
            return []
        return [json.loads(line) for line in self.metrics_file.read_text(encoding="utf-8").splitlines()]


_FREE = frozenset({"threads", "device"})
"""Options that a resumed run may change: where it computes, not what."""


def _leaves(tree: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping):
            leaves |= _leaves(value, f"{path}{key}.")
        else:
            leaves[f"{path}{key}"] = value
    return leaves


def _line(entry: Mapping[str, Any]) -> str:
    # in one order, so that the file of a resumed run is the file of an uninterrupted one
    return json.dumps(entry, ensure_ascii=False, sort_keys=True) + "\n"
