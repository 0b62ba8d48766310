"""WrenAI's MDL in JSON: calculated columns of models, measures of cubes, and of metrics as they once were.

{"models": [{"name": "orders", "tableReference": {"table": "orders"}, "columns": [
   {"name": "net", "type": "DOUBLE", "isCalculated": true, "expression": "price - rebate"}]}],
 "cubes": [{"name": "order_metrics", "baseObject": "orders", "measures": [
   {"name": "revenue", "expression": "SUM(price)", "type": "DOUBLE"}]}]}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlglot import exp

from ...data.errors import DomainError
from ...data.formats.files import Record
from ..formulas.bank import Bank, Formula
from ..formulas.expression import Kind
from ..formulas.sql import bound, last_part, table_of
from .documents import document, entries, inner, synonyms, text_in
from .exporting import Exported, aggregate, ansi, bare, identifier_of
from .gathering import Gathered

__all__ = ["read", "write"]

SCHEMA = "https://raw.githubusercontent.com/Canner/WrenAI/main/wren-mdl/mdl.schema.json"


def read(path: Path, refused: list[DomainError] | None) -> Bank:
    """Return the calculated columns and measures of a file."""
    whole = document(path)
    gathered = Gathered("", refused)
    models, cubes = entries(whole, "models"), [*entries(whole, "cubes"), *entries(whole, "metrics")]
    tables = {one.text("name").lower(): _table(one) for one in models}
    for model in models:
        relations = {one.text("name").lower(): one for one in entries(model, "columns") if one.data.get("relationship")}
        for column in entries(model, "columns"):
            if column.data.get("isCalculated"):
                _define(gathered, column, tables, model.text("name"), base=model.text("name"), relations=relations)
    keys = {one.text("name").lower(): text_in(one, "primaryKey") for one in models}
    for cube in cubes:
        own, base = cube.text("name"), cube.text("baseObject")
        table, key = tables.get(base.lower()) or "", keys.get(base.lower())
        rows = f"{table}.{key}" if table and key else table
        for measure in entries(cube, "measures") or entries(cube, "measure"):
            _define(
                gathered,
                measure,
                {**tables, own.lower(): tables.get(base.lower())},
                own,
                base=base,
                relations={},
                rows=rows,
            )
    return gathered.bank()


def _table(model: Record) -> str | None:
    if "tableReference" in model.data:
        return last_part(inner(model, "tableReference").text("table"))
    return table_of(text_in(model, "refSql") or text_in(model, "baseObject"))


def _define(
    gathered: Gathered, entry: Record, tables: Mapping[str, str | None], own: str, *,
    base: str, relations: Mapping[str, Record], rows: str = "",
) -> None:  # fmt: skip
    key = f"{own}.{entry.text('name')}"

    def make() -> exp.Expr:
        near, far = gathered.resolver(tables, own, key), gathered.resolver(tables, base, key)

        def resolve(qualifier: str, name: str, summed: bool) -> exp.Expr:
            if qualifier.lower() in relations:  # `customer.name`, where the column `customer` is a relationship
                return far(relations[qualifier.lower()].text("type"), name, summed)
            return (near if f"{own}.{name}" in gathered else far)(qualifier, name, summed)

        return bound(entry.text("expression"), resolve)

    told = inner(entry, "properties")
    gathered.define(
        key, entry, make, label=text_in(told, "displayName"), says=synonyms(told.data.get("synonyms")), owner=base,
        field="expression", note=text_in(told, "description"), kind=_kind(entry), shown=not _is_text(entry), rows=rows,
    )  # fmt: skip


def _kind(entry: Record) -> Kind | None:
    return "condition" if text_in(entry, "type").upper().startswith("BOOL") else None


def _is_text(entry: Record) -> bool:
    """Is a column of a type that no formula has?"""
    return text_in(entry, "type").upper().startswith(("VARCHAR", "TEXT", "CHAR", "STRING", "DATE", "TIME"))


def write(bank: Bank, path: Path) -> list[str]:
    """Write a bank's formulas over columns; return what is lost."""
    exported = Exported(bank, "Wren's MDL")
    taken: set[str] = set()
    columns: dict[str, list[dict[str, Any]]] = {}
    measures: dict[str, list[dict[str, Any]]] = {}
    listed = [(formula, tables, identifier_of(formula, taken)) for formula, tables in exported.grounded()]
    written = {formula.name.casefold(): (tables[0], name) for formula, tables, name in listed if len(tables) == 1}
    for formula, (own, *others), identifier in listed:
        if others:
            exported.left_out(formula, f"it is of several tables: {', '.join((own, *others))}")
            continue

        def say(part: Formula, own: str = own) -> exp.Expr | None:
            table, name = written.get(part.name.casefold(), ("", ""))
            return exp.column(name) if table == own else None

        text = ansi(bare(exported.named(formula, say)))
        columns.setdefault(own, [])
        if aggregate(exported.written_out(formula)):
            measures.setdefault(own, []).append({"name": identifier, "expression": text, "type": "DOUBLE"})
            if formula.name.casefold() != identifier.replace("_", " "):
                exported.tell(formula, f"its name is written as {identifier!r}")
            exported.not_said(formula, "says", "note", "unit")
        else:
            columns[own].append(_column(formula, identifier, text))
            exported.not_said(formula, "unit")
    models = [{"name": own, "tableReference": {"table": own}, "columns": has} for own, has in columns.items()]
    cubes = [{"name": f"{own}_metrics", "baseObject": own, "measures": has} for own, has in measures.items()]
    told = {"$schema": SCHEMA, "catalog": "wren", "schema": "public", "models": models, "cubes": cubes}
    path.write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return exported.lost


def _column(formula: Formula, identifier: str, text: str) -> dict[str, Any]:
    kind = "BOOLEAN" if formula.kind == "condition" else "DOUBLE"
    told = {"displayName": formula.name, "description": formula.note, "synonyms": ", ".join(formula.says)}
    properties = {key: value for key, value in told.items() if value}
    return {"name": identifier, "type": kind, "isCalculated": True, "expression": text, "properties": properties}
