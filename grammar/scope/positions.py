"""Where in the grammar a word stands, as far as the scope cares: the names that `scope.Transitions` knows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ..lr.automaton import Automaton, automaton_of
from ..lr.functions import WINDOWED
from ..lr.tables import END, Tables

__all__ = ["places"]

# the word, the rule that it stands in and, where that does not tell, what comes before it: the place
_PLACES: Mapping[tuple[str, str], str] = {
    ("WITH", "with"): "with",
    (",", "ctes"): "ctes_comma",
    ("ALIAS", "cte_name"): "defined",
    ("SELECT", "select"): "select",
    ("DISTINCT", "select"): "distinct",
    ("*", "star"): "star",
    ("QSTAR", "star"): "star",
    ("QSTAR", "owned"): "star",
    ("FROM", "from"): "from",
    (",", "joins"): "joins_comma",
    (",", "items"): "items_comma",
    (",", "starred"): "items_comma",
    (",", "keys"): "keys_comma",
    (",", "order_list"): "order_comma",
    ("TABLE", "source"): "table",
    ("ALIAS", "source"): "common_table",
    ("ALIAS", "alias"): "naming",
    ("AS", "alias"): "as",
    ("ALIAS", "atom"): "output",
    ("COLUMN", "atom"): "column",
    ("QCOLUMN", "atom"): "column",
    ("COLUMN", "interval"): "column",
    ("QCOLUMN", "interval"): "column",
    ("WHOLE", "atom"): "number",
    ("COLUMN", "common"): "common",
    (",", "common"): "common_comma",
    ("NATURAL", "joined"): "natural",
    ("CROSS", "joined"): "cross",
    ("INNER", "joined"): "join",
    ("JOIN", "joined"): "join",
    ("LEFT", "side"): "join",
    ("RIGHT", "side"): "right",
    ("FULL", "side"): "full",
    ("ON", "join_on"): "on",
    ("=", "comparison"): "equals",
    ("AND", "conjunction"): "and",
    ("USING", "join_on"): "using",
    ("WHERE", "where"): "where",
    ("GROUP", "group_by"): "group",
    ("BY", "group_by"): "by",
    ("HAVING", "having"): "having",
    ("ORDER", "order_by"): "order",
    ("LIMIT", "limit"): "limit",
    ("OFFSET", "limit"): "limit",
    ("NULLS", "order_item"): "nulls",
    ("PER", "limit_per"): "per",
    ("QCOLUMN", "limit_per"): "per_key",
    ("FETCH", "limit"): "limit",
    ("UNION", "set_operator"): "set",
    ("ALL", "set_operator"): "all",
    ("INTERSECT", "set_operator"): "intersect",
    ("EXCEPT", "set_operator"): "set",
    ("COUNT", "call"): "aggregate",
    ("AGG", "call"): "aggregate",
    ("SPREAD", "call"): "aggregate",
    ("AGG2", "call"): "aggregate",
    ("JOIN_TEXT", "call"): "aggregate",
    **{(name, "window"): "window" for name in WINDOWED},
}
# words after which the term that began is still at its beginning
_NEUTRAL = {")", "BY", "OUTER", "ALL", "ASC", "DESC", "NULLS", "FIRST", "LAST"}


@lru_cache
def places(tables: Tables, *, but: tuple[str, ...] = ()) -> list[dict[int, str]]:
    """Return for each state the place of each terminal ``but`` some there; ``other`` if the scope knows none."""
    if but:
        return [{t: at for t, at in here.items() if tables.names[t] not in but} for here in places(tables)]
    automaton = automaton_of(tables)
    found: list[dict[int, str]] = []
    for state, shifts in enumerate(automaton.shifts):
        if any(_ends_on(tables, production, dot) for production, dot in tables.kernels[state]):
            found.append(dict.fromkeys(shifts.keys() - {END}, "beside on"))
        else:
            found.append({t: _place(automaton, state, tables.names[t], after) for t, after in shifts.items() if t})
    return found


def _place(automaton: Automaton, state: int, word: str, after: int) -> str:
    heads = automaton.heads[after]
    known = next((place for head in sorted(heads) if (place := _PLACES.get((word, head)))), None)
    if known is not None:
        return known
    if word != "(":
        return "neutral" if word in _NEUTRAL else "other"
    if automaton.next[state] & {"joins", "joined", "source"}:
        return "open"
    for head, place in (("cte", "defining"), ("compound", "operand"), ("subquery", "leading")):
        if head in automaton.heads[state]:
            return place
    return "neutral" if "atom" in heads else "other"  # to all engines a column in brackets is that column


def _ends_on(tables: Tables, production: int, dot: int) -> bool:
    """Say whether an ON may end here: whatever goes on with it stands beside all of it, as OR does."""
    return tables.heads[production] == "join_on" and tables.bodies[production][:dot] == ["ON", "expr"]
