"""Where a run folder keeps what the commands need: its split, its domain's database."""

from __future__ import annotations

from pathlib import Path

import querent

__all__ = ["database_of", "options_of"]


def options_of(run: Path) -> querent.TrainConfig | None:
    """Return the options of the run that ``run``, or the folder around it, holds; None if neither does."""
    for folder in (run, run.resolve().parent):
        if (folder / "config.yaml").exists():
            return querent.TrainConfig.load(folder / "config.yaml")
    return None


def database_of(run: Path) -> str | None:
    """Return the database of the domain that the run was trained on, None if it does not tell or there was none.

    Raises:
        DomainError: the domain is gone.
    """
    options = options_of(run)
    if options is None or options.data.domain is None:
        return None
    return querent.load_domain(options.data.domain, language=options.data.language).database
