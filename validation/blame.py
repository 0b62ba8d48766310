"""Which word is to blame where a query breaks a rule: often one long before the word that is stopped."""

from __future__ import annotations

import re

from ..grammar.lr.functions import AGGREGATES
from .query_words import QueryWords
from .walk import Walk, after

__all__ = ["blamed"]

_NAMING = frozenset({"sources", "visible", "ambiguous", "grouping", "derived", "unique", "common columns"})
"""Rules that name what breaks them, which may stand long before the word that is stopped."""


def blamed(
    query: QueryWords, found: Walk, stopped: int, rule: str, problem: str, *, finished: bool
) -> tuple[int, str, str]:
    """Return the place of the word to blame, the rule that is broken, and the problem in words.

    Args:
        query: the words.
        found: how far the query came.
        stopped: the place of the word that may not come.
        rule: that the constraint tells.
        problem: in its words.
        finished: whether the rule is on the phrase that would be over with the word at ``stopped``.
    """
    ids = query.choices[stopped] if stopped < len(query.lexemes) else ()
    terminals = {query.vocabulary.words[i].terminal for i in ids}
    if rule == "conditions" and terminals & AGGREGATES:
        # the shortest way on would make a condition of it, but it would be none as a part of one either
        return stopped, "aggregate place", "no aggregate may stand here"
    if rule not in _NAMING:
        return stopped - finished, rule, problem
    named = set(re.findall(r"\w+", problem.lower()))
    earlier = _same_select(query, stopped)
    place = next((p for p in (stopped, *earlier) if named & _parts(query, p)), stopped)
    shared = next((p for p in earlier if _in_several(query, found, p, stopped)), None) if place == stopped else None
    if rule == "sources" and shared is not None:
        return shared, "ambiguous", f"{query.lexemes[shared].text} is in more than one source"
    return place, rule, problem


def _parts(query: QueryWords, place: int) -> set[str]:
    """Return the names in a word, none if it is no name."""
    if place >= len(query.lexemes) or not query.choices[place]:
        return set()
    terminals = {query.vocabulary.words[i].terminal for i in query.choices[place]}
    named = terminals & {"COLUMN", "QCOLUMN", "QSTAR", "ALIAS"}
    return {part.text.lower() for part in query.lexemes[place].parts} if named else set()


def _same_select(query: QueryWords, stopped: int) -> list[int]:
    """Return the places before ``stopped`` down to the bracket that stands open there."""
    depth, start = 0, 0
    for place in reversed(range(min(stopped, len(query.lexemes)))):
        depth += {")": 1, "(": -1}.get(query.lexemes[place].text, 0)
        if depth < 0:
            start = place + 1
            break
    return list(range(start, stopped))


def _in_several(query: QueryWords, found: Walk, place: int, stopped: int) -> bool:
    """Say whether a bare column, written with a table, would let a query come past ``stopped``."""
    words = query.vocabulary.words
    columns = {words[i].column for i in query.choices[place] if words[i].terminal == "COLUMN"}
    rest = query.choices[place + 1 : stopped + 1]
    owned = [i for i, word in enumerate(words) if word.terminal == "QCOLUMN" and word.column in columns]
    return any(after(found.before[place], [(i,), *rest]) for i in owned)
