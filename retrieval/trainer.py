"""What the trainers of transformers are asked for everywhere: to tell how far they are, and to go on after a kill."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["begun", "told"]


def begun(checkpoints: Path) -> bool:
    """Return whether a folder holds a checkpoint of a run that did not end."""
    return checkpoints.is_dir() and any(checkpoints.glob("checkpoint-*/trainer_state.json"))


def told(progress: Callable[[float], object]) -> Any:
    """Return a callback that tells ``progress`` the share of steps that are done."""
    from transformers import TrainerCallback  # heavy

    class Told(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            progress(state.global_step / max(1, state.max_steps))

    return Told()
