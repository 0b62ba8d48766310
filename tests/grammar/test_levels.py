"""Levels and rules: a level refuses what the lower ones do and more, and each rule its example, nothing but it."""

import itertools
import random

import pytest
from draws import in_turn
from grammar_cases import walk
from rule_cases import LAND, example_in, judge, schema_of, stop, typed

from querent.data.errors import ConstraintError
from querent.grammar import EOS, LEVELS, RULES, Constraint, Grammar, Vocabulary
from querent.grammar.lr.tables import DIALECTS
from querent.grammar.semantics.rules import TYPED, active
from querent.grammar.types.abstract_values import RuleViolation

WORDS = (
    "SELECT c.people, MAX(area), 2 FROM city AS c, state WHERE c.id > 1 AND people > 1.5",
    "SELECT t.n, city.id FROM city, (SELECT COUNT(*) AS n FROM state) AS t GROUP BY 1",
)


def test_every_rule_has_a_level_and_says_what_it_is() -> None:
    assert {rule.level for rule in RULES.values()} == set(LEVELS)
    assert all(rule.says and set(rule.dialects) <= set(DIALECTS) for rule in RULES.values())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_levels_add_rules_and_without_takes_them_away(dialect: str) -> None:
    sets = [active(level, dialect) for level in LEVELS]
    assert all(lower < higher for lower, higher in itertools.pairwise(sets))
    held = {name for name, rule in RULES.items() if not rule.dialects or dialect in rule.dialects}
    assert sets[-1] == held - {"access"}
    assert active("runs", dialect, guarded=True) == held
    for rule in RULES:
        assert active("runs", dialect, (rule,)) == sets[-1] - {rule}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_a_level_admits_all_lower_ones_admit(dialect: str) -> None:
    rng = random.Random(21)
    constraints = [judge(WORDS, dialect, level) for level in LEVELS]
    for _ in range(3):
        states = [c.start() for c in constraints]
        for word in (*walk(constraints[-1], rng, budget=rng.randint(4, 10)), EOS):
            masks = [state.allowed() for state in states]
            assert all((higher <= lower).all() for lower, higher in itertools.pairwise(masks))
            states = [state.advance(word) for state in states]


def test_an_unknown_level_or_rule_is_told() -> None:
    grammar = Grammar.for_schema(LAND, dialect="sqlite")
    vocabulary = Vocabulary.build(grammar, WORDS)
    assert Constraint(vocabulary).level == "runs"
    for wrong, said in (
        ({"level": "scopes"}, "no level 'scopes'.*did you mean 'scope'"),
        ({"level": "zzz"}, "no level 'zzz'.*scope, types, runs"),
        ({"without": ["ambigous"]}, "no rule 'ambigous'.*did you mean 'ambiguous'"),
    ):
        with pytest.raises(ConstraintError, match=said):
            Constraint(vocabulary, **wrong)


def test_rules_on_types_hold_where_a_column_is_of_a_type_that_compares_with_few() -> None:
    """MariaDB's shapes, addresses and UUIDs compare with texts alone."""
    site = typed(site="id UUID, spot POINT, size INTEGER")
    for schema, rules in ((site, active("runs", "mysql")), (LAND, active("runs", "mysql") - TYPED)):
        assert Constraint(Vocabulary.build(Grammar.for_schema(schema, dialect="mysql"), ())).rules == rules


REFUSING = {rule: found for rule, found in RULES.items() if not (found.guards or found.steers)}
EACH = {rule: [(rule, dialect) for dialect in found.dialects or DIALECTS] for rule, found in REFUSING.items()}
CASES, IN_TURN = [case for cases in EACH.values() for case in cases], in_turn(EACH.values())
TOLD_AS = {"join group": "visible", "row operands": "column counts"}
"""Rules that are told as another one: what ON does not see is not visible; a row's operand may be a query."""


@pytest.mark.parametrize(("rule", "dialect"), CASES)
def test_a_rule_refuses_its_example_and_is_named(rule: str, dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    named: dict[str, str] = {}
    made = RuleViolation.__init__

    def noted(self: RuleViolation, broken: str, problem: str) -> None:
        named[problem] = broken
        made(self, broken, problem)

    monkeypatch.setattr(RuleViolation, "__init__", noted)
    sql = example_in(rule, dialect)
    words = (sql,) if dialect in RULES[rule].elsewhere else (sql, RULES[rule].instead or sql)
    constraint = judge.__wrapped__(words, dialect, RULES[rule].level, schema=schema_of(sql))
    found = stop(constraint, sql)
    assert found is not None
    assert named[found[1].partition(" is not allowed here: ")[2]] == TOLD_AS.get(rule, rule), found


@pytest.mark.parametrize(("rule", "dialect"), IN_TURN)
def test_the_example_is_admitted_without_the_rule(rule: str, dialect: str) -> None:
    sql = example_in(rule, dialect)
    assert stop(judge((sql,), dialect, without=(rule,), schema=schema_of(sql)), sql) is None


@pytest.mark.parametrize(
    ("rule", "dialect"), [(r, d) for r, d in IN_TURN if RULES[r].instead and d not in RULES[r].elsewhere]
)
def test_what_may_stand_instead_is_admitted(rule: str, dialect: str) -> None:
    sql = RULES[rule].instead
    assert stop(judge((sql,), dialect, schema=schema_of(sql)), sql) is None


@pytest.mark.parametrize(("rule", "dialect"), [(r, d) for r, d in IN_TURN if RULES[r].level == "runs"])
def test_a_rule_does_not_hold_below_its_level(rule: str, dialect: str) -> None:
    """Those of level types are in test_sql.py."""
    sql = example_in(rule, dialect)
    assert stop(judge((sql,), dialect, "types", schema=schema_of(sql)), sql) is None
