"""Scores: each number from answers whose worth is known beforehand."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from functools import partial

import pytest
from tiny import EXAMPLES, SCHEMA, vocabulary

from querent.data.database import Database
from querent.data.domain import Domain
from querent.data.errors import InputError
from querent.data.suite import distill, load_suite, save_suite
from querent.parser.evaluate import evaluate, exact_share, sql_words
from querent.parser.pipeline import Answer
from querent.parser.scores import Scores, length_bin


class Scripted:
    """Stands in for a parser: gives the answers it was told to."""

    finder = None
    global_constraint = None

    def __init__(self, answers):
        self.vocabulary = vocabulary()
        self.grammar = self.vocabulary.grammar
        self.answers = answers

    def __call__(self, questions, *, values=None, beam=1, batch_size=32):
        self.values = values
        return [answer(self.answers[q]) for q in questions]


def answer(given):
    sql, problem = given if isinstance(given, tuple) else (given, None)
    return Answer(sql=sql, score=0.0, tokens=(), slotted=sql, account=None, values=(), problem=problem)


@pytest.fixture(scope="module")
def domain(tmp_path_factory):
    file = tmp_path_factory.mktemp("db") / "tiny.sqlite"
    with sqlite3.connect(file) as connection:
        connection.executescript(
            "CREATE TABLE CITY (NAME, STATE, PEOPLE); CREATE TABLE RIVER (NAME, LENGTH);"
            "INSERT INTO CITY VALUES ('austin', 'texas', 900), ('dallas', 'texas', 1300), ('akron', 'ohio', 200);"
            "INSERT INTO RIVER VALUES ('red', 600);"
        )
    connection.close()
    examples = tuple(replace(e, question_split="test") for e in EXAMPLES[:5])
    return Domain("tiny", "en", "sqlite", SCHEMA, examples, (), str(file), "tiny")


def gold(domain):
    return {e.question: e.sql for e in domain.examples}


def test_perfect_answers_score_one(domain):
    parser = Scripted(gold(domain))
    scores = evaluate(parser, domain)
    assert (scores.n, scores.em, scores.em_by_query, scores.jaccard, scores.validity) == (5, 1, 1, 1, 1)
    assert (scores.runs, scores.execution, scores.execution_filled, scores.empty_gold) == (1, 1, 1, 0)
    assert scores.wrong == ()
    assert parser.values == [e.values for e in domain.examples]


def test_spacing_and_case_of_keywords_do_not_count(domain):
    answers = {q: sql.replace("SELECT", "select").replace(" ( ", "(") for q, sql in gold(domain).items()}
    assert evaluate(Scripted(answers), domain).em == 1


def test_values_in_the_query_count(domain):
    answers = gold(domain)
    question = domain.examples[1].question
    answers[question] = answers[question].replace("texas", "ohio")
    scores = evaluate(Scripted(answers), domain)
    assert scores.em == pytest.approx(0.8)
    assert scores.execution == pytest.approx(0.8)
    assert [w.question for w in scores.wrong] == [question]


def test_another_query_with_the_same_rows_is_executed_right(domain):
    answers = gold(domain)
    answers["how many rivers are there"] = "SELECT COUNT ( NAME ) FROM RIVER"
    scores = evaluate(Scripted(answers), domain)
    assert scores.em == pytest.approx(0.8)
    assert scores.execution == 1
    assert scores.jaccard == pytest.approx((4 + 6 / 8) / 5)


def test_a_broken_answer_is_neither_valid_nor_run(domain):
    answers = gold(domain)
    answers["how many rivers are there"] = "SELECT FROM RIVER WHERE"
    scores = evaluate(Scripted(answers), domain)
    assert scores.validity == scores.runs == scores.execution == pytest.approx(0.8)


def test_an_answer_with_a_problem_is_not_valid(domain):
    answers = gold(domain)
    answers["how many rivers are there"] = ("SELECT COUNT ( * ) FROM RIVER", "no end within 5 words")
    assert evaluate(Scripted(answers), domain).validity == pytest.approx(0.8)


def test_a_valid_query_on_a_missing_column_does_not_run(domain):
    answers = gold(domain)
    answers["how many rivers are there"] = "SELECT DEPTH FROM RIVER"
    scores = evaluate(Scripted(answers), domain)
    assert (scores.validity, scores.runs) == (1, pytest.approx(0.8))


def test_an_answer_that_takes_too_long_is_told_apart(domain, monkeypatch):
    answers = gold(domain)
    many = ", ".join(f"CITY c{n}" for n in range(40))
    answers["how many rivers are there"] = f"SELECT COUNT(*) FROM {many}"
    monkeypatch.setattr(Database, "open", partial(Database.open, timeout=0.1))
    scores = evaluate(Scripted(answers), domain)
    assert (scores.validity, scores.runs, scores.late) == (1, pytest.approx(0.8), pytest.approx(0.2))
    assert evaluate(Scripted(gold(domain)), domain).late == 0


def test_empty_gold_results_are_told_apart(domain):
    examples = tuple(e for e in domain.examples if "people live" not in e.question)
    moved = replace(
        domain, examples=(replace(examples[0], sql="SELECT NAME FROM CITY WHERE STATE = 'utah'"), *examples[1:])
    )
    answers = gold(moved)
    answers[examples[0].question] = "SELECT NAME FROM RIVER WHERE NAME = 'utah'"
    scores = evaluate(Scripted(answers), moved)
    assert scores.empty_gold == pytest.approx(0.25)
    assert scores.execution == 1
    assert scores.em == pytest.approx(0.75)


def test_order_counts_where_the_gold_query_sorts(domain):
    sorted_gold = "SELECT NAME FROM CITY ORDER BY PEOPLE DESC"
    one = replace(domain, examples=(replace(domain.examples[3], sql=sorted_gold, slotted=sorted_gold),))
    asked = domain.examples[3].question
    assert evaluate(Scripted({asked: "SELECT NAME FROM CITY ORDER BY PEOPLE"}), one).execution == 0
    unsorted = replace(
        one, examples=(replace(one.examples[0], sql="SELECT NAME FROM CITY", slotted="SELECT NAME FROM CITY"),)
    )
    assert evaluate(Scripted({asked: "SELECT NAME FROM CITY ORDER BY PEOPLE"}), unsorted).execution == 1


def test_by_query_weighs_each_query_once(domain):
    first, second = domain.examples[0], domain.examples[3]
    again = [replace(first, id=f"again {n}", question=f"{first.question} {n}") for n in range(3)]
    many = replace(domain, examples=(first, *again, second))
    answers = {e.question: e.sql for e in many.examples} | {second.question: "SELECT NAME FROM RIVER"}
    scores = evaluate(Scripted(answers), many)
    assert scores.em == pytest.approx(0.8)
    assert scores.em_by_query == pytest.approx(0.5)


def test_scores_are_broken_down(domain):
    answers = gold(domain)
    answers["the biggest city of ohio"] = "SELECT NAME FROM CITY"
    scores = evaluate(Scripted(answers), domain)
    assert scores.by_feature["order"] == {"n": 1, "em": 0.0, "execution": 0.0, "suite": None}
    assert scores.by_feature["aggregate"]["em"] == 1.0
    assert sum(row["n"] for row in scores.by_length.values()) == 5


def test_scores_survive_json(domain):
    answers = gold(domain) | {"how many rivers are there": "SELECT NAME FROM RIVER"}
    scores = evaluate(Scripted(answers), domain)
    assert Scores.from_json(json.loads(json.dumps(scores.to_json()))) == scores


def test_without_a_database_nothing_is_said_of_execution(domain):
    scores = evaluate(Scripted(gold(domain)), replace(domain, database=None))
    assert (scores.runs, scores.execution, scores.execution_filled, scores.empty_gold) == (None,) * 4


def test_own_values_are_asked_for(domain):
    parser = Scripted(gold(domain))
    evaluate(parser, domain, values="own")
    assert parser.values is None


def test_a_limit_spreads_over_the_part(domain):
    scores = evaluate(Scripted(gold(domain)), domain, limit=2)
    assert scores.n == 2


def test_an_empty_part_is_refused(domain):
    with pytest.raises(InputError, match="no examples in part 'dev'"):
        evaluate(Scripted(gold(domain)), domain, part="dev")


def test_exact_share_is_the_exact_match(domain):
    answers = gold(domain) | {"how many rivers are there": "SELECT NAME FROM RIVER"}
    assert exact_share(Scripted(answers), domain.examples) == pytest.approx(0.8)


def test_words_outside_the_grammar_are_cut_at_spaces():
    assert sql_words("DROP TABLE x", vocabulary().grammar) == ["DROP", "TABLE", "x"]
    assert sql_words("SELECT name FROM city WHERE state = 'new york'", vocabulary().grammar)[-1] == "'new york'"


@pytest.mark.parametrize(("words", "name"), [(1, "1-10"), (10, "1-10"), (11, "11-20"), (120, "81-120"), (121, "121+")])
def test_lengths_have_bins(words, name):
    assert length_bin(words) == name


@pytest.fixture(scope="module")
def suite(domain, tmp_path_factory):
    folder = tmp_path_factory.mktemp("suite") / "suite"
    save_suite(distill(domain, databases=30), domain, folder)
    return load_suite(folder, domain)


def test_without_a_suite_nothing_is_said_of_it(domain):
    assert evaluate(Scripted(gold(domain)), domain).suite is None


def test_gold_answers_pass_the_suite(domain, suite):
    scores = evaluate(Scripted(gold(domain)), domain, suite=suite)
    assert scores.suite == 1
    assert {row["suite"] for row in scores.by_feature.values()} == {1}


def test_the_suite_finds_what_the_database_hides(domain, suite):
    answers = gold(domain)
    answers["rivers longer than 500"] = "SELECT NAME FROM RIVER WHERE LENGTH >= 500"
    scores = evaluate(Scripted(answers), domain, suite=suite)
    assert scores.execution == 1
    assert scores.suite == pytest.approx(0.8)


def test_what_is_wrong_on_the_own_database_is_wrong(domain, suite):
    answers = gold(domain)
    answers["how many rivers are there"] = "SELECT 2 FROM RIVER"
    assert evaluate(Scripted(answers), domain, suite=suite).suite == pytest.approx(0.8)


def test_a_suite_gives_a_domain_without_rows_an_execution_metric(domain, suite):
    bare = replace(domain, database=None)
    scores = evaluate(Scripted(gold(bare)), bare, suite=suite)
    assert (scores.execution, scores.suite) == (None, 1)
