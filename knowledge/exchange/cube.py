"""Cube's data models in YAML: measures, computed dimensions, and segments as conditions.

cubes:
  - name: orders
    sql_table: public.orders
    measures:
      - {name: revenue, sql: amount, type: sum, filters: [{sql: "{CUBE}.status = 'paid'"}]}
      - {name: average_order, sql: "{revenue} / {count}", type: number}
    segments: [{name: paid, sql: "{CUBE}.status = 'paid'"}]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlglot import exp

from ...data.errors import DomainError
from ...data.formats.files import Record
from ..formulas.bank import Bank, Formula
from ..formulas.expression import ExpressionError
from ..formulas.sql import bound, filtered, table_of
from .documents import document, entries, inner, synonyms, text_in, write_yaml
from .exporting import Exported, aggregate, ansi, identifier_of
from .gathering import Gathered

__all__ = ["read", "write"]

_AGGREGATES = {"sum": "SUM", "avg": "AVG", "min": "MIN", "max": "MAX", "count": "COUNT"}
_OF_TIME = ("rolling_window", "time_shift", "multi_stage")
_OWN = ("CUBE", "TABLE")
_MEMBER = re.compile(r"\$?\{\s*([\w.]+)\s*\}(\.\w+)?")


def read(path: Path, refused: list[DomainError] | None) -> Bank:
    """Return the measures, segments and computed dimensions of a file."""
    cubes = entries(document(path), "cubes")
    gathered = Gathered("", refused)
    tables = {one.text("name").lower(): _table(one) for one in cubes}
    for cube in cubes:
        own = cube.text("name")
        for kind in ("dimensions", "measures", "segments"):
            for entry in entries(cube, kind):
                _define(gathered, entry, tables, own, kind=kind, rows=_rows(cube, tables))
    return gathered.bank()


def _table(cube: Record) -> str | None:
    return table_of(text_in(cube, "sql_table") or text_in(cube, "sql") or cube.text("name"))


def _rows(cube: Record, tables: Mapping[str, str | None]) -> str:
    """Return what COUNT(*) counts: the cube's key, or its table."""
    table = tables[cube.text("name").lower()] or ""
    keys = [one for one in entries(cube, "dimensions") if one.data.get("primary_key") is True]
    found = re.fullmatch(r"(?:\$?\{(?:CUBE|TABLE)\}\.)?(\w+)", text_in(keys[0], "sql")) if len(keys) == 1 else None
    return f"{table}.{found[1]}" if found and table else table


def _define(
    gathered: Gathered, entry: Record, tables: Mapping[str, str | None], own: str, *, kind: str, rows: str
) -> None:
    key = f"{own}.{entry.text('name')}"
    plain = kind == "dimensions" and re.fullmatch(r"(\$?\{(CUBE|TABLE)\}\.)?\w+", text_in(entry, "sql").strip())

    def make() -> exp.Expr:
        def sql(text: str) -> exp.Expr:
            return _bound(text, gathered, tables, own)

        return _measure(entry, sql) if kind == "measures" else sql(entry.text("sql"))

    meta = inner(entry, "meta")
    gathered.define(
        key, entry, make, label=text_in(entry, "title"), says=synonyms(meta.data.get("synonyms")), owner=own,
        field="sql", note=text_in(entry, "description"), unit=text_in(meta, "unit") or text_in(entry, "format"),
        rows=rows,
        kind="condition" if kind == "segments" else None, shown=not plain, inline=kind == "dimensions",
        optional=kind == "dimensions",
    )  # fmt: skip


def _measure(entry: Record, sql: Any) -> exp.Expr:
    """Return what a measure works out, with its filters."""
    kind = entry.text("type")
    for one in _OF_TIME:
        if entry.data.get(one):
            raise entry.error(f"{entry.text('name')!r}: a {one} is no formula of one row or group", one)
    filters = [sql(one.text("sql")) for one in entries(entry, "filters")]
    condition = exp.and_(*filters) if filters else None
    if kind in ("number", "boolean"):
        if condition is not None:
            raise entry.error(f"a measure of type {kind} with filters", "filters", "filter the measures in it instead")
        return sql(entry.text("sql"))
    if kind == "count" and not text_in(entry, "sql"):
        tree: exp.Expr = exp.Count(this=exp.Star())
    elif kind == "count_distinct":
        tree = exp.Count(this=exp.Distinct(expressions=[sql(entry.text("sql"))]))
    elif kind in _AGGREGATES:
        tree = sql(f"{_AGGREGATES[kind]}({entry.text('sql')})")
    else:
        raise entry.error(f"{entry.text('name')!r}: no measures of type {kind!r} here", "type", _known_types())
    return tree if condition is None else filtered(tree, condition)


def _known_types() -> str:
    return f"types are {', '.join((*_AGGREGATES, 'count_distinct', 'number', 'boolean'))}"


def _bound(text: str, gathered: Gathered, tables: Mapping[str, str | None], own: str) -> exp.Expr:
    """Return an expression; what stands in braces is a member, anything else a column of the table."""
    if "{{" in text or "{%" in text or "FILTER_PARAMS" in text:
        raise ExpressionError(f"{text!r} is a template; write it out")
    members: list[tuple[str, str]] = []

    def hold(found: re.Match[str]) -> str:
        name, after = found[1], found[2] or ""
        members.append((name, after.removeprefix(".")))
        return f"querent_member_{len(members) - 1}"

    held = _MEMBER.sub(hold, text)
    columns, names = Gathered().resolver(tables, own), gathered.resolver(tables, own)

    def resolve(qualifier: str, name: str, summed: bool) -> exp.Expr:
        if not name.startswith("querent_member_"):
            return columns(qualifier, name, summed)
        member, after = members[int(name.removeprefix("querent_member_"))]
        cube, dot, last = member.rpartition(".")
        if after:  # {CUBE}.column: of the table
            return columns(own if member in _OWN else member, after, summed)
        if not dot and last in _OWN:
            raise ExpressionError("{CUBE} without a column")
        return names(own if cube in _OWN else cube, last, False)

    return bound(held, resolve)


def write(bank: Bank, path: Path) -> list[str]:
    """Write a bank's formulas over columns; return what is lost."""
    exported = Exported(bank, "Cube")
    taken: set[str] = set()
    cubes: dict[str, dict[str, list[dict[str, Any]]]] = {}
    listed = [(formula, tables, identifier_of(formula, taken)) for formula, tables in exported.grounded()]
    sums = {one.name.casefold() for one, *_ in listed if aggregate(exported.written_out(one))}
    written = {one.name.casefold(): f"{{{tables[0]}.{name}}}" for one, tables, name in listed}

    def say(part: Formula) -> exp.Expr | None:
        name = part.name.casefold()
        return exp.var(written[name]) if name in written and name in sums else None

    for formula, tables, identifier in listed:
        own = tables[0]
        whole = exported.written_out(formula)
        tree = exported.named(formula, say) if aggregate(whole) else whole
        kind = "segments" if formula.kind == "condition" else "measures" if aggregate(whole) else "dimensions"
        for table in tables:
            cubes.setdefault(table, {})
        told = _typed(tree, own) if kind == "measures" else {"sql": _braced(tree, own)}
        told |= {"type": "number"} if kind == "dimensions" else {}
        cubes[own].setdefault(kind, []).append({"name": identifier} | told | _more(formula))
    write_yaml({"cubes": [{"name": one, "sql_table": one} | kinds for one, kinds in cubes.items()]}, path)
    return exported.lost


def _typed(tree: exp.Expr, own: str) -> dict[str, Any]:
    """Return a measure's type and expression: an aggregate of its own type, or a number of anything."""
    if isinstance(tree, exp.Count) and (isinstance(tree.this, exp.Star) or isinstance(tree.this.this, exp.Star)):
        return {"type": "count"}
    if isinstance(tree, exp.Count) and isinstance(tree.this, exp.Distinct) and len(tree.this.expressions) == 1:
        return {"sql": _braced(tree.this.expressions[0], own), "type": "count_distinct"}
    kind = type(tree).__name__.lower()
    if kind in _AGGREGATES and not isinstance(tree.this, exp.Distinct):
        return {"sql": _braced(tree.this, own), "type": kind}
    return {"sql": _braced(tree, own), "type": "number"}


def _braced(tree: exp.Expr, own: str) -> str:
    def replaced(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        if isinstance(node.this, exp.Star):
            return node.this.copy()
        table = "CUBE" if node.table == own else node.table
        return exp.var(f"{{{table}}}.{node.this.sql()}")

    return ansi(tree.copy().transform(replaced))


def _more(formula: Formula) -> dict[str, Any]:
    """Return what else is told of a formula."""
    told: dict[str, Any] = {"title": formula.name}
    if formula.note:
        told["description"] = formula.note
    meta = {"synonyms": list(formula.says)} if formula.says else {}
    return told | ({"meta": meta | ({"unit": formula.unit} if formula.unit else {})} if meta or formula.unit else {})
