"""Literals of gold queries are found in questions, in whatever form the value index knows; tags say where."""

import itertools
import tomllib
from pathlib import Path

import numpy as np
import pytest

from querent.ner.gold_spans import OUTSIDE, STEPS_NEVER, TAGS, best_tags, gold_literals, spans_of_tags, tags_of_spans
from querent.ner.language.words import units

CASES = tomllib.loads(Path(__file__).with_name("questions.toml").read_text("utf-8"))


@pytest.mark.parametrize(("question", "sql", "said"), CASES["literals_are_found_in_their_question"])
def test_literals_are_found_in_their_question(question: str, sql: str, said: list[str]) -> None:
    found = [one.span for one in gold_literals(question, sql) if one.span is not None]
    assert [question[start:end] for start, end in found] == said


def test_what_is_not_said_has_no_span() -> None:
    (one,) = gold_literals("Which students have a scholarship?", "SELECT a FROM t WHERE scholarship = 'Y'")
    assert (one.value, one.string, one.span) == ("Y", True, None)


def test_chinese_numerals_are_found() -> None:
    (one,) = gold_literals("前三名是谁？", "SELECT a FROM t ORDER BY b DESC LIMIT 3", language="zh")
    assert (one.value, one.span) == ("3", (1, 2))


# --- tags


def test_tags_are_spans_and_back() -> None:
    text = "from New York to Los Angeles Rome"
    words = units(text)
    spans = [(5, 13), (17, 28), (29, 33)]
    tags = tags_of_spans(spans, words)
    assert "".join(TAGS[tag] for tag in tags) == "OBIOBIB"
    assert spans_of_tags(tags, words) == spans
    assert spans_of_tags(tags[:2], words) == [(5, 8)]  # the last words were not read


def test_a_span_takes_in_whole_words_and_the_longest_counts() -> None:
    assert tags_of_spans([(4, 6), (4, 12), (9, 12)], units("the dogs barked")).tolist() == [0, 1, 2]


def test_an_inside_behind_an_outside_begins_nothing() -> None:
    assert spans_of_tags(np.array([0, 2, 2, 1]), units("a b c d")) == [(6, 7)]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_best_tags_are_those_of_all_rows(count: int) -> None:
    draw = np.random.default_rng(count)
    for _ in range(20):
        scores, steps = (draw.normal(size=(n, len(TAGS))).astype(np.float32) for n in (count, len(TAGS)))

        def total(row: tuple[int, ...], scores: np.ndarray = scores, steps: np.ndarray = steps) -> float:
            never = STEPS_NEVER[[OUTSIDE, *row[:-1]], list(row)].sum()
            return float(never + scores[range(count), row].sum() + sum(steps[a, b] for a, b in itertools.pairwise(row)))

        assert tuple(best_tags(scores, steps)) == max(itertools.product(range(len(TAGS)), repeat=count), key=total)


def test_of_no_words_there_are_no_tags() -> None:
    assert len(best_tags(np.zeros((0, 3), np.float32), np.zeros((3, 3), np.float32))) == 0
