"""What Hugging Face's libraries are asked for everywhere: to draw no bars, to tell how far they are, and to go on."""

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
"""Arguments of each training: the rate rises for a tenth of all steps, one checkpoint is kept, nothing is shown."""


@contextmanager
def without_bars() -> Generator[None]:
    """Keep transformers from drawing progress bars for what takes a moment."""
    from transformers.utils import logging  # heavy

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


@contextmanager
def quiet() -> Generator[None]:
    """Draw no bars, and do not tell of weights that a bi-encoder has no use for."""
    from transformers.utils import logging  # heavy

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        with without_bars():
            yield
    finally:
        logging.set_verbosity(level)


def progress_callback(progress: Callable[[float], object]) -> Any:
    """Return a trainer's callback that tells ``progress`` the share of steps that are done."""
    from transformers import TrainerCallback  # heavy

    class Told(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            progress(state.global_step / max(1, state.max_steps))

    return Told()


def train_on(trainer: Any, checkpoints: Path) -> None:
    """Train to the end, from the last checkpoint of a run that was killed, if its folder holds one."""
    from transformers import PrinterCallback  # heavy

    trainer.remove_callback(PrinterCallback)
    begun = any(checkpoints.glob("checkpoint-*/trainer_state.json"))
    trainer.train(resume_from_checkpoint=True if begun else None)
