"""Formulas in each format that they come from."""

from __future__ import annotations

METRICFLOW = """
semantic_models:
  - name: visits
    model: ref('fct_visits')
    entities:
      - {name: visit, type: primary, expr: visit_id}
    dimensions:
      - {name: is_paid, type: categorical, expr: paid_on IS NOT NULL}
      - {name: country, type: categorical}
      - {name: started_at, type: time}
    measures:
      - {name: fees, agg: sum, expr: fee}
      - {name: visits, agg: count, expr: 1}
      - {name: guests, agg: count_distinct, expr: guest_id}
      - {name: weekend_visits, agg: sum_boolean, expr: weekday > 5}
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
  - name: weekend_visits
    label: weekend visits
    type: simple
    type_params: {measure: weekend_visits}
  - name: fee_per_visit
    label: fee per visit
    type: ratio
    type_params: {numerator: fees, denominator: visits}
  - name: weekend_surplus
    label: weekend surplus
    type: derived
    type_params:
      expr: w - (all_visits - w)
      metrics: [{name: weekend_visits, alias: w}, {name: visits, alias: all_visits}]
"""

QUERENT = """
domain = "bakery"

[concepts]
"flour used" = ["flour", "面粉"]
waste = ['thrown "away"']

[[formula]]
name = "waste rate"
says = ["损耗率"]
kind = "calculation"
is = 'SUM(waste) / SUM("flour used")'
unit = "ratio"
note = "by \\"weight\\""

[[formula]]
name = "rye"
kind = "condition"
is = "sort IN ('rye', 'it''s rye', '黑麦')"

[[formula]]
name = "dry goods"
kind = "union"
is = '"flour used", salt, sugar'
domain = "stores"
"""

SPREADSHEET = """
name,formula,kind,says,unit,note,domain
bread per flour,"SUM(loaves) / SUM(""flour used"")",calculation,出品率; yield,ratio,"by weight, not by sack",bakery
rye,"sort IN ('rye', '黑麦')",condition,,,,bakery
dry goods,"salt, ""flour used"", sugar",union,,,,stores
"""
