"""Queries about groups of rows that share a category."""

from ..facts.facts import ColumnFacts, TableFacts
from ..facts.writing import literal
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.filters import any_own
from ..parts.phrases import Count, Phrase
from .shape import Selection, Structure, asking, ranked, select


def counted(draw: Draw, table: TableFacts) -> Selection:
    """Ask how many there are of each category."""
    column = draw.category(table)
    said = Phrase("group-count", {"g": column.noun})
    return Selection(lambda rows: f"{column.sql}, COUNT(*)", said, f" GROUP BY {column.sql}")


def _count_order(draw: Draw) -> Draft:
    table = draw.table()
    column, down = draw.category(table), draw.chance(0.7)
    slots = {"t": table.noun, "g": column.noun, "order": Phrase("count-down" if down else "count-up", {})}
    sql = f"{select(f'{column.sql}, COUNT(*)', table)} GROUP BY {column.sql} ORDER BY COUNT(*)"
    return Draft(sql + (" DESC" if down else ""), Phrase("group-count-order", slots))


def _count_top(draw: Draw) -> Draft:
    table = draw.table()
    column, down = draw.category(table), draw.chance(0.75)
    sql, ties = ranked(f"{select(column.sql, table)} GROUP BY {column.sql}", "COUNT(*)", down, 1)
    said = Phrase("group-most" if down else "group-fewest", {"t": table.noun, "g": column.noun})
    return Draft(sql, said, ties)


def _count_top_n(draw: Draw) -> Draft:
    table = draw.table()
    column = draw.category(table)
    count = draw.one(range(2, min(6, len(column.values))))
    sql, ties = ranked(f"{select(column.sql, table)} GROUP BY {column.sql}", "COUNT(*)", True, count)
    return Draft(sql, Phrase("group-most-n", {"t": table.noun, "g": column.noun, "n": Count(count)}), ties)


def _having(draw: Draw) -> Draft:
    table = draw.table()
    column = draw.category(table)
    sign, rule = draw.one([(">", "over"), (">=", "at-least"), ("<", "under")])
    count = draw.rng.randint(1 if sign == ">" else 2, 6)
    number = Phrase(f"count-{rule}", {"n": Count(count), "t": table.noun})
    said = Phrase("group-having", {"t": table.noun, "g": column.noun, "number": number})
    return Draft(f"{select(column.sql, table)} GROUP BY {column.sql} HAVING COUNT(*) {sign} {count}", said)


def _valued(draw: Draw) -> tuple[TableFacts, ColumnFacts, str, Phrase]:
    table, function = draw.table(), draw.one(["avg", "avg", "max", "min", "sum"])
    group, column = draw.category(table), draw.number(table, sums=function == "sum")
    value = f"{function.upper()}({column.number(sums=function == 'sum')})"
    return table, group, value, Phrase(f"value-{function}", {"c": column.noun})


def _value(draw: Draw) -> Draft:
    table, group, key, value = _valued(draw)
    said = Phrase("group-value", {"t": table.noun, "g": group.noun, "value": value})
    return Draft(f"{select(f'{group.sql}, {key}', table)} GROUP BY {group.sql}", said)


def _value_top(draw: Draw) -> Draft:
    table, group, key, value = _valued(draw)
    if value.rule not in {"value-avg", "value-sum"}:
        raise NothingToDraw
    down = draw.chance(0.65)
    sql, ties = ranked(f"{select(group.sql, table)} GROUP BY {group.sql}", key, down, 1)
    slots = {"t": table.noun, "g": group.noun, "value": value}
    return Draft(sql, Phrase("group-highest" if down else "group-lowest", slots), ties)


def _value_having(draw: Draw) -> Draft:
    table, function = draw.table(), "avg"
    group, column = draw.category(table), draw.number(table)
    sign, rule = draw.one([(">", "gt"), ("<", "lt")])
    limit = literal(draw.threshold(column))
    said = Phrase(
        "group-having-value",
        {"t": table.noun, "g": group.noun, "value": Phrase(f"value-{function}", {"c": column.noun}), "v": limit,
         "compare": Phrase(f"{rule}-word", {})},
    )  # fmt: skip
    return Draft(f"{select(group.sql, table)} GROUP BY {group.sql} HAVING AVG({column.number()}) {sign} {limit}", said)


GROUPS: dict[str, Structure] = {
    "group-count": asking(counted),
    "group-count-filter": asking(counted, any_own),
    "group-count-order": _count_order,
    "group-count-top": _count_top,
    "group-count-top-n": _count_top_n,
    "group-having": _having,
    "group-value": _value,
    "group-value-top": _value_top,
    "group-having-value": _value_having,
}
