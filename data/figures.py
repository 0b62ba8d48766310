"""Lengths and contents of a domain's pairs, the figures that papers print about a data set."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from sqlglot import Dialect
from sqlglot.errors import TokenError

from .examples import SLOT, Example
from .schema import Schema

__all__ = ["figures"]


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
    called = {i for i, kind in enumerate(kinds[:-1]) if kind == "VAR" and kinds[i + 1] == "L_PAREN"}
    keywords = [
        token.text.upper()
        for token, kind in zip(tokens, kinds, strict=True)
        if kind not in {"VAR", "STRING", "NUMBER", "IDENTIFIER", "SEMICOLON"}
        and token.text.replace(" ", "").isalpha()
        and token.text.lower() not in names
    ]
    return {
        "sql_words": len(tokens) - 2 * dots,
        "functions": len(called),
        "keywords": len(keywords),
        "distinct_keywords": len(set(keywords)),
    }
