"""The names of a query as far as it is written: one `SelectScope` for each SELECT that is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..types.abstract_values import NEVER
from .names import (
    ALIASED,
    OTHER,
    STARRED,
    START,
    Column,
    CommonTable,
    Listed,
    OpenReference,
    Output,
    SelectItem,
    Source,
)

Equation = tuple[frozenset[Column], ...]
"""The pairs of columns that a key makes equal, one for each of its columns; ``(a, b)`` may be written as ``(b, a)``."""


class KeyCondition(NamedTuple):
    """An ON as far as it is written: in the examples as far as ``|``.

    Attributes:
        place: ``ON |`` left, ``ON c.state_id |`` equals, ``ON c.state_id = |`` right, ``ON c.state_id = s.id |`` and,
            ``ON c.state_id = s.id AND |`` more, or left once more where the key has another column.
        equations: what is still to be written of each key that fits so far; empty once a key is written.
        left: ``ON c.state_id = |``: c.state_id.
    """

    place: str = "left"
    equations: frozenset[Equation] = frozenset()
    left: Column = OTHER

    @property
    def written(self) -> bool:
        """Say whether the ON may end, as far as keys go."""
        return self.place in {"and", "more"} and not self.equations

    def after(self, place: str, column: Column) -> KeyCondition | None:
        """Return the condition behind a word at a place, perhaps a ``column``; None if the word may not come."""
        match self.place, place:
            case "left", "column":
                able = frozenset(e for e in self.equations if column in e[0])
                return KeyCondition("equals", able, column) if able else None
            case "equals", "equals":
                return self._replace(place="right")
            case "right", "column":
                able = frozenset(e[1:] for e in self.equations if frozenset({self.left, column}) == e[0])
                return KeyCondition("and", frozenset() if () in able else able) if able else None
            case "and", "and":
                return KeyCondition("left" if self.equations else "more", self.equations)
            case "more", _:
                return None if place == "beside on" else self
            case _:
                return None

    def words(self, pair: int) -> int:
        """Return the words that are missing beyond a condition of one word, ``pair`` for each pair of columns."""
        pairs = min(map(len, self.equations), default=0)
        match self.place:
            case "left":
                return pair * pairs - 2
            case "equals":
                return pair * (pairs - 1) + 2
            case "right":
                return pair * (pairs - 1)
            case _:
                return pair * pairs


class SelectScope(NamedTuple):
    """One SELECT, as far as it is written: in the examples as far as ``|``.

    Where it stands:

    Attributes:
        clause: ``SELECT |`` items, ``FROM |`` from, ``ON |`` on, ``USING (|`` using, ``WHERE |`` where; group,
            having, order, limit, with likewise; start before all, closed once FROM is over, done behind all, set after
            UNION.
        derived: ``FROM (SELECT |``: it is a derived table, which sees nothing of the queries around it.
        enclosed: ``MAX((SELECT |``: it stands in an aggregate of the query around it.
        held: ``MAX((SELECT a FROM t WHERE EXISTS (SELECT |``: it or a query around it stands in an aggregate.
        room: ``SELECT * FROM (SELECT |``: the columns that it may show to that star; 0 for as many as any.
        required: ``SELECT d.a, d.b FROM (SELECT a, |``: b, which the query around refers to and it does not show yet.
        barred: ``SELECT a FROM t, (SELECT |``: a, which no other column of it may be called, as a stands bare around.
        common: ``WITH a AS (SELECT 1), b AS (|``: a, which FROM may name here.
        defined: ``WITH a |``: a, whose query is to come.
        named: ``SELECT max FROM t, (SELECT MAX(b) |``: a column without AS could be called max, so each must have one.

    FROM:

    Attributes:
        needs: ``SELECT t.a, b |``: open references, to a source t with a column a and to one with a column b.
        sources: ``FROM t AS x JOIN s ON |``: x and s.
        pending: in FROM a source that is not finished. ``FROM |`` source, ``FROM t |`` table, ``FROM t AS |`` name,
            ``FROM (|`` open, ``FROM (SELECT |`` inner, ``FROM (SELECT 1) |`` derived. ``SELECT a AS |`` name, too.
        written: ``FROM t |``: t, which may get another name yet.
        promised: ``SELECT d.n FROM (|``: the derived table d with a column n, which this one is for.
        bare: ``SELECT a FROM t, |``: a, which t shows, so that no other source may.
        merged: ``FROM t JOIN s USING (a), |``: a, one column made of two; it is in ``bare``, too.
        using: ``FROM t JOIN s USING (a, |``: a.
        join: ``FROM t, |``: comma; join likewise, and full where USING must follow.
        made_of: of FROM with the derived tables in it and around it. ``FROM t RIGHT JOIN |`` turned, likewise FULL;
            ``FROM (SELECT a UNION ALL |`` united.
        condition: ``FROM t JOIN s ON |``: what must stand first there, where keys join.

    The select list:

    Attributes:
        outputs: ``SELECT t.a, 1 AS n, |``: a and n; after a set operator those of the first SELECT.
        own: ``SELECT a UNION SELECT b AS c, |``: c, where the engine may take it for a column.
        term: of the item, key or ORDER BY term being written: ``SELECT t.a|``: t.a; or `START` and its like.
        alias: ``SELECT a + b AS n|``: n.
        titles: ``SELECT MAX(a)|``: max, which the engine may call it by, if an alias or a column at hand is called so.
        star: ``SELECT t.*, * |``: t and *.
        distinct: ``SELECT DISTINCT |``.
        unnumbered: ``ORDER BY n, |``, an output, ``ORDER BY 1``, a query: no window could number the rows by it.
        listed: ``SELECT t.a, MAX(b) |``: both, where numbers may stand for them.

    Set operators:

    Attributes:
        compound: ``SELECT a UNION |``: it is an operand of a set operator, or their whole.
        united: ``SELECT a UNION SELECT b |``: INTERSECT may not follow, which would bind closer.
        same: ``SELECT * FROM t UNION SELECT |``: t, the table that a star must be of; empty for any; None for no star.
        nested: ``SELECT a UNION ((|``: 2 brackets around operands stand open.

    Grouping:

    Attributes:
        aggregated: ``SELECT MAX(a), |``: an aggregate was written outside of subqueries.
        plain: ``SELECT a, MAX(b), c + 1 |``: a and c, which stand outside of aggregates.
        correlated: ``SELECT EXISTS (SELECT 1 FROM s WHERE a), |``: a, which a subquery names, as far as a derived table
            may show it (`Quirks.unmatched_below`).
        within: ``SELECT a, b + c|``: b and c, of the item being written.
        words: ``SELECT a, b + c|``: the numbers of b, + and c; None where they could mean something else in GROUP BY.
        items: ``SELECT a + b, MAX(c) FROM t GROUP BY |``: a + b, which GROUP BY has not named so far.
        alone: ``SELECT a, MAX(c) |``: a, which GROUP BY can only name by itself.
        keys: ``GROUP BY a, t.b HAVING |``: a and t.b.
        grouped: ``GROUP BY |``.
        position: ``GROUP BY 2|``: 2, the item that the number stands for so far; 0 if none.
    """

    clause: str = "start"
    derived: bool = False
    enclosed: bool = False
    held: bool = False
    common: tuple[CommonTable, ...] = ()
    defined: str = ""
    room: int = 0
    required: frozenset[str] = frozenset()
    barred: frozenset[str] = frozenset()
    named: bool = False
    needs: frozenset[OpenReference] = frozenset()
    sources: tuple[Source, ...] = ()
    pending: str = ""
    written: Source | None = None
    promised: OpenReference | None = None
    bare: frozenset[str] = frozenset()
    merged: frozenset[str] = frozenset()
    using: frozenset[str] = frozenset()
    join: str = ""
    made_of: str = ""
    condition: KeyCondition | None = None
    outputs: tuple[Output, ...] = ()
    own: tuple[tuple[str, Column | None], ...] = ()
    term: Column = OTHER
    alias: str = ""
    titles: frozenset[str] = frozenset()
    star: tuple[str, ...] = ()
    compound: bool = False
    united: bool = False
    same: str | None = None
    nested: int = 0
    distinct: bool = False
    unnumbered: bool = False
    aggregated: bool = False
    plain: frozenset[Column] = frozenset()
    correlated: frozenset[Column] = frozenset()
    within: frozenset[Column] = frozenset()
    words: tuple[int, ...] | None = None
    items: tuple[SelectItem, ...] = ()
    alone: frozenset[Column] = frozenset()
    keys: frozenset[Column] = frozenset()
    grouped: bool = False
    listed: tuple[Listed, ...] = ()
    position: int = 0

    @property
    def bares(self) -> frozenset[str]:
        """Return the bare columns that were written so far: ``SELECT a, t.b FROM s, |``: a."""
        return self.bare.union(*(n.columns for n in self.needs if not n.name))

    @property
    def bare_plain(self) -> frozenset[str]:
        """Return the bare columns of ``plain``."""
        return frozenset(name for owner, name in self.plain if not owner)

    @property
    def column(self) -> Column | None:
        """Return the column that the term being written is and nothing more, so far: ``SELECT t.a|``."""
        return None if self.term in (START, OTHER, ALIASED, STARRED) else self.term


class Scope:
    """The innermost SELECT and those around it; equal scopes of one `Transitions` are one object.

    ``SELECT a FROM t WHERE EXISTS (SELECT b |`` is the scope of the SELECT of b within that of the SELECT of a.

    Attributes:
        select: the innermost.
        outer: the scope around it.
        inner: the scopes within it that are known.
        costs: what words cost here, kept by `ScopeCosts`.
    """

    __slots__ = ("_cost", "_cost_of", "costs", "inner", "outer", "select")

    def __init__(self, select: SelectScope, outer: Scope | None, cost_of: Callable[[SelectScope], int]) -> None:
        self.select = select
        self.outer = outer
        self.inner: dict[SelectScope, Scope] = {}
        self.costs: dict[object, Any] = {}
        self._cost_of = cost_of
        self._cost: int | None = None

    @property
    def cost(self) -> int:
        """The words that all of them still need beyond the grammar's; in the example 2, FROM and a table with b."""
        if self._cost is None:  # scopes passed on the way to another never need theirs
            self._cost = min(self._cost_of(self.select) + (self.outer.cost if self.outer else 0), NEVER)
        return self._cost
