"""The door: formulas from and to files of others, by the name of their format or by what they hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from ...data.errors import DomainError, InputError, did_you_mean
from ...data.formats.files import read_text
from ...data.schema.schema import Schema
from ..formulas.bank import Bank, Formula
from ..formulas.expression import ExpressionError, parse
from ..formulas.reading import read_bank, write_bank
from ..formulas.sql import bound, column, text_of
from ..linked_formulas import FormulaLinker
from . import bird, metricflow, ossie, ossie_export, spreadsheet
from .documents import document

__all__ = ["FORMATS", "WRITTEN", "bound_to_columns", "format_of", "read_formulas", "write_formulas"]

FORMATS: dict[str, Callable[[Path, list[DomainError] | None], Bank]] = {
    "querent": lambda path, _: read_bank(path),
    "ossie": ossie.read,
    "metricflow": metricflow.read,
    "spreadsheet": spreadsheet.read,
    "bird": bird.read,
}
"""What reads each; what cannot be read goes into the list, or is raised."""

WRITTEN: dict[str, Callable[[Bank, Path], list[str]]] = {"querent": write_bank, "ossie": ossie_export.write}
"""What writes those that are not only read; it returns a line for each thing that is lost."""

_SIGNS = {"ossie": ("semantic_model", "datasets"), "metricflow": ("semantic_models", "metrics", "models")}
"""Fields at the top that tell a format, the surest first."""


def read_formulas(
    path: str | Path,
    format: str | None = None,
    *,
    refused: list[DomainError] | None = None,
    schema: Schema | None = None,
) -> Bank:
    """Return the formulas of a file.

    Args:
        format: one of `FORMATS`; told by what the file holds if None.
        refused: gets an error for each formula that cannot be read; the first is raised if None.
        schema: of the database whose columns are meant, for a format that does not tell their tables (``bird``).

    Raises:
        DomainError: the file, or a formula of it, cannot be read.
        InputError: there is no such format, the file is of none, or a schema is given to one that has its own.
    """
    file = Path(path)
    name = format or format_of(file)
    _check(name)
    if name == "bird":
        return bird.read(file, refused, schema)
    if schema is not None:
        hint = "leave it out; `querent knowledge ground` finds the columns of concepts"
        raise InputError(f"{name} says itself what its columns are", file=file, field="database", hint=hint)
    return FORMATS[name](file, refused)


def write_formulas(bank: Bank, format: str, path: str | Path) -> list[str]:
    """Write formulas to a file, as far as a format can say them; return what it cannot, in a line each.

    Raises:
        InputError: there is no such format, or it is only read.
    """
    _check(format)
    if format not in WRITTEN:
        raise InputError(f"{format} is only read", field="format", hint=f"written are {', '.join(WRITTEN)}")
    return WRITTEN[format](bank, Path(path))


def bound_to_columns(found: FormulaLinker) -> tuple[Bank, list[str]]:
    """Return the formulas of a bank that a database has, over its columns, and a line for each that it has not.

    Of several of one name the first that is there is kept. What a formula names is written out in it.
    """
    kept: dict[str, Formula] = {}
    lost: list[str] = []
    for formula in found.bank.formulas:
        grounding, name = found.grounding(formula), formula.name.casefold()
        if grounding.grounded is None:
            lost.append(f"{formula.name}: left out; {', '.join(grounding.missing)}: nothing like it in the database")
        elif name in kept:
            lost.append(f"{formula.name}: left out; another one of its name is there")
        else:
            try:
                kept[name] = _bound(formula, str(grounding.grounded))
            except ExpressionError as error:
                lost.append(f"{formula.name}: left out; {error}")
    return Bank(kept.values(), {}), lost


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
    if path.suffix.lower() == ".jsonl" or "evidence" in _first(text):
        return "bird"
    if spreadsheet.has_head(text):
        return "spreadsheet"
    told = document(path).data
    for name, signs in _SIGNS.items():
        if any(sign in told for sign in signs):
            return name
    hint = next((h for one in told for signs in _SIGNS.values() if (h := did_you_mean(one, signs))), None)
    hint = hint or f"give one: {', '.join(FORMATS)}"
    raise InputError("of no format that is known", file=path, field="format", hint=hint)


def _first(text: str) -> Mapping[str, object]:
    """Return the first object of JSON lines or of a JSON list, empty where it is neither."""
    start = text.lstrip()
    try:
        told: object = json.JSONDecoder().raw_decode(start[1:].lstrip() if start.startswith("[") else start)[0]
    except (ValueError, RecursionError):  # whoever reads the file says what is wrong
        return {}
    return cast("dict[str, object]", told) if isinstance(told, dict) else {}


def _check(format: str) -> None:
    if format not in FORMATS:
        hint = did_you_mean(format, FORMATS) or f"formats are {', '.join(FORMATS)}"
        raise InputError(f"no format {format!r}", field="format", hint=hint)


def _bound(formula: Formula, sql: str) -> Formula:
    parts = sql.split(", ") if formula.kind == "union" else [sql]
    trees = (bound(part, lambda table, name, _: column(table, name), "sqlite") for part in parts)
    return replace(formula, expression=parse(", ".join(map(text_of, trees)), formula.kind))
