import random
import subprocess
import sys
from functools import lru_cache

import numpy as np
import pytest
import sqlglot
from draws import in_turn
from grammar_cases import ODD, make_schema, rich_vocabulary, some_words

from querent.data.errors import ConstraintError
from querent.data.schema.schema import Schema
from querent.grammar import EOS, LEVELS, Constraint, Grammar
from querent.grammar.decoding.constraint import DEPTH
from querent.grammar.decoding.state import State
from querent.grammar.lr.tables import DIALECTS

CITY = make_schema(city="city_name population state_name", state="state_name area")


@lru_cache
def rich(dialect: str, schema: Schema, level: str = "scope") -> Constraint:
    return Constraint(rich_vocabulary(Grammar.for_schema(schema, dialect=dialect)), level=level)


def test_states_are_pure_and_old_ones_stay_valid() -> None:
    constraint = rich("sqlite", CITY)
    words = constraint.vocabulary
    ids = words.encode("SELECT city_name FROM city AS T1")
    states = [constraint.start()]
    for word in ids:
        states.append(states[-1].advance(word))
    before = [state.allowed().copy() for state in states]
    constraint.forget()
    for i, state in enumerate(states):
        assert (state.allowed() == before[i]).all()
        again = constraint.start()
        for word in ids[:i]:
            again = again.advance(word)
        assert (again.allowed() == before[i]).all()
    with pytest.raises(ValueError, match="read-only"):
        states[0].allowed()[0] = True


def test_the_end_comes_only_where_the_query_may_end_and_then_nothing_else() -> None:
    constraint = rich("sqlite", CITY)
    state = constraint.start()
    for word in constraint.vocabulary.encode("SELECT 1"):
        assert not state.complete
        assert not state.allowed()[EOS]
        state = state.advance(word)
    ended = state.advance(EOS)
    assert ended.ended
    assert np.flatnonzero(ended.allowed()).tolist() == [EOS]
    assert ended.advance(EOS).ended


def test_refusals_say_why() -> None:
    constraint = rich("sqlite", CITY)
    words = constraint.vocabulary
    available = np.ones(len(words), np.bool_)
    available[words.index("city", "TABLE")] = False
    state = constraint.start(available, budget=4)
    assert "the grammar expects SELECT" in state.explain(words.index("FROM", "FROM"))
    state = state.advance(words.index("SELECT", "SELECT"))
    assert "needs 4 words to finish the query, and 3 are left" in state.explain(words.index("COUNT", "COUNT"))
    state = state.advance(words.index("area", "COLUMN")).advance(words.index("FROM", "FROM"))
    assert "not among the words that this question may use" in state.explain(words.index("city", "TABLE"))
    with pytest.raises(ConstraintError, match="not among the words"):
        state.advance(words.index("city", "TABLE"))
    assert "may come next" in state.explain(words.index("state", "TABLE"))
    with pytest.raises(ConstraintError, match="no word has number"):
        state.advance(len(words))


@pytest.mark.parametrize(("level", "dialect"), in_turn([(level, dialect) for dialect in DIALECTS] for level in LEVELS))
def test_keywords_and_operators_are_always_at_hand(level: str, dialect: str) -> None:
    """A mask that hides them changes nothing, and with no other words there are queries still."""
    constraint = rich(dialect, CITY, level)
    words = constraint.vocabulary
    always = np.array([w.kind in {"keyword", "operator"} for w in words.words])
    nothing = np.zeros(len(words), np.bool_)
    rng = random.Random(6)
    for hidden, shown in ((~always, nothing | True), (nothing, always)):
        for _ in range(4):
            state, other = constraint.start(hidden, budget=15), constraint.start(shown, budget=15)
            while not state.ended:
                assert (state.allowed() == other.allowed()).all()
                assert (shown | (np.arange(len(shown)) == EOS))[state.allowed()].all()
                word = rng.choice(np.flatnonzero(state.allowed()).tolist())
                state, other = state.advance(word), other.advance(word)


def test_what_makes_no_query_is_refused_at_the_start() -> None:
    constraint = rich("sqlite", CITY)
    nothing = np.zeros(len(constraint.vocabulary), np.bool_)
    assert constraint.start(nothing, budget=2).left == 2
    for available in (None, nothing):
        with pytest.raises(ConstraintError, match=r"no query has 1 words or fewer.*raise the budget to 2"):
            constraint.start(available, budget=1)
    with pytest.raises(ConstraintError, match="shape"):
        constraint.start(nothing[:-1])


def test_the_room_needs_neither_torch_nor_sqlglot() -> None:
    program = (
        "import sys\n"
        "for name in ('torch', 'transformers', 'sqlglot', 'sklearn'): sys.modules[name] = None\n"
        "from querent.data.schema.schema import Column, Schema, Table\n"
        "from querent.grammar import Constraint, Grammar, Vocabulary\n"
        "grammar = Grammar.for_schema(Schema((Table('t', (Column('c'),)),)), dialect='mysql')\n"
        "vocabulary = Vocabulary.build(grammar, ['SELECT c FROM t'])\n"
        "print(Constraint(vocabulary).start().allowed().sum())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 2  # SELECT and a parenthesis


@pytest.mark.parametrize(
    ("opener", "dialect"),
    in_turn([(opener, dialect) for dialect in DIALECTS] for opener in ("(", "CASE", "NOT", "-", "EXISTS", "IN")),
)
def test_nesting_ends_before_parsers_give_up(opener: str, dialect: str) -> None:
    """A walk that always nests where it may never gets stuck, and stays within what sqlglot reads."""
    constraint = rich(dialect, ODD)
    eager = {i for i, w in enumerate(constraint.vocabulary.words) if w.text in {opener, "(", "SELECT", "WHERE"}}
    rng = random.Random(opener)
    for kept in (1.0, 0.7):
        state = constraint.start(some_words(constraint.vocabulary, rng, kept), budget=300)
        ids: list[int] = []
        while not state.ended:
            allowed = np.flatnonzero(state.allowed()).tolist()
            ids.append(rng.choice([i for i in allowed if i in eager and rng.random() < 0.95] or allowed))
            state = state.advance(ids[-1])
        sql = constraint.vocabulary.decode(ids[:-1]).replace("{number0}", "7")
        sqlglot.parse_one(sql, dialect=dialect, error_level=sqlglot.ErrorLevel.RAISE)


def opened(constraint: Constraint) -> State:
    """Open brackets until one more would nest too deep."""
    word = constraint.vocabulary.encode("SELECT (1)")[1]
    state = constraint.start(budget=300).advance(constraint.vocabulary.index("SELECT", "SELECT"))
    while state.allowed()[word]:
        state = state.advance(word)
    return state


@pytest.mark.parametrize(("dialect", "brackets"), [("mysql", DEPTH), ("postgres", DEPTH), ("sqlite", 22)])
def test_what_would_nest_too_deep_is_told(dialect: str, brackets: int) -> None:
    constraint = rich(dialect, ODD)
    words = {w.text: i for i, w in enumerate(constraint.vocabulary.words)}
    state = opened(constraint)
    assert state.next_words.node.depth == brackets
    assert not state.allowed()[[words["("], words["NOT"], words["CASE"]]].any()
    assert f"deeper than {DEPTH}" in state.explain(words["("])
    assert state.allowed()[words["1"]]


def test_the_deepest_way_out_stays_open() -> None:
    """A function may come at the deepest place, and then its brackets must."""
    constraint = rich("mysql", ODD)
    words = {w.text: i for i, w in enumerate(constraint.vocabulary.words)}
    state = opened(constraint).advance(words["COUNT"])
    assert np.flatnonzero(state.allowed()).tolist() == [words["("]]
    state = state.advance(words["("])
    assert state.next_words.node.depth == DEPTH + 1
    assert not state.allowed()[words["CASE"]]
    while not state.complete:
        state = state.advance(min(range(len(words)), key=state.need))


def test_the_younger_half_outlives_too_many_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("querent.grammar.decoding.constraint._SHARED", {})  # stacks of other tests would count, too
    constraint = rich.__wrapped__("sqlite", CITY)
    words = constraint.vocabulary
    ids, everything = words.encode("SELECT city_name FROM city AS T1"), np.ones(len(words), np.bool_)
    without = everything & ~np.isin(np.arange(len(words)), words.encode("SELECT state_name FROM city AS T1"))

    def masks(available: np.typing.NDArray[np.bool_]) -> list[bytes]:
        state, found = constraint.start(available | ~without & np.isin(np.arange(len(words)), ids)), list[bytes]()
        for word in ids:
            found.append(state.allowed().tobytes())
            state = state.advance(word)
        return found

    old, young = masks(everything), masks(without)
    both = constraint.bytes
    monkeypatch.setattr("querent.grammar.decoding.constraint.MAX_BYTES", both - 1)
    constraint.start(without)  # which is too much
    assert 0.2 * both < constraint.bytes < 0.8 * both
    monkeypatch.setattr("querent.grammar.decoding.constraint.MAX_BYTES", 2 * both)
    half = constraint.bytes
    assert masks(without) == young
    assert constraint.bytes < 1.1 * half, "what was kept was worked out again"
    assert masks(everything) == old
