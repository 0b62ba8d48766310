"""Questions for entities, which show what they are called and not what they are chosen by: «orders since May»."""

from ..facts.facts import TableFacts
from ..facts.verbalisation import joined
from ..facts.writing import literal
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.filters import any_plain, equal
from ..parts.join_filters import JOINED, NESTED
from ..parts.negated import all_but, negated
from ..parts.nulls import any_null
from ..parts.phrases import Count, Phrase, Text
from .shape import Selection, Structure, amounts, asking, columns, select


def called(draw: Draw, table: TableFacts) -> Selection:
    """Ask what rows are called."""
    if not table.identity:
        raise NothingToDraw
    said = Phrase("entities", {})
    return Selection(lambda rows: rows.distinct + columns(table.identity, bool(rows.source)), said)


def how_many(draw: Draw, table: TableFacts) -> Selection:
    """Ask for their number."""
    return Selection(lambda rows: "COUNT(*)", Phrase("how-many", {}))


def _having(draw: Draw) -> Draft:
    """``SELECT name FROM supplier JOIN product … GROUP BY supplier.id HAVING COUNT(*) >= 5``."""
    join = draw.join(lambda join: join.many and join.parent.identity)
    sign, rule = draw.one([(">", "over"), (">=", "at-least"), (">=", "at-least"), ("<", "under"), ("=", "exactly")])
    count = draw.rng.randint(1 if sign == ">" else 2, 5)
    amount = Phrase(f"count-{rule}", {"n": Count(count), "t": join.child.noun})
    sql = f"SELECT {columns(join.parent.identity, True)} FROM {join.source} GROUP BY {join.target.ref(True)}"
    said = Phrase("entities-having", {"g": join.noun, "t": join.child.noun, "number": amount})
    return Draft(f"{sql} HAVING COUNT(*) {sign} {count}", said)


def _pair(draw: Draw, table: TableFacts) -> Selection:
    """``SELECT name, price FROM product WHERE …``: what they are called, and one thing more."""
    if not table.names:
        raise NothingToDraw
    chosen = [*table.names, *draw.shown(table)] if draw.chance(0.7) else draw.shown(table, 2)
    if len(set(chosen)) < len(chosen) or len({c.noun.one for c in chosen}) < len(chosen):
        raise NothingToDraw
    draw.drawn.extend(chosen)
    noun = joined([c.noun for c in chosen], draw.frame.language)
    return Selection(lambda rows: columns(chosen, bool(rows.source)), Phrase("pair", {"c": noun}))


def _pair_of(draw: Draw) -> Draft:
    """``SELECT starts, ends FROM course WHERE name = 'Algebra'``: two dates or two numbers, if there are."""
    table = draw.table(lambda t: len(t.names) == 1)
    name = table.names[0]
    draw.drawn.append(name)
    alike = [kind for kind in (table.having("date"), table.having("number")) if len(kind) > 1]
    chosen = draw.rng.sample(draw.one(alike), 2) if alike and draw.chance(0.6) else draw.shown(table, 2)
    value = draw.value(name)
    slots = {"t": table.noun, "c": joined([c.noun for c in chosen], draw.frame.language), "v": Text(value)}
    sql = f"{select(columns(chosen), table)} WHERE {name.sql} = {literal(value)}"
    return Draft(sql, Phrase("pair-of", slots, amounts(chosen)))


def _names_but(draw: Draw) -> Draft:
    table = draw.table(lambda t: t.names)
    condition = all_but(draw, table, False)
    people = [t for t in draw.frame.tables if t.noun.person]
    alone = Phrase("all-but", condition.said.slots, "everyone" if people == [table] else "")
    return Draft(select(columns(table.names), table, condition), alone)


def _never(draw: Draw) -> Draft:
    """``SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM orders)``: who never ordered anything."""
    table = draw.table(lambda t: t.identity)
    condition = NESTED["not-in"](draw, table, False)
    said = Phrase("never", {"t": table.noun, "cond": condition.said}, "person" if table.noun.person else "")
    return Draft(select(columns(table.identity), table, condition), said)


ENTITIES: dict[str, Structure] = {
    "entity-own": asking(called, any_plain),
    "entity-equal": asking(called, equal),
    "entity-child": asking(called, JOINED["join2-child"]),
    "entity-parent": asking(called, JOINED["join2"]),
    "entity-having": _having,
    "null-entities": asking(called, any_null),
    "null-count": asking(how_many, any_null),
    "not-entities": asking(called, negated),
    "not-count": asking(how_many, negated),
    "not-one": _names_but,
    "not-never": _never,
    "pair-if": asking(_pair, any_plain),
    "pair-of": _pair_of,
}
