"""The shipped domain: the alarm database of a refinery's crude distillation unit.

`catalogue` reads what there is (tags, models, spoken forms), `generate` fills a SQLite database
with a week of values, `instantiate` turns the prototypes into question-SQL pairs.
"""
