"""Where a run folder keeps what the commands need: its parser, its split, its domain's database."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import querent

__all__ = ["Device", "database_of", "load_parser", "options_of"]

Device = Literal["auto", "cpu", "cuda"]


def load_parser(run: Path, *, device: Device = "auto", level: str | None = None) -> querent.Parser:
    """Load the best parser of a run folder, or a saved parser's own folder.

    Args:
        level: of the local constraint; None is as trained.

    Raises:
        RunError: there is none, or its files do not fit each other.
        InputError: there is no such device or level.
    """
    folder = run
    if not (run / "parser.json").exists():
        folder = run / "best"
        if (run / "config.yaml").exists() and not folder.exists():
            hint = "run the same `querent train` again, it goes on where it stopped"
            raise querent.RunError("the run has no parser yet", file=run, hint=hint)
        if not folder.exists():
            problem = "neither a run nor a saved parser" if run.exists() else "no such folder"
            raise querent.RunError(problem, file=run, hint="give the folder that `querent train --out` wrote")
    return querent.Parser.from_pretrained(folder, device=_device(device), level=level)


def options_of(run: Path) -> querent.TrainConfig | None:
    """Return the options of the run that ``run``, or the folder around it, holds; None if neither does."""
    for folder in (run, run.resolve().parent):
        if (folder / "config.yaml").exists():
            return querent.TrainConfig.load(folder / "config.yaml")
    return None


def database_of(run: Path) -> str:
    """Return the database of the domain that the run was trained on.

    Raises:
        InputError: the run does not tell, or its domain has no database.
        DomainError: the domain is gone.
    """
    options = options_of(run)
    if options is None or options.data.domain is None:
        problem = "the folder does not tell which database its parser was trained for"
        raise querent.InputError(problem, file=run, hint="give it with --database")
    domain = querent.load_domain(options.data.domain, language=options.data.language)
    if domain.database is None:
        raise querent.InputError(f"the domain {domain.name} has no database", field="--database", hint="give one")
    return domain.database


def _device(wanted: Device) -> str:
    import torch

    if wanted == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if wanted == "cuda" and not torch.cuda.is_available():
        raise querent.InputError("there is no CUDA device here", field="--device", hint="use auto or cpu")
    return wanted
