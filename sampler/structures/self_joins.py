"""Queries over a key into the same table: the manager of Ann, who reports to her, who earns more than their manager."""

from collections.abc import Sequence
from functools import partial

from ..facts.facts import ColumnFacts
from ..facts.self_keys import SelfKey
from ..facts.writing import literal
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.phrases import Count, Phrase, Slot, Text
from .shape import Structure, columns, names_noun, ranked


def _key(draw: Draw) -> tuple[SelfKey, dict[str, Slot]]:
    key = draw.one(draw.frame.self_keys)
    draw.drawn.extend([key.key, key.target])
    return key, {"t": key.table.noun, "p": key.noun, "n": names_noun(draw, key.table)}


def _meaning(key: SelfKey) -> str:
    if key.leads:
        return "leads"
    return "person" if key.table.noun.person else "parent" if key.noun.one.startswith(("parent", "上级", "父")) else ""


def _names(key: SelfKey) -> str:
    """Return the columns that name who is referred to."""
    return ", ".join(map(key.of, key.table.names))


def _named(draw: Draw, key: SelfKey, *, parent: bool) -> tuple[str, Text]:
    """Return a WHERE that names one row, of those that are referred to or of the others."""
    names = key.table.names
    row = draw.rng.randrange(min(len(name.cells) for name in names))
    if len(names) > 1 and any(name.nulls for name in names):
        raise NothingToDraw  # cells of one row would not stand side by side
    values = [str(name.cells[row]) for name in names]
    refs = [key.of(name) if parent else name.ref(True) for name in names]
    where = " AND ".join(f"{ref} = {literal(value)}" for ref, value in zip(refs, values, strict=True))
    return where, Text(" ".join(values))


def _parent_of(draw: Draw) -> Draft:
    """``SELECT employee_2.name FROM employee JOIN employee AS employee_2 ON … WHERE employee.name = 'Ann'``."""
    key, slots = _key(draw)
    where, value = _named(draw, key, parent=False)
    sql = f"SELECT {_names(key)} FROM {key.source} WHERE {where}"
    return Draft(sql, Phrase("self-parent-of", {**slots, "v": value}, _meaning(key)))


def _children_of(draw: Draw, *, counted: bool) -> Draft:
    """``SELECT employee.name FROM employee JOIN employee AS employee_2 ON … WHERE employee_2.name = 'Ann'``."""
    key, slots = _key(draw)
    where, value = _named(draw, key, parent=True)
    what = "COUNT(*)" if counted else columns(key.table.names, True)
    rule = "self-children-count" if counted else "self-children-of"
    return Draft(f"SELECT {what} FROM {key.source} WHERE {where}", Phrase(rule, {**slots, "v": value}, _meaning(key)))


def _with_parents(draw: Draw) -> Draft:
    """``SELECT employee.name, employee_2.name FROM employee LEFT JOIN employee AS employee_2 ON …``."""
    key, slots = _key(draw)
    source = key.source.replace(" JOIN ", " LEFT JOIN ", 1)  # who has no manager is an employee, too
    sql = f"SELECT {columns(key.table.names, True)}, {_names(key)} FROM {source}"
    return Draft(sql, Phrase("self-with-parents", slots, _meaning(key)))


def _how_many_each(draw: Draw) -> Draft:
    """``SELECT employee_2.name, COUNT(*) FROM employee JOIN employee AS employee_2 ON … GROUP BY employee_2.id``."""
    key, slots = _key(draw)
    sql = f"SELECT {_names(key)}, COUNT(*) FROM {key.source} GROUP BY {key.of(key.target)}"
    return Draft(sql, Phrase("self-count-each", slots, _meaning(key)))


def _most(draw: Draw) -> Draft:
    """The same, the first of them by their number."""
    key, slots = _key(draw)
    query = f"SELECT {_names(key)} FROM {key.source} GROUP BY {key.of(key.target)}"
    sql, ties = ranked(query, "COUNT(*)", True, 1)
    return Draft(sql, Phrase("self-most", slots, _meaning(key)), ties)


def _several(draw: Draw) -> Draft:
    """The same, those that have at least so many."""
    key, slots = _key(draw)
    count = draw.rng.randint(2, 4)
    sql = f"SELECT {_names(key)} FROM {key.source} GROUP BY {key.of(key.target)} HAVING COUNT(*) >= {count}"
    return Draft(sql, Phrase("self-several", {**slots, "m": Count(count)}, _meaning(key)))


def _reckoned(draw: Draw, *, each: bool) -> Draft:
    """``SELECT AVG(employee.pay) FROM employee JOIN employee AS employee_2 ON … WHERE employee_2.name = 'Ann'``."""
    key, slots = _key(draw)
    function = draw.one(("avg", "avg", "sum", "max", "min"))
    column = draw.number(key.table, sums=function == "sum")
    value = f"{function.upper()}({column.number(True, sums=function == 'sum')})"
    said: dict[str, Slot] = {**slots, "c": column.noun, "f": Phrase(f"self-{function}", {})}
    if each:
        sql = f"SELECT {_names(key)}, {value} FROM {key.source} GROUP BY {key.of(key.target)}"
        return Draft(sql, Phrase("self-reckoned-each", said, _meaning(key)))
    where, named = _named(draw, key, parent=True)
    return Draft(f"SELECT {value} FROM {key.source} WHERE {where}", Phrase("self-reckoned", {**said, "v": named}))


def _of_parent(draw: Draw) -> Draft:
    """``SELECT employee_2.city FROM employee JOIN employee AS employee_2 ON … WHERE employee.name = 'Ann'``."""
    key, slots = _key(draw)
    column = draw.one([one for one in draw.shown(key.table) if one not in key.table.names])
    where, value = _named(draw, key, parent=False)
    sql = f"SELECT {key.of(column)} FROM {key.source} WHERE {where}"
    return Draft(sql, Phrase("self-of-parent", {**slots, "c": column.noun, "v": value}))


def _parents_with(draw: Draw, *, counted: bool) -> Draft:
    """``SELECT employee.name FROM employee JOIN employee AS employee_2 ON … WHERE employee_2.city = 'Oslo'``."""
    key, slots = _key(draw)
    column = draw.category(key.table)
    value = draw.value(column)
    what = "COUNT(*)" if counted else columns(key.table.names, True)
    sql = f"SELECT {what} FROM {key.source} WHERE {key.of(column)} = {literal(value)}"
    rule = "self-parents-count" if counted else "self-parents-with"
    return Draft(sql, Phrase(rule, {**slots, "c": column.noun, "v": Text(value)}))


def _sooner(draw: Draw) -> Draft:
    """``SELECT employee.name FROM … WHERE employee.hired < employee_2.hired``: hired before their manager."""
    key, slots = _key(draw)
    column = draw.time(key.table)
    before = draw.chance(0.6)
    own = column.order(True)
    other = own.replace(column.ref(True), key.of(column))
    sql = f"SELECT {columns(key.table.names, True)} FROM {key.source} WHERE {own} {'<' if before else '>'} {other}"
    said: dict[str, Slot] = {**slots, "c": column.noun}
    if column.event is None:
        return Draft(sql, Phrase("self-sooner" if before else "self-later", said))
    said["event"] = column.event.past
    return Draft(sql, Phrase("self-sooner" if before else "self-later", said, "event"))


def _compared(draw: Draw) -> tuple[SelfKey, ColumnFacts, dict[str, Slot]]:
    key, slots = _key(draw)
    column = draw.number(key.table)
    return key, column, {**slots, "c": column.noun}


def _beyond(draw: Draw, *, counted: bool) -> Draft:
    """``SELECT employee.name FROM employee JOIN employee AS employee_2 ON … WHERE employee.pay > employee_2.pay``."""
    key, column, slots = _compared(draw)
    more = draw.chance(0.7)
    own = column.number(True)
    other = own.replace(column.ref(True), key.of(column))
    what = "COUNT(*)" if counted else columns(key.table.names, True)
    rule = f"self-{'more' if more else 'less'}{'-count' if counted else ''}"
    sql = f"SELECT {what} FROM {key.source} WHERE {own} {'>' if more else '<'} {other}"
    return Draft(sql, Phrase(rule, slots, column.meaning if column.meaning == "salary" else ""))


def _alike(draw: Draw) -> Draft:
    """``SELECT employee.name FROM … WHERE employee.city = employee_2.city``: in the same city as their manager."""
    key, slots = _key(draw)
    column = draw.category(key.table)
    same = draw.chance(0.6)
    sql = (
        f"SELECT {columns(key.table.names, True)} FROM {key.source} "
        f"WHERE {column.ref(True)} {'=' if same else '!='} {key.of(column)}"
    )
    return Draft(sql, Phrase("self-same" if same else "self-other", {**slots, "c": column.noun}))


def _without_parent(draw: Draw, *, counted: bool) -> Draft:
    """``SELECT name FROM employee WHERE manager_id IS NULL``."""
    key, slots = _key(draw)
    if not key.key.nulls:
        raise NothingToDraw
    what = "COUNT(*)" if counted else columns(key.table.names)
    sql = f"SELECT {what} FROM {key.table.sql} WHERE {key.key.sql} IS NULL"
    return Draft(sql, Phrase("self-without-count" if counted else "self-without", slots, _meaning(key)))


def _childless(draw: Draw) -> Draft:
    """``SELECT name FROM employee WHERE id NOT IN (SELECT manager_id FROM employee WHERE manager_id IS NOT NULL)``."""
    key, slots = _key(draw)
    guard = f" WHERE {key.key.sql} IS NOT NULL" if key.key.nulls else ""
    inner = f"SELECT {key.key.sql} FROM {key.table.sql}{guard}"
    sql = f"SELECT {columns(key.table.names)} FROM {key.table.sql} WHERE {key.target.sql} NOT IN ({inner})"
    return Draft(sql, Phrase("self-childless", slots, _meaning(key)))


def _structures(of: Sequence[bool]) -> dict[str, Structure]:
    drawn = {"children": _children_of, "beyond": _beyond, "without": _without_parent, "parents-with": _parents_with}
    return {
        f"self-{name}{'-count' if counted else ''}": partial(draw, counted=counted)
        for name, draw in drawn.items()
        for counted in of
    }


SELF_JOINS: dict[str, Structure] = {
    "self-parent": _parent_of,
    **_structures((False, True)),
    "self-with-parents": _with_parents,
    "self-count-each": _how_many_each,
    "self-most": _most,
    "self-several": _several,
    "self-reckoned": partial(_reckoned, each=False),
    "self-reckoned-each": partial(_reckoned, each=True),
    "self-of-parent": _of_parent,
    "self-sooner": _sooner,
    "self-alike": _alike,
    "self-childless": _childless,
}
