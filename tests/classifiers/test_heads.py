"""The heads read states, whatever is padded beside them; the global constraint adds what they say, or closes words."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch.nn import functional

from querent.classifiers.heads import Classes, GlobalConstraint, Labels, Mode, hits, label_scores
from querent.classifiers.learning import BatchClasses, Heads, class_loss
from querent.encoders.functions import Floats

WIDTH, FIXED = 8, 6


@torch.no_grad()
@pytest.mark.parametrize(("words", "items"), [(1, 1), (4, 7)])
def test_what_stands_beside_a_question_changes_nothing(words: int, items: int) -> None:
    torch.manual_seed(0)
    heads = Heads(WIDTH, FIXED, carries=False)
    parts = [(torch.randn(1, n, WIDTH), torch.ones(1, n, dtype=torch.bool)) for n in (words, items)]
    padded = [(functional.pad(x, (0, 0, 0, 3), value=1.0), functional.pad(there, (0, 3))) for x, there in parts]
    alone, beside = (heads.classes_of(a, b, of_a, of_b) for (a, of_a), (b, of_b) in (parts, padded))
    assert torch.allclose(beside.used[:, :items], alone.used, atol=1e-5)
    assert torch.allclose(beside.fixed, alone.fixed, atol=1e-5)
    assert torch.allclose(beside.answerable, alone.answerable, atol=1e-5)


def loss(answerable: list[bool], written: float) -> float:
    found = BatchClasses(torch.zeros(2, 3), torch.full((2, FIXED), 4.0), torch.zeros(2))
    known = {"used": torch.zeros(2, 3), "held": torch.ones(2, 3, dtype=torch.bool)}
    return class_loss(
        found,
        **known,
        written=torch.full((2, FIXED), written),
        answerable=torch.tensor(answerable),
        seen=torch.arange(FIXED) < 3,
        carries=torch.full((2,), -1.0),
    ).item()


def test_a_question_without_a_query_teaches_nothing_of_words() -> None:
    assert loss([True, True], 0.0) > loss([True, True], 1.0) + 3
    assert loss([False, False], 0.0) == loss([False, False], 1.0) == pytest.approx(2 * np.log(2), abs=1e-5)


def test_labels_are_counted() -> None:
    assert hits(np.array([2.0, 2.0, -2.0, -2.0], np.float32), np.array([True, False, True, True])) == (1, 2, 3)


def test_shares_are_over_all_labels_and_all_questions() -> None:
    found = {"table": (1, 2, 1), "column": (0, 0, 2), "function": (0, 0, 0)}
    both = [Labels(found, found=True, inside=False, left=0.5), Labels(found, found=True, inside=True, left=0.25)]
    assert label_scores(both, 4) == {
        "table_f1": pytest.approx(2 / 3),
        "column_f1": 0,
        "function_f1": 0,
        "all_values_found": 0.5,  # two questions have no labels: their gold query cannot be written
        "inside_global": 0.25,
        "share_left": 0.375,
    }
    assert label_scores([], 4) == {}


FIXED, ITEMS, ROLES = 10, 5, 3
FUNCTIONS: NDArray[np.bool_] = np.isin(np.arange(FIXED), (2, 7))


def bias(mode: Mode, *, weight: float = 0.3, likely: float = 0.9) -> Floats | None:
    """Return the bias where three items are likely, and two, with all fixed words, are not."""
    used, fixed = np.full(ITEMS, -8.0, np.float32), np.full(FIXED, -8.0, np.float32)
    used[:3] = np.log(likely / (1 - likely))
    return GlobalConstraint(mode, weight).bias(Classes(used, fixed, 0.5), FUNCTIONS, ROLES)


def test_nothing_is_said_when_off() -> None:
    assert bias("off") is None


def test_softly_it_adds_the_logarithm_of_the_probability() -> None:
    found = bias("soft", weight=0.5)
    assert found is not None and found.shape == (FIXED + ITEMS * ROLES,)
    assert np.allclose(found[FIXED : FIXED + 3 * ROLES], np.log(0.9) * 0.5)
    unlikely = -0.5 * np.log1p(np.exp(8.0))
    assert np.allclose(found[FIXED + 3 * ROLES :], unlikely)
    assert np.allclose(found[:FIXED][FUNCTIONS], unlikely)
    assert (found[:FIXED][~FUNCTIONS] == 0).all()  # keywords, operators and constants are always open


@pytest.mark.parametrize(("likely", "closed"), [(0.004, True), (0.006, False), (0.9, False)])
def test_hard_it_closes_what_is_less_likely(likely: float, closed: bool) -> None:
    found = bias("hard", likely=likely)
    assert found is not None and set(np.unique(found).tolist()) == {0.0, -np.inf}
    assert np.isneginf(found[FIXED : FIXED + 3 * ROLES]).all() == closed
    assert np.isneginf(found[FIXED + 3 * ROLES :]).all()
    assert np.isneginf(found[:FIXED][FUNCTIONS]).all()
    assert (found[:FIXED][~FUNCTIONS] == 0).all()
