"""Levels and rules: each level refuses what the lower ones do and more, and a rule can be left out alone."""

from __future__ import annotations

import itertools
import random

import pytest
from grammar_cases import walk
from rule_cases import LAND, judge

from querent.data.errors import ConstraintError
from querent.grammar import EOS, LEVELS, RULES, Constraint, Grammar, Vocabulary
from querent.grammar.lr.tables import DIALECTS
from querent.grammar.semantics.rules import active

WORDS = (
    "SELECT c.people, MAX(area), 2 FROM city AS c, state WHERE c.id > 1 AND people > 1.5",
    "SELECT t.n, city.id FROM city, (SELECT COUNT(*) AS n FROM state) AS t GROUP BY 1",
)


def test_every_rule_has_a_level_above_the_grammar_and_says_what_it_is() -> None:
    assert {rule.level for rule in RULES.values()} == set(LEVELS[1:])
    assert all(rule.says and set(rule.dialects) <= set(DIALECTS) for rule in RULES.values())
    assert all(not active(LEVELS[0], dialect) for dialect in DIALECTS)


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
    refused = dict.fromkeys(LEVELS, 0)
    for highest in (3, 2, 1):
        ids = walk(constraints[highest], rng, budget=rng.randint(4, 10))
        states = [c.start() for c in constraints]
        for word in (*ids, EOS):
            masks = [state.allowed() for state in states]
            for i in range(highest):
                assert masks[i][word], (LEVELS[i], states[i].explain(word))
            for i, level in enumerate(LEVELS if highest == 3 else ()):
                refused[level] += int((masks[0] & ~masks[i]).sum())
            if highest < 3 and not masks[highest + 1 :][0][word]:
                break
            states = [s.advance(word) if m[word] else s for s, m in zip(states, masks, strict=True)]
    assert refused["grammar"] == 0 < refused["scope"] <= refused["types"]


def test_runs_is_the_default() -> None:
    grammar = Grammar.for_schema(LAND, dialect="postgres")
    constraint = Constraint(Vocabulary.build(grammar, WORDS))
    assert constraint.level == "runs"
    assert constraint.rules == active("runs", "postgres")


def test_an_unknown_level_or_rule_is_told() -> None:
    grammar = Grammar.for_schema(LAND, dialect="sqlite")
    vocabulary = Vocabulary.build(grammar, WORDS)
    with pytest.raises(ConstraintError, match=r"no level 'scopes'.*did you mean 'scope'"):
        Constraint(vocabulary, level="scopes")
    with pytest.raises(ConstraintError, match=r"no level 'zzz'.*grammar, scope, types, runs"):
        Constraint(vocabulary, level="zzz")
    with pytest.raises(ConstraintError, match=r"no rule 'ambigous'.*did you mean 'ambiguous'"):
        Constraint(vocabulary, without=["ambigous"])
    with pytest.raises(ConstraintError, match="no rule 'zzz'"):
        Constraint(vocabulary, without=["zzz"])
