"""What a FROM may join: along foreign keys where that is asked for (sql/joins.sql), and so many sources and no more."""

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from draws import in_turn
from grammar_cases import walk
from rule_cases import LAND, reason, stop, typed
from sqlglot import exp, parse_one

from querent.data.errors import ConstraintError
from querent.data.schema.schema import ForeignKey, Schema, Table
from querent.data.sql.sources import sources_of
from querent.grammar import Constraint, Grammar, Vocabulary
from querent.grammar.lr.tables import DIALECTS

KEYS = Schema(
    tuple(
        replace(t, foreign_keys=(ForeignKey(("state_id",), "state", ("id",)),) if t.name != "state" else ())
        for t in LAND.tables
    )
)
WORDS = (
    "SELECT c.people, d.people, name, s.area, t.n FROM city AS c, city AS d, state AS s, state AS t, river AS r, "
    "(SELECT 1 AS n) AS t WHERE c.state_id = s.id AND d.state_id + 1 > 1 AND NOT length > 1 OR t.area > 1",
)


def constraint_of(dialect: str, schema: Schema = KEYS, *, sources: int | None = None, joins: str = "any") -> Constraint:
    grammar = Grammar.for_schema(schema, dialect=dialect)
    return Constraint(Vocabulary.build(grammar, WORDS), budget=40, sources=sources, joins=joins)


LAKES = Schema((*KEYS.tables, *typed(lake="depth REAL").tables))
"""A lake is linked to nothing."""


def test_a_source_too_many_is_refused_with_the_reason() -> None:
    reason = "'s.area' is not allowed here: no FROM of 1 sources could hold what area needs"
    assert stop(constraint_of("sqlite", sources=1), "SELECT c.people , s.area FROM city AS c") == (18, reason)


@pytest.mark.parametrize(("wrong", "said"), [({"sources": 0}, "a FROM of 0 sources"), ({"joins": "key"}, "'keys'")])
def test_what_makes_no_sense_is_refused(wrong: dict[str, int | str], said: str) -> None:
    with pytest.raises(ConstraintError, match=said):
        constraint_of("sqlite", **wrong)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("dialect", "joins"), in_turn([(d, joins) for joins in ("any", "keys")] for d in DIALECTS))
def test_random_queries_keep_what_was_promised_and_end_narrow(dialect: str, joins: str) -> None:
    narrow = constraint_of(dialect, sources=2, joins=joins)
    assert max(len(one) for seed in range(8) for one in _froms(_walk(narrow, seed), dialect)) == 2
    free = constraint_of(dialect, joins=joins)
    assert max(len(one) for seed in range(8) for one in _froms(_walk(free, seed), dialect)) > 2


@pytest.mark.parametrize(("dialect", "schema"), in_turn([(d, schema) for schema in (LAKES, LAND)] for d in DIALECTS))
def test_random_queries_join_along_keys_alone(dialect: str, schema: Schema) -> None:
    """Whatever walks want: no comma, no CROSS JOIN, no table that no key leads to; without keys one source."""
    constraint = constraint_of(dialect, schema, joins="keys")
    several = 0
    for seed in range(8):
        sql = _walk(constraint, seed)
        for select in parse_one(sql, dialect=dialect).find_all(exp.Select):
            several += _joined_by_keys(select)
    assert bool(several) == any(t.foreign_keys for t in schema.tables)


def test_tables_between_are_counted_and_whole_keys_are_written() -> None:
    """What is asked of city and country takes state; visits are of a city and a number."""
    schema = Schema(
        (
            keyed("country", "id INTEGER, big INTEGER"),
            keyed("state", "id INTEGER, country_id INTEGER", (("country_id",), "country", ("id",))),
            keyed("city", "id INTEGER, state_id INTEGER, name TEXT", (("state_id",), "state", ("id",))),
            keyed("visit", "city INTEGER, no INTEGER", (("city",), "city", ("id",))),
            keyed("bill", "city INTEGER, no INTEGER, cents INTEGER", (("city", "no"), "visit", ("city", "no"))),
        )
    )
    to_state = "SELECT name, country.big FROM city JOIN state ON city.state_id = state.id"
    whole = f"{to_state} JOIN country ON state.country_id = country.id"
    paid = "SELECT 1 FROM visit JOIN bill ON visit.city = bill.city AND visit.no = bill.no"
    longer = f"{paid} AND bill.cents > 1 JOIN city ON visit.city = city.id"
    direct = "SELECT name, country.big FROM city JOIN »country ON city.state_id = country.id"
    for dialect in DIALECTS:
        vocabulary = Vocabulary.build(Grammar.for_schema(schema, dialect=dialect), [])
        judged = Constraint(vocabulary, budget=40, joins="keys")
        assert all(stop(judged, sql) is None for sql in (whole, paid, longer))
        assert "no foreign key links country" in str(reason(judged, direct))
        assert "country is not in FROM" in str(reason(judged, f"{to_state}»"))
        assert "not say the whole key" in str(reason(judged, paid.replace(" AND visit.no = bill.no", "»")))
        short = Constraint(vocabulary, budget=17, joins="keys")
        assert "words to finish the query" in str(reason(short, whole.replace("country.big", "»country.big")))


def keyed(name: str, columns: str, *keys: tuple[tuple[str, ...], str, tuple[str, ...]]) -> Table:
    return replace(typed(**{name: columns}).tables[0], foreign_keys=tuple(ForeignKey(*key) for key in keys))


LINKED = {"city.state_id", "river.state_id"}


def _joined_by_keys(select: exp.Select) -> bool:
    """Check that each join of a FROM begins with the equation of a key, and say whether there is any."""
    found, joins = sources_of(select), select.args.get("joins") or []
    assert len(joins) == max(len(found) - 1, 0), select.sql()
    for number, join in enumerate(joins, 1):
        if using := join.args.get("using"):
            assert [c.name.lower() for c in using] == ["state_id"], join.sql()
            continue
        first = join.args["on"]
        while isinstance(first, exp.And):
            first = first.this
        assert isinstance(first, exp.EQ), join.sql()
        named = {one.alias_or_name.lower(): one.name.lower() for one in found[: number + 1]}
        sides = [(side.table.lower(), side.name.lower()) for side in (first.this, first.expression)]
        owners = [owner or _owner(named, column) for owner, column in sides]
        assert found[number].alias_or_name.lower() in owners and len({*owners} & named.keys()) == 2, join.sql()
        keys = sorted(f"{named[owner]}.{column}" for owner, (_, column) in zip(owners, sides, strict=True))
        assert keys[0] in LINKED and keys[1] in LINKED | {"state.id"}, join.sql()
    return bool(joins)


def _owner(named: Mapping[str, str], column: str) -> str:
    """Return the source of a bare column."""
    return next(n for n, table in named.items() if column in {c.name for c in LAKES.table(table).columns})


def _walk(constraint: Constraint, seed: int) -> str:
    """Return a random query; FROM, JOIN, commas and tables are preferred."""
    words = constraint.vocabulary.words
    liked = {n for n, w in enumerate(words) if w.text in {"FROM", ",", "JOIN"} or w.terminal == "TABLE"}
    return constraint.vocabulary.decode(walk(constraint, random.Random(seed), budget=40, liked=liked))


def _froms(sql: str, dialect: str) -> list[list[str]]:
    """Return the sources of each SELECT: tables by name, derived tables by none."""
    selects = parse_one(sql, dialect=dialect).find_all(exp.Select)
    return [[s.name if isinstance(s, exp.Table) else "" for s in sources_of(select)] for select in selects]
