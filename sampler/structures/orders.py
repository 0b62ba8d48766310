"""Queries about order: sorted lists, the first of them, the first few."""

from ..facts.facts import ColumnFacts, TableFacts
from ..facts.verbalisation import Noun, joined
from ..parts.draws import Draw, NothingToDraw
from ..parts.filters import any_own
from ..parts.phrases import Count, Phrase
from .shape import Selection, Structure, amounts, asking, columns, extreme, names_noun, shown


def _by(draw: Draw, column: ColumnFacts) -> tuple[str, Phrase]:
    """Return the end of an ORDER BY, and the order in words."""
    down = draw.chance(0.5)
    kind = "date" if column.role in {"date", "year"} else "number" if column.role == "number" else "text"
    return column.order() + " DESC" * down, Phrase(f"{'down' if down else 'up'}-{kind}", {"c": column.noun})


def _order(draw: Draw, table: TableFacts) -> Selection:
    by_name = not draw.written and draw.chance(0.25)
    column = draw.one([n for n in table.names if len(table.names) == 1]) if by_name else draw.ordered(table)
    chosen, out = shown(draw, table)
    by, order = _by(draw, column)
    said = Phrase("order", {"c": out.slots["c"], "out": out, "order": order})
    return Selection(lambda rows: columns(chosen), said, f" ORDER BY {by}")


def _order_two(draw: Draw, table: TableFacts) -> Selection:
    first, second = draw.category(table), draw.ordered(table)
    by, order = _by(draw, second)
    said = Phrase("order-two", {"c": _named(draw, table), "d": first.noun, "order": order})
    return Selection(lambda rows: columns(table.names), said, f" ORDER BY {first.sql}, {by}")


def _top(draw: Draw, table: TableFacts) -> Selection:
    column, down, top = _extreme(draw, table)
    said = Phrase("top", {"c": _named(draw, table), "top": top})
    return Selection(lambda rows: columns(table.names), said, rank=(column.order(), down, 1))


def _top_n(draw: Draw, table: TableFacts) -> Selection:
    column, down, top = _extreme(draw, table)
    count = draw.rng.randint(2, 8 if draw.chance(0.3) else 5)
    tops = Phrase(f"{top.rule}-n", {**top.slots, "n": Count(count)}, top.meaning)
    said = Phrase("top-n", {"c": _named(draw, table), "top": tops})
    return Selection(lambda rows: columns(table.names), said, rank=(column.order(), down, count))


def _top_of(draw: Draw, table: TableFacts) -> Selection:
    column, down, top = _extreme(draw, table)
    chosen = draw.shown(table, 2 if draw.chance(0.25) else 1)
    said = Phrase("top-of", {"c": joined([c.noun for c in chosen], draw.frame.language), "top": top}, amounts(chosen))
    return Selection(lambda rows: columns(chosen), said, rank=(column.order(), down, 1))


def _extreme(draw: Draw, table: TableFacts) -> tuple[ColumnFacts, bool, Phrase]:
    column, down = draw.ordered(table), draw.chance(0.6)
    return column, down, extreme(table, column, down)


def _named(draw: Draw, table: TableFacts) -> Noun:
    if not table.names:
        raise NothingToDraw
    return names_noun(draw, table)


ORDERS: dict[str, Structure] = {
    "order": asking(_order),
    "order-two": asking(_order_two),
    "order-filter": asking(_order, any_own),
    "top": asking(_top),
    "top-column": asking(_top_of),
    "top-filter": asking(_top, any_own),
    "top-n": asking(_top_n),
}
