"""The door: formulas from files of others, by the name of their format or by what they hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...data.errors import DomainError, InputError, did_you_mean
from ...data.records import read_text
from ..formulas.bank import Bank
from ..formulas.reading import read_bank
from . import metricflow, spreadsheet

__all__ = ["FORMATS", "format_of", "read_formulas"]

FORMATS: dict[str, Callable[[Path, list[DomainError] | None], Bank]] = {
    "querent": lambda path, _: read_bank(path),
    "metricflow": metricflow.read,
    "spreadsheet": spreadsheet.read,
}
"""What reads each; what cannot be read goes into the list, or is raised."""

_METRICFLOW_FIELDS = ("semantic_models", "metrics")
"""Fields at the top of a file of MetricFlow."""


def read_formulas(path: str | Path, format: str | None = None, *, refused: list[DomainError] | None = None) -> Bank:
    """Return the formulas of a file.

    Args:
        format: one of `FORMATS`; told by what the file holds if None.
        refused: gets an error for each formula that cannot be read; the first is raised if None.

    Raises:
        DomainError: the file, or a formula of it, cannot be read.
        InputError: there is no such format, or the file is of none.
    """
    file = Path(path)
    name = format or format_of(file)
    if name not in FORMATS:
        hint = did_you_mean(name, FORMATS) or f"formats are {', '.join(FORMATS)}"
        raise InputError(f"no format {name!r}", field="format", hint=hint)
    return FORMATS[name](file, refused)


def format_of(path: Path) -> str:
    """Return the format of a file.

    Raises:
        DomainError: it cannot be read.
        InputError: it is of none.
    """
    if path.suffix.lower() == ".toml":
        return "querent"
    if path.suffix.lower() in spreadsheet.ENDINGS or spreadsheet.has_head(read_text(path)):
        return "spreadsheet"
    told = metricflow.document(path).data
    if any(field in told for field in _METRICFLOW_FIELDS):
        return "metricflow"
    hint = next((hint for one in told if (hint := did_you_mean(one, _METRICFLOW_FIELDS))), None)
    hint = hint or f"give one: {', '.join(FORMATS)}"
    raise InputError("of no format that is known", file=path, field="format", hint=hint)
