"""dbt's MetricFlow in YAML: metrics of type simple, ratio and derived over the measures of semantic models.

    semantic_models:
      - name: orders
        model: ref('orders')
        entities: [{name: order, type: primary, expr: id}]
        measures: [{name: amount, agg: sum}]
    metrics:
      - {name: revenue, type: simple, type_params: {measure: amount}, filter: "{{ Dimension('order__paid') }}"}

Metrics that are written within ``models``, as dbt 1.12 has them, are read as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlglot import exp

from ...data.errors import DomainError, did_you_mean
from ...data.formats.files import Record
from ..formulas.bank import Bank
from ..formulas.expression import ExpressionError
from ..formulas.sql import bound, column, filtered, last_part
from .documents import document, entries, inner, synonyms, text_in
from .symbol_table import Definition, SymbolTable

__all__ = ["read"]

_AGGREGATES = {
    **{"sum": "SUM({})", "average": "AVG({})", "avg": "AVG({})", "min": "MIN({})", "max": "MAX({})"},
    **{"count": "COUNT({})", "count_distinct": "COUNT(DISTINCT {})"},
    "sum_boolean": "SUM(CASE WHEN {} THEN 1 ELSE 0 END)",
}
_REFERENCE = re.compile(r"\{\{\s*(\w+)\s*\(\s*['\"]([\w.]+)['\"][^{}]*\)\s*(?:\.\w+\([^{}]*\)\s*)*\}\}")
_CALLED = re.compile(r"['\"]([\w.]+)['\"]\s*\)")


@dataclass
class _MetricFlowModel:
    """A semantic model.

    Attributes:
        table: of the database.
        key: its primary entity's column.
        members: expressions of its dimensions and entities, by name.
    """

    table: str
    entity: str = ""
    key: str = ""
    members: dict[str, str] = field(default_factory=dict[str, str])


@dataclass
class _Reading:
    """A file that is read: what it defines, the names of its metrics, and its models by name."""

    symbols: SymbolTable
    metrics: set[str]
    models: dict[str, _MetricFlowModel] = field(default_factory=dict[str, _MetricFlowModel])


def read(path: Path, refused: list[DomainError] | None) -> Bank:
    """Return the metrics of a file."""
    whole = document(path)
    reading = _Reading(SymbolTable(refused), {one.text("name") for one in entries(whole, "metrics")})
    within = [one for one in entries(whole, "models") if "metrics" in one.data]
    for entry in (*entries(whole, "semantic_models"), *within):
        reading.models[entry.text("name")] = _model(entry)
    for entry in entries(whole, "semantic_models"):
        for measure in entries(entry, "measures"):
            _measure(reading, measure, reading.models[entry.text("name")])
    for owner, metric in [(one, m) for one in within for m in entries(one, "metrics")]:
        _metric(reading, metric, reading.models[owner.text("name")])
    for metric in entries(whole, "metrics"):
        _metric(reading, metric)
    return reading.symbols.bank()


def _model(entry: Record) -> _MetricFlowModel:
    told = text_in(entry, "model")
    called = _CALLED.findall(told)
    relation = text_in(inner(entry, "node_relation"), "alias") if "node_relation" in entry.data else ""
    model = _MetricFlowModel(relation or (called[-1] if called else last_part(told)) or entry.text("name"))
    model.entity = text_in(entry, "primary_entity")
    columns = entries(entry, "columns")
    for one in (*entries(entry, "dimensions"), *entries(entry, "entities")):
        model.members[one.text("name")] = text_in(one, "expr") or one.text("name")
        if one.data.get("type") == "primary":
            model.entity, model.key = one.text("name"), model.members[one.text("name")]
    for one in columns:  # dbt 1.12
        model.members[one.text("name")] = one.text("name")
        entity = one.data.get("entity")
        if isinstance(entity, dict) and entity.get("type") == "primary":
            model.entity, model.key = str(entity.get("name", one.text("name"))), one.text("name")
    return model


def _measure(reading: _Reading, entry: Record, model: _MetricFlowModel) -> None:
    """Define a measure, which is a metric, too, where it says so."""
    name, rows = entry.text("name"), _rows(model)
    _define(reading, f"measure.{name}", entry, lambda: _aggregated(entry, model), rows=rows, shown=False)
    if entry.data.get("create_metric") is True and name not in reading.metrics:
        _define(reading, name, entry, lambda: _aggregated(entry, model), rows=rows)


def _rows(model: _MetricFlowModel) -> str:
    return f"{model.table}.{model.key}" if model.key.isidentifier() else model.table


def _define(reading: _Reading, key: str, entry: Record, make: Any, **more: Any) -> None:
    config = inner(inner(entry, "config"), "meta") if "config" in entry.data else inner(entry, "meta")
    reading.symbols.define(Definition(
        key, entry, make, text_in(entry, "label"), synonyms(config.data.get("synonyms")),
        note=text_in(entry, "description"), unit=text_in(config, "unit"), **more,
    ))  # fmt: skip


def _aggregated(entry: Record, model: _MetricFlowModel) -> exp.Expr:
    """Return the aggregate of a measure, or of a metric that has its own."""
    agg, text = entry.text("agg").lower(), entry.text("expr", entry.text("name"))
    if entry.data.get("non_additive_dimension"):
        raise entry.error(f"{entry.text('name')!r}: it does not add up over all rows", "non_additive_dimension")
    if agg not in _AGGREGATES:
        hint = f"there are {', '.join(_AGGREGATES)}"
        raise entry.error(f"{entry.text('name')!r}: no aggregate {agg!r} here", "agg", hint)
    if agg == "count" and text.strip() in ("1", "*"):
        return exp.Count(this=exp.Star())
    return bound(_AGGREGATES[agg].format(text), _columns(model))


def _columns(model: _MetricFlowModel) -> Any:
    return lambda _, name: column(model.table, name)


def _metric(reading: _Reading, entry: Record, model: _MetricFlowModel | None = None) -> None:
    params = inner(entry, "type_params") if "type_params" in entry.data else entry
    symbols = reading.symbols

    def make() -> exp.Expr:
        tree = _of_type(reading, entry, params, model)
        condition = _condition(reading, entry, entry.data.get("filter"))
        return tree if condition is None else filtered(symbols.written_out(tree), condition)

    rows = _rows(model) if model else ""
    _define(reading, entry.text("name"), entry, make, rows=rows, field="type_params")


def _of_type(reading: _Reading, entry: Record, params: Record, model: _MetricFlowModel | None) -> exp.Expr:
    kind = entry.text("type", "simple").lower()
    if kind == "simple":
        if "agg" in entry.data and model is not None:
            return _aggregated(entry, model)
        if "measure" not in params.data:
            raise entry.error(f"{entry.text('name')!r}: missing", "measure")
        return _input(reading, params, params.data["measure"], "measure.")[1]
    if kind == "ratio":
        above, below = (_part(reading, params, one) for one in ("numerator", "denominator"))
        return exp.Div(this=above, expression=below, typed=True, safe=True)
    if kind == "derived":
        listed: Any = params.data.get("metrics") or params.data.get("input_metrics") or []
        known = dict(_input(reading, params, one) for one in listed)

        def resolve(_: str, name: str) -> exp.Expr:
            if name.lower() not in known:
                hint = did_you_mean(name, known)
                raise ExpressionError(f"{name!r} is none of its metrics" + (f"; {hint}" if hint else ""))
            return known[name.lower()]

        return bound(params.text("expr"), resolve)
    hint = "metrics of type simple, ratio and derived are read"
    raise entry.error(f"{entry.text('name')!r}: a {kind} metric is no formula of one row or group", "type", hint)


def _part(reading: _Reading, params: Record, field: str) -> exp.Expr:
    if field not in params.data:
        raise params.error("missing", field)
    tree = _input(reading, params, params.data[field])[1].copy()
    return exp.paren(tree) if isinstance(tree, exp.Binary) else tree


def _input(reading: _Reading, params: Record, told: Any, prefix: str = "") -> tuple[str, exp.Expr]:
    """Return what a metric is made of: what it is called there, and its name, or all of it with a filter."""
    entry: dict[str, Any] = told if isinstance(told, dict) else {"name": told}
    if not isinstance(entry.get("name"), str):
        raise params.error("neither a name nor a mapping with one", "type_params")
    for one in ("offset_window", "offset_to_grain"):
        if entry.get(one):
            raise params.error(f"{entry['name']!r} of another time ({one}) is no formula of one row or group", one)
    symbols, key = reading.symbols, f"{prefix}{entry['name']}"
    alias = str(entry.get("alias") or entry["name"]).lower()
    condition = _condition(reading, params, entry.get("filter"))
    if condition is not None:
        return alias, filtered(symbols.written_out(symbols.tree(key)), condition)
    return alias, symbols.tree(key) if prefix else symbols.reference(key)


def _condition(reading: _Reading, entry: Record, told: Any) -> exp.Expr | None:
    """Return a filter, or all of a list, over columns."""
    texts = [told] if isinstance(told, str) else list(told or ())
    parts = [_filter(reading, entry, str(text)) for text in texts]
    return exp.and_(*parts) if parts else None


def _filter(reading: _Reading, entry: Record, text: str) -> exp.Expr:
    held: list[exp.Expr] = []

    def hold(found: re.Match[str]) -> str:
        if found[1] not in ("Dimension", "TimeDimension", "Entity"):
            raise ExpressionError(f"a filter by {found[1]} is no condition of one row")
        held.append(_member(reading, found[2]))
        return f"querent_member_{len(held) - 1}"

    spelled = _REFERENCE.sub(hold, " ".join(text.split()))
    if "{{" in spelled:
        raise entry.error(
            f"{text!r} is a template that cannot be read", "filter", "write {{ Dimension('entity__name') }}"
        )

    def resolve(_: str, name: str) -> exp.Expr:
        if not name.startswith("querent_member_"):
            raise ExpressionError(f"{name!r} in a filter; write {{{{ Dimension('entity__{name}') }}}}")
        return held[int(name.removeprefix("querent_member_"))]

    return bound(spelled, resolve)


def _member(reading: _Reading, path: str) -> exp.Expr:
    """Return a dimension by its entity and name, ``order__is_paid``."""
    *entities, name = path.split("__")
    owners = [one for one in reading.models.values() if name in one.members]
    if entities:
        owners = [one for one in owners if one.entity == entities[-1]] or owners
    if len(owners) != 1:
        known = [f"{one.entity}__{member}" for one in reading.models.values() for member in one.members]
        hint = did_you_mean(path, known)
        raise ExpressionError(f"no dimension {path!r}" + (f"; {hint}" if hint else ""))
    return bound(owners[0].members[name], _columns(owners[0]))
