"""Reads and writes ``knowledge.toml``, the file of formulas and of the names of their concepts, which people edit.

domain = "finance"

[concepts]
revenue = ["turnover", "营业收入"]

[[formula]]
name = "EBIT"
says = ["earnings before interest and taxes", "息税前利润"]
kind = "calculation"
is = 'revenue - "operating costs"'
unit = "currency"
note = "before one-off items"
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args

from ...data.errors import DomainError, InputError, did_you_mean
from ...data.records import Record, read_toml, tables_in
from .bank import Bank, Formula
from .expression import ExpressionError, Kind, parse
from .spreadsheet import read as read_spreadsheet

FILE = "knowledge.toml"
"""The file of formulas in a domain folder."""

SHIPPED = Path(__file__).parents[1] / "banks"
"""The folder of the shipped banks."""

_FIELDS = ("name", "says", "kind", "is", "unit", "domain", "note")
_TOP = ("domain", "concepts", "formula")


def shipped_banks() -> list[str]:
    """Return the names of the shipped banks."""
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def open_banks(sources: str | Path | Iterable[str | Path]) -> Bank:
    """Return the formulas of several banks together.

    Args:
        sources: one or several files, domain folders with a `FILE`, names of shipped banks, or ``all`` for all banks.

    Raises:
        InputError: there is no such bank, or it cannot be read.
    """
    several = (sources,) if isinstance(sources, (str, Path)) else sources
    return Bank.joined(read_bank(file) for source in several for file in _files(str(source)))


def _files(source: str) -> list[Path]:
    if source == "all":
        return [SHIPPED / f"{name}.toml" for name in shipped_banks()]
    if source in shipped_banks() and not Path(source).exists():
        return [SHIPPED / f"{source}.toml"]
    path = Path(source)
    if path.is_dir():
        path /= FILE
    if path.is_file():
        return [path]
    names = ["all", *shipped_banks()]
    raise InputError(
        f"no file of formulas and no shipped bank {source!r}",
        field="knowledge",
        hint=did_you_mean(source, names) or f"banks are {', '.join(names)}",
    )


def read_formulas(path: str | Path, *, refused: list[DomainError] | None = None) -> Bank:
    """Return the formulas of a file: a ``.toml``, the YAML or JSON of dbt's MetricFlow, or a table of a spreadsheet.

    Args:
        refused: the list that gets an error for each formula that cannot be read; if None, the first is raised.

    Raises:
        DomainError: the file, or a formula of it, cannot be read.
    """
    file = Path(path)
    match file.suffix.lower():
        case ".toml":
            return read_bank(file)
        case ".yaml" | ".yml" | ".json":
            from .metricflow import read as read_metricflow  # needs yaml, which no question does

            return read_metricflow(file, refused)
        case _:
            return read_spreadsheet(file, refused)


def read_bank(file: Path) -> Bank:
    """Return the formulas of a ``knowledge.toml``.

    Raises:
        DomainError: it is no TOML, a field is missing, unknown or wrong, or a right side does not parse.
    """
    whole = Record(read_toml(file), file)
    whole.known(_TOP)
    entries = tables_in(file, "formula") if "formula" in whole.data else []
    formulas = [_formula(entry, str(whole.data.get("domain", ""))) for entry in entries]
    concepts = whole.table("concepts", 'write revenue = ["turnover"] below it')
    return Bank(formulas, {name: whole.texts(f"concepts.{name}", says) for name, says in concepts.items()})


def _formula(entry: Record, domain: str) -> Formula:
    entry.known(_FIELDS)
    name, kind = entry.text("name").strip(), entry.choice("kind", get_args(Kind), entry.text("kind"))
    try:
        expression = parse(entry.text("is"), kind)
    except ExpressionError as error:
        raise entry.error(f"{name!r}: {error}", "is") from None
    unit, domain, note = (str(entry.data.get(*each)) for each in (("unit", ""), ("domain", domain), ("note", "")))
    return Formula(name, entry.texts("says"), kind, expression, unit, domain, note, entry.file, entry.line or None)


def write_bank(bank: Bank, path: Path) -> None:
    """Write a bank to a file from which `read_bank` returns the same bank."""
    domains = {formula.domain for formula in bank.formulas}
    shared = domains.pop() if len(domains) == 1 else ""
    parts = [f"domain = {_value(shared)}"] if shared else []
    if bank.concepts:
        lines = (f"{_key(name)} = {_value(says)}" for name, says in bank.concepts.items())
        parts.append("\n".join(("[concepts]", *lines)))
    parts += ["\n".join(("[[formula]]", *_fields(one, shared))) for one in bank.formulas]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _fields(formula: Formula, shared: str) -> Iterator[str]:
    values = {field: getattr(formula, field, formula.expression.text) for field in _FIELDS}
    values["domain"] = "" if formula.domain == shared else formula.domain
    yield from (f"{field} = {_value(value)}" for field, value in values.items() if value)


def _value(value: str | tuple[str, ...]) -> str:
    """Return a text or a list of texts as TOML, without escapes if possible, as right sides contain quotes."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if '"' in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # forbidden in TOML


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)
