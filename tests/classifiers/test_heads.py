"""The heads read arrays: in numpy as in torch, and their labels are counted."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from querent.classifiers.answerable import unanswerable
from querent.classifiers.heads import classify
from querent.classifiers.learning import BatchClasses, Heads, class_loss
from querent.classifiers.scores import Labels, hits, label_scores
from querent.encoders.weights import Weights

WIDTH, FIXED = 8, 6


@pytest.mark.parametrize(("words", "items"), [(1, 1), (4, 7)])
def test_numpy_and_torch_say_the_same_whatever_stands_beside_a_question(words: int, items: int) -> None:
    torch.manual_seed(0)
    heads = Heads(WIDTH, FIXED)
    draw = np.random.default_rng(words)
    said, there = (draw.normal(size=(n, WIDTH)).astype(np.float32) for n in (words, items))
    own = classify(Weights({name: one.numpy() for name, one in heads.state_dict().items()}), said, there)
    padded = [torch.from_numpy(np.concatenate([some, np.ones((3, WIDTH), np.float32)]))[None] for some in (said, there)]
    masks = [(torch.arange(n + 3) < n)[None] for n in (words, items)]
    with torch.no_grad():
        batch = heads.classes_of(*padded, *masks)
    assert np.allclose(batch.used[0, :items].numpy(), own.used, atol=1e-5)
    assert np.allclose(batch.fixed[0].numpy(), own.fixed, atol=1e-5)
    assert torch.sigmoid(batch.answerable)[0].item() == pytest.approx(own.answerable, abs=1e-5)


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


def test_both_the_head_and_the_words_must_say_that_there_is_no_answer() -> None:
    assert unanswerable(0.1, 0.5)
    assert not unanswerable(0.1, 0.0)
    assert not unanswerable(0.9, 0.5)


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
