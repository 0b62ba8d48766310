"""Apache Ossie, once Open Semantic Interchange (OSI): metrics and computed fields of semantic models in YAML.

version: 0.2.0.dev0
name: shop
datasets: [{name: orders, source: sales.public.orders}]
metrics:
  - name: total_revenue
    expression: {dialects: [{dialect: ANSI_SQL, expression: SUM(orders.amount)}]}
    ai_context: {synonyms: [turnover]}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlglot import exp

from ...data.errors import DomainError
from ...data.formats.files import Record
from ..formulas.bank import Bank, Formula
from ..formulas.expression import ExpressionError
from ..formulas.sql import bound, table_of
from .documents import document, entries, inner, synonyms, text_in, write_yaml
from .exporting import Exported, aggregate, ansi, bare, identifier_of
from .gathering import Gathered

__all__ = ["read", "write"]

VERSION = "0.2.0.dev0"
_DIALECTS = {
    "ANSI_SQL": "",
    "OSSIE_SQL_2026": "",
    "SNOWFLAKE": "snowflake",
    "BIGQUERY": "bigquery",
    "DATABRICKS": "databricks",
}
"""Those that can be read, the best first, and how sqlglot calls them; the others are no SQL."""


def read(path: Path, refused: list[DomainError] | None) -> Bank:
    """Return the metrics and computed fields of a file."""
    whole = document(path)
    models = entries(whole, "semantic_model") if "semantic_model" in whole.data else [whole]
    return Bank.joined(_model(one, refused) for one in models)


def _model(model: Record, refused: list[DomainError] | None) -> Bank:
    gathered = Gathered(text_in(model, "name"), refused)
    datasets = entries(model, "datasets")
    tables = {one.text("name").lower(): table_of(one.text("source")) for one in datasets}
    for dataset in datasets:
        own = dataset.text("name")
        for field in entries(dataset, "fields"):
            _define(gathered, field, tables, own)
    rows = _rows(datasets[0], tables) if len(datasets) == 1 else ""
    for metric in entries(model, "metrics"):
        _define(gathered, metric, tables, rows=rows)
    return gathered.bank()


def _rows(dataset: Record, tables: dict[str, str | None]) -> str:
    """Return what COUNT(*) counts where there is one dataset: its key, or the table."""
    table, keys = tables[dataset.text("name").lower()] or "", dataset.data.get("primary_key")
    return f"{table}.{keys[0]}" if isinstance(keys, list) and len(keys) == 1 and table else table


def _define(gathered: Gathered, entry: Record, tables: dict[str, str | None], own: str = "", rows: str = "") -> None:
    key = f"{own}.{entry.text('name')}" if own else entry.text("name")

    def make() -> exp.Expr:
        text, dialect = _expression(entry)
        # a field is of columns, not of other fields: `amount` may be one of `amount`
        resolve = Gathered().resolver(tables, own) if own else gathered.resolver(tables, "", key)
        return bound(text, resolve, dialect)

    context = entry.data.get("ai_context")
    says = synonyms(inner(entry, "ai_context").data.get("synonyms") if isinstance(context, dict) else context)
    truth = text_in(entry, "datatype").lower() == "boolean"
    stands = _column(entry) if own else ""
    plain = bool(stands) and not (truth and stands.lower() != entry.text("name").lower())
    gathered.define(
        key, entry, make, says=says, owner=own, field="expression", note=text_in(entry, "description"),
        rows=rows, kind="condition" if truth and own else None, shown=not plain, inline=bool(own), optional=bool(own),
    )  # fmt: skip


def _expression(entry: Record) -> tuple[str, str]:
    """Return an expression in the best dialect there is, and sqlglot's name of that."""
    told = inner(entry, "expression")
    known = {one.text("dialect").upper(): one for one in entries(told, "dialects")}
    for dialect, name in _DIALECTS.items():
        if dialect in known:
            return known[dialect].text("expression"), name
    if not known:
        raise entry.error("no expression", "expression", "write dialects: [{dialect: ANSI_SQL, expression: …}]")
    raise ExpressionError(f"no SQL, but {', '.join(known)}; give it in ANSI_SQL, too")


def _column(entry: Record) -> str:
    """Return the column that a field is, nothing where it is more."""
    try:
        text, dialect = _expression(entry)
        found = bound(text, lambda _, name, __: exp.column(name), dialect)
    except (ExpressionError, DomainError):
        return ""
    return found.name if isinstance(found, exp.Column) else ""


def write(bank: Bank, path: Path) -> list[str]:
    """Write a bank's formulas over columns; return what is lost."""
    exported = Exported(bank, "Apache Ossie")
    taken: set[str] = set()
    datasets: dict[str, list[dict[str, Any]]] = {}
    metrics: list[dict[str, Any]] = []
    for formula, tables in exported.grounded():
        whole = exported.written_out(formula)
        for table in tables:
            datasets.setdefault(table, [])
        if aggregate(whole):
            metrics.append(_entry(formula, ansi(whole), taken))
        elif len(tables) == 1:
            truth = {"datatype": "Boolean"} if formula.kind == "condition" else {}
            datasets[tables[0]].append(_entry(formula, ansi(bare(whole)), taken) | truth)
        else:
            exported.left_out(formula, f"a value of each row of several tables: {', '.join(tables)}")
            continue
        if bank.parts(formula):
            exported.tell(formula, "the formulas in it are written out")
        exported.not_said(formula, "unit")
    name = next((one.domain for one in bank.formulas if one.domain), "formulas")
    listed = [{"name": one, "source": one} | ({"fields": has} if has else {}) for one, has in datasets.items()]
    write_yaml({"version": VERSION, "name": name, "datasets": listed, "metrics": metrics}, path)
    return exported.lost


def _entry(formula: Formula, text: str, taken: set[str]) -> dict[str, Any]:
    name = identifier_of(formula, taken)
    told: dict[str, Any] = {"name": name, "expression": {"dialects": [{"dialect": "ANSI_SQL", "expression": text}]}}
    if formula.note:
        told["description"] = formula.note
    says = [one for one in formula.names if one.casefold() != name.replace("_", " ")]
    return told | ({"ai_context": {"synonyms": says}} if says else {})
