"""The loss by hand on small numbers."""

import math

import pytest
import torch

from querent.parser.loss import IGNORE, bilevel_loss, outside

LOGITS = torch.log(torch.tensor([[[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [0.2, 0.2, 0.6]]]))
LABELS = torch.tensor([[0, 2, IGNORE]])


def test_cross_entropy_alone():
    expected = -(math.log(0.5) + math.log(0.8)) / 2
    assert bilevel_loss(LOGITS, LABELS).item() == pytest.approx(expected)


def test_forbidden_probability_is_squared_summed_over_words_and_averaged_over_tokens():
    available = torch.tensor([[True, False, False]])
    counted = LABELS != IGNORE
    found = outside(LOGITS, available[:, None, :], counted).item()
    assert found == pytest.approx(((0.25**2 + 0.25**2) + (0.1**2 + 0.8**2)) / 2)


def test_each_term_has_its_weight_and_its_switch():
    available = torch.tensor([[True, True, False]])
    local = torch.tensor([[[True, True, True], [False, True, True], [False, False, False]]])
    plain = bilevel_loss(LOGITS, LABELS).item()
    both = bilevel_loss(LOGITS, LABELS, available=available, local=local, alpha=0.1, beta=0.01).item()
    assert both == pytest.approx(plain + 0.1 * (0.25**2 + 0.8**2) / 2 + 0.01 * 0.1**2 / 2)
    assert bilevel_loss(LOGITS, LABELS, available=available, local=local).item() == plain


def test_nothing_is_paid_inside_the_constraints():
    everything = torch.ones(1, 3, dtype=torch.bool)
    assert bilevel_loss(LOGITS, LABELS, available=everything, alpha=1.0).item() == bilevel_loss(LOGITS, LABELS).item()


def test_descending_moves_probability_inside():
    logits = torch.zeros(1, 1, 4, requires_grad=True)
    inside = torch.tensor([[True, True, False, False]])
    outside(logits, inside[:, None, :], torch.ones(1, 1, dtype=torch.bool)).backward()
    assert (logits.grad[0, 0, :2] < 0).all()
    assert (logits.grad[0, 0, 2:] > 0).all()


def test_label_smoothing_spreads():
    smooth = bilevel_loss(LOGITS, LABELS, label_smoothing=0.1).item()
    assert smooth > bilevel_loss(LOGITS, LABELS).item()
