"""Queries for how many things numbers count, which are sums: «how many crates were picked in 2023»."""

from collections import Counter
from dataclasses import dataclass, replace

from ..facts.counted_things import CountedThings, base_of, counted_things, done_at
from ..facts.facts import ColumnFacts, TableFacts
from ..facts.joins import Join
from ..facts.writing import literal
from ..parts.conditions import FilterOf
from ..parts.draws import Draft, Draw, NothingToDraw
from ..parts.filters import any_plain
from ..parts.join_filters import JOINED, name_of
from ..parts.phrases import Count, Phrase, Slot, Text
from ..parts.spans import in_range, in_span
from .grouping import Groups, GroupsOf, by_category, by_parent
from .shape import Structure, columns, ranked, select

_TAKING = {"order", "buy", "book", "donate", "订购", "购买", "预订", "捐赠"}
"""What customers do; what others do is not done by persons."""
_GOODS = {
    "product", "item", "book", "track", "album", "film", "movie", "game", "wine", "model", "drug", "medicine", "dish",
    "part", "variety", "fruit", "crop", "ingredient", "type", "category", "genre", "kind", "title", "car", "phone",
    "产品", "商品", "图书", "电影", "型号", "药品", "品种", "类别", "类型", "分类",
}  # fmt: skip
"""Things that are bought or sold, and so are never the subject of a verb."""
_HAPPENED = {"held", "played", "举办", "举行"}
_PLAIN_TIMES = {"date", "time", "day", "month", "year", "日期", "时间", "年份", "年"}


@dataclass(frozen=True)
class _Tally:
    """A column that counts things, and the words for them."""

    table: TableFacts
    column: ColumnFacts
    things: CountedThings

    def total(self, qualified: bool = False) -> str:
        return f"SUM({self.column.number(qualified, sums=True)})"

    @property
    def slots(self) -> dict[str, Slot]:
        return {"t": self.table.noun, "u": self.things.noun, "past": self.things.past, "when": ""}

    def said(self, rule: str, slots: dict[str, Slot], *, done: bool = True) -> Phrase:
        """Return how many they are in words: people by what they do, others by what is done to them, if it is known."""
        meaning = self.things.kind or ("done" if done and self.things.past else "")
        return Phrase(rule, {**self.slots, **slots}, meaning)


def _counted(draw: Draw) -> _Tally:
    """Draw a column whose things no other column counts and no table holds: «how many» means it alone.

    People need not be told from others, since it is always said where they live.
    """
    frame = draw.frame
    found = [
        _Tally(t, column, things)
        for t in frame.tables
        for column in t.having("number")
        if (things := counted_things(column, t, frame.language))
    ]
    kept = {t.noun.one.split()[-1] for t in frame.tables}
    times = Counter((one.things.noun, one.things.kind) for one in found)
    alone = [one for one in found if times[one.things.noun, one.things.kind] == 1 and not one.things.among(kept)]
    counted = draw.one([one for one in found if one in alone or one.things.kind == "live"])
    draw.drawn.append(counted.column)
    return counted


def _all(draw: Draw) -> Draft:
    """``SELECT SUM(crates) FROM harvest``."""
    counted = _counted(draw)
    return Draft(select(counted.total(), counted.table), counted.said("tally", {}))


def _if(draw: Draw) -> Draft:
    """``SELECT SUM(crates) FROM harvest WHERE sort = 'Gala'``, and by what the rows refer to."""
    counted = _counted(draw)
    options: list[FilterOf] = [any_plain, any_plain, JOINED["join2-other"], JOINED["join3-chain"]]
    rows = draw.one(options)(draw, counted.table, False)
    sql = select(counted.total(bool(rows.source)), counted.table, rows)
    return Draft(sql, counted.said("tally-if", {"cond": rows.said}))


def _period(draw: Draw, counted: _Tally) -> tuple[str, str, Phrase, str]:
    """Return a FROM, a WHERE of the time that rows are asked for by, the span, and what was done at that time.

    The time is the table's own, or that of the rows that it refers to: units of orders.
    """
    own, parents = counted.table, [j for j in draw.frame.joins if j.child is counted.table and j.plain]
    timed = [
        (first, join.source, join.parent) for join in parents if (first := _time(join.parent)) and not join.parent.names
    ]
    first, source, table = (_time(own), "", own) if _time(own) else draw.one(timed)
    if first is None:
        raise NothingToDraw
    rows = draw.one([in_span, in_span, in_range])(draw, replace(table, columns=(first,)), bool(source))
    return source or own.sql, rows.where, Phrase("when", {"v": rows.said.slots["v"]}), done_at(first)


def _time(table: TableFacts) -> ColumnFacts | None:
    """Return when things were that rows count; the day on which a shop opened is not that of its stock."""
    first = table.first_time
    if first is None or table.noun.person:
        return None
    happened = first.event is not None and first.event.past in _HAPPENED
    return first if not table.names or happened or done_at(first) or first.noun.one in _PLAIN_TIMES else None


def _in(draw: Draw) -> Draft:
    """``SELECT SUM(crates) FROM harvest WHERE picked >= '2023-01-01' AND picked < '2024-01-01'``."""
    counted = _counted(draw)
    source, where, when, past = _period(draw, counted)
    if counted.things.kind == "live":
        raise NothingToDraw
    if past and not counted.things.past:
        counted = replace(counted, things=replace(counted.things, past=past))
    total = counted.total(source != counted.table.sql)
    return Draft(f"SELECT {total} FROM {source} WHERE {where}", counted.said("tally-in", {"when": when}))


def _acting(counted: _Tally, join: Join | None) -> dict[str, Slot]:
    """Return the verb of what groups do themselves: orchards pick, customers order; empty where nobody knows."""
    base = base_of(counted.things.past)
    if join is None or not base or join.noun.one.split()[-1] in _GOODS or join.noun.person != (base in _TAKING):
        return {}
    return {"verb": base}


def _said_of(counted: _Tally, rule: str, join: Join | None, slots: dict[str, Slot]) -> Phrase:
    verb = _acting(counted, join)
    said = counted.said(rule, {**slots, **verb}, done=join is None)
    return Phrase(rule, said.slots, "act") if verb and not counted.things.kind else said


def _own_period(draw: Draw, counted: _Tally, qualified: bool) -> tuple[str, dict[str, Slot]]:
    """Return now and then a WHERE of the rows' own time, and the span in words."""
    first = _time(counted.table)
    if first is None or counted.things.kind == "live" or draw.chance(0.65):
        return "", {}
    rows = in_span(draw, replace(counted.table, columns=(first,)), qualified)
    return rows.where, {"when": Phrase("when", {"v": rows.said.slots["v"]})}


def _of(draw: Draw) -> Draft:
    """``SELECT SUM(harvest.crates) FROM harvest JOIN orchard … WHERE orchard.name = 'North'``."""
    counted = _counted(draw)
    join = draw.join(lambda join: join.child is counted.table and join.many)
    named, value = name_of(draw, join.parent)
    timed, slots = _own_period(draw, counted, True)
    where = f"{named} AND {timed}" if timed else named
    said = _said_of(counted, "tally-of", join, {"p": join.noun, "v": Text(value), **slots})
    return Draft(f"SELECT {counted.total(True)} FROM {join.source} WHERE {where}", said)


def _each(groups_of: GroupsOf) -> Structure:
    """Return the structure of ``SELECT orchard.name, SUM(harvest.crates) FROM harvest JOIN orchard … GROUP BY …``."""

    def structure(draw: Draw) -> Draft:
        counted = _counted(draw)
        groups = groups_of(draw, counted.table)
        where, slots = _own_period(draw, counted, groups.qualified)
        sql = groups.query(f", {counted.total(groups.qualified)}", where)
        return Draft(sql, _said_of(counted, "tally-each", groups.join, {"g": groups.noun, **slots}))

    return structure


def _first(draw: Draw) -> tuple[bool, int, str, dict[str, Slot]]:
    """Return whether the most is asked for, of how many, the rule and its slots."""
    down, count = draw.chance(0.8), draw.rng.choice([1, 1, 1, 2, 3, 5])
    slots: dict[str, Slot] = {"most": Phrase("word-most" if down else "word-fewest", {}), "m": Count(count),
                              "high": Phrase("word-max" if down else "word-min", {})}  # fmt: skip
    return down, count, "tally-most" + ("-n" if count > 1 else ""), slots


def _most(groups_of: GroupsOf) -> Structure:
    """Return the structure of ``… GROUP BY orchard.name ORDER BY SUM(harvest.crates) DESC LIMIT 1``."""

    def structure(draw: Draw) -> Draft:
        counted = _counted(draw)
        groups: Groups = groups_of(draw, counted.table)
        where, timed = _own_period(draw, counted, groups.qualified)
        down, count, rule, slots = _first(draw)
        sql, ties = ranked(groups.query(where=where), counted.total(groups.qualified), down, count)
        said = _said_of(counted, rule, groups.join, {"g": groups.noun, **slots, **timed})
        return Draft(sql, said, ties)

    return structure


def _row(draw: Draw) -> Draft:
    """``SELECT name FROM stadium ORDER BY seats DESC LIMIT 1``: of one row each nothing is added up."""
    counted = _counted(draw)
    table, column = counted.table, counted.column
    if not table.names or column.nulls:
        raise NothingToDraw
    down, count, rule, slots = _first(draw)
    sql, ties = ranked(select(columns(table.names), table), column.order(), down, count)
    return Draft(sql, counted.said(rule, {"g": table.noun, **slots}), ties)


def _one(draw: Draw) -> Draft:
    """``SELECT seats FROM stadium WHERE name = 'Ibrox'``."""
    counted = _counted(draw)
    table = counted.table
    if len(table.names) != 1 or not table.unique_names:
        raise NothingToDraw
    name = table.names[0]
    value = draw.value(name)
    sql = f"SELECT {counted.column.number()} FROM {table.sql} WHERE {name.sql} = {literal(value)}"
    return Draft(sql, counted.said("tally-one", {"v": Text(value)}))


TALLIES: dict[str, Structure] = {
    "tally-all": _all,
    "tally-if": _if,
    "tally-in": _in,
    "tally-of": _of,
    "tally-each": _each(by_category),
    "tally-each-of": _each(by_parent),
    "tally-most": _most(by_category),
    "tally-most-of": _most(by_parent),
    "tally-row": _row,
    "tally-one": _one,
}
