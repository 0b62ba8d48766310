"""Snowflake Cortex Analyst: facts, metrics and filters of semantic models (or views) in YAML.

name: shop
tables:
  - name: orders
    base_table: {database: SALES, schema: PUBLIC, table: ORDERS}
    facts: [{name: net, expr: price - rebate}]
    metrics: [{name: revenue, expr: SUM(net), synonyms: [turnover]}]
    filters: [{name: open_orders, expr: status = 'open'}]
metrics: [{name: margin, expr: orders.profit / orders.revenue}]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlglot import exp

from ...data.errors import DomainError
from ...data.formats.files import Record
from ..formulas.bank import Bank, Formula
from ..formulas.expression import AGGREGATES
from ..formulas.sql import Resolve, bound, last_part
from .documents import document, entries, inner, synonyms, text_in, write_yaml
from .exporting import Exported, aggregate, ansi, bare, identifier_of
from .gathering import Gathered

__all__ = ["read", "write"]

_ROWS = ("facts", "measures", "dimensions", "time_dimensions")
"""Lists of columns and of what is worked out for each row; ``measures`` are what facts were called once."""

_DEFAULTS = ("sum", "avg", "min", "max", "count", "count_distinct")
"""How a measure is summed up where nothing else is said, and so what its name stands for in a question."""


def read(path: Path, refused: list[DomainError] | None) -> Bank:
    """Return the computed facts, metrics and filters of a file."""
    whole = document(path)
    gathered = Gathered(text_in(whole, "name"), refused)
    listed = entries(whole, "tables")
    tables: dict[str, str | None] = {}
    for table in listed:
        base = inner(table, "base_table")
        tables[table.text("name").lower()] = _base(base) if base.data else table.text("name")
    for table in listed:
        own = table.text("name")
        for kind in (*_ROWS, "metrics", "filters"):
            for entry in entries(table, kind):
                _define(gathered, entry, tables, own, kind=kind, rows=_rows(table, tables))
    for kind in ("metrics", "filters"):
        for entry in entries(whole, kind):
            _define(gathered, entry, tables, "", kind=kind)
    return gathered.bank()


def _rows(table: Record, tables: dict[str, str | None]) -> str:
    """Return what COUNT(*) counts: the table's key, or the table."""
    name, keys = tables[table.text("name").lower()] or "", inner(table, "primary_key").data.get("columns")
    return f"{name}.{keys[0]}" if isinstance(keys, list) and len(keys) == 1 else name


def _base(base: Record) -> str | None:
    """Return the table of the database, None where a query is defined in its place."""
    return None if "definition" in base.data else last_part(base.text("table"))


def _define(
    gathered: Gathered, entry: Record, tables: dict[str, str | None], own: str, *, kind: str, rows: str = ""
) -> None:
    name = entry.text("name")
    key = f"{own}.{name}" if own else name
    plain, default = kind in _ROWS and _text(entry, kind).isidentifier(), text_in(entry, "default_aggregation").lower()
    told: dict[str, Any] = {"says": synonyms(entry.data.get("synonyms")), "note": text_in(entry, "description")}
    told |= {"owner": own, "rows": rows}

    def make() -> exp.Expr:
        if entry.data.get("non_additive_dimensions"):
            raise entry.error(f"{name!r}: it does not add up over all rows", "non_additive_dimensions")
        return bound(
            _text(entry, kind), _columns(tables, own) if plain else gathered.resolver(tables, own, key), "snowflake"
        )

    def summed() -> exp.Expr:
        tree = gathered.tree(key)
        text = "COUNT(DISTINCT x)" if default == "count_distinct" else f"{default.upper()}(x)"
        return tree if tree.find(*AGGREGATES) else bound(text, lambda *_: tree)

    as_measure = kind == "measures" and default in _DEFAULTS
    gathered.define(
        key, entry, make, **told, kind="condition" if kind == "filters" else None, shown=not plain and not as_measure,
        inline=kind in _ROWS, optional=kind.endswith("dimensions"),
    )  # fmt: skip
    if as_measure:
        gathered.define(f"{own}.measure.{name}", entry, summed, **told)


def _columns(tables: dict[str, str | None], own: str) -> Resolve:
    """Return what takes names for columns: a fact may be called as its own column."""
    return Gathered().resolver(tables, own)


def _text(entry: Record, kind: str) -> str:
    """Return an expression; what stands for a column may leave it out."""
    told = entry.text("expr", entry.text("name") if kind in _ROWS else None).strip()
    return told.strip('"') if told.strip('"').isidentifier() else told


def write(bank: Bank, path: Path) -> list[str]:
    """Write a bank's formulas over columns; return what is lost."""
    exported = Exported(bank, "Snowflake's semantic models")
    taken: set[str] = set()
    tables: dict[str, dict[str, list[dict[str, Any]]]] = {}
    across: list[dict[str, Any]] = []
    listed = [(one, names, identifier_of(one, taken)) for one, names in exported.grounded()]
    places = {  # of each metric: its table, or nothing where it is of several, and its identifier
        one.name.casefold(): (names[0] if len(names) == 1 else "", name)
        for one, names, name in listed
        if aggregate(exported.written_out(one))
    }
    for formula, names, identifier in listed:
        whole = exported.written_out(formula)
        if not aggregate(whole) and len(names) > 1:
            exported.left_out(formula, f"a value of each row of several tables: {', '.join(names)}")
            continue
        own = names[0] if len(names) == 1 else ""

        def say(part: Formula, own: str = own) -> exp.Expr | None:
            """Name a metric that is written; in its own table without that, and across tables with it."""
            table, name = places.get(part.name.casefold(), (None, ""))
            if table is None or own not in ("", table):
                return None
            return exp.column(name, table if table != own else None)

        tree = bare(exported.named(formula, say)) if own else exported.named(formula, say)
        kind = "metrics" if aggregate(whole) else "filters" if formula.kind == "condition" else "facts"
        for name in names:
            tables.setdefault(name, {})
        (tables[own].setdefault(kind, []) if own else across).append(_entry(formula, identifier, ansi(tree)))
        exported.not_said(formula, "unit")
    told = [{"name": name, "base_table": {"table": name}} | kinds for name, kinds in tables.items()]
    domain = next((one.domain for one in bank.formulas if one.domain), "formulas")
    write_yaml({"name": domain, "tables": told} | ({"metrics": across} if across else {}), path)
    return exported.lost


def _entry(formula: Formula, identifier: str, text: str) -> dict[str, Any]:
    told: dict[str, Any] = {"name": identifier}
    if says := [one for one in formula.names if one.casefold() != identifier.replace("_", " ")]:
        told["synonyms"] = says
    if formula.note:
        told["description"] = formula.note
    return told | {"expr": text}
