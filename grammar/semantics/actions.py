"""The semantic actions of the grammar, those of queries and clauses first: the reductions that make a `QueryType`.

`SemanticActions.reduce` is called where an LR parser reduces: of ``a > 'x'`` it is given the values of a, > and 'x'. It
returns the value of the head, or raises `RuleViolation`; `SemanticActions.judged` returns the violation, where many
reductions are tried. A word that can only lead to refused reductions is never offered, because the shortest
completions are made of the same reductions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..types.abstract_values import (
    DERIVED,
    STARRED,
    AbstractValue,
    Mark,
    QueryType,
    RuleViolation,
    position_mark,
    positions_of,
)
from .expression_actions import ConditionActions, ExpressionActions, WindowActions
from .rules import TYPED, Checks, Parts

TABLE = "TABLE"
"""What a FROM of one table and nothing more is worth."""

ORDERED = 1 << 20
"""Mark of an ORDER BY that is there."""


class ClauseActions(Checks):
    """A method for each head of a production, called with its body."""

    # ---- LIMIT

    def _limit(self, parts: Parts) -> bool:
        """``LIMIT 1``: one row; ``LIMIT 'x'`` is refused."""
        values = [v for name, v in parts if name == "WHOLE"]
        self.rows_count(values)
        words = [name for name, _ in parts]
        if "FETCH" in words:  # that of one row needs no number
            fetched = [v for name, v in parts[words.index("FETCH") :] if name == "WHOLE"]
            return all(v.marks & Mark.ONE for v in fetched)
        if "LIMIT" not in words or words[1] in {"ALL", "-"}:
            return False
        return bool(values[-1 if words[-2] in {",", "LIMIT"} else 0].marks & Mark.ONE)

    def _limit_per(self, parts: Parts) -> None:
        """``LIMIT 'x' PER t.a``: refused."""
        self._limit(parts[:-2])

    # ---- FROM: whether it is one table

    def _source(self, parts: Parts) -> str | None:
        """``FROM t``: one table; ``FROM w``, of WITH: as one, but for what its star stands for; else None."""
        return parts[0][0] if parts[0][0] in {TABLE, "ALIAS"} else None

    def _joined(self, parts: Parts) -> str | None:
        """``t JOIN s``: not one table."""
        return parts[0][1] if len(parts) == 1 else None

    _joins = _joined

    def _from(self, parts: Parts) -> str | None:
        return parts[1][1]

    # ---- clauses

    def _where(self, parts: Parts) -> bool:
        """``WHERE id = 7``: one row, if id is unique; ``WHERE MAX(a) > 1`` is refused."""
        self.condition(parts[1][1])
        self.no_aggregate(parts[1][1])
        return bool(parts[1][1].marks & Mark.PINNED)

    def _join_on(self, parts: Parts) -> None:
        """``ON MAX(a) > 1``: refused."""
        if parts[0][0] == "ON":
            self._where(parts)

    def _having(self, parts: Parts) -> None:
        """``HAVING MAX(a)``: refused where a number is no condition."""
        self.condition(parts[1][1])
        self.no_window(parts[1][1])

    def _keys(self, parts: Parts) -> int | None:
        """``GROUP BY MAX(a)``, ``GROUP BY 'x'``: refused; ``GROUP BY 1``, too, unless the form is wide."""
        key: AbstractValue = parts[-1][1]
        self.no_aggregate(key)
        self.ordered(key)
        constant = key.marks & Mark.LITERAL and not (key.position or self._unlike_position(key))
        self.check("constant terms", not constant, "GROUP BY a constant")
        before: int = (parts[0][1] or 0) if len(parts) > 1 else 0
        return before | position_mark(key.position) or None

    def _group_by(self, parts: Parts) -> int | None:
        return parts[2][1]

    def _unlike_position(self, constant: AbstractValue) -> bool:
        """Say whether a constant is sorted by as any value is: ``ORDER BY NULL``, where the engine lets it."""
        return self.wide and not self.types.strict and constant.type in {"null", "text", "dec", "float"}

    def _order_item(self, parts: Parts) -> int:
        """``ORDER BY 'x'``: refused; ``ORDER BY 1`` is the first column."""
        term: AbstractValue = parts[0][1]
        self.ordered(term)
        placed = term.marks & Mark.ONE or term.position
        constant = term.marks & Mark.LITERAL and not (placed or self._unlike_position(term))
        self.check("constant terms", not constant, "ORDER BY a constant")
        known = term.marks & (Mark.AGGREGATE | Mark.NAME | Mark.ONE | Mark.QUERIED | Mark.WINDOW)
        return known | position_mark(term.position) | (Mark.NAME if placed else 0)

    def _order_list(self, parts: Parts) -> int:
        """``ORDER BY a, b + 1``: not names alone."""
        marks = [m for name, m in parts if name != ","]
        either = (marks[0] | marks[-1]) & ~Mark.NAME
        return either | (marks[0] & marks[-1] & Mark.NAME)

    def _order_by(self, parts: Parts) -> int:
        return parts[2][1] | ORDERED


class QueryActions(Checks):
    """A method for each head of a production, called with its body."""

    # ---- queries

    def _start(self, parts: Parts) -> None:
        """``SELECT a FROM t ORDER BY b LIMIT 3 PER t.c``: what is ordered is held to what any query is."""
        if parts[-1][0] == "limit_per":
            self._query(parts[:2])

    def _query(self, parts: Parts) -> QueryType:
        """``SELECT a FROM t ORDER BY MAX(b)``: refused, there is no group; ``SELECT DISTINCT a FROM t ORDER BY b``."""
        given = dict(parts)
        columns: QueryType = given.get("select") or given["compound"]
        order: int = given.get("order_by", 0)
        if order & Mark.ONE and not self.wide:
            self.ordered(columns.values[0] if columns.values else AbstractValue("any" if self.orderly else "other"))
        self._positioned("ORDER BY", order, columns)
        if "compound" in given and order:
            self.check("compound order", order & Mark.NAME != 0, "only output columns order a compound query")
        if columns.distinct and order:
            self.check("distinct order", order & Mark.NAME != 0, "DISTINCT is ordered by its output columns")
        if "compound" not in given and not columns.aggregate:
            self.check("aggregate place", not order & Mark.AGGREGATE, "ORDER BY an aggregate of no group")
        if order:
            columns = self.resolved(columns)
        return columns._replace(
            distinct=False,
            aggregate=False,
            plain=False,
            compound="compound" in given,
            single=columns.single or bool(given.get("limit")),
            limited=columns.limited or "limit" in given,
            windowed=bool(order & Mark.WINDOW) and "limit" not in given,
        )

    def _positioned(self, clause: str, marks: int, columns: QueryType) -> None:
        """Refuse ``SELECT a FROM t ORDER BY 2``; which columns a star shows, the scope knows."""
        if columns.values is None:
            return
        for n in positions_of(marks):
            self.check("constant terms", n <= len(columns.values), f"{clause} {n}, of {len(columns.values)} columns")
            for value in columns.values[n - 1 : n]:
                self.ordered(value)
                if clause == "GROUP BY":
                    self.no_aggregate(value)

    def _compound(self, parts: Parts) -> QueryType:
        """``SELECT a, b FROM t UNION SELECT a FROM s``: refused, the sides have 2 columns and 1."""
        left, right = parts[0][1], parts[2][1]
        alike = (left.values is None) == (right.values is None) and left.star == right.star
        self.check("column counts", alike and (left.star or left.values is not None), "a star beside a set operator")
        self.check("nested operands", not left.compound and not right.compound, "an operand is a compound query itself")
        if left.values is None or right.values is None:
            return QueryType(None, limited=left.limited or right.limited, star=left.star)
        self.check("column counts", len(left.values) == len(right.values), "set operators need as many columns")
        joined = [self.join_types(pair) for pair in zip(left.values, right.values, strict=False)]
        return QueryType(tuple(joined), limited=left.limited or right.limited)

    def _operand(self, parts: Parts) -> QueryType:
        """``(SELECT * FROM t) UNION``; ``(SELECT a FROM t ORDER BY RANK() OVER (ORDER BY a)) UNION``: refused."""
        columns: QueryType = parts[0][1]
        able = self.types.windowed_operands or not columns.windowed
        self.check("aggregate place", able, "a window function orders no operand without LIMIT")
        # behind brackets a set operator must follow, and not every star can stand beside one where types are strict
        bare = parts[0][0] == "select" or not self.types.strict
        return columns if bare else columns._replace(star=False)

    def _subquery(self, parts: Parts) -> QueryType:
        """``(SELECT a FROM t)``: what the query within returns."""
        return parts[1][1]

    def _select(self, parts: Parts) -> QueryType:
        """``SELECT MAX(a) FROM t``: one row; ``a IN (SELECT b, c FROM t)``: refused, one column is wanted."""
        given = dict(parts)
        items: QueryType = given.get("items") or given["starred"]
        demand: tuple[str, ...] | str | None = parts[0][1]
        if demand == STARRED:
            self.check("column counts", items.star, "a bare star is wanted here, as before the set operator")
        if isinstance(demand, tuple):
            fits = items.values is not None and len(items.values) == len(demand)
            self.check("column counts", fits, f"{len(demand)} columns are wanted here")
            for wanted, value in zip(demand, items.values or (), strict=False):
                self.compare([AbstractValue(wanted), self.null_as_text(value)])
        # a column needs a FROM, and beside an aggregate GROUP BY, though neither may be written yet
        alone = not items.plain or (items.aggregate and "grouping" not in self.on)
        single = "group_by" not in given and alone and (items.aggregate or "from" not in given)
        single |= bool(given.get("where")) and given.get("from") == TABLE
        for value in items.values or ():
            if demand == DERIVED:
                self.check(self.types.hiding, self.showable(value), "a derived table shows no values of this type")
            if "DISTINCT" in given:
                self.ordered(value)
        if "DISTINCT" in given:
            items = self.resolved(items)
        if given.get("group_by"):
            aggregated = items.values is None and items.aggregate
            self.check("aggregate place", not aggregated, "GROUP BY a number beside a star and an aggregate")
            self._positioned("GROUP BY", given["group_by"], items)
        if "having" in given and "group_by" not in given:
            alone = items.aggregate or self.types.lone_having
            self.check("aggregate place", alone, "HAVING without a group")
            items = items._replace(aggregate=True)
        if self.wide and items.values is not None:
            items = items._replace(values=tuple(v._replace(marks=0) for v in items.values))
        aggregate = items.aggregate or "group_by" in given
        items = items._replace(star=items.star and given.get("from") == TABLE)
        return items._replace(single=single, aggregate=aggregate, distinct="DISTINCT" in given)

    def _items(self, parts: Parts) -> QueryType:
        """``a, MAX(b)``: two columns, one of them outside of aggregates."""
        item: AbstractValue = parts[-1][1]
        before: QueryType = parts[0][1] if len(parts) > 1 else QueryType(())
        held = item.marks & (Mark.AGGREGATE | Mark.WINDOW) if self.wide else 0
        values = (*(before.values or ()), AbstractValue(item.type, item.magnitude, held))
        aggregate = before.aggregate or bool(item.marks & Mark.AGGREGATE)
        plain = before.plain or (bool(item.marks & Mark.PLAIN) and "single row" in self.on)
        return QueryType(values, aggregate=aggregate, plain=plain)

    def _starred(self, parts: Parts) -> QueryType:
        """``*, a``: any number of columns."""
        # a star hides the items beside it from where they are checked; DISTINCT could stand before them
        aggregate = False
        for _, value in parts:
            columns: Sequence[AbstractValue] = (value,) if isinstance(value, AbstractValue) else ()
            aggregate |= isinstance(value, AbstractValue) and bool(value.marks & Mark.AGGREGATE)
            if isinstance(value, QueryType):
                columns = value.values or ()
                aggregate |= value.aggregate
            for column in columns:
                self.ordered(column)
        return QueryType(None, aggregate=aggregate, star=len(parts) == 1 and parts[0][1] == "*")

    def _star(self, parts: Parts) -> str:
        return parts[0][0]

    def _item(self, parts: Parts) -> AbstractValue:
        """``a + 1 AS n``: as the expression."""
        return parts[0][1]


@dataclass
class SemanticActions(QueryActions, ClauseActions, ConditionActions, ExpressionActions, WindowActions):
    """The reductions of one grammar under the rules that are ``on``.

    Attributes:
        memo: what reductions have given, by production and values.
        typed: whether not everything compares with everything, or counts as a condition.
    """

    memo: dict[tuple[int, tuple[Any, ...]], Any] = field(default_factory=dict[tuple[int, tuple[Any, ...]], Any])

    def __post_init__(self) -> None:
        super().__post_init__()
        self.typed = self.types.strict or not TYPED.isdisjoint(self.on)
        self._bodies = self.tables.bodies
        self._refusals: dict[tuple[str, str], RuleViolation] = {}
        self._heads = [getattr(self, "_" + head.strip("_$"), _nothing) for head in self.tables.heads]

    def judged(self, production: int, values: tuple[Any, ...]) -> Any:
        """Return the value of a production's head, or the `RuleViolation`."""
        key = (production, values)
        found = self.memo.get(key, self)
        if found is self:
            try:
                found = self._heads[production](list(zip(self._bodies[production], values, strict=True)))
            except RuleViolation as refused:  # one of each sort is kept, without the frames that it came through
                found = self._refusals.setdefault((refused.rule, refused.problem), refused.with_traceback(None))
            self.memo[key] = found
        return found

    def reduce(self, production: int, values: tuple[Any, ...]) -> Any:
        """Return the value of a production's head.

        Raises:
            RuleViolation: a rule is broken.
        """
        found = self.judged(production, values)
        if isinstance(found, RuleViolation):
            raise RuleViolation(found.rule, found.problem)
        return found


def _nothing(parts: Parts) -> None:
    return None
