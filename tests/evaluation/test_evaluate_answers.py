"""Scores of anybody who answers examples."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tiny_domain import write

from querent.data.domains.domain import Domain, Example
from querent.data.domains.loading import load_domain
from querent.data.errors import InputError, LlmError
from querent.evaluation.evaluate import evaluate_answers, judge_answers
from querent.llm.correction_log import Attempt, LlmAnswer


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return load_domain(write(tmp_path_factory.mktemp("domain") / "tiny"))


def gold(example: Example) -> LlmAnswer:
    return LlmAnswer(example.question, example.sql, prompt_tokens=8, completion_tokens=2)


def but(question: str, reply: LlmAnswer) -> Callable[[Example], LlmAnswer]:
    """Return what answers with the gold query, but for questions of some beginning."""
    return lambda example: reply if example.question.startswith(question) else gold(example)


def test_gold_answers_score_one(domain):
    ticks: list[int] = []
    found = evaluate_answers(gold, domain, progress=lambda: ticks.append(1))
    assert (found.n, found.em, found.validity, found.runs, found.execution, found.refused) == (5, 1, 1, 1, 1, 0)
    assert (found.part, found.split, found.values, found.beam) == ("test", "question", "own", None)
    assert (found.tokens, found.unheard, len(ticks)) == (10, 0, 5)
    assert 0 <= found.seconds_each <= found.seconds + 1e-3
    assert (found.table_f1, found.all_values_found, found.inside_global) == (None,) * 3
    bare = evaluate_answers(gold, replace(domain, database=None))
    assert (bare.em, bare.runs, bare.execution) == (1, None, None)


def test_no_query_is_wrong_and_counted(domain):
    found = evaluate_answers(but("how many", LlmAnswer("", None)), domain)
    assert (found.em, found.execution, found.runs, found.validity) == (pytest.approx(0.8),) * 4
    assert (found.refused, found.tokens) == (pytest.approx(0.2), pytest.approx(8))
    assert [wrong["got"] for wrong in found.wrong] == [""]


def test_part_split_and_limit_are_taken(domain):
    asked: list[str] = []

    def ask(example: Example) -> LlmAnswer:
        asked.append(example.id)
        return gold(example)

    found = evaluate_answers(ask, domain, part="train", limit=3, beam=2)
    assert (found.n, found.part, found.beam, len(asked)) == (3, "train", 2, 3)
    assert set(asked) <= {example.id for example in domain.part("train")}
    with pytest.raises(InputError, match="no examples in part"):
        evaluate_answers(ask, replace(domain, examples=domain.part("test")), part="dev")


def test_judgements_come_in_the_order_of_the_examples(domain):
    examples = domain.part("dev")[::-1]
    judged = judge_answers(examples, but("how many", LlmAnswer("", "SELECT 1 FROM city", prompt_tokens=None)), domain)
    assert [one.id for one in judged] == [example.id for example in examples]
    assert [one.em for one in judged] == [not e.question.startswith("how many") for e in examples]
    assert {one.tokens for one in judged} == {None, 10}


def test_a_model_that_is_gone_stops_it(domain):
    silent = LlmAnswer("", None, status="error", reason="the server is gone", attempts=(Attempt(""),))
    assert evaluate_answers(but("how many", silent), domain).unheard == pytest.approx(0.2)
    assert not replace(silent, attempts=(Attempt("SELECT 2"),)).unheard  # a bad query is a reply
    with pytest.raises(LlmError, match="10 questions in a row got no answer; the last: the server is gone"):
        evaluate_answers(lambda _: silent, domain, part="train")
