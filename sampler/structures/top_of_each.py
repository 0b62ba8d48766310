"""Queries for the first few of each group: «the three most expensive tents of each brand»."""

from collections.abc import Sequence

from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import Noun
from ..parts.conditions import ALL_ROWS, Filter
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.filters import any_plain, text_equal
from ..parts.phrases import Count, Phrase, Slot
from .places import ranked_by, said_place
from .shape import Structure, columns, has_names

_WITH_A_CONDITION = 0.25


def numbered(shown: Sequence[str], rows: str, key: str, order: str, count: int) -> tuple[str, str, str]:
    """Return the first ``count`` rows of each group, and two queries that tell whether the last of one of them is tied.

    Args:
        shown: columns.
        rows: FROM, and what stands behind it.
        key: a column that tells the groups apart.
        order: what stands behind ORDER BY.

    Returns:
        the query, one of a row more at least where a group has more rows, and one of a row where the last of a group
        is tied, which ends at the first such group.
    """
    over = f"OVER (PARTITION BY {key} ORDER BY {order})"
    inner = list(dict.fromkeys([*shown, key]))
    names = {column: f"c{place}" for place, column in enumerate(inner, 1)}
    number = f"c{len(inner) + 1}"
    outer = ", ".join(f"t1.{names[column]}" for column in shown)
    within = ", ".join(f"{column} AS {name}" for column, name in names.items())
    sql = (
        f"SELECT {outer} FROM (SELECT {within}, ROW_NUMBER() {over} AS {number} {rows}) AS t1 "
        f"WHERE t1.{number} <= {count} ORDER BY t1.{names[key]}, t1.{number}"
    )
    each = f"(SELECT {key} AS c1, ROW_NUMBER() {over} AS c2, RANK() {over} AS c3 {rows}) AS t1"
    ties = f"SELECT t1.c1, t1.c2 FROM {each} WHERE t1.c2 <= {count + 1}"
    return sql, ties, f"SELECT 1 FROM {each} WHERE t1.c2 = {count + 1} AND t1.c3 <= {count} LIMIT 1"


def _top(draw: Draw, table: TableFacts, groups: tuple[ColumnFacts, Noun], query: tuple[Sequence[str], str]) -> Draft:
    """Return the first few of each group of a table's rows.

    Args:
        groups: what tells them apart, and what one is called.
        query: what is shown, and what stands behind FROM.
    """
    (key, noun), (shown, source) = groups, query
    column, down, count = ranked_by(draw, table), draw.chance(0.7), draw.rng.randint(2, 5)
    rows: Filter = ALL_ROWS
    if draw.chance(_WITH_A_CONDITION):
        rows = draw.one([text_equal, any_plain])(draw, table, True)
    if rows.source:
        raise NothingToDraw
    where = f" WHERE {rows.where}" if rows.where else ""
    order = f"{column.ref(True)}{' DESC' if down else ''}"
    sql, *ties = numbered(shown, f"FROM {source}{where}", key.ref(True), order, count)
    rule = "top-each-if" if rows.where else "top-each"
    said = said_place(draw, (table, column, down), rule, {"g": noun, "m": Count(count), "cond": rows.said})
    return Draft(sql, said, *ties)


def _of_category(draw: Draw) -> Draft:
    """``SELECT kind, name FROM product``, numbered in each kind by price."""
    table = draw.table(lambda t: t.identity)
    group = draw.category(table)
    if len(group.values) < 2 or group in table.identity:
        raise NothingToDraw
    shown = [c.ref(True) for c in (group, *table.identity)]
    return _top(draw, table, (group, group.noun), (shown, table.sql))


def _of_parent(draw: Draw) -> Draft:
    """``SELECT team.name, player.name FROM player JOIN team …``, numbered in each team by age."""
    join = draw.join(lambda join: join.many and join.plain and join.parent.names and join.child.identity)
    parent = join.parent
    key = parent.names[0] if parent.unique_names and len(parent.names) == 1 else join.key
    shown = [c.ref(True) for c in (*parent.names, *join.child.identity)]
    return _top(draw, join.child, (key, join.noun), (shown, join.source))


def _by_count(draw: Draw) -> Draft:
    """``SELECT customer.city, customer.name FROM orders JOIN customer …``, numbered in each city by COUNT(*)."""
    join = draw.join(lambda join: join.many and has_names(join.parent))
    parent, child = join.parent, join.child
    group = draw.category(parent)
    if child.noun.one == parent.noun.one or group in parent.names or len(group.values) < 2:
        raise NothingToDraw
    down, count = draw.chance(0.8), draw.rng.randint(2, 5)
    rows = f"FROM {join.source} GROUP BY {columns(list(dict.fromkeys([join.target, *parent.names, group])), True)}"
    shown = [c.ref(True) for c in (group, *parent.names)]
    sql, *ties = numbered(shown, rows, group.ref(True), f"COUNT(*){' DESC' if down else ''}", count)
    slots: dict[str, Slot] = {"t": child.noun, "p": parent.noun, "g": group.noun, "m": Count(count)}
    return Draft(sql, Phrase(f"top-each-{'most' if down else 'fewest'}", slots), *ties)


TOP_OF_EACH: dict[str, Structure] = {
    "top-each-category": _of_category,
    "top-each-parent": _of_parent,
    "top-each-count": _by_count,
}
