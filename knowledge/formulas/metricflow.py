"""dbt's MetricFlow in YAML: metrics of type simple, ratio and derived over the measures of semantic models.

    semantic_models:
  - name: orders
    model: ref('orders')
    entities: [{name: order, type: primary, expr: id}]
    measures: [{name: amount, agg: sum}]
metrics:
  - {name: revenue, type: simple, type_params: {measure: amount}, filter: "{{ Dimension('order__paid') }}"}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import yaml
from sqlglot import exp
from sqlglot.dialects.sqlite import SQLite

from ...data.errors import DomainError, did_you_mean
from ...data.parsing import PARSE_ERRORS, parse_problem, read_tree
from ...data.records import Record, read_text
from ...data.schema.plain_names import plain_name
from ...data.texts import UnreadableError, yaml_of
from .bank import Bank, Formula, refuse
from .expression import AGGREGATES, DAYS, ExpressionError, parse

_AGGREGATES = {
    **{"sum": "SUM({})", "average": "AVG({})", "avg": "AVG({})", "min": "MIN({})", "max": "MAX({})"},
    **{"count": "COUNT({})", "count_distinct": "COUNT(DISTINCT {})"},
    "sum_boolean": "SUM(CASE WHEN {} THEN 1 ELSE 0 END)",
}
_REFERENCE = re.compile(r"\{\{\s*(\w+)\s*\(\s*['\"]([\w.]+)['\"][^{}]*\)\s*(?:\.\w+\([^{}]*\)\s*)*\}\}")
_CALLED = re.compile(r"['\"]([\w.]+)['\"]\s*\)")
_MEMBER = "querent_member_"
_MOST = 500
_TOO_LONG = f"written out it has more than {_MOST} parts"
_NUMERIC = {exp.DType.DOUBLE, exp.DType.FLOAT, exp.DType.DECIMAL, exp.DType.UBIGINT}

_FIELDS = ("semantic_models", "metrics")
_RESERVED = SQLite.Tokenizer.KEYWORDS.keys()
"""Names that stand in quotes."""

_Resolve = Callable[[str], exp.Expr]
"""Returns what a name of an expression stands for."""


class _Lined(dict[str, Any]):
    """A mapping of a YAML file; ``line`` is where it begins."""

    line = 0


class _Loader(yaml.SafeLoader):
    """Reads mappings as `_Lined`, and dates as the texts that they are."""


def _lined(loader: _Loader, node: yaml.MappingNode) -> _Lined:
    loader.flatten_mapping(node)
    found = _Lined((str(k), v) for k, v in loader.construct_mapping(node, deep=True).items())
    found.line = node.start_mark.line + 1
    return found


_Loader.add_constructor("tag:yaml.org,2002:map", _lined)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _Loader.construct_yaml_str)


def read(path: Path, refused: list[DomainError] | None) -> Bank:
    """Return the metrics of a file; JSON is YAML, too.

    Raises:
        DomainError: it is missing, no YAML, or has no metrics.
    """
    try:
        told: object = yaml_of(read_text(path), lambda text: yaml.load(text, _Loader))
    except UnreadableError as error:
        raise DomainError(error.problem, file=path, line=error.line) from error
    whole = Record(told if isinstance(told, dict) else {}, path)
    if not any(field in whole.data for field in _FIELDS):
        hint = next((hint for one in whole.data if (hint := did_you_mean(one, _FIELDS))), None)
        raise whole.error("neither semantic models nor metrics", "metrics", hint)
    layer, formulas = _Layer(whole), list[Formula]()
    for name in layer.metrics:
        try:
            formulas.append(layer.formula(name))
        except DomainError as error:
            refuse(error, refused)
    return Bank(formulas, {})


@dataclass(frozen=True)
class _MetricFlowModel:
    """A semantic model.

    Attributes:
        table: of the database.
        entity, key: its primary entity, and the column of that.
        members: expressions of its dimensions and entities, by name.
    """

    table: str
    entity: str
    key: str
    members: Mapping[str, str]

    @classmethod
    def of(cls, entry: Record) -> _MetricFlowModel:
        told = _text(entry, "model")
        called = _CALLED.findall(told) or [told.rpartition(".")[2].strip('"`[] ')]
        alias = _text(_inner(entry, "node_relation"), "alias")
        entity, key, members = _text(entry, "primary_entity"), "", dict[str, str]()
        for one in (*_entries(entry, "dimensions"), *_entries(entry, "entities")):
            members[one.text("name")] = _text(one, "expr") or one.text("name")
            if one.data.get("type") == "primary":
                entity, key = one.text("name"), members[one.text("name")]
        return cls(alias or called[-1] or entry.text("name"), entity, key, members)

    def bound(self, text: str) -> exp.Expr:
        """Return an expression over the columns of the table; COUNT(*) counts its key."""
        tree = _bound(text, partial(_column, self.table))
        rows = _column(self.table, self.key) if self.key.isidentifier() else _column("", self.table)
        return tree if tree.find(exp.Column) else tree.transform(lambda node: _of_key(node, rows))


class _Layer:
    """The metrics of a file, each written out over columns when it is wanted first."""

    def __init__(self, whole: Record) -> None:
        models = [(one, _MetricFlowModel.of(one)) for one in _entries(whole, "semantic_models")]
        self._models = [model for _, model in models]
        measures = [(one, model) for entry, model in models for one in _entries(entry, "measures")]
        self._measures = {one.text("name").lower(): (one, model) for one, model in measures}
        self.metrics: dict[str, Record] = {}
        for one in _entries(whole, "metrics"):
            if self.metrics.setdefault(one.text("name").lower(), one) is not one:
                raise one.error(f"{one.text('name')!r} is there twice", "name")
        for name, (one, _) in self._measures.items():
            if one.data.get("create_metric") is True:
                self.metrics.setdefault(name, one)
        self._reading: list[str] = []

    def formula(self, name: str) -> Formula:
        """Return a metric as a formula.

        Raises:
            DomainError: it cannot be read.
        """
        entry = self.metrics[name]
        own = _text(entry, "label") or plain_name(entry.text("name"))
        meta = _inner(_inner(entry, "config") if "config" in entry.data else entry, "meta")
        listed: Any = meta.data.get("synonyms") or ()
        synonyms = listed.split(",") if isinstance(listed, str) else [str(one) for one in listed]
        says = dict.fromkeys(" ".join(one.split()) for one in (*synonyms, plain_name(entry.text("name"))))
        try:
            expression = parse(self._metric(name).sql("sqlite", comments=False))
        except ExpressionError as error:
            raise entry.error(f"{own!r}: {error}", "type_params") from None
        return Formula(
            own, tuple(one for one in says if one and one.casefold() != own.casefold()), expression.kind, expression,
            _text(meta, "unit"), "", _text(entry, "description"), entry.file, entry.line or None,
        )  # fmt: skip

    def _metric(self, name: str) -> exp.Expr:
        if name.lower() not in self.metrics:
            raise ExpressionError(_no("metric", name, self.metrics))
        if name.lower() in self._reading:
            raise ExpressionError(f"{' -> '.join((*self._reading, name.lower()))} go in a circle")
        self._reading.append(name.lower())
        try:
            entry = self.metrics[name.lower()]
            tree = self._measure(name) if "agg" in entry.data else self._of_type(entry, _inner(entry, "type_params"))
            tree = self._filtered(tree, entry.data.get("filter"))
            if len(list(tree.walk())) > _MOST:
                raise ExpressionError(_TOO_LONG)
            return tree
        finally:
            self._reading.pop()

    def _measure(self, name: str) -> exp.Expr:
        if name.lower() not in self._measures:
            raise ExpressionError(_no("measure", name, self._measures))
        entry, model = self._measures[name.lower()]
        agg, text = entry.text("agg").lower(), entry.text("expr", entry.text("name"))
        if entry.data.get("non_additive_dimension"):
            raise entry.error(f"{entry.text('name')!r}: it does not add up over all rows", "non_additive_dimension")
        if agg not in _AGGREGATES:
            hint = f"there are {', '.join(_AGGREGATES)}"
            raise entry.error(f"{entry.text('name')!r}: no aggregate {agg!r} here", "agg", hint)
        return model.bound("COUNT(*)" if agg == "count" and text.strip() == "1" else _AGGREGATES[agg].format(text))

    def _of_type(self, entry: Record, params: Record) -> exp.Expr:
        kind, name = entry.text("type", "simple").lower(), entry.text("name")
        needed = {"simple": ("measure",), "ratio": ("numerator", "denominator"), "derived": ("expr", "metrics")}
        if kind not in needed:
            problem = f"{name!r}: a {kind} metric is no formula of one row or group"
            raise entry.error(problem, "type", "metrics of type simple, ratio and derived are read")
        if missing := next((one for one in needed[kind] if one not in params.data), None):
            raise entry.error(f"{name!r}: missing", missing)
        if kind == "simple":
            return self._input(params, params.data["measure"], self._measure)[1]
        if kind == "ratio":
            above, below = (self._input(params, params.data[one], self._metric)[1] for one in needed[kind])
            return exp.Div(this=_bracketed(above), expression=_bracketed(below), typed=True, safe=True)
        known = dict(self._input(params, one, self._metric) for one in params.data["metrics"] or ())

        def resolve(name: str) -> exp.Expr:
            if name.lower() not in known:
                raise ExpressionError(_no("metric among its own", name, known))
            return known[name.lower()]

        return _bound(params.text("expr"), resolve)

    def _input(self, params: Record, told: Any, made: _Resolve) -> tuple[str, exp.Expr]:
        """Return what a metric is made of: its name there, and its expression."""
        entry: dict[str, Any] = told if isinstance(told, dict) else {"name": told}
        if not isinstance(entry.get("name"), str):
            raise params.error("neither a name nor a mapping with one", "type_params")
        if moved := next((one for one in ("offset_window", "offset_to_grain") if entry.get(one)), None):
            raise params.error(f"{entry['name']!r} of another time ({moved}) is no formula of one row or group", moved)
        alias = str(entry.get("alias") or entry["name"]).lower()
        return alias, self._filtered(made(entry["name"]), entry.get("filter"))

    def _filtered(self, tree: exp.Expr, told: Any) -> exp.Expr:
        """Return an expression whose aggregates take the rows of a filter alone, or of all of a list."""
        conditions = [self._condition(str(one)) for one in ([told] if isinstance(told, str) else told or ())]
        if not conditions:
            return tree
        whole = exp.and_(*conditions)

        def taken(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, AGGREGATES):
                return node
            if isinstance(node.this, exp.Distinct):
                return type(node)(this=exp.Distinct(expressions=[_case(whole, one) for one in node.this.expressions]))
            return type(node)(this=_case(whole, node.this))

        return tree.copy().transform(taken)

    def _condition(self, text: str) -> exp.Expr:
        members: list[exp.Expr] = []

        def hold(found: re.Match[str]) -> str:
            if found[1] not in ("Dimension", "TimeDimension", "Entity"):
                raise ExpressionError(f"a filter by {found[1]} is no condition of one row")
            members.append(self._member(found[2]))
            return f"{_MEMBER}{len(members) - 1}"

        def resolve(name: str) -> exp.Expr:
            if not name.startswith(_MEMBER):
                raise ExpressionError(f"{name!r} in a filter; write {{{{ Dimension('entity__{name}') }}}}")
            return members[int(name.removeprefix(_MEMBER))]

        return _bound(_REFERENCE.sub(hold, " ".join(text.split())), resolve)

    def _member(self, path: str) -> exp.Expr:
        """Return a dimension by its entity and name, ``order__is_paid``."""
        *entities, name = path.split("__")
        owners = [one for one in self._models if name in one.members]
        if entities:
            owners = [one for one in owners if one.entity == entities[-1]] or owners
        if len(owners) != 1:
            known = [f"{one.entity}__{member}" for one in self._models for member in one.members]
            raise ExpressionError(_no("dimension", path, known))
        return owners[0].bound(owners[0].members[name])


def _column(table: str, name: str) -> exp.Expr:
    """Return a column of a table as a concept; without a table, any concept by its name."""
    words = exp.column(name, table or None)
    for one in words.find_all(exp.Identifier):
        one.set("quoted", not re.fullmatch(r"[A-Za-z_]\w*", one.name) or one.name.upper() in _RESERVED)
    return words


def _bound(text: str, resolve: _Resolve) -> exp.Expr:
    """Return an expression whose names are replaced by what they stand for, in the form of formulas.

    Raises:
        ExpressionError: it does not parse, or is more than one expression.
    """
    try:
        parsed = read_tree(f"SELECT {text}", "mysql" if "`" in text else "")
    except PARSE_ERRORS as error:
        raise ExpressionError(f"{text!r} is no SQL expression: {parse_problem(error)}") from None
    told = {key for key, value in parsed.args.items() if value}
    if not isinstance(parsed, exp.Select) or told != {"expressions"} or len(parsed.expressions) != 1:
        raise ExpressionError(f"{text!r} is not one expression")

    left = _MOST

    def replaced(node: exp.Expr) -> exp.Expr:
        nonlocal left
        if not isinstance(node, exp.Column):
            return node
        found = resolve(node.name)
        left -= len(list(found.walk()))
        if left < 0:
            raise ExpressionError(_TOO_LONG)
        inside = isinstance(node.parent, (exp.Binary, exp.Unary, exp.Between, exp.In))
        return _bracketed(found) if inside else found.copy()

    whole = parsed.transform(replaced)
    for node in reversed(list(whole.walk())):  # what stands inside before what it stands in
        if (said := _tidy(node)) is not node:
            node.replace(said)
    return whole.expressions[0].unalias()


def _tidy(node: exp.Expr) -> exp.Expr:
    """Return a node as formulas write it; what they cannot say is left, and refused when they are parsed."""
    if isinstance(node, exp.Div):  # decimal, and NULL by zero, wherever it came from
        node.set("typed", True)
        node.set("safe", True)
        if isinstance(node.expression, exp.Nullif) and node.expression.expression.name == "0":
            node.set("expression", node.expression.this)
    needless = isinstance(node, exp.Paren) and isinstance(node.this, (exp.Column, exp.Paren, exp.Literal, exp.Func))
    if needless or (isinstance(node, (exp.Cast, exp.TryCast)) and node.to.this in _NUMERIC):
        return node.this
    if isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
        return exp.Case(ifs=[exp.If(this=node.this, true=node.args["true"])], default=node.args.get("false"))
    if isinstance(node, (exp.EQ, exp.Is)) and isinstance(node.expression, exp.Boolean):
        return node.this if node.expression.this else exp.not_(node.this)
    if isinstance(node, exp.DateDiff) and (node.text("unit") or "DAY").upper() == "DAY":
        return exp.Anonymous(this=DAYS, expressions=[node.expression, node.this])
    return node


def _of_key(node: exp.Expr, rows: exp.Expr) -> exp.Expr:
    """Return what counts rows as what counts their key: COUNT(*), COUNT(1) and SUM(1)."""
    if isinstance(node, (exp.Count, exp.Sum)) and (isinstance(node.this, exp.Star) or node.this.name == "1"):
        return exp.Count(this=rows.copy())
    return node


def _case(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Return a value where a condition holds, and nothing elsewhere."""
    if isinstance(value, exp.Case) and not value.args.get("default") and len(value.args["ifs"]) == 1:
        (branch,) = value.args["ifs"]
        condition, value = exp.and_(condition.copy(), branch.this.copy(), copy=False), branch.args["true"]
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])


def _bracketed(tree: exp.Expr) -> exp.Expr:
    compound = isinstance(tree, (exp.Binary, exp.Not, exp.Between, exp.In))
    return exp.paren(tree.copy()) if compound else tree.copy()


def _no(what: str, name: str, known: Mapping[str, object] | list[str]) -> str:
    hint = did_you_mean(name, known)
    return f"no {what} {name!r}" + (f"; {hint}" if hint else "")


def _entries(record: Record, field: str) -> list[Record]:
    """Return a field that must be a list of mappings; missing, it is empty."""
    told: object = record.data.get(field) or []
    if not isinstance(told, list) or not all(isinstance(one, dict) for one in cast("list[object]", told)):
        raise record.error("not a list of mappings", field)
    return [Record(one, record.file, getattr(one, "line", record.line)) for one in cast("list[dict[str, Any]]", told)]


def _inner(record: Record, field: str) -> Record:
    """Return a field that must be a mapping; missing, it is empty."""
    return Record(record.table(field) if record.data.get(field) else {}, record.file, record.line)


def _text(record: Record, field: str) -> str:
    """Return an optional text in one line; what is no text is nothing."""
    told: object = record.data.get(field)
    return " ".join(told.split()) if isinstance(told, str) else ""
