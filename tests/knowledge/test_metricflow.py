"""Metrics of dbt's MetricFlow become formulas over columns; what no formula says is refused, each with its line."""

import json

import pytest

from querent.data.errors import DomainError
from querent.knowledge.formulas.reading import read_formulas

METRICFLOW = """
semantic_models:
  - name: visits
    model: ref('fct_visits')
    entities: [{name: visit, type: primary, expr: visit_id}]
    dimensions:
      - {name: is_paid, type: categorical, expr: paid_on IS NOT NULL}
      - {name: country, type: categorical}
    measures:
      - {name: fees, agg: sum, expr: fee}
      - {name: visits, agg: count, expr: 1}
      - {name: guests, agg: count_distinct, expr: guest_id}
      - {name: weekend_visits, agg: sum_boolean, expr: weekday > 5, create_metric: true}
      - {name: middle, agg: median, expr: fee}
      - {name: level, agg: sum, expr: fee, non_additive_dimension: {name: day, window_choice: max}}
metrics:
  - name: fees
    label: Fees
    type: simple
    type_params: {measure: fees}
    description: what visits cost
    config: {meta: {synonyms: [income, 收费], unit: EUR}}
  - name: swiss_fees
    label: Swiss fees
    type: simple
    type_params: {measure: {name: fees}}
    filter: "{{ Dimension('visit__country') }} = 'CH' and {{ Dimension('visit__is_paid') }}"
  - {name: visits, label: visits, type: simple, type_params: {measure: visits}}
  - {name: guests, label: guests, type: simple, type_params: {measure: guests}}
  - {name: fee_per_visit, label: fee per visit, type: ratio, type_params: {numerator: fees, denominator: visits}}
  - name: weekend_surplus
    type: derived
    type_params:
      expr: w - (all_visits - w)
      metrics: [{name: weekend_visits, alias: w}, {name: visits, alias: all_visits}]
"""


def rights(text, tmp_path, refused=None):
    path = tmp_path / "layer.yml"
    path.write_text(text.lstrip("\n"), encoding="utf-8")
    return {one.name: one.expression.text for one in read_formulas(path, refused=refused).formulas}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "not YAML: "),
        ('{"metrics": [}', "bank.yml:1: not YAML: "),
        ("- a\n- b\n", "neither semantic models nor metrics"),
        ("metrisc: []\n", "did you mean 'metrics'?"),
        ("metrics: 3\n", "field 'metrics': not a list of mappings"),
        ("metrics:\n  - {type: simple}\n", "bank.yml:2, field 'name': missing"),
        ("metrics:\n  - {name: a, type: ratio}\n", "bank.yml:2, field 'numerator': 'a': missing"),
        ("metrics:\n  - {name: a}\n  - {name: a}\n", "bank.yml:3, field 'name': 'a' is there twice"),
    ],
)
def test_bad_files_are_told_with_their_place(tmp_path, text, said):
    (tmp_path / "bank.yml").write_text(text, encoding="utf-8")
    with pytest.raises(DomainError) as raised:
        read_formulas(tmp_path / "bank.yml")
    assert said in str(raised.value)


WEEKEND = "SUM(CASE WHEN fct_visits.weekday > 5 THEN 1 ELSE 0 END)"


def test_metricflow(tmp_path):
    assert rights(METRICFLOW, tmp_path) == {
        "Fees": "SUM(fct_visits.fee)",
        "Swiss fees": "SUM(CASE WHEN fct_visits.country = 'CH' AND (NOT fct_visits.paid_on IS NULL) "
        "THEN fct_visits.fee END)",
        "visits": "COUNT(fct_visits.visit_id)",
        "guests": "COUNT(DISTINCT fct_visits.guest_id)",
        "fee per visit": "SUM(fct_visits.fee) / COUNT(fct_visits.visit_id)",
        "weekend surplus": f"{WEEKEND} - (COUNT(fct_visits.visit_id) - {WEEKEND})",
        "weekend visits": WEEKEND,
    }
    fees = read_formulas(tmp_path / "layer.yml").formulas[0]
    assert (fees.says, fees.unit, fees.note) == (("income", "收费"), "EUR", "what visits cost")


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("type: cumulative, type_params: {measure: fees}", "a cumulative metric is no formula of one row or group"),
        ("type: simple, type_params: {measure: fee}", "no measure 'fee'; did you mean 'fees'?"),
        ("type: simple, type_params: {measure: middle}", "'middle': no aggregate 'median' here"),
        ("type: simple, type_params: {measure: level}", "'level': it does not add up over all rows"),
        ("type: simple, type_params: {}", "field 'measure': 'odd': missing"),
        ("type: derived, type_params: {expr: fees - cost, metrics: [fees]}", "no metric among its own 'cost'"),
        ("type: derived, type_params: {expr: odd + 1, metrics: [odd]}", "go in a circle"),
        ("type: derived, type_params: {expr: " + "+".join(["fees"] * 200) + ", metrics: [fees]}", "more than 500"),
        ("type: ratio, type_params: {numerator: fees, denominator: {name: fees, offset_window: 1 day}}",
         "of another time (offset_window)"),
        ("type: simple, type_params: {measure: fees}, filter: \"{{ Dimension('visit__is_payed') }}\"",
         "no dimension 'visit__is_payed'; did you mean 'visit__is_paid'?"),
        ("type: simple, type_params: {measure: fees}, filter: \"{{ Metric('fees', ['visit']) }} > 2\"",
         "a filter by Metric"),
        ("type: simple, type_params: {measure: fees}, filter: paid", "write {{ Dimension('entity__paid') }}"),
    ],
)  # fmt: skip
def test_what_metricflow_says_beyond_formulas_is_refused_and_the_rest_read(tmp_path, metric, said):
    refused = []
    assert len(rights(f"{METRICFLOW}  - {{name: odd, {metric}}}\n", tmp_path, refused)) == 7
    (error,) = refused
    assert said in str(error)
    assert str(tmp_path / "layer.yml") + ":" in str(error)
    with pytest.raises(DomainError):
        read_formulas(tmp_path / "layer.yml")


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
    measure = f"{{name: n, agg: max, create_metric: true, expr: {json.dumps(written)}}}"
    text = f"semantic_models:\n  - {{name: t, measures: [{measure}]}}\n"
    assert rights(text, tmp_path) == {"n": f"MAX({read})"}
