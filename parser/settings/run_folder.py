"""The folder of one training run, which survives a kill at any moment.

    RUN/
      config.yaml      all options, resolved; written first, and a resumed run must have the same
      values.sqlite    the index of the domain's values that are not in its database
      curve.jsonl      one JSON object for each epoch: loss, seconds, dev EM
      checkpoint.pt    the state of the training; written every 100 seconds and after each epoch
      stages/          results that are computed once: scores
      best/            the saved parser with the best dev EM
      report.md, *.png, summary.json    written last; summary.json marks a finished run

Every file is written under another name and then renamed, so that it is always whole. Names that start with a dot are
leftovers of a kill, and `RunFolder.open` removes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.errors import RunError
from ...data.texts import json_of, yaml_of
from ...data.whole_files import recover, replace_folder, write_text

if TYPE_CHECKING:
    from .options import TrainConfig  # whose libraries answering does without


def read_curve(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a learning curve, one for each epoch."""
    return [json_of(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


class RunFolder:
    """The paths of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.yaml"
        self.curve_file = path / "curve.jsonl"
        self.stages = path / "stages"
        self.best = path / "best"
        self.report_file = path / "report.md"
        self.summary_file = path / "summary.json"

    @classmethod
    def open(cls, path: Path | str, config: TrainConfig, *, resume: bool = True) -> RunFolder:
        """Make the folder, or open that of an earlier run of the same configuration.

        Raises:
            RunError: the folder holds another run, a run that must not be resumed, or other files.
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
        for folder in (run.path, run.stages):
            folder.mkdir(parents=True, exist_ok=True)
            recover(folder)
        if not run.config_file.exists():
            write_text(run.config_file, config.to_yaml())
        return run

    def options(self) -> dict[str, Any]:
        """Return the options of the run, {} before it has begun."""
        try:
            found = yaml_of(self.config_file.read_text(encoding="utf-8")) if self.config_file.exists() else {}
        except (OSError, ValueError) as error:
            raise RunError("the run's configuration cannot be read", file=self.config_file) from error
        return found if isinstance(found, dict) else {}

    def _compare(self, config: TrainConfig) -> None:
        here, there = _leaves(config.to_dict()), _leaves(self.options())
        for key in sorted({*here, *there}):
            if key not in _FREE and here.get(key) != there.get(key):
                problem = f"this run was started with {there.get(key)!r}, not {here.get(key)!r}"
                raise RunError(problem, file=self.config_file, field=key, hint="use another --out")

    @property
    def finished(self) -> bool:
        """Say whether the run has written its summary."""
        return self.summary_file.exists()

    def summary(self) -> dict[str, Any]:
        """Return the summary of a finished run."""
        try:
            return json_of(self.summary_file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RunError("the run's summary cannot be read", file=self.summary_file) from error

    def stage(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return the folder of a stage, which is made now unless an earlier run has finished it."""
        folder = self.stages / name
        if not folder.exists():
            replace_folder(folder, make)
        return folder

    def curve(self) -> list[dict[str, Any]]:
        """Return the rows of curve.jsonl, see `read_curve`."""
        return read_curve(self.curve_file)


_FREE = frozenset({"threads"})
"""The options that a resumed run may change."""


def _leaves(tree: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping):
            leaves |= _leaves(value, f"{path}{key}.")
        else:
            leaves[f"{path}{key}"] = value
    return leaves
