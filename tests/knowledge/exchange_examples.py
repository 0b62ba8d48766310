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

CUBE = """
cubes:
  - name: bookings
    sql_table: public.bookings
    dimensions:
      - {name: id, sql: id, type: number, primary_key: true}
      - {name: nights, sql: "{CUBE}.nights", type: number}
      - {name: cost, sql: "{nights} * {CUBE}.rate", type: number, title: cost of a stay}
      - {name: place, sql: "{CUBE}.town", type: string}
    measures:
      - {name: count, type: count}
      - {name: income, sql: "{cost}", type: sum, description: before taxes, meta: {synonyms: [takings]}}
      - {name: long_income, sql: "{cost}", type: sum, filters: [{sql: "{CUBE}.nights > 7"}, {sql: "NOT {CUBE}.void"}]}
      - {name: guests, sql: guest_id, type: count_distinct}
      - {name: longest, sql: "${CUBE}.nights", type: max}
      - {name: income_per_booking, sql: "1.0 * {income} / NULLIF({CUBE.count}, 0)", type: number}
      - {name: income_per_room, sql: "{income} / {rooms.count}", type: number, format: currency}
    segments:
      - {name: void, sql: "{CUBE}.void = TRUE", title: cancelled}
  - name: rooms
    sql: SELECT * FROM public.rooms
    measures:
      - {name: count, type: count}
"""

WREN = """
{
  "catalog": "wren", "schema": "public",
  "models": [
    {"name": "trips", "tableReference": {"schema": "public", "table": "bike_trips"}, "primaryKey": "id", "columns": [
      {"name": "km", "type": "DOUBLE"},
      {"name": "rider", "type": "riders", "relationship": "trips_riders"},
      {"name": "speed", "type": "DOUBLE", "isCalculated": true, "expression": "km / hours",
       "properties": {"displayName": "average speed", "description": "km per hour", "synonyms": "pace, 速度"}},
      {"name": "far", "type": "BOOLEAN", "isCalculated": true, "expression": "km > 40"},
      {"name": "who", "type": "VARCHAR", "isCalculated": true, "expression": "rider.name"}]},
    {"name": "riders", "tableReference": {"table": "riders"}, "columns": [{"name": "name", "type": "VARCHAR"}]}
  ],
  "cubes": [
    {"name": "trip_metrics", "baseObject": "trips", "measures": [
      {"name": "distance", "expression": "SUM(km)", "type": "DOUBLE"},
      {"name": "trip_count", "expression": "COUNT(*)", "type": "BIGINT"},
      {"name": "distance_per_trip", "expression": "distance / trip_count", "type": "DOUBLE"}]}
  ]
}
"""

SNOWFLAKE = """
name: clinic
tables:
  - name: stays
    base_table: {database: CARE, schema: PUBLIC, table: HOSPITAL_STAYS}
    primary_key: {columns: [STAY_ID]}
    dimensions:
      - {name: ward, expr: WARD_CODE, data_type: VARCHAR}
      - {name: ward_label, expr: "WARD_CODE || ' ward'", data_type: VARCHAR}
    facts:
      - {name: billed, expr: BILLED_AMOUNT, data_type: NUMBER}
      - {name: open_amount, expr: billed - PAID_AMOUNT, synonyms: [unpaid sum], data_type: NUMBER}
    metrics:
      - {name: billed_total, expr: SUM(billed), synonyms: [charges, 收费总额], description: all that was billed}
      - {name: stay_count, expr: COUNT(*)}
      - {name: average_charge, expr: "DIV0NULL(billed_total, stay_count)"}
    filters:
      - {name: intensive, expr: "ward IN ('ICU', 'IMC')", synonyms: [intensive care], description: both units}
  - name: beds
    base_table: {table: BEDS}
    metrics:
      - {name: bed_count, expr: COUNT(DISTINCT BED_ID)}
metrics:
  - {name: charge_per_bed, expr: stays.billed_total / beds.bed_count}
"""

LIVESQLBENCH = r"""
{"id": 0, "knowledge": "Cargo Density (CD)", "description": "How full.", "definition": "$\\text{CD} = \\frac{\\text{Load Weight} - 0.5 \\times |\\text{Tare}|}{V_{\\text{hold}}}$, where Tare may be negative.", "type": "calculation_knowledge", "children_knowledge": -1}
{"id": 1, "knowledge": "Heavy Ship", "description": "Ships to be watched.", "definition": "$\\text{CD} > 0.8$ AND $\\text{Ship\\_Class} = \\text{'bulk'}$", "type": "domain_knowledge", "children_knowledge": [0]}
{"id": 2, "knowledge": "Fleet Density", "description": "Of a fleet.", "definition": "FD = \\text{AVG}(CD) \\cdot 100", "type": "calculation_knowledge", "children_knowledge": [0]}
"""  # noqa: E501 - an object a line

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
