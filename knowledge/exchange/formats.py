"""The door: formulas from and to files of others, by the name of their format or by what they hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ...data.errors import DomainError, InputError, did_you_mean
from ...data.formats.files import read_text
from ..formulas.bank import Bank
from ..formulas.reading import read_bank
from . import cube, knowledge_toml, livesqlbench, metricflow, ossie, snowflake, spreadsheet, wren
from .documents import document

__all__ = ["FORMATS", "format_of", "read_formulas", "write_formulas"]


@dataclass(frozen=True)
class _Format:
    """How formulas of a format are read and written; what the first cannot read goes into its list, or is raised."""

    read: Callable[[Path, list[DomainError] | None], Bank]
    write: Callable[[Bank, Path], list[str]]


FORMATS = {
    "querent": _Format(lambda path, _: read_bank(path), knowledge_toml.write),
    "ossie": _Format(ossie.read, ossie.write),
    "metricflow": _Format(metricflow.read, metricflow.write),
    "cube": _Format(cube.read, cube.write),
    "wren": _Format(wren.read, wren.write),
    "snowflake": _Format(snowflake.read, snowflake.write),
    "livesqlbench": _Format(livesqlbench.read, livesqlbench.write),
    "spreadsheet": _Format(spreadsheet.read, spreadsheet.write),
}
"""By name."""

_SIGNS = {
    "ossie": ("semantic_model", "datasets"),
    "snowflake": ("tables",),
    "cube": ("cubes",),
    "metricflow": ("semantic_models", "metrics", "models"),
    "wren": ("models", "cubes"),
}
"""Fields at the top that tell a format, the surest first; Wren's alone is JSON, and Ossie's may be."""


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
    return _named(format or format_of(file)).read(file, refused)


def write_formulas(bank: Bank, format: str, path: str | Path) -> list[str]:
    """Write formulas to a file, as far as a format can say them; return what it cannot, in a line each.

    Raises:
        InputError: there is no such format.
    """
    return _named(format).write(bank, Path(path))


def format_of(path: Path) -> str:
    """Return the format of a file.

    Raises:
        DomainError: it cannot be read.
        InputError: it is of none.
    """
    if path.suffix.lower() == ".toml":
        return "querent"
    if path.suffix.lower() in spreadsheet.ENDINGS:
        return "spreadsheet"
    text = read_text(path)
    if path.suffix.lower() == ".jsonl" or _json_lines(text):
        return "livesqlbench"
    if spreadsheet.has_head(text):
        return "spreadsheet"
    told = document(path).data
    as_json = text.lstrip().startswith("{")
    for name, signs in _SIGNS.items():
        if any(sign in told for sign in signs) and (as_json if name == "wren" else not as_json or name == "ossie"):
            return name
    hint = next((h for one in told for signs in _SIGNS.values() if (h := did_you_mean(one, signs))), None)
    hint = hint or f"give one: {', '.join(FORMATS)}"
    raise InputError("of no format that is known", file=path, field="format", hint=hint)


def _json_lines(text: str) -> bool:
    first = text.lstrip().split("\n", 1)[0]
    try:
        told: object = json.loads(first)
    except json.JSONDecodeError:
        return False
    return isinstance(told, dict) and "knowledge" in told


def _named(format: str) -> _Format:
    if format not in FORMATS:
        hint = did_you_mean(format, FORMATS) or f"formats are {', '.join(FORMATS)}"
        raise InputError(f"no format {format!r}", field="format", hint=hint)
    return FORMATS[format]
