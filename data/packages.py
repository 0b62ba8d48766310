"""Packages that not everybody has: what is missing, and how to get it, in one line."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from .errors import InputError

__all__ = ["needs"]


@contextmanager
def needs(package: str, install: str, *, field: str | None = None, file: Path | None = None) -> Generator[None]:
    """Say how to get a package where what is imported within is missing.

    Args:
        package: its name.
        install: what installs it, as pip takes it (``querent[llm]``).
        field, file: what asks for it.

    Raises:
        InputError: it is not installed, or breaks as it is imported.
    """
    try:
        yield
    except ImportError as error:
        gone = isinstance(error, ModuleNotFoundError)
        problem = f"{package} is not installed" if gone else f"{package} cannot be imported: {error}"
        shown = f"'{install}'" if "[" in install else install  # to a shell, brackets are a pattern
        raise InputError(problem, file=file, field=field, hint=f"pip install {shown}") from error
