"""The version of Querent, and how to install the packages that not everybody has."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from .errors import InputError

VERSION = "0.2.0"
"""The version of the distribution ``querent-sql``; ``pyproject.toml`` takes it from here."""


def install_hint(extra: str) -> str:
    """Return how to install an extra of ``pyproject.toml``; no index has Querent, so it takes the clone."""
    return f"pip install '.[{extra}]' in the clone"


@contextmanager
def needs(package: str, extra: str, *, field: str | None = None, file: Path | None = None) -> Generator[None]:
    """Say how to get a package where what is imported within is missing.

    Args:
        package: its name.
        extra: the extra of ``pyproject.toml`` that installs it (``llm``).
        field, file: what asks for it.

    Raises:
        InputError: it is not installed, or breaks as it is imported.
    """
    try:
        yield
    except ImportError as error:
        gone = isinstance(error, ModuleNotFoundError)
        problem = f"{package} is not installed" if gone else f"{package} cannot be imported: {error}"
        raise InputError(problem, file=file, field=field, hint=install_hint(extra)) from error
