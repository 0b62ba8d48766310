"""Conditions on the rows of one table, by other tables: joins, subqueries, what is not there."""

from __future__ import annotations

from .conditions import Filter, FilterOf
from .draws import Draw, NothingToDraw, sayable
from .facts.facts import TableFacts
from .facts.links import Link
from .facts.writing import literal
from .filters import any_own
from .phrases import Phrase, Text

__all__ = ["LINKED", "NESTED", "name_of", "verb_of"]

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


def _parent_link(draw: Draw, table: TableFacts) -> Link:
    return draw.link(lambda link: link.child is table and link.many)


def _child_link(draw: Draw, table: TableFacts) -> Link:
    return draw.link(lambda link: link.parent is table and link.many and link.plain)


def _place_or_maker(link: Link) -> str:
    """Return the meaning ``in`` for parents that things are in, ``by`` for those who made them."""
    noun = link.noun.one.split()[-1]
    return "in" if noun in _GROUPS else "by" if noun in _MAKERS else ""


def _parent(draw: Draw, table: TableFacts, _: bool) -> Filter:
    """``album JOIN artist … WHERE artist.name = 'AC/DC'``: the albums of an artist."""
    link = _parent_link(draw, table)
    where, value = name_of(draw, link.parent)
    said = Phrase("of-name", {"t": table.noun, "p": link.noun, "v": Text(value)}, _place_or_maker(link))
    return Filter(where, said, link.source)


def _parent_if(draw: Draw, table: TableFacts, _: bool) -> Filter:
    """``album JOIN artist … WHERE artist.country = 'UK'``: the albums of certain artists."""
    link = _parent_link(draw, table)
    draw.drawn.append(link.target)
    inner = any_own(draw, link.parent, True)
    return Filter(inner.where, Phrase("of-those", {"t": table.noun, "p": link.noun, "cond": inner.said}), link.source)


def _parent_and(draw: Draw, table: TableFacts, _: bool) -> Filter:
    one, own = _parent(draw, table, True), any_own(draw, table, True)
    both = Phrase("and", {"t": table.noun, "x": one.said, "y": own.said})
    return Filter(f"{one.where} AND {own.where}", both, one.source)


def _child_if(draw: Draw, table: TableFacts, _: bool) -> Filter:
    """``album JOIN artist … WHERE album.price > 20``: the artists that have certain albums."""
    link = _child_link(draw, table)
    draw.drawn.append(link.key)
    inner = any_own(draw, link.child, True)
    said = Phrase("has-those", {"t": table.noun, "k": link.child.noun, "cond": inner.said})
    return Filter(inner.where, said, link.source, repeats=True)


def _bridge(draw: Draw, table: TableFacts, _: bool) -> Filter:
    """``track JOIN playlist_track … JOIN playlist … WHERE playlist.name = 'Music'``."""
    bridge = draw.one([b for b in draw.catalogue.bridges if b.left.parent is table])
    other = bridge.right.parent
    if draw.chance(0.6):
        where, value = name_of(draw, other)
        said = Phrase("linked-name", {"t": table.noun, "p": other.noun, "v": Text(value)})
    else:
        inner = any_own(draw, other, True)
        where, said = inner.where, Phrase("linked-those", {"t": table.noun, "p": other.noun, "cond": inner.said})
    return Filter(where, said, bridge.source, repeats=True)


def _chain(draw: Draw, table: TableFacts, _: bool) -> Filter:
    """``track JOIN album … JOIN artist … WHERE artist.name = 'AC/DC'``."""
    near, far = draw.one([c for c in draw.catalogue.chains if c[0].child is table])
    where, value = name_of(draw, far.parent)
    slots = {"t": table.noun, "m": near.noun, "p": far.noun, "v": Text(value)}
    return Filter(where, Phrase("of-chain", slots), f"{near.source} JOIN {far.parent.sql} ON {far.on}", repeats=False)


def _average(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column, kind = draw.number(table), draw.one(["above", "below"])
    sign = ">" if kind == "above" else "<"
    where = f"{column.ref(qualified)} {sign} (SELECT AVG({column.sql}) FROM {table.sql})"
    return Filter(where, Phrase(f"{kind}-average", {"t": table.noun, "c": column.noun}, column.meaning))


def _row(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    """``price > (SELECT price FROM product WHERE name = 'tea')``."""
    column = draw.number(table)
    if len(table.names) != 1 or not table.unique_names:
        raise NothingToDraw
    value, kind = draw.value(table.names[0]), draw.one(["above", "below"])
    sign = ">" if kind == "above" else "<"
    inner = f"SELECT {column.sql} FROM {table.sql} WHERE {table.names[0].sql} = {literal(value)}"
    slots = {"t": table.noun, "c": column.noun, "v": Text(value)}
    return Filter(f"{column.ref(qualified)} {sign} ({inner})", Phrase(f"{kind}-row", slots, column.meaning))


def _extreme(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    column, kind = draw.ordered(table), draw.one(["max", "min"])
    where = f"{column.ref(qualified)} = (SELECT {kind.upper()}({column.sql}) FROM {table.sql})"
    said = kind if column.role == "number" else {"max": "latest", "min": "earliest"}[kind]
    return Filter(where, Phrase(f"at-{said}", {"t": table.noun, "c": column.noun}, column.meaning))


def _childless(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    link = draw.link(lambda link: link.parent is table and link.plain)
    guard = f" WHERE {link.key.sql} IS NOT NULL" if link.key.nulls else ""
    where = f"{link.target.ref(qualified)} NOT IN (SELECT {link.key.sql} FROM {link.child.sql}{guard})"
    return Filter(where, Phrase("childless", {"t": table.noun, "k": link.child.noun}, verb_of(link)))


def _childless_if(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    link = draw.link(lambda link: link.parent is table and link.plain and not link.key.nulls)
    draw.drawn.append(link.key)
    inner = any_own(draw, link.child, False)
    chosen = f"SELECT {link.key.sql} FROM {link.child.sql} WHERE {inner.where}"
    said = Phrase("without-those", {"t": table.noun, "k": link.child.noun, "cond": inner.said})
    return Filter(f"{link.target.ref(qualified)} NOT IN ({chosen})", said)


def _with_child(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    link = _child_link(draw, table)
    draw.drawn.append(link.key)
    inner = any_own(draw, link.child, False)
    chosen = f"SELECT {link.key.sql} FROM {link.child.sql} WHERE {inner.where}"
    said = Phrase("has-those", {"t": table.noun, "k": link.child.noun, "cond": inner.said})
    return Filter(f"{link.target.ref(qualified)} IN ({chosen})", said)


def _in_parents(draw: Draw, table: TableFacts, qualified: bool) -> Filter:
    link = _parent_link(draw, table)
    draw.drawn.append(link.target)
    inner = any_own(draw, link.parent, False)
    chosen = f"SELECT {link.target.sql} FROM {link.parent.sql} WHERE {inner.where}"
    said = Phrase("of-those", {"t": table.noun, "p": link.noun, "cond": inner.said})
    return Filter(f"{link.key.ref(qualified)} IN ({chosen})", said)


def verb_of(link: Link) -> str:
    """Return the deed that rows of the child tell of: an order is placed, a review is written."""
    return link.child.noun.one.split()[-1] if link.parent.noun.person else ""


LINKED: dict[str, FilterOf] = {
    "join2": _parent,
    "join2-other": _parent_if,
    "join2-and": _parent_and,
    "join2-child": _child_if,
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
    "in-children": _with_child,
    "in-parents": _in_parents,
}
"""Conditions with a query inside."""
