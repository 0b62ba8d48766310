"""Keeps transformers from drawing bars and telling what nobody asked."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["quiet", "without_bars"]


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
