"""The rules of the constraint by name: at which level each begins to hold, and what it says.

A rule lives where it is checked: those on expressions in expression_actions.py, those on clauses in query_actions.py,
those on names in grammar/scope/, what only steers a search in repeats.py. Here is their list, so that each can be
switched off alone (`active`).

The examples are about these tables:

    city(id INTEGER, name TEXT, people INTEGER, state_id INTEGER)
    state(id INTEGER, name TEXT, area REAL, founded DATE)
    river(length INTEGER, source TEXT, deep BOOLEAN, state_id INTEGER)
    place(name TEXT, spot POINT)
    crowd(state_id INTEGER, people INTEGER), a view: SELECT state_id, SUM(people) FROM city GROUP BY state_id
    wide, of 1,200 columns
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ...data.errors import ConstraintError, did_you_mean

__all__ = ["LEVELS", "RULES", "TYPED", "Rule", "active"]

LEVELS = ("grammar", "scope", "types", "runs")
"""What is promised, each with all before it: it parses and ends in time; names resolve; types fit; it executes."""


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        level: where it begins to hold.
        says: what must be.
        example: a query that it refuses.
        instead: the nearest query that it admits, where that tells more.
        dialects: those that it holds in, empty if in all.
        elsewhere: examples for dialects that run the first one, types being others there.
        guards: it holds only where an `Access` says what may be read.
        steers: a search keeps to it as long as it has another way; no mask does, since what breaks it runs.
    """

    level: str
    says: str
    example: str
    instead: str = ""
    dialects: tuple[str, ...] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict[str, str])
    guards: bool = False
    steers: bool = False

    def example_in(self, dialect: str) -> str:
        """Return a query that it refuses in a dialect where it holds."""
        return self.elsewhere.get(dialect, self.example)


_STRICT = ("mysql", "postgres")

TYPED = frozenset({"conditions", "comparisons"})
"""Rules that MySQL needs only where a column is of a type that few others compare with."""

RULES: Mapping[str, Rule] = {
    # names
    "sources": Rule(
        "scope",
        "every name's table stands in FROM before FROM closes",
        "SELECT area FROM city",
        "SELECT area FROM state",
    ),
    "visible": Rule(
        "scope",
        "after FROM only columns of its sources, and of the queries around it",
        "SELECT 1 FROM city WHERE area > 1",
        "SELECT 1 FROM city WHERE people > 1",
    ),
    "ambiguous": Rule(
        "scope",
        "a bare column belongs to one source",
        "SELECT 1 FROM city, state WHERE name = 'x'",
        "SELECT 1 FROM city, state WHERE state.name = 'x'",
    ),
    "unique": Rule(
        "scope",
        "two sources of one FROM have two names",
        "SELECT city.id FROM city, city",
        "SELECT city.id FROM city, city AS c",
    ),
    "join group": Rule(
        "scope",
        "ON sees the sources of its own join, not those before a comma",
        "SELECT 1 FROM state, city JOIN river ON state.area > 1",
        "SELECT 1 FROM state, city JOIN river ON people > 1",
        dialects=_STRICT,
    ),
    "common columns": Rule(
        "scope",
        "USING and NATURAL join on columns that both sides have once",
        "SELECT 1 FROM city JOIN river USING (id)",
        "SELECT 1 FROM city JOIN river USING (state_id)",
    ),
    "derived": Rule(
        "scope",
        "a derived table shows the columns that the query takes from it, each name once",
        "SELECT t.id FROM (SELECT people FROM city) AS t",
        "SELECT t.id FROM (SELECT id FROM city) AS t",
    ),
    "lateral": Rule(
        "scope",
        "a derived table sees nothing of the queries around it",
        "SELECT 1 FROM city, (SELECT 1 AS n FROM state WHERE city.id > 1) AS t",
    ),
    "output names": Rule(
        "scope",
        "an alias is used where the dialect knows output names",
        "SELECT id AS n FROM city WHERE n IS NULL",
        "SELECT id AS n FROM city ORDER BY n",
    ),
    "compound order": Rule(
        "scope",
        "after a set operator ORDER BY names output columns",
        "SELECT people FROM city UNION SELECT length FROM river ORDER BY id",
        "SELECT people FROM city UNION SELECT length FROM river ORDER BY people",
    ),
    "access": Rule(
        "scope",
        "a star and NATURAL take tables that may be read whole, USING joins on columns that may be read",
        "SELECT * FROM city",
        "SELECT name FROM city",
        guards=True,
    ),
    "repeats": Rule(
        "scope",
        "no output, condition or half of a set operation stands right there already",
        "SELECT people, people FROM city",
        "SELECT people, id FROM city",
        steers=True,
    ),
    # shapes
    "row operands": Rule(
        "types",
        "no subquery within a row before IN",
        "SELECT (id, (SELECT MAX(area) FROM state)) IN (SELECT id, area FROM state) FROM city",
        dialects=("mysql",),
    ),
    "nested operands": Rule(
        "types",
        "an operand of a set operator is no compound query, by brackets or rank",
        "SELECT id, id FROM city UNION SELECT id, id FROM state INTERSECT SELECT id, id FROM city",
        dialects=("mysql",),
    ),
    "column counts": Rule(
        "types",
        "branches of set operators, subqueries and rows have as many columns as needed",
        "SELECT id FROM city UNION SELECT id, id FROM state",
        "SELECT id FROM city UNION SELECT id FROM state",
    ),
    "width": Rule(
        "types",
        "a select list shows no more columns than the engine takes",
        "SELECT * FROM wide, wide AS w",
        "SELECT * FROM wide",
        dialects=("sqlite", "postgres"),
    ),
    "aggregate place": Rule(
        "types",
        "no aggregate in WHERE, ON, GROUP BY or another aggregate",
        "SELECT 1 FROM city GROUP BY MAX(people)",
        "SELECT 1 FROM city GROUP BY id HAVING MAX(people) > 1",
    ),
    "outer aggregate": Rule(
        "types",
        "an aggregate holds no column of a query around it",
        "SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state GROUP BY area HAVING MAX(people) > 1)",
    ),
    "aggregated views": Rule(
        "types",
        "no query within an aggregate reads a view that holds aggregates",
        "SELECT MAX(EXISTS (SELECT 1 FROM crowd)) FROM city",
        "SELECT MAX(EXISTS (SELECT 1 FROM state)) FROM crowd",
        dialects=("mysql",),
    ),
    "constant terms": Rule(
        "types",
        "ORDER BY and GROUP BY hold no bare constant but ORDER BY 1",
        "SELECT 1 FROM city GROUP BY 2",
        "SELECT id FROM city ORDER BY 1",
    ),
    "grouping": Rule(
        "types",
        "beside aggregates only columns of GROUP BY",
        "SELECT id, MAX(people) FROM city",
        "SELECT id, MAX(people) FROM city GROUP BY id",
        dialects=_STRICT,
    ),
    "distinct order": Rule(
        "types",
        "SELECT DISTINCT is ordered by its output columns",
        "SELECT DISTINCT id FROM city ORDER BY people",
        "SELECT DISTINCT id FROM city ORDER BY id",
        dialects=("postgres",),
    ),
    "limit in subquery": Rule(
        "types",
        "no LIMIT in the subquery of IN, ANY and ALL",
        "SELECT 1 FROM city WHERE id IN (SELECT id FROM state LIMIT 1)",
        dialects=("mysql",),
    ),
    "full join": Rule(
        "types",
        "FULL JOIN joins by USING or NATURAL",
        "SELECT 1 FROM city FULL JOIN state ON city.id > state.id",
        "SELECT 1 FROM city FULL JOIN state USING (id)",
        dialects=("postgres",),
    ),
    "joined unions": Rule(
        "types",
        "no RIGHT or FULL JOIN and no UNION ALL in one FROM with its derived tables",
        "SELECT 1 FROM state FULL JOIN city ON people > 1 JOIN (SELECT 1 UNION ALL SELECT 2)",
        "SELECT 1 FROM state FULL JOIN city ON people > 1 JOIN (SELECT 1 UNION SELECT 2)",
        dialects=("sqlite",),
    ),
    # types
    "conditions": Rule(
        "types",
        "conditions are boolean, or of a type that counts as such",
        "SELECT 1 FROM city WHERE id",
        "SELECT 1 FROM city WHERE id > 1",
        dialects=_STRICT,
        elsewhere={"mysql": "SELECT 1 FROM place WHERE spot"},
    ),
    "comparisons": Rule(
        "types",
        "what is compared has one type, or types that compare",
        "SELECT 1 FROM city WHERE id > name",
        "SELECT 1 FROM city WHERE id > people",
        dialects=_STRICT,
        elsewhere={"mysql": "SELECT 1 FROM place WHERE spot = 1"},
    ),
    "operators": Rule(
        "types",
        "operators take the types of their signatures",
        "SELECT 1 FROM city WHERE id LIKE 'x'",
        "SELECT 1 FROM city WHERE name LIKE 'x'",
        elsewhere={
            "sqlite": "SELECT 1 FROM city WHERE name LIKE REPLACE(name, 'a', 'b')",
            "mysql": "SELECT 1 FROM city WHERE name REGEXP '('",
        },
    ),
    "functions": Rule(
        "types",
        "functions take the types of their signatures",
        "SELECT ABS(name) FROM city",
        "SELECT ABS(id) FROM city",
        elsewhere={"sqlite": "SELECT HEX(HEX(name)) FROM city", "mysql": "SELECT ABS(spot) FROM place"},
    ),
    "casts": Rule(
        "types",
        "casts take the types of their signatures",
        "SELECT CAST(name AS DATE) FROM city",
        "SELECT CAST('2024-03-01' AS DATE)",
        dialects=_STRICT,
        elsewhere={"mysql": "SELECT CAST(spot AS DATE) FROM place"},
    ),
    "literals": Rule(
        "types",
        "typed literals and escape characters are well formed",
        "SELECT DATE 'x'",
        "SELECT DATE '2024-03-01'",
        elsewhere={"sqlite": "SELECT 1 FROM city WHERE name LIKE 'x' ESCAPE 'ab'"},
    ),
    # run time
    "promises": Rule(
        "runs",
        "arguments keep the digits, signs and zeros of their signatures",
        "SELECT id / people FROM city",
        "SELECT id / NULLIF(people, 0) FROM city",
        elsewhere={"sqlite": "SELECT SUM(people * people) FROM city", "mysql": "SELECT EXP(people) FROM city"},
    ),
    "overflow": Rule(
        "runs",
        "no result has more digits than its type holds",
        "SELECT people * people FROM city",
        dialects=_STRICT,
    ),
    "single row": Rule(
        "runs",
        "a subquery used as a value returns one row at most",
        "SELECT (SELECT area FROM state)",
        "SELECT (SELECT MAX(area) FROM state)",
        dialects=_STRICT,
    ),
}


def active(level: str, dialect: str, without: Collection[str] = (), *, guarded: bool = False) -> frozenset[str]:
    """Return the names of the rules that hold; ``guarded`` where not all may be read.

    Raises:
        ConstraintError: no such level, or no such rule to leave out; or names would not be held to what may be read.
    """
    if level not in LEVELS:
        raise ConstraintError(f"no level {level!r}", hint=did_you_mean(level, LEVELS) or f"use {', '.join(LEVELS)}")
    for name in without:
        if name not in RULES:
            raise ConstraintError(f"no rule {name!r}", hint=did_you_mean(name, RULES) or "see querent.grammar.RULES")
    reached = LEVELS[: LEVELS.index(level) + 1]
    if guarded and "scope" not in reached:
        raise ConstraintError(f"access at level {level!r}", hint="names are held to what may be read from scope on")
    names = (name for name in without if RULES[name].level == "scope" and not RULES[name].steers)
    if guarded and (left := next(names, None)):
        raise ConstraintError(f"access without the rule {left!r}", hint="leave no rule on names out")
    return frozenset(
        name
        for name, rule in RULES.items()
        if rule.level in reached
        and name not in without
        and (not rule.dialects or dialect in rule.dialects)
        and (guarded or not rule.guards)
    )
