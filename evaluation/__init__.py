"""How well a parser answers: `metrics` of one answer, `scores` of many.

`evaluate` asks a parser the questions of a domain, `labels` looks at its classifiers; `scored_run` is a training with
scores at its end, a `report` and `plots`.
"""
