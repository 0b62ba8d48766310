"""Conditions on the rows of one table, by other tables: joins, subqueries, what is not there."""

from functools import partial

from ..facts.facts import TableFacts
from ..facts.joins import Join
from ..facts.writing import literal
from .conditions import Filter, FilterOf
from .draws import Draw, NothingToDraw, sayable
from .filters import any_own
from .phrases import Phrase, Text

_GROUPS = {"category", "genre", "department", "class", "section", "group", "city", "country", "region", "building",
           "类别", "分类", "部门", "班级", "城市", "国家", "地区"}  # fmt: skip
_MAKERS = {"supplier", "manufacturer", "author", "artist", "publisher", "maker", "brand", "company", "singer",
           "供应商", "制造商", "作者", "歌手", "出版社", "品牌", "公司"}  # fmt: skip


def name_of(draw: Draw, table: TableFacts) -> tuple[str, str]:
    """Return a WHERE that names one row of a table, columns qualified, and the name.

    Raises:
        NothingToDraw: nothing names its rows.
    """
    if len(table.names) == 1:
        value = draw.value(table.names[0])
        return f"{table.names[0].ref(True)} = {literal(value)}", value
    if len(table.names) != 2 or any(name.nulls for name in table.names):
        raise NothingToDraw
    first, last = table.names
    row = draw.rng.randrange(len(first.cells) or 1)
    values = [str(cell) for name in (first, last) for cell in name.cells[row : row + 1]]
    if len(values) < 2 or not all(map(sayable, values)):
        raise NothingToDraw
    return " AND ".join(f"{c.ref(True)} = {literal(v)}" for c, v in zip((first, last), values, strict=True)), " ".join(
        values
    )


def _parent_join(draw: Draw, table: TableFacts) -> Join:
    return draw.join(lambda join: join.child is table and join.many)


def _child_join(draw: Draw, table: TableFacts) -> Join:
    return draw.join(lambda join: join.parent is table and join.many and join.plain)


def _place_or_maker(join: Join) -> str:
    """Return the meaning ``in`` for parents that things are in, ``by`` for those who made them."""
    noun = join.noun.one.split()[-1]
    return "in" if noun in _GROUPS else "by" if noun in _MAKERS else ""


def _parent(draw: Draw, table: TableFacts, _: bool) -> Filter:
    """``album JOIN artist … WHERE artist.name = 'AC/DC'``: the albums of an artist."""
    join = _parent_join(draw, table)
    where, value = name_of(draw, join.parent)
    said = Phrase("of-name", {"t": table.noun, "p": join.noun, "v": Text(value)}, _place_or_maker(join))
    return Filter(where, said, join.source)


def _parent_and(draw: Draw, table: TableFacts, _: bool) -> Filter:
    one, own = _parent(draw, table, True), any_own(draw, table, True)
    both = Phrase("and", {"t": table.noun, "x": one.said, "y": own.said})
    return Filter(f"{one.where} AND {own.where}", both, one.source)


def _parents_that(draw: Draw, table: TableFacts, qualified: bool, *, nested: bool = False) -> Filter:
    """``album JOIN artist … WHERE artist.country = 'UK'``, or ``album.artist_id IN (SELECT …)``: of certain artists."""
    join = _parent_join(draw, table)
    draw.drawn.append(join.target)
    inner = any_own(draw, join.parent, not nested)
    said = Phrase("of-those", {"t": table.noun, "p": join.noun, "cond": inner.said})
    if not nested:
        return Filter(inner.where, said, join.source)
    chosen = f"SELECT {join.target.sql} FROM {join.parent.sql} WHERE {inner.where}"
    return Filter(f"{join.key.ref(qualified)} IN ({chosen})", said)


def _with_children(draw: Draw, table: TableFacts, qualified: bool, *, nested: bool = False) -> Filter:
    """``album JOIN artist … WHERE album.price > 20``, or ``artist.id IN (SELECT …)``: that have certain albums."""
    join = _child_join(draw, table)
    draw.drawn.append(join.key)
    inner = any_own(draw, join.child, not nested)
    said = Phrase("has-those", {"t": table.noun, "k": join.child.noun, "cond": inner.said})
    if not nested:
        return Filter(inner.where, said, join.source, repeats=True)
    chosen = f"SELECT {join.key.sql} FROM {join.child.sql} WHERE {inner.where}"
    return Filter(f"{join.target.ref(qualified)} IN ({chosen})", said)


def _bridge(draw: Draw, table: TableFacts, _: bool) -> Filter:
    """``track JOIN playlist_track … JOIN playlist … WHERE playlist.name = 'Music'``."""
    bridge = draw.one([b for b in draw.frame.bridges if b.left.parent is table])
    other = bridge.right.parent
    if draw.chance(0.6):
        where, value = name_of(draw, other)
        said = Phrase("joined-name", {"t": table.noun, "p": other.noun, "v": Text(value)})
    else:
        inner = any_own(draw, other, True)
        where, said = inner.where, Phrase("joined-those", {"t": table.noun, "p": other.noun, "cond": inner.said})
    return Filter(where, said, bridge.source, repeats=True)


def _chain(draw: Draw, table: TableFacts, _: bool) -> Filter:
    """``track JOIN album … JOIN artist … WHERE artist.name = 'AC/DC'``."""
    near, far = draw.one([c for c in draw.frame.chains if c[0].child is table])
    where, value = name_of(draw, far.parent)
    slots = {"t": table.noun, "m": near.noun, "p": far.noun, "v": Text(value)}
    return Filter(where, Phrase("of-chain", slots), f"{near.source} JOIN {far.parent.sql} ON {far.on}", repeats=False)


def _average(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column, kind = draw.number(table), draw.one(["above", "below"])
    sign = ">" if kind == "above" else "<"
    where = f"{column.number(qualified)} {sign} (SELECT AVG({column.number()}) FROM {table.sql})"
    return Filter(where, Phrase(f"{kind}-average", {"t": table.noun, "c": column.noun}, column.meaning))


def _row(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``price > (SELECT price FROM product WHERE name = 'tea')``."""
    column = draw.number(table)
    if len(table.names) != 1 or not table.unique_names:
        raise NothingToDraw
    value, kind = draw.value(table.names[0]), draw.one(["above", "below"])
    sign = ">" if kind == "above" else "<"
    inner = f"SELECT {column.number()} FROM {table.sql} WHERE {table.names[0].sql} = {literal(value)}"
    slots = {"t": table.noun, "c": column.noun, "v": Text(value)}
    return Filter(f"{column.number(qualified)} {sign} ({inner})", Phrase(f"{kind}-row", slots, column.meaning))


def _extreme(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column, kind = draw.ordered(table), draw.one(["max", "min"])
    where = f"{column.order(qualified)} = (SELECT {kind.upper()}({column.order()}) FROM {table.sql})"
    said = kind if column.role == "number" else {"max": "latest", "min": "earliest"}[kind]
    return Filter(where, Phrase(f"at-{said}", {"t": table.noun, "c": column.noun}, column.meaning))


def _childless(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    join = draw.join(lambda join: join.parent is table and join.plain)
    guard = f" WHERE {join.key.sql} IS NOT NULL" if join.key.nulls else ""
    where = f"{join.target.ref(qualified)} NOT IN (SELECT {join.key.sql} FROM {join.child.sql}{guard})"
    return Filter(where, Phrase("childless", {"t": table.noun, "k": join.child.noun}, verb_of(join)))


def _childless_if(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    join = draw.join(lambda join: join.parent is table and join.plain and not join.key.nulls)
    draw.drawn.append(join.key)
    inner = any_own(draw, join.child, False)
    chosen = f"SELECT {join.key.sql} FROM {join.child.sql} WHERE {inner.where}"
    said = Phrase("without-those", {"t": table.noun, "k": join.child.noun, "cond": inner.said})
    return Filter(f"{join.target.ref(qualified)} NOT IN ({chosen})", said)


def verb_of(join: Join) -> str:
    """Return the event that rows of the child tell of: an order is placed, a review is written."""
    return join.child.noun.one.split()[-1] if join.parent.noun.person else ""


JOINED: dict[str, FilterOf] = {
    "join2": _parent,
    "join2-other": _parents_that,
    "join2-and": _parent_and,
    "join2-child": _with_children,
    "join3-bridge": _bridge,
    "join3-chain": _chain,
}
"""Conditions that join the tables they need."""

NESTED: dict[str, FilterOf] = {
    "average": _average,
    "row": _row,
    "extreme": _extreme,
    "not-in": _childless,
    "not-in-where": _childless_if,
    "in-children": partial(_with_children, nested=True),
    "in-parents": partial(_parents_that, nested=True),
}
"""Conditions with a query inside."""
