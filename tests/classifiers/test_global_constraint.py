"""The global constraint adds to logits what the heads say, or closes words by it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from querent.classifiers.heads import Classes, GlobalConstraint, Mode
from querent.encoders.functions import Floats

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
