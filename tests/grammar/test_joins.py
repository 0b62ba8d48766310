"""What a FROM may join: along foreign keys where that is asked for, and so many sources and no more."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from rule_cases import LAND, MARK, judge, reason, stop, typed
from sqlglot import exp, parse_one

from querent.data.domain import GROUPINGS
from querent.data.errors import ConstraintError
from querent.data.schema import ForeignKey, Schema
from querent.data.sources import sources
from querent.grammar import EOS, Constraint, Grammar, Vocabulary
from querent.grammar.lr.tables import DIALECTS
from querent.grammar.scope.foreign_keys import links

KEYS = Schema(
    tuple(
        replace(t, foreign_keys=(ForeignKey(("state_id",), "state", ("id",)),) if t.name != "state" else ())
        for t in LAND.tables
    )
)
WORDS = (
    "SELECT c.people, d.people, name, s.area, t.n FROM city AS c, city AS d, state AS s, state AS t, river AS r, "
    "(SELECT 1 AS n) AS t WHERE c.state_id = s.id AND s.id > 1 AND length > 1 AND t.area > 1",
)


def constraint_of(dialect: str, schema: Schema = KEYS, *, sources: int | None = None, joins: str = "any") -> Constraint:
    grammar = Grammar.for_schema(schema, dialect=dialect)
    return Constraint(Vocabulary.build(grammar, WORDS), budget=40, sources=sources, joins=joins)


def test_tables_are_linked_by_a_key_or_by_what_both_refer_to() -> None:
    city, state, river = "city", "state", "river"
    assert links(KEYS, str.lower) == {city: {state, river, city}, river: {state, river, city}, state: {city, river}}
    assert links(LAND, str.lower) == {}


ON = "ON c.state_id = s.id"
LAKES = Schema((*KEYS.tables, *typed(lake="depth REAL").tables))
"""A lake is linked to nothing."""


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        (f"SELECT c.people FROM city AS c JOIN state AS s {ON} WHERE c.people > 1", None),
        (f"SELECT s.area, c.people FROM state AS s LEFT JOIN city AS c {ON}", None),
        ("SELECT c.people FROM city AS c JOIN river USING (state_id)", None),
        ("SELECT 1 FROM city AS c JOIN city AS d ON c.state_id = d.state_id", None),
        ("SELECT t.n FROM (SELECT 1 AS n) AS t", None),
        ("SELECT 1 FROM lake WHERE EXISTS (SELECT 1 FROM city)", None),
        ("SELECT c.people FROM city AS c», state WHERE c.people > 1", ", joins on no key; write JOIN and ON"),
        ("SELECT c.people FROM city AS c »CROSS JOIN state", "CROSS JOIN joins on no key"),
        ("SELECT 1 FROM city AS c »NATURAL JOIN river", "NATURAL joins on no key"),
        ("SELECT 1 FROM city AS c JOIN »lake ON c.people > depth", "no foreign key links lake to what is in FROM"),
        ("SELECT c.people, »depth FROM city AS c JOIN lake ON c.people > depth", "could hold what depth needs"),
        ("SELECT 1 FROM lake »JOIN lake AS s ON 1 = 1", "could hold what the join needs"),
        ("SELECT c.people, »t.n FROM city AS c JOIN (SELECT 1 AS n) AS t ON c.people > 1", "could hold what n needs"),
        ("SELECT 1 FROM city AS c JOIN »(SELECT 1 AS n) AS t ON c.people > 1", "could hold what ( needs"),
        ("SELECT s.area FROM state AS s JOIN »state AS t ON s.id = t.id", "no foreign key links state to what is"),
    ],
)
def test_a_further_source_is_linked_by_keys_and_joined_on_a_condition(sql: str, why: str | None) -> None:
    text = sql.replace(MARK, "")
    assert stop(constraint_of("sqlite", LAKES), text) is None
    found = stop(constraint_of("sqlite", LAKES, joins="keys"), text)
    assert (found is None) == (why is None), found
    assert found is None or (found[0] == sql.index(MARK) and str(why) in found[1]), found


MERGED = typed(p="x INTEGER, a TEXT", q="x BIGINT, b INTEGER", r="x INTEGER, c INTEGER")


@pytest.mark.parametrize(
    ("dialect", "sql", "why"),
    [
        ("postgres", "SELECT DISTINCT * FROM p RIGHT JOIN r USING (x) ORDER BY x", None),
        # it is the other side's
        ("postgres", "SELECT DISTINCT * FROM p RIGHT JOIN r USING (x) ORDER BY »p.x", "not in the select"),
        ("mysql", "SELECT * FROM p RIGHT JOIN r USING (x) GROUP BY a HAVING x > 1", None),
        ("mysql", "SELECT * FROM p RIGHT JOIN r USING (x) GROUP BY a HAVING »p.x > 1", "nor selected"),
        ("postgres", "SELECT 1 FROM (SELECT * FROM p RIGHT JOIN r USING (x)) t WHERE CAST(t.x AS INTEGER) > 1", None),
        (
            "postgres",
            "SELECT 1 FROM (SELECT * FROM p RIGHT JOIN q USING (x)) t WHERE CAST(t.x AS »INTEGER) > 1",
            "could fail",
        ),
    ],
)
def test_what_a_join_made_one_column_may_be_either_sides(dialect: str, sql: str, why: str | None) -> None:
    loose = GROUPINGS["loose"] if dialect == "mysql" else ()
    found = reason(judge((sql,), dialect, without=loose, schema=MERGED), sql)
    assert found is None if why is None else why in str(found)


def test_a_source_too_many_is_refused_with_the_reason() -> None:
    reason = "'s.area' is not allowed here: no FROM of 1 sources could hold what area needs"
    assert stop(constraint_of("sqlite", sources=1), "SELECT c.people , s.area FROM city AS c") == (18, reason)


@pytest.mark.parametrize(("wrong", "said"), [({"sources": 0}, "a FROM of 0 sources"), ({"joins": "key"}, "'keys'")])
def test_what_makes_no_sense_is_refused(wrong: dict[str, int | str], said: str) -> None:
    with pytest.raises(ConstraintError, match=said):
        constraint_of("sqlite", **wrong)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("joins", ["any", "keys"])
def test_random_queries_keep_what_was_promised_and_end_narrow(dialect: str, joins: str) -> None:
    narrow = constraint_of(dialect, sources=2, joins=joins)
    free = constraint_of(dialect, joins=joins)
    wide = [one for seed in range(12) for one in _froms(_walk(free, seed), dialect)]
    written = [one for seed in range(12) for one in _froms(_walk(narrow, seed), dialect)]
    assert max(map(len, written)) == 2 < max(map(len, wide))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("schema", [LAND, LAKES], ids=["no keys", "keys, and a table apart"])
def test_random_queries_join_along_keys_alone(dialect: str, schema: Schema) -> None:
    """Whatever walks want: no comma, no CROSS JOIN, no table that no key leads to; without keys one source."""
    constraint = constraint_of(dialect, schema, joins="keys")
    linked, several = links(schema, str.lower), 0
    for seed in range(5):
        sql = _walk(constraint, seed)
        joins = list(parse_one(sql, dialect=dialect).find_all(exp.Join))
        assert all(join.args.get("on") or join.args.get("using") for join in joins), sql
        for tables in _froms(sql, dialect):
            several += len(tables) > 1
            assert len(tables) < 2 or all(table.lower() in linked for table in tables), sql
    assert bool(several) == bool(linked)


def _walk(constraint: Constraint, seed: int) -> str:
    """Return a random query; FROM and commas are preferred."""
    rng = random.Random(seed)
    words = constraint.vocabulary.words
    state, ids = constraint.start(), list[int]()
    while True:
        allowed = np.flatnonzero(state.allowed()).tolist()
        assert allowed, constraint.vocabulary.decode(ids)
        liked = [w for w in allowed if words[w].text in {"FROM", ",", "JOIN"} or words[w].terminal == "TABLE"]
        word = rng.choice(liked if liked and rng.random() < 0.5 else allowed)
        if word == EOS:
            return constraint.vocabulary.decode(ids)
        promised = state.need(word)
        state = state.advance(word)
        ids.append(word)
        assert state.least <= promised - 1, constraint.vocabulary.decode(ids)


def _froms(sql: str, dialect: str) -> list[list[str]]:
    """Return the sources of each SELECT: tables by name, derived tables by none."""
    selects = parse_one(sql, dialect=dialect).find_all(exp.Select)
    return [[s.name if isinstance(s, exp.Table) else "" for s in sources(select)] for select in selects]
