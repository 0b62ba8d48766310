from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from querent.classifiers import ClassifierConfig, LabelClassifier
from querent.data.errors import InputError
from querent.data.examples import Example, Mention, bind
from querent.data.schema import Column, Schema, Table
from querent.grammar import Grammar, Vocabulary
from querent.parser.global_constraint import (
    GlobalConstraint,
    evaluate_constraint,
    functions_of,
    inside,
    share_left,
    tables_of,
)

SCHEMA = Schema(
    (
        Table("CITY", (Column("CITY_NAME"), Column("STATE_NAME"), Column("POPULATION"))),
        Table("STATE", (Column("STATE_NAME"), Column("AREA"))),
        Table("RIVER", (Column("RIVER_NAME"), Column("LENGTH"))),
    )
)
BIGGEST = (
    "SELECT CITYalias0.CITY_NAME FROM CITY AS CITYalias0 WHERE CITYalias0.POPULATION ="
    " ( SELECT MAX ( CITYalias1.POPULATION ) FROM CITY AS CITYalias1"
    " WHERE CITYalias1.STATE_NAME = '{state0}' ) AND CITYalias0.STATE_NAME = '{state0}'"
)
LONG = "SELECT COUNT ( * ) FROM RIVER WHERE LENGTH > {number0}"
AREA = "SELECT STATE.AREA FROM STATE WHERE STATE.STATE_NAME LIKE '%{state0}%' OR STATE_NAME = '{state1}'"
DERIVED = "SELECT D.total FROM ( SELECT SUM ( AREA ) AS total FROM STATE ) AS D"
QUERIES = (BIGGEST, LONG, AREA, DERIVED)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary.build(Grammar.for_schema(SCHEMA, dialect="sqlite"), QUERIES)


def classifier(chances: dict[str, float], *, threshold: float = 0.5, at_least: int = 0) -> LabelClassifier:
    """A classifier that says the same of every question."""
    made = LabelClassifier(tuple(chances), ClassifierConfig(at_least=at_least))
    made.threshold = threshold
    row = np.array([list(chances.values())], dtype=np.float32)
    made.probabilities = lambda questions, batch=256: np.repeat(row, len(questions), axis=0)
    return made


def constraint(vocabulary, tables, functions=None, **options) -> GlobalConstraint:
    chances = {"CITY": 0.0, "STATE": 0.0, "RIVER": 0.0} | tables
    functions = {"COUNT": 0.0, "MAX": 0.0, "SUM": 0.0} | (functions or {})
    return GlobalConstraint(vocabulary, classifier(chances, at_least=1), classifier(functions), **options)


def account(made, *values):
    """Ask about values of these types; the SQL form of ``number`` is one, others may follow a colon."""
    mentions = []
    for n, kind in enumerate(values):
        name, _, sql = kind.partition(":")
        mentions.append(Mention(n, n + 1, "x", name, sql or (str(n) if name == "number" else f"x{n}")))
    return made(["x" * 10], [bind(mentions)])[0]


def texts(vocabulary, available):
    return {word.text for word, open_ in zip(vocabulary.words, available, strict=True) if open_}


def test_hard_opens_chosen_tables_with_columns_and_aliases(vocabulary):
    left = texts(vocabulary, account(constraint(vocabulary, {"CITY": 0.9}, {"MAX": 0.9})).available)
    assert {"CITY", "CITYalias0", "CITYalias1", "CITYalias0.POPULATION", "MAX", "SELECT", "(", "0", "1"} <= left
    assert not left & {"STATE", "STATE.AREA", "RIVER", "LENGTH", "COUNT", "SUM", "'{state0}'"}


def test_a_bare_column_is_open_with_any_table_that_has_it(vocabulary):
    for table, open_ in (("CITY", True), ("STATE", True), ("RIVER", False)):
        left = texts(vocabulary, account(constraint(vocabulary, {table: 0.9})).available)
        assert ("STATE_NAME" in left) == open_
        assert ("LENGTH" in left) == (table == "RIVER")


def test_names_of_derived_tables_are_always_open(vocabulary):
    left = texts(vocabulary, account(constraint(vocabulary, {"RIVER": 0.9})).available)
    assert {"D", "D.total"} <= left


def test_a_question_is_never_left_without_a_table(vocabulary):
    made = account(constraint(vocabulary, {"RIVER": 0.01, "CITY": 0.001}))
    assert made.chosen == {"RIVER"}
    assert "RIVER" in texts(vocabulary, made.available)
    grammar = vocabulary.grammar
    state = grammar.constraint(vocabulary, budget=20).start(available=np.asarray(made.available))
    assert state.allowed().any()


def test_slots_are_open_where_bound_in_every_form(vocabulary):
    made = constraint(vocabulary, {"STATE": 0.9})
    slots = {word.text for word in vocabulary.words if word.slots}
    assert texts(vocabulary, account(made).available) & slots == set()
    assert texts(vocabulary, account(made, "state").available) & slots == {"'{state0}'", "'%{state0}%'"}
    both = texts(vocabulary, account(made, "state", "state", "number").available) & slots
    assert both == slots
    assert texts(vocabulary, account(made, "planet").available) & slots == set()  # a slot the vocabulary has not
    assert texts(vocabulary, account(made, "number:many").available) & slots == set()  # no number, and not in quotes


def test_soft_closes_nothing_but_unbound_slots(vocabulary):
    made = account(constraint(vocabulary, {"CITY": 0.9, "STATE": 0.1}, {"MAX": 0.5}, mode="soft", weight=0.5), "state")
    closed = {w.text for w in vocabulary.words} - texts(vocabulary, made.available)
    assert closed == {"'{state1}'", "'%{state1}%'", "{number0}"}

    def bias(text):
        (found,) = {float(made.bias[n]) for n, word in enumerate(vocabulary.words) if word.text == text}
        return found

    assert bias("CITYalias0.POPULATION") == pytest.approx(0.5 * np.log(0.9))
    assert bias("STATE") == pytest.approx(0.5 * np.log(0.1))
    assert bias("STATE_NAME") == pytest.approx(0.5 * np.log(0.9))  # CITY has it too
    assert bias("MAX") == pytest.approx(0.5 * np.log(0.5))
    assert bias("SELECT") == bias("'{state0}'") == bias("D.total") == 0.0
    assert np.isfinite(made.bias).all()
    assert made.bias.dtype == np.float32


def test_off_opens_everything(vocabulary):
    made = account(constraint(vocabulary, {}, mode="off"))
    assert made.available.all()
    assert not made.bias.any()
    assert share_left(made) == 1.0


def test_an_unknown_mode_is_told(vocabulary):
    with pytest.raises(InputError, match="did you mean 'hard'"):
        constraint(vocabulary, {}, mode="hrad")


def test_gold_sets_come_from_words(vocabulary):
    assert tables_of(vocabulary.encode(BIGGEST), vocabulary) == {"CITY"}
    assert functions_of(vocabulary.encode(BIGGEST), vocabulary) == {"MAX"}
    assert tables_of(vocabulary.encode(AREA), vocabulary) == {"STATE"}
    assert tables_of(vocabulary.encode(DERIVED), vocabulary) == {"STATE"}
    assert functions_of(vocabulary.encode(LONG), vocabulary) == {"COUNT"}


@pytest.mark.parametrize("sql", QUERIES)
def test_gold_tables_functions_and_slots_leave_the_gold_query_inside(vocabulary, sql):
    ids = vocabulary.encode(sql)
    tables = dict.fromkeys(tables_of(ids, vocabulary), 1.0)
    functions = dict.fromkeys(functions_of(ids, vocabulary), 1.0)
    full = account(constraint(vocabulary, tables, functions), "state", "state", "number")
    assert inside(full, ids)
    other = "CITY" if "RIVER" in tables else "RIVER"
    assert not inside(account(constraint(vocabulary, {other: 1.0}), "state", "state", "number"), ids)


def test_account_is_json(vocabulary):
    made = account(constraint(vocabulary, {"CITY": 0.9, "RIVER": 0.2}, {"MAX": 0.7}), "state")
    told = json.loads(json.dumps(made.to_json()))
    assert list(told["tables"]) == ["CITY", "RIVER", "STATE"]
    assert told["chosen"] == ["CITY", "MAX"]
    assert told["values"] == {"state0": {"text": "x", "sql": "x0"}}
    assert told["words_left"] == int(made.available.sum()) < told["words"] == len(vocabulary)


def examples() -> list[Example]:
    made: list[Example] = []
    for n, state in enumerate(["utah", "ohio", "iowa", "texas", "maine", "idaho"] * 2):
        for text, slotted in (("biggest city of ", BIGGEST), ("area of ", AREA.partition(" OR")[0])):
            values = bind([Mention(len(text), len(text) + len(state), state, "state", state)])
            made.append(Example(f"{n}{text}", text + state, "", slotted, values))
        made.append(
            Example(f"{n}r", "rivers over 300", "", LONG, bind([Mention(12, 15, "300", "number", "300", "number")]))
        )
    made.append(Example("out", "what else", "", "SELECT LAKE_NAME FROM LAKE"))
    return made


def test_fits_calibrates_saves_and_loads(vocabulary, tmp_path: Path):
    made = GlobalConstraint.fit(vocabulary, examples(), epochs=15, seed=3)
    scores = evaluate_constraint(made, examples())
    assert scores.inside == 1.0
    assert scores.covered == 36 / 37
    assert scores.tables.f1 > 0.95
    assert scores.left < 0.9  # keywords are most of so small a vocabulary
    assert json.loads(json.dumps(scores.to_json()))["tables"]["inside"] == 1.0
    made.save(tmp_path)
    questions, values = [e.question for e in examples()], [e.values for e in examples()]
    again = GlobalConstraint.load(tmp_path, vocabulary, mode="soft")
    for old, new in zip(made(questions, values), again(questions, values), strict=True):
        assert old.tables == new.tables
        assert old.chosen == new.chosen


def test_nothing_to_evaluate_is_told(vocabulary):
    made = constraint(vocabulary, {"CITY": 0.9})
    with pytest.raises(InputError, match="no example"):
        evaluate_constraint(made, examples()[-1:])
