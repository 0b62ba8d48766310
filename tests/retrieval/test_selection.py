"""Ways to find the solved question that is most like a new one."""

from __future__ import annotations

import re

import numpy as np
import pytest

from querent.retrieval.lexical import Bm25, CharTfidf, words_of
from querent.retrieval.selection import Masked, fused, nearest

TEXTS = ["who wrote Dune", "how many pages has Emma", "《红楼梦》的作者是谁", "《西游记》有多少页", "books by Ada"]


def masked(text: str) -> str:
    return re.sub(r"Dune|Emma|Kim|红楼梦|西游记|水浒传", "[title]", text)


@pytest.mark.parametrize("way", [CharTfidf, Bm25])
def test_each_text_is_most_like_itself(way: type[CharTfidf]) -> None:
    scores = way(TEXTS).scores(TEXTS)
    assert scores.shape == (5, 5)
    assert nearest(scores, 1)[:, 0].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("way", [CharTfidf, Bm25])
@pytest.mark.parametrize(("question", "found"), [("how many pages has Dune", 1), ("《红楼梦》有多少页", 3)])
def test_a_mask_takes_away_what_leads_astray(way: type[CharTfidf], question: str, found: int) -> None:
    assert nearest(Masked(way, TEXTS, masked).scores([question]), 1).tolist() == [[found]]


@pytest.mark.parametrize("way", [CharTfidf, Bm25])
def test_words_that_nothing_has_score_nothing(way: type[CharTfidf]) -> None:
    assert not way(TEXTS).scores(["龘龘"]).any()
    assert way(TEXTS).scores([]).shape == (0, 5)


def test_chinese_is_cut_into_characters_and_pairs() -> None:
    assert words_of("作者 of TI-101") == ["作", "者", "作者", "of", "ti", "101"]


def test_fused_ranks_prefer_what_both_ways_like() -> None:
    one = np.array([[0.9, 0.8, 0.3, 0.2, 0.1]], np.float32)
    other = np.array([[0.1, 0.8, 0.2, 0.3, 0.9]], np.float32)
    assert nearest(fused([one, other]), 3).tolist() == [[1, 0, 4]]


def test_what_a_way_does_not_find_has_no_rank_in_it() -> None:
    one = np.array([[0.0, 0.0, 0.0]], np.float32)
    other = np.array([[0.0, 0.1, 0.9]], np.float32)
    assert nearest(fused([one, other]), 3).tolist() == [[2, 1, 0]]
    assert fused([one, other])[0, 0] == 0
