"""Lengths and contents of a domain's pairs, the figures that papers print about a data set."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from sqlglot import Dialect
from sqlglot.errors import TokenError

from ...data.domains.examples import SLOT, Example
from ...data.schema.schema import Schema

__all__ = ["CHESQL", "figures"]

CHESQL = {
    "sql_words": 24.5,
    "question_characters": 22.8,
    "functions": 1.62,
    "values": 0.88,
    "keywords": 7.36,
    "distinct_keywords": 6.52,
}
"""The means that the paper prints of ChESQL, its data set on a refinery's alarms, by the keys of `figures`."""

_BEFORE_PARENTHESES = {"IN", "EXISTS", "AND", "OR", "NOT", "ON", "AS", "FROM", "JOIN", "WHERE", "WHEN", "THEN", "ELSE"}


def figures(examples: Sequence[Example], schema: Schema, dialect: str) -> dict[str, float]:
    """Return means over the pairs.

    Keys: ``sql_words`` (a dotted name is one word), ``question_characters``, ``functions``,
    ``values`` (slots the query uses), ``keywords`` and ``distinct_keywords`` (``ORDER BY`` is one),
    each per pair. Queries that cannot even be cut into tokens are left out.
    """
    names = {t.name.lower() for t in schema.tables} | {c.name.lower() for _, c in schema.columns()}
    tokenizer = Dialect.get_or_raise(dialect)
    rows: dict[str, list[int]] = {"sql_words": [], "functions": [], "keywords": [], "distinct_keywords": []}
    known: dict[str, dict[str, int]] = {}
    for example in examples:
        if example.sql not in known:
            try:
                known[example.sql] = _counts(tokenizer.tokenize(example.sql), names)
            except TokenError:  # listed as uncovered by the check
                known[example.sql] = {}
        for key, count in known[example.sql].items():
            rows[key].append(count)
    means = {key: fmean(counts) if counts else 0.0 for key, counts in rows.items()}
    if examples:
        means["question_characters"] = fmean(len(e.question) for e in examples)
        means["values"] = fmean(len(set(SLOT.findall(e.slotted))) for e in examples)
    return {key: round(mean, 3) for key, mean in means.items()}


def _counts(tokens: Sequence[Any], names: set[str]) -> dict[str, int]:
    kinds = [token.token_type.name for token in tokens]
    dots = kinds.count("DOT")
    called = {
        i
        for i, (token, after) in enumerate(zip(tokens, kinds[1:], strict=False))
        if after == "L_PAREN" and _is_name(token) and token.end + 1 == tokens[i + 1].start
    }
    keywords = [
        token.text.upper()
        for i, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
        if i not in called
        and kind not in {"VAR", "STRING", "NUMBER", "IDENTIFIER", "SEMICOLON"}
        and token.text.replace(" ", "").isalpha()
        and token.text.lower() not in names
    ]
    return {
        "sql_words": len(tokens) - 2 * dots,
        "functions": len(called),
        "keywords": len(keywords),
        "distinct_keywords": len(set(keywords)),
    }


def _is_name(token: Any) -> bool:
    """May this word before a parenthesis be a function's name? DATE is a type, too, and REPLACE a keyword."""
    text = token.text.upper()
    return token.token_type.name not in {"STRING", "NUMBER", "IDENTIFIER"} and (
        text.replace("_", "").isalnum() and text not in _BEFORE_PARENTHESES
    )
