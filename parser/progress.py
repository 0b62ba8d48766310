"""A progress bar for training: steps, loss, exact match on dev, time left."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from transformers import TrainerCallback, TrainerControl, TrainerState

__all__ = ["TrainingBar"]


class TrainingBar(TrainerCallback):
    """Shows a run on a console; on one that is not a terminal, a line for each measurement."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: dict[str, Any] = {"loss": "–", "dev_em": "–"}
        self._bar = Progress(
            TextColumn("training"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]}  dev EM {task.fields[dev_em]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None

    def on_train_begin(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._task = self._bar.add_task("", total=state.max_steps, completed=state.global_step, **self._shown)
        self._bar.start()

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if self._task is not None:
            self._bar.update(self._task, completed=state.global_step)

    def on_log(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        entry = state.log_history[-1]
        self._shown |= {name: f"{entry[name]:.3f}" for name in self._shown if name in entry}
        if self._task is not None:
            self._bar.update(self._task, **self._shown)
        if "dev_em" in entry and not self._console.is_terminal:
            shown = self._shown
            self._console.print(f"step {state.global_step}  loss {shown['loss']}  dev EM {shown['dev_em']}")

    def on_train_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._bar.stop()
