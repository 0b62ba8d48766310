"""The shipped domain: the alarm database of a refinery's crude distillation unit.

`catalogue` reads what there is (tags, models, spoken forms), `generate` fills a SQLite database
with a month of values. After a change to one of them, or to the prototypes, in a clone of the repository

    querent fill plant

writes ``entities.jsonl`` and the pairs, ``examples.zh.jsonl`` and ``examples.en.jsonl``, anew.
"""
