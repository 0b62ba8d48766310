"""What a semantic layer says, as formulas; what it cannot say is refused by name and place."""

from __future__ import annotations

import json

import exchange_examples
import pytest

from querent.data.errors import DomainError
from querent.knowledge.exchange.formats import read_formulas


def rights(text, tmp_path, format=None, refused=None):
    path = tmp_path / "layer"
    path.write_text(text.lstrip("\n"), encoding="utf-8")
    return {one.name: one.expression.text for one in read_formulas(path, format, refused=refused).formulas}


def test_metricflow(tmp_path):
    assert rights(exchange_examples.METRICFLOW, tmp_path) == {
        "Fees": "SUM(fct_visits.fee)",
        "Swiss fees": "SUM(CASE WHEN fct_visits.country = 'CH' AND (NOT fct_visits.paid_on IS NULL) "
        "THEN fct_visits.fee END)",
        "visits": "COUNT(fct_visits.visit_id)",
        "guests": "COUNT(DISTINCT fct_visits.guest_id)",
        "weekend visits": "SUM(CASE WHEN fct_visits.weekday > 5 THEN 1 ELSE 0 END)",
        "fee per visit": "Fees / visits",
        "weekend surplus": '"weekend visits" - (visits - "weekend visits")',
    }


MODEL = """
semantic_models:
  - name: visits
    model: ref('visits')
    entities: [{name: visit, type: primary, expr: id}]
    dimensions: [{name: paid, type: categorical}]
    measures: [{name: fees, agg: sum, expr: fee}, {name: middle, agg: median, expr: fee},
      {name: level, agg: sum, expr: fee, non_additive_dimension: {name: day, window_choice: max}}]
metrics:
  - {name: fees, type: simple, type_params: {measure: fees}}
"""


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("type: cumulative, type_params: {measure: fees}", "a cumulative metric is no formula of one row or group"),
        ("type: conversion, type_params: {}", "a conversion metric is no formula of one row or group"),
        ("type: simple, type_params: {measure: fee}", "did you mean 'measure.fees'?"),
        ("type: simple, type_params: {measure: middle}", "'middle': no aggregate 'median' here"),
        ("type: simple, type_params: {measure: level}", "'level': it does not add up over all rows"),
        ("type: simple, type_params: {}", "field 'measure': 'odd': missing"),
        ("type: derived, type_params: {expr: fees - cost, metrics: [fees]}", "'cost' is none of its metrics"),
        ("type: derived, type_params: {expr: odd + 1, metrics: [odd]}", "go in a circle"),
        ("type: ratio, type_params: {numerator: fees, denominator: {name: fees, offset_window: 1 day}}",
         "of another time (offset_window)"),
        ("type: simple, type_params: {measure: fees}, filter: \"{{ Dimension('visit__payed') }}\"",
         "no dimension 'visit__payed'; did you mean 'visit__paid'?"),
        ("type: simple, type_params: {measure: fees}, filter: \"{{ Metric('fees', ['visit']) }} > 2\"",
         "a filter by Metric"),
        ("type: simple, type_params: {measure: fees}, filter: paid", "write {{ Dimension('entity__paid') }}"),
    ],
)  # fmt: skip
def test_what_metricflow_says_beyond_formulas_is_refused_and_the_rest_read(tmp_path, metric, said):
    refused = []
    text = f"{MODEL}  - {{name: odd, {metric}}}\n"
    assert rights(text, tmp_path, refused=refused) == {"fees": "SUM(visits.fee)"}
    (error,) = refused
    assert said in str(error)
    assert str(tmp_path / "layer") + ":" in str(error)
    with pytest.raises(DomainError):
        rights(text, tmp_path)


def test_metrics_within_models_are_read_as_dbt_has_them_now(tmp_path):
    text = """
models:
  - name: visits
    semantic_model: {enabled: true}
    columns:
      - {name: id, entity: {name: visit, type: primary}}
      - {name: fee, dimension: {type: categorical}}
    metrics:
      - {name: fees, type: simple, agg: sum, expr: fee}
      - {name: visit_count, type: simple, agg: sum, expr: 1}
      - {name: dear_visits, type: simple, agg: count, expr: 1, filter: "{{ Dimension('visit__fee') }} >= 20"}
      - {name: mean, type: ratio, numerator: fees, denominator: visit_count}
"""
    assert rights(text, tmp_path) == {
        "fees": "SUM(visits.fee)",
        "visit count": "COUNT(visits.id)",
        "dear visits": "COUNT(CASE WHEN visits.fee >= 20 THEN 1 END)",
        "mean": 'fees / "visit count"',
    }


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a / NULLIF(b, 0)", "t.a / t.b"),
        ("CAST(a AS DOUBLE) / b", "t.a / t.b"),
        ("IF(ok = TRUE, a, 0)", "CASE WHEN t.ok THEN t.a ELSE 0 END"),
        ("DATEDIFF(stop, start)", "DAYS(t.start, t.stop)"),
        ("a::FLOAT", "t.a"),
        ('"Odd Name" - x.y.t.b', 't."Odd Name" - t.b'),
    ],
)
def test_functions_of_engines_are_said_otherwise(tmp_path, written, read):
    text = f"""
models:
  - name: t
    metrics: [{{name: n, type: simple, agg: max, expr: {json.dumps(written)}}}]
"""
    assert rights(text, tmp_path) == {"n": f"MAX({read})"}
