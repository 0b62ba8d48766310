"""Formulas as measures and metrics of MetricFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlglot import exp

from ..formulas.bank import Bank, Formula
from ..formulas.expression import AGGREGATES
from .documents import write_yaml
from .exporting import Exported, aggregate, ansi, bare, identifier_of, tables_in

__all__ = ["write"]

_AGGREGATIONS: dict[type[exp.Expr], str] = {
    exp.Sum: "sum",
    exp.Avg: "average",
    exp.Min: "min",
    exp.Max: "max",
    exp.Count: "count",
}


@dataclass
class _Written:
    """What is written so far: metrics, the measures of each table, the identifiers of formulas and of aggregates."""

    exported: Exported
    taken: set[str] = field(default_factory=set[str])
    metrics: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    measures: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    formulas: dict[str, str] = field(default_factory=dict[str, str])
    aggregates: dict[str, str] = field(default_factory=dict[str, str])


def write(bank: Bank, path: Path) -> list[str]:
    """Write a bank's aggregates over columns; return what is lost."""
    written = _Written(Exported(bank, "MetricFlow"))
    for formula, _ in written.exported.grounded():
        whole = written.exported.written_out(formula)
        if formula.kind == "condition":
            written.exported.left_out(formula, "MetricFlow has no conditions of their own")
        elif not aggregate(whole):
            written.exported.left_out(formula, "a value of each row is no metric; take a sum or an average of it")
        elif any(len(tables_in(one)) != 1 for one in whole.find_all(*AGGREGATES)):
            written.exported.left_out(formula, "a measure is of one table")
        else:
            _metric(written, formula)
    models = [
        {"name": table, "model": f"ref('{table}')", "measures": has} for table, has in written.measures.items()
    ]  # fmt: skip
    write_yaml({"semantic_models": models, "metrics": written.metrics}, path)
    return written.exported.lost


def _metric(written: _Written, formula: Formula) -> None:
    """Write a formula as a simple metric where it is one aggregate, else as a ratio or derived one of metrics."""
    identifier = _identifier(written, formula)
    told: dict[str, Any] = {"name": identifier, "label": formula.name}
    if formula.note:
        told["description"] = formula.note
    tree = written.exported.named(formula, lambda part: exp.column(_identifier(written, part)))
    while isinstance(tree, exp.Paren):
        tree = tree.this
    if isinstance(tree, AGGREGATES):
        told |= {"type": "simple", "type_params": {"measure": _measure(written, tree, identifier)}}
    else:
        told |= _composed(written, formula, tree, identifier)
    meta = ({"synonyms": list(formula.says)} if formula.says else {}) | ({"unit": formula.unit} if formula.unit else {})
    written.metrics.append(told | ({"config": {"meta": meta}} if meta else {}))


def _identifier(written: _Written, formula: Formula) -> str:
    key = formula.name.casefold()
    if key not in written.formulas:
        written.formulas[key] = identifier_of(formula, written.taken)
    return written.formulas[key]


def _measure(written: _Written, tree: exp.Expr, name: str) -> str:
    """Return the measure of an aggregate, written once."""
    (table,) = tables_in(tree)
    text = ansi(tree)
    if text not in written.aggregates:
        inner = tree.this
        distinct = isinstance(inner, exp.Distinct)
        rows = isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)
        told = {"name": name, "agg": "count_distinct" if distinct else _AGGREGATIONS[type(tree)]}
        told["expr"] = "1" if rows else ansi(bare(inner.expressions[0] if distinct else inner))
        written.measures.setdefault(table, []).append(told)
        written.aggregates[text] = name
    return written.aggregates[text]


def _composed(written: _Written, formula: Formula, tree: exp.Expr, identifier: str) -> dict[str, Any]:
    """Return the type and parts of a metric of metrics; an aggregate in it becomes one beside it, which is told."""
    used: dict[str, None] = {}

    def replaced(node: exp.Expr) -> exp.Expr:
        if isinstance(node, AGGREGATES):
            name = f"{identifier}_part_{len(used) + 1}"
            written.taken.add(name)
            params = {"measure": _measure(written, node, name)}
            written.metrics.append({"name": name, "label": name, "type": "simple", "type_params": params})
            written.exported.tell(formula, f"its part {ansi(node)} is written as a metric {name!r}")
            used[name] = None
            return exp.column(name)
        if isinstance(node, exp.Column):
            used[node.name] = None
        return node

    whole = tree.copy().transform(replaced)
    if isinstance(whole, exp.Div) and isinstance(whole.this, exp.Column) and isinstance(whole.expression, exp.Column):
        return {"type": "ratio", "type_params": {"numerator": whole.this.name, "denominator": whole.expression.name}}
    return {"type": "derived", "type_params": {"expr": ansi(whole), "metrics": [{"name": one} for one in used]}}
