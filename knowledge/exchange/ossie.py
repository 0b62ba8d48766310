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

from sqlglot import exp

from ...data.errors import DomainError
from ...data.formats.files import Record
from ..formulas.bank import Bank
from ..formulas.expression import ExpressionError
from ..formulas.sql import bound, table_of
from .documents import document, entries, inner, synonyms, text_in
from .symbol_table import Definition, SymbolTable

__all__ = ["read"]

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
    symbols = SymbolTable(text_in(model, "name"), refused)
    datasets = entries(model, "datasets")
    tables = {one.text("name").lower(): table_of(one.text("source")) for one in datasets}
    for dataset in datasets:
        own = dataset.text("name")
        for field in entries(dataset, "fields"):
            _define(symbols, field, tables, own)
    rows = _rows(datasets[0], tables) if len(datasets) == 1 else ""
    for metric in entries(model, "metrics"):
        _define(symbols, metric, tables, rows=rows)
    return symbols.bank()


def _rows(dataset: Record, tables: dict[str, str | None]) -> str:
    """Return what COUNT(*) counts where there is one dataset: its key, or the table."""
    table, keys = tables[dataset.text("name").lower()] or "", dataset.data.get("primary_key")
    return f"{table}.{keys[0]}" if isinstance(keys, list) and len(keys) == 1 and table else table


def _define(symbols: SymbolTable, entry: Record, tables: dict[str, str | None], own: str = "", rows: str = "") -> None:
    key = f"{own}.{entry.text('name')}" if own else entry.text("name")

    def make() -> exp.Expr:
        text, dialect = _expression(entry)
        # a field is of columns, not of other fields: `amount` may be one of `amount`
        resolve = SymbolTable().resolver(tables, own) if own else symbols.resolver(tables, "", key)
        return bound(text, resolve, dialect)

    context = entry.data.get("ai_context")
    says = synonyms(inner(entry, "ai_context").data.get("synonyms") if isinstance(context, dict) else context)
    truth = text_in(entry, "datatype").lower() == "boolean"
    stands = _column(entry) if own else ""
    plain = bool(stands) and not (truth and stands.lower() != entry.text("name").lower())
    symbols.define(Definition(
        key, entry, make, says=says, owner=own, field="expression", note=text_in(entry, "description"),
        rows=rows, kind="condition" if truth and own else None, shown=not plain,
    ))  # fmt: skip


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
