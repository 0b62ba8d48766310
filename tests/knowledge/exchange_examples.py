"""A small semantic layer in each format that formulas come from."""

from __future__ import annotations

OSSIE = """
version: 0.2.0.dev0
name: corner shop
datasets:
  - name: sales
    source: warehouse.public.sales_lines
    primary_key: [id]
    fields:
      - name: qty
        expression: {dialects: [{dialect: ANSI_SQL, expression: qty}]}
      - name: paid
        expression: {dialects: [{dialect: ANSI_SQL, expression: price * qty}]}
        ai_context: {synonyms: [line total]}
      - name: bulk
        expression: {dialects: [{dialect: ANSI_SQL, expression: qty >= 12}]}
        description: a dozen or more
      - name: gift
        datatype: Boolean
        expression: {dialects: [{dialect: ANSI_SQL, expression: wrapped}]}
      - name: shelf
        expression: {dialects: [{dialect: ANSI_SQL, expression: "aisle || '/' || board"}]}
  - name: shops
    source: warehouse.public.shops
metrics:
  - name: takings
    expression:
      dialects:
        - {dialect: MDX, expression: "[Measures].[Takings]"}
        - {dialect: ANSI_SQL, expression: SUM(sales.paid)}
    description: what customers paid
    ai_context: {synonyms: [turnover, 营业额]}
  - name: takings_per_square_metre
    expression: {dialects: [{dialect: SNOWFLAKE, expression: "SUM(sales.paid) / NULLIF(SUM(shops.area), 0)"}]}
"""

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

BIRD = r"""
{"db_id": "ferries", "question": "What share of the crossings was full?", "evidence": "full refers to seats_left = 0; share = DIVIDE(COUNT(seats_left = 0), COUNT(crossing.id)) * 100"}
{"db_id": "ferries", "question": "Who steers the night boats?", "evidence": "night boats means departs > = 22; full name = first_name, last_name; toll stands for fee"}
"""  # noqa: E501 - an object a line

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
