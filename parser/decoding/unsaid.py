"""What a question says and a query leaves out: values that it does not use, a «not», an «each», a rate."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..reader.question import Question

__all__ = ["loses_each", "lost_rate", "turns_round", "unsaid"]

_SLOT = re.compile(r"\{(?:text|number)(\d+)\}")
_NOT = re.compile(
    r"\b(?:(?:not|no)(?!\s+(?:more|less|fewer|later|earlier|only|longer)\b|\.)|never|without|cannot|except|excluding"
    r"|neither|nor|none|outside)\b|n['’]t\b"
    r"|不(?!同|少|超|到|低于|高于|大于|小于|早于|晚于|止|足|满|及|仅|只|管|限|等)|没|未(?!来)|无(?!论|线|锡)|非(?!常|洲|遗)|除了|除外|以外",
    re.IGNORECASE,
)
_NEGATIONS = frozenset({"NOT", "!=", "<>", "EXCEPT", "NULL", "0"})
_EACH = re.compile(r"\b(?:each|every)\b|[每各](?![天日周月年次])", re.IGNORECASE)
_AGGREGATE = re.compile(r"\b(?:SUM|AVG|COUNT|MIN|MAX) ?\(")
_RATE = re.compile(
    r"\b(?:rates?|ratios?|percentages?|percent|proportions?|shares? of|fractions? of|margins?|density|densities)\b"
    r"|(?<![效频功])率|占比|比例|比重|百分比|密度",
    re.IGNORECASE,
)
_RATED = re.compile(
    r"rate|ratio|per_?c|pct|proportion|share|fraction|margin|densit|/|\bAVG\b|率|比|占|密度", re.IGNORECASE
)
"""What of a query may be a rate: a quotient, a mean, a column that is called one."""
_HIGHEST = re.compile(
    r"\b(?:highest|largest|greatest|biggest|(?<!at )most|maximum|best|top)\b|最高|最大|最多|最好", re.IGNORECASE
)
_LOWEST = re.compile(r"\b(?:lowest|smallest|(?<!at )least|fewest|minimum)\b|最低|最小|最少", re.IGNORECASE)
_ORDER = re.compile(r" ORDER BY (?!.* ORDER BY )[^,]*?( DESC)?(?: LIMIT .*)?$")
"""The last ORDER BY of a query, of one key."""
_FALSE = frozenset({"n", "no", "f", "false", "0", "none", "否", "无", "非", "假", "没有"})
"""Cells that say no."""


def unsaid(question: Question, words: Sequence[str]) -> float:
    """Return the sum of the scores of the values that no word writes, and 1 for a lost negation.

    Of values that are said by the same words of the question one is enough.

    Args:
        words: of a query, short form, slots in braces.
    """
    return _unused(question, words) + float(_loses_not(question, words))


def _unused(question: Question, words: Sequence[str]) -> float:
    best: dict[int, float] = {}
    said = [False] * len(question.stems)
    for i in _written(words):
        node = question.values[i]
        said[node.first : node.last] = [True] * (node.last - node.first)
    for node in question.values:
        if not any(said[node.first : node.last]):
            best[node.first] = max(best.get(node.first, 0.0), node.found.score)
    return sum(best.values())


def _loses_not(question: Question, words: Sequence[str]) -> bool:
    if not _NOT.search(_unquoted(question)) or not _NEGATIONS.isdisjoint(words):
        return False
    return not any(question.values[i].found.value.lower() in _FALSE for i in _written(words))


def _unquoted(question: Question) -> str:
    """Return the question without its values: a name may have a «not» of its own."""
    text = list(question.text)
    for node in question.values:
        start, end = node.found.start, node.found.end
        text[start:end] = " " * (end - start)
    return "".join(text)


def _written(words: Sequence[str]) -> set[int]:
    """Return the numbers of the values that a query writes."""
    return {int(slot[1]) for word in words for slot in _SLOT.finditer(word)}


def loses_each(question: str, sql: str) -> bool:
    """Is something of each of several asked for, where a query reckons one value of all rows?"""
    shown = sql.partition(" FROM ")[0]
    return bool(_EACH.search(question) and _AGGREGATE.search(shown)) and "GROUP BY" not in sql


def turns_round(question: str, sql: str) -> bool:
    """Is the highest asked for, and the lowest comes first, or the other way round?

    Of a question that names both ends nothing is known.
    """
    highest, order = bool(_HIGHEST.search(question)), _ORDER.search(sql)
    return order is not None and highest != bool(_LOWEST.search(question)) and highest != bool(order[1])


def lost_rate(question: Question, sql: str) -> str | None:
    """Return the word that asks for a rate where a query neither reckons nor shows one; None if none is lost."""
    asked = _RATE.search(_unquoted(question))
    return asked[0].lower() if asked and not _RATED.search(sql) else None
