"""Formulas to Apache Ossie: written out over the columns of tables, and what is lost is told."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from sqlglot import exp

from ...data.schema.plain_names import plain_name
from ..formulas.bank import Bank, Formula
from ..formulas.expression import AGGREGATES, DAYS, concept_of

__all__ = ["VERSION", "write"]

VERSION = "0.2.0.dev0"
"""Of the format that is written."""


class _LeftOutError(Exception):
    """A formula that is not written; it says why."""


@dataclass
class _OssieModel:
    """A semantic model that is being written.

    Attributes:
        datasets: by table the fields that are written of it.
        taken: identifiers.
        lost: lines of what the format cannot say.
    """

    bank: Bank
    datasets: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    metrics: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    taken: set[str] = field(default_factory=set[str])
    lost: list[str] = field(default_factory=list[str])


def write(bank: Bank, path: Path) -> list[str]:
    """Write a bank's formulas over columns; return what is lost, a line for each."""
    model, written = _OssieModel(bank), set[str]()
    for formula in bank.formulas:
        try:
            if formula.kind != "union" and formula.name.casefold() in written:
                raise _LeftOutError("another one of its name is written already")
            _add(model, formula)
            written.add(formula.name.casefold())
        except _LeftOutError as why:
            model.lost.append(f"{formula.name}: left out; {why}")
    name = next((one.domain for one in bank.formulas if one.domain), "formulas")
    listed = [{"name": one, "source": one} | ({"fields": has} if has else {}) for one, has in model.datasets.items()]
    told = {"version": VERSION, "name": name, "datasets": listed, "metrics": model.metrics}
    path.write_text(yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")
    return model.lost


def _add(model: _OssieModel, formula: Formula) -> None:
    """Write a formula as a metric, or as a field of its table."""
    if formula.kind == "union":
        raise _LeftOutError("a union has no place in Apache Ossie")
    whole = _written_out(model.bank, formula)
    tables = tuple(dict.fromkeys(one.table for one in whole.find_all(exp.Column) if one.table))
    if not tables:
        raise _LeftOutError("it names no table")
    for table in tables:
        model.datasets.setdefault(table, [])
    if whole.find(*AGGREGATES):
        model.metrics.append(_entry(formula, whole, model.taken))
    elif len(tables) == 1:
        truth = {"datatype": "Boolean"} if formula.kind == "condition" else {}
        model.datasets[tables[0]].append(_entry(formula, _without_tables(whole), model.taken) | truth)
    else:
        raise _LeftOutError(f"a value of each row of several tables: {', '.join(tables)}")
    if model.bank.parts(formula):
        model.lost.append(f"{formula.name}: the formulas in it are written out")
    if formula.unit:
        model.lost.append(f"{formula.name}: unit {formula.unit!r} is not written")


def _written_out(bank: Bank, formula: Formula) -> exp.Expr:
    """Return a formula over columns, with those that it names written out in it."""

    def replaced(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Anonymous) and node.name.upper() == DAYS:
            raise _LeftOutError(f"{DAYS} has no place in Apache Ossie")
        if not isinstance(node, exp.Column) or node.table:
            return node
        if parts := bank.parts(formula).get(concept_of(node)):
            return exp.paren(_written_out(bank, parts[0]))
        if isinstance(node.parent, exp.Count):  # of a table's rows
            return exp.Column(this=exp.Star(), table=node.this.copy())
        raise _LeftOutError(f"{concept_of(node)!r} is no column of a table; write it as table.column")

    return formula.expression.trees[0].copy().transform(replaced)


def _without_tables(tree: exp.Expr) -> exp.Expr:
    """Return an expression without the tables before its columns."""
    return tree.copy().transform(lambda node: exp.column(node.this.copy()) if isinstance(node, exp.Column) else node)


def _entry(formula: Formula, tree: exp.Expr, taken: set[str]) -> dict[str, Any]:
    name, text = _identifier(formula, taken), tree.sql(comments=False)
    told: dict[str, Any] = {"name": name, "expression": {"dialects": [{"dialect": "ANSI_SQL", "expression": text}]}}
    if formula.note:
        told["description"] = formula.note
    says = [one for one in formula.names if one.casefold() != name.replace("_", " ")]
    return told | ({"ai_context": {"synonyms": says}} if says else {})


def _identifier(formula: Formula, taken: set[str]) -> str:
    """Return a new identifier for a formula, which reads as one of its names where it can; it is taken then."""
    spelled = [re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower() for name in formula.names]
    good = [one for one in spelled if re.match(r"[a-z]\w*", one, re.ASCII)]
    said = {name.casefold() for name in formula.names}
    first = next((one for one in good if plain_name(one) in said), good[0] if good else "formula")
    found, n = first, 2
    while found in taken:
        found, n = f"{first}_{n}", n + 1
    taken.add(found)
    return found
