"""Where in the grammar a word stands, as far as the scope cares: the names that `scope.Transitions` knows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ..lr.tables import Tables

__all__ = ["places"]

# the word, the rule that it stands in and, where that does not tell, what comes before it: the place
_PLACES: Mapping[tuple[str, str], str] = {
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
    ("FETCH", "limit"): "limit",
    ("UNION", "set_operator"): "set",
    ("ALL", "set_operator"): "all",
    ("INTERSECT", "set_operator"): "intersect",
    ("EXCEPT", "set_operator"): "set",
    ("COUNT", "call"): "aggregate",
    ("AGG", "call"): "aggregate",
    ("SPREAD", "call"): "aggregate",
    ("JOIN_TEXT", "call"): "aggregate",
}
# words after which the term that began is still at its beginning
_NEUTRAL = {
    *(")", "BY", "OUTER", "ALL", "ASC", "DESC", "NULLS", "FIRST", "LAST"),
}


@lru_cache
def places(tables: Tables) -> list[dict[int, str]]:
    """Return for each state the place of each terminal that can be shifted there; ``other`` if the scope knows none."""
    name = tables.names
    heads = [{str(tables.nonterminals[tables.productions[r].head]) for r, _ in kernel} for kernel in tables.kernels]
    found: list[dict[int, str]] = []
    for state, row in enumerate(tables.action.tolist()):
        here: dict[int, str] = {}
        beside = any(_ends_on(tables, production, dot) for production, dot in tables.kernels[state])
        for terminal, action in enumerate(row):
            if action > 0 and terminal:
                here[terminal] = "beside on" if beside else _place(tables, state, name[terminal], heads[action - 1])
        found.append(here)
    return found


def _place(tables: Tables, state: int, word: str, heads: set[str]) -> str:
    known = next((place for head in sorted(heads) if (place := _PLACES.get((word, head)))), None)
    if known is not None:
        return known
    if word == "(" and _next_symbols(tables, state) & {"joins", "joined", "source"}:
        return "open"
    if word == "(" and any(
        tables.nonterminals[tables.productions[r].head] == "compound" for r, _ in tables.kernels[state]
    ):
        return "operand"
    if word == "(" and any(
        tables.nonterminals[tables.productions[r].head] == "subquery" for r, _ in tables.kernels[state]
    ):
        return "leading"
    if word == "(" and "atom" in heads:
        return "neutral"  # to all engines a column in brackets is that column
    return "neutral" if word in _NEUTRAL else "other"


def _ends_on(tables: Tables, production: int, dot: int) -> bool:
    """Say whether an ON may end here: whatever goes on with it stands beside all of it, as OR does."""
    return tables.heads[production] == "join_on" and tables.bodies[production][:dot] == ["ON", "expr"]


def _next_symbols(tables: Tables, state: int) -> set[str]:
    """Return the symbols that stand right behind the dot in a state's own items."""
    found: set[str] = set()
    for production, dot in tables.kernels[state]:
        body = tables.productions[production].body
        if dot < len(body) and body[dot] < 0:
            found.add(str(tables.nonterminals[~body[dot]]))
    return found
