"""Follow-ups: the query that each change makes, and conversations that have several of them."""

import random
import re
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from cases import cases
from sampled import source

from querent.grammar import Grammar
from querent.parser.normal_form import NormalForm
from querent.sampler import composed
from querent.sampler.composing import Composer, Composition, grammar
from querent.sampler.frame import NothingToDraw
from querent.sampler.turns import CHANGES

CASES = Path(__file__).with_name("turns.toml")


def question_of(composer, case):
    def filled(kind, names):
        return [composer.slots.filled(kind, name, {}) for name in names]

    shown = [part for kind in ("shown", "total") for part in filled(kind, case.get(kind, []))]
    groups, where = filled("group", case.get("group", [])), filled("where", case.get("where", []))
    (having,) = filled("having", [case["having"]]) if "having" in case else [None]
    first = case.get("first", 0)
    key = shown[0] if first else None
    return Composition(case["frame"], shown, groups, where, having, key, "first" if first else "", first)


def changed(case, language):
    """Return what a change makes of a question by 60 seeds, each in words without fields."""
    found, name = set[str](), case["name"].partition(",")[0]
    for seed in range(60):
        composer = Composer(language, random.Random(seed))
        question = question_of(composer, case)
        with suppress(NothingToDraw):
            new, words = CHANGES[name](composer, question)
            for said in grammar()["turn"][name][language]:
                assert "{" not in composer.put(composer.chosen([said]), {}, {"t": "<t0>", **words}), said
            found.add(composer.turn(new, 1).query.sql("sqlite"))
    return found


@pytest.mark.parametrize("language", ["en", "zh", "de"])
@pytest.mark.parametrize("case", cases(CASES))
def test_a_change_makes_the_query_that_its_name_says(case, language):
    found = changed(case, language)
    patterns = [re.escape(one).replace("…", ".*") for one in case.get("after", [])]
    assert bool(found) == bool(patterns)
    assert all(any(re.fullmatch(pattern, sql) for sql in found) for pattern in patterns)
    assert all(any(re.fullmatch(pattern, sql) for pattern in patterns) for sql in found), found


def test_each_change_has_a_case():
    assert {case.values[0]["name"] for case in cases(CASES)} >= CHANGES.keys()


@cache
def dialogues(language):
    draw = random.Random(7)
    return [composed(language, draw, turns=4) for _ in range(120)]


@pytest.mark.parametrize("language", ["en", "zh", "de"])
def test_turns_of_a_conversation_lean_on_each_other(language):
    seen = set[str]()
    for name in ("library", "museum"):
        home = source(name)
        form = NormalForm(Grammar.for_schema(home.schema, dialect="sqlite"))
        for asked in home.asked(dialogues(language), 15, language=language):
            rows = [home.rows(one.sql) for one in asked]
            assert all(rows)
            assert all(one != other for one, other in pairwise(rows))
            assert all(form.of(one.sql) for one in asked)
            changes = [one.name for one in asked[1:]]
            assert len(changes) == len({*changes}) <= 3
            assert not re.search(r"[{}\[\]<>|]|  ", " ".join(one.question for one in asked))
            seen |= {*changes}
    assert 10 < len(seen) <= len(CHANGES)


def test_the_same_seed_tells_the_same_conversation():
    draws = [random.Random(seed) for seed in (5, 5, 6)]
    first, again, other = ([composed("zh", draw, turns=4) for _ in range(5)] for draw in draws)
    assert first == again != other
    drawn = [source("museum").asked(dialogues("zh"), 5, language="zh") for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len({one[0].question for one in drawn[0]}) == len(drawn[0]) > 2
