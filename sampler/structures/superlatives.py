"""Queries for the most and the least of some rows: «cheapest tent», «the three customers who paid us the most»."""

from functools import partial

from ...data.schema.events import Verb, verb_of_table
from ...data.schema.plain_names import words
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.joins import Join
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.filters import any_plain, text_equal
from ..parts.join_filters import JOINED
from ..parts.phrases import Count, Phrase, Slot, Templates
from .shape import Structure, columns, extreme, ranked, select

_PAYMENTS = {"payment", "付款", "支付", "缴费"}

_PLACES = {
    "place", "city", "address", "location", "branch", "bank", "store", "shop", "department", "office", "warehouse",
    "country", "site", "company", "organization", "supplier", "status", "category", "城市", "地址", "部门", "银行",
}  # fmt: skip
"""What is neither ordered nor borrowed, though rows of those tables refer to it."""


def _said(draw: Draw, table: TableFacts, cond: Phrase, count: int) -> tuple[ColumnFacts, bool, Phrase]:
    """Return a column, whether its largest value is asked for, and the rows in words: «cheapest tent»."""
    column, down = draw.ordered(table), draw.chance(0.55)
    top = extreme(table, column, down)
    rule, meaning = f"adj-{top.rule}", top.meaning
    alone = Templates.of(draw.frame.language).special(rule, meaning)
    way = ("superlative-adj" if alone else "superlative-with") + ("-n" if count > 1 else "")
    slots: dict[str, Slot] = {
        "t": table.noun, "c": column.noun, "cond": cond, "m": Count(count), "adj": Phrase(f"word-{top.rule}", {}),
    }  # fmt: skip
    return column, down, Phrase(way, {**slots, "adj": Phrase(rule, {}, meaning)} if alone else slots)


def _if(draw: Draw, *, few: bool = False) -> Draft:
    """``SELECT name FROM product WHERE kind = 'tent' ORDER BY price LIMIT 1``."""
    table, count = draw.table(lambda t: t.identity), draw.rng.randint(2, 5) if few else 1
    condition = draw.one([text_equal, text_equal, any_plain])(draw, table, False)
    column, down, said = _said(draw, table, condition.said, count)
    sql, ties = ranked(select(columns(table.identity), table, condition), column.order(), down, count)
    return Draft(sql, said, ties)


def _of(draw: Draw) -> Draft:
    """``SELECT product.name FROM product JOIN category … WHERE category.name = 'tents' ORDER BY product.price``."""
    table = draw.table(lambda t: t.identity)
    condition = JOINED["join2"](draw, table, True)
    column, down, said = _said(draw, table, condition.said, 1)
    query = select(columns(table.identity, True), table, condition)
    sql, ties = ranked(query, column.order(True), down, 1)
    return Draft(sql, said, ties)


def _summed(draw: Draw, child: TableFacts) -> ColumnFacts:
    """Return an amount that adds up: neither a price of one piece nor a number on a scale."""
    numbers = [c for c in child.having("number") if c.sums and not {"unit", "value"} & {*c.noun.one.split()}]
    return draw.one(numbers)


def _ranked_parents(draw: Draw, top: Join, query: tuple[str, str], said: Phrase) -> Draft:
    """Return the parent, or the few, that come first by what their children add up to.

    Args:
        top: the parents.
        query: the FROM, and what is added up.
        said: the rule without its way, and what is added up in words.
    """
    down, count = draw.chance(0.75), draw.rng.choice([1, 2, 3, 3, 5])
    source, key = query
    sql, ties = ranked(
        f"SELECT {columns(top.parent.names, True)} FROM {source} GROUP BY {top.target.ref(True)}", key, down, count
    )
    way = ("most" if down else "least") + ("-n" if count > 1 else "")
    slots: dict[str, Slot] = {"g": top.noun, "m": Count(count), **said.slots}
    return Draft(sql, Phrase(f"{said.rule}-{way}", slots, said.meaning), ties)


def _total_over(draw: Draw, child: TableFacts, top: Join, source: str) -> Draft:
    column = _summed(draw, child)
    pays = top.parent.noun.person and child.noun.one.split()[-1] in _PAYMENTS and column.kind in {"count", "price"}
    said = Phrase("total", {"t": child.noun, "c": column.noun}, "payment" if pays else "")
    return _ranked_parents(draw, top, (source, f"SUM({column.number(True, sums=True)})"), said)


def _total(draw: Draw) -> Draft:
    """``SELECT customer.name FROM payment JOIN customer … GROUP BY … ORDER BY SUM(payment.amount) DESC LIMIT 3``."""
    join = draw.join(lambda join: join.many and join.parent.names)
    return _total_over(draw, join.child, join, join.source)


def _far(draw: Draw) -> tuple[Join, Join, str]:
    """Return two joins in a row, and their FROM."""
    near, far = draw.one([(a, b) for a, b in draw.frame.chains if a.many and b.parent.names])
    return near, far, f"{near.source} JOIN {far.parent.sql} ON {far.on}"


def _total_far(draw: Draw) -> Draft:
    """The same, over a table between: customers by the payments of their orders."""
    near, far, source = _far(draw)
    return _total_over(draw, near.child, far, source)


def _count(draw: Draw) -> Draft:
    """``SELECT book.title FROM loan JOIN copy … JOIN book … GROUP BY book.id ORDER BY COUNT(*) DESC``."""
    if draw.chance(0.5):
        near, top, source = _far(draw)
        child = near.child
    else:
        top = draw.join(lambda join: join.many and join.parent.names and _done_to(draw, join.child, join) is not None)
        child, source = top.child, top.source
    if child.noun.one == top.parent.noun.one:
        raise NothingToDraw
    verb = _done_to(draw, child, top)
    slots: dict[str, Slot] = {"t": child.noun, **({"past": verb.past} if verb else {})}
    return _ranked_parents(draw, top, (source, "COUNT(*)"), Phrase("times", slots, "verb" if verb else ""))


def _is_object(table: TableFacts) -> bool:
    """Can its rows be ordered or borrowed: neither people nor places, and called by one name?"""
    return len(table.names) == 1 and not table.noun.person and table.noun.one.split()[-1] not in _PLACES


def _done_to(draw: Draw, child: TableFacts, top: Join) -> Verb | None:
    """Return what was done to the parents, if they are objects: ordered, borrowed."""
    verb = verb_of_table([*words(child.table.name), child.noun.one], draw.frame.language)
    return verb if verb and _is_object(top.parent) and " " not in verb.base and verb.base not in {"get", "用"} else None


SUPERLATIVES: dict[str, Structure] = {
    "superlative-if": _if,
    "superlative-of": _of,
    "superlative-few": partial(_if, few=True),
    "superlative-total": _total,
    "superlative-total-far": _total_far,
    "superlative-count": _count,
}
