"""Each rule refuses its example, and nothing but that rule does; the query beside it is admitted."""

from __future__ import annotations

import pytest
from draws import in_turn
from rule_cases import example_in, judge, schema_of, stop

from querent.grammar import LEVELS, RULES
from querent.grammar.lr.tables import DIALECTS
from querent.grammar.types.abstract_values import RuleViolation

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


@pytest.mark.parametrize(("rule", "dialect"), [(r, d) for r, d in IN_TURN if RULES[r].level != "types"])
def test_a_rule_does_not_hold_below_its_level(rule: str, dialect: str) -> None:
    """Those of level types are in test_phrases.py."""
    sql = example_in(rule, dialect)
    below = LEVELS[LEVELS.index(RULES[rule].level) - 1]
    assert stop(judge((sql,), dialect, below, schema=schema_of(sql)), sql) is None
