"""Evaluation of parsers: `metrics` of one answer, `scores` of many.

`evaluate` asks a parser, or anybody, the questions of a domain, and `judging` compares an answer with the gold query;
`scored_run` is a training with scores and a report at its end.
"""
