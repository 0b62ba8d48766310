"""What a question asks for is read once, by the cues of its language."""

from __future__ import annotations

import pytest

from querent.classifiers.intents import read_intents


@pytest.mark.parametrize(
    ("question", "word", "percent", "leading", "whole"),
    [
        ("What percentage of the nurses work at night?", "percentage", True, True, "nurses work at night?"),
        ("what share of the total revenue is from Basel", "share", False, True, "revenue is from basel"),
        ("the churn rate of last year", "rate", False, False, "last year"),
        ("the ratio of night to day shifts", "ratio", False, False, "night to day shifts"),
        ("夜班护士占比是多少", "占比", False, False, ""),
        ("女员工占全部员工的百分比", "百分比", True, False, "员工"),
    ],
)
def test_a_share_is_read(question: str, word: str, percent: bool, leading: bool, whole: str) -> None:
    (found,) = read_intents(question, "en" if question.isascii() else "zh").shares
    assert (found.word, found.percent, found.leading, found.whole) == (word, percent, leading, whole)
    assert question[found.start : found.end].lower() == word


@pytest.mark.parametrize(
    "question",
    ["which stocks rose", "how long was the duration of each registration", "发动机的功率是多少", "生产效率"],
)
def test_other_words_ask_for_none(question: str) -> None:
    intents = read_intents(question, "en" if question.isascii() else "zh")
    assert intents.shares == ()
    assert not intents.asks_share([])


def test_a_word_of_a_value_asks_for_nothing() -> None:
    intents = read_intents("who sings Rate of Change", "en")
    assert intents.asks_share([])
    assert not intents.asks_share([(10, 24)])


@pytest.mark.parametrize(
    ("question", "grouped"),
    [("the churn rate of each ward", True), ("percentage per region", True), ("the percentage done by visa", False)],
)
def test_each_of_several_is_told_by_a_word(question: str, grouped: bool) -> None:
    assert read_intents(question, "en").grouped is grouped


def test_what_stands_between_two_parts_is_known() -> None:
    ratio = read_intents("ratio of women to the men in Oslo", "en")
    assert ratio.against(len("ratio of women"), len("ratio of women to the "))
    assert not ratio.against(len("ratio of women"), len("ratio of women to the men in "))
    assert ratio.narrows(len("ratio of women to the men in "))
    assert not ratio.narrows(len("ratio of "))
    (share,) = read_intents("离职率高吗", "zh").shares
    assert read_intents("离职率高吗", "zh").meets(2, share)
