"""Settings for Hugging Face's libraries: no progress bars of their own, a report of progress, and resuming."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TRAINING: dict[str, Any] = {
    "warmup_steps": 0.1,
    "save_total_limit": 1,
    "report_to": "none",
    "disable_tqdm": True,
    "dataloader_pin_memory": False,
}
"""Arguments of each training: the rate rises for a tenth of all steps, one checkpoint is kept, nothing is printed."""


@contextmanager
def without_bars() -> Generator[None]:
    """Keep transformers from drawing progress bars for what takes a moment."""
    from transformers.utils import logging  # heavy

    enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if enabled:
            logging.enable_progress_bar()


@contextmanager
def quiet() -> Generator[None]:
    """Draw no bars, and print no warnings."""
    from transformers.utils import logging  # heavy

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        with without_bars():
            yield
    finally:
        logging.set_verbosity(level)


def progress_callback(progress: Callable[[float], object]) -> Any:
    """Return a trainer's callback that gives ``progress`` the share of steps that are done."""
    from transformers import TrainerCallback  # heavy

    class ProgressReport(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            progress(state.global_step / max(1, state.max_steps))

    return ProgressReport()


def train_on(trainer: Any, checkpoints: Path) -> None:
    """Train to the end, from the last checkpoint of a run that was killed, if its folder holds one."""
    from transformers import PrinterCallback  # heavy

    trainer.remove_callback(PrinterCallback)
    begun = any(checkpoints.glob("checkpoint-*/trainer_state.json"))
    trainer.train(resume_from_checkpoint=True if begun else None)
