"""Of what things a question asks: «the margin of each plant», «which plant has the highest margin»."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ...ner.index.keys import is_cjk
from ...ner.units import Unit, units
from ..reader.items import Item, SchemaItems
from ..reader.naming import stem

__all__ = ["LISTED", "things_of"]

Spans = Sequence[tuple[int, int]]
"""(start, end) of words of a question."""

_EACH = ("each", "every")
_EACH_CHINESE = "各每"
_WHICH = ("which", "哪")
_MEASURES = "些个家位名条台间种只座辆笔张所支本项类的"
"""Counting words that may stand between «each» and what is meant."""
_SORTED = re.compile(r"ed by\b|\b(?:order|sort|rank|made|written|driven) by\b|排序|排列", re.IGNORECASE)
"""Where «by» says something else than groups."""
_MEAN = re.compile(r"\b(?:mean|average)\b", re.IGNORECASE)
LISTED = re.compile(
    r"(?:list|show|give|name|display)(?: me)?(?: all)?(?: the)?\b(?=.*\bwith (?:their|its)\b)"
    r"|(?:请)?(?:列出|显示|给出)(?:所有|全部)?(?:的)?(?=.*(?:及其|和它们的|以及))",
    re.IGNORECASE,
)
"""How a question begins that lists things with something of theirs."""
_LIST = re.compile(
    r"(?:list|show|give|name|find)(?: me)?(?: all)?(?: the)?(?: names? of)?(?: the)?(?: (?:top|first) \d+)?\b"
    r"|(?:请)?(?:列出|显示|给出)(?:所有|全部)?",
    re.IGNORECASE,
)


def things_of(
    question: str, items: SchemaItems, passed: Spans, aside: Spans, called: Callable[[str], Item | None]
) -> tuple[Item, ...]:
    """Return the tables and columns whose rows or values a question asks for; nothing if it names no such thing.

    Args:
        items: of the database.
        passed: conditions, which may stand between «each» and what is meant.
        aside: names of formulas; a «per» in them means nothing.
        called: the table or column that is as good as called so.
    """
    words = units(question)
    stems = [stem(word.text) for word in words]
    found: dict[str, Item] = {}
    for start, begun_by_each in _begun(question, words, passed, aside):
        named = _named(stems, start, items) or _called(question, words[start:], called)
        # by region, but the first three by income; which plant, but which price
        named = [item for item in named if begun_by_each or item.kind in ("text", "table")]
        found.update({f"{item.table}.{item.column}": item for item in named})
    return tuple(found.values())


def _begun(question: str, words: Sequence[Unit], passed: Spans, aside: Spans) -> Iterator[tuple[int, bool]]:
    """Yield the words that follow «each», «which» and the like, conditions and counting words passed over.

    With each, whether «each» it was.
    """
    each = _EACH if _MEAN.search(question) else (*_EACH, "per")  # the mean margin per plant is one number
    listed = _LIST.match(question)
    for i, word in enumerate(words):
        text = word.text.lower()
        begins = (text in each or text in _EACH_CHINESE) and not _in(word, aside)
        grouped = text in ("by", "按") and not _SORTED.search(question)
        asked = text in _WHICH or (listed is not None and word.end == listed.end())
        if not begins and not grouped and not asked:
            continue
        place = i + 1
        while place < len(words) and (_in(words[place], passed) or words[place].text in _MEASURES):
            place += 1
        if place < len(words) and not _in(words[place], aside):
            yield place, begins


def _in(word: Unit, spans: Spans) -> bool:
    return any(start <= word.start < end for start, end in spans)


def _named(stems: Sequence[str], start: int, items: SchemaItems) -> list[Item]:
    """Return the tables and columns whose whole names begin at a word, the longest names alone."""
    fitting = [
        (len(name), item)
        for name, item in zip(items.names, items.items, strict=True)
        if name and list(stems[start : start + len(name)]) == name
    ]
    longest = max((size for size, _ in fitting), default=0)
    return [item for size, item in fitting if size == longest]


def _called(question: str, words: Sequence[Unit], called: Callable[[str], Item | None]) -> list[Item]:
    """Return what is as good as called by the next words: two of them, or one; Chinese ones up to a 的."""
    start = words[0].start
    if is_cjk(words[0].text):
        said = re.match(r"[\u3400-\u9fff]+?(?=的|$|[^\u3400-\u9fff])", question[start:])
        texts = [said[0]] if said else []
    else:
        texts = [question[start : word.end] for word in reversed(words[:2])]
    return [item for item in map(called, texts) if item is not None][:1]
