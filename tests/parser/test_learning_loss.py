"""What the network learns from: words, classes, and nothing from what no question tells."""

from __future__ import annotations

import functools
from contextlib import nullcontext

import pytest
import torch
from reader_cases import encoder, trainable, two_inputs
from test_learning_network import batch_of
from torch.nn import functional as F

from querent.parser.learning.batches import FrozenStates
from querent.parser.learning.network import BatchStates, TrainableNetwork
from querent.parser.reader.inputs import Input
from querent.parser.reader.output_vocabulary import BEGIN, END, ROLES, UNKNOWN, Role, fixed_words

FIXED = len(fixed_words())
TOLERANCE = 1e-4


@functools.cache
def drawn() -> TrainableNetwork:
    """Return a network with random weights, made once."""
    return trainable()


def loss(
    inputs: list[Input], targets: list[list[int]], *, weight: float, made: TrainableNetwork | None = None
) -> torch.Tensor:
    """Return the loss of inputs side by side."""
    batch, frozen = batch_of(inputs)
    length = max(1, *map(len, targets))
    rows = torch.tensor([[*some, *[-1] * (length - len(some))] for some in targets])
    used = torch.zeros(batch.texts.shape[:2])
    for i, some in enumerate(targets):
        used[i, [(place - FIXED) // ROLES for place in some if place >= FIXED]] = 1.0
    return (made or drawn()).loss(batch, frozen, rows, used, torch.full((len(rows),), -1.0), weight=weight)


def scored(states: BatchStates, places: torch.Tensor) -> torch.Tensor:
    """Return the scores after each word, all read at once."""
    return drawn().score(drawn().write(places, states), states)


def encode(made: TrainableNetwork, inputs: list[Input]) -> BatchStates:
    return made.encode(*batch_of(inputs))


def writable(one: Input, items: int = 0) -> list[int]:
    """Return words that the input's nodes can be written as, in a batch of so many items, its own at least."""
    items, own = max(items, len(one.kept)), len(one.kept)
    said = [FIXED + (items + i) * ROLES + Role.TEXT for i in range(len(one.question.values))]
    return [7, FIXED + Role.TABLE, 11, FIXED + (own - 1) * ROLES + Role.COLUMN, *said, END]


@torch.no_grad()
def test_the_loss_is_the_mean_of_what_the_words_cost() -> None:
    (one,) = two_inputs()[:1]
    words = writable(one)
    states = encode(drawn(), [one])
    costs = -F.log_softmax(scored(states, torch.tensor([[BEGIN, *words[:-1]]]))[0], -1)
    expected = costs[range(len(words)), words].mean()
    assert loss([one], [words], weight=0.0) == pytest.approx(float(expected), abs=1e-4)


@torch.no_grad()
def test_a_value_that_no_question_tells_costs_nothing_and_is_read_as_unknown() -> None:
    (one,) = two_inputs()[:1]
    words = writable(one)
    gap = [*words[:2], UNKNOWN, *words[3:]]
    states = encode(drawn(), [one])
    costs = -F.log_softmax(scored(states, torch.tensor([[BEGIN, *gap[:-1]]]))[0], -1)
    kept = [i for i, word in enumerate(gap) if word != UNKNOWN]
    assert len(kept) == len(gap) - 1
    assert loss([one], [gap], weight=0.0) == pytest.approx(float(costs[kept, [gap[i] for i in kept]].mean()), abs=1e-4)


@torch.no_grad()
def test_a_question_without_an_answer_costs_no_words() -> None:
    music, staff = two_inputs()
    alone = loss([music], [writable(music)], weight=0.0)
    words = writable(music, len(staff.kept))
    assert loss([music, staff], [words, []], weight=0.0) == pytest.approx(float(alone), abs=1e-4)
    # but it does cost what the classifiers say of it
    with_classes = [loss([music, staff], [words, some], weight=1.0) for some in ([], [END])]
    assert abs(with_classes[0] - with_classes[1]) > TOLERANCE


def test_a_batch_without_any_answer_spoils_no_weights() -> None:
    made = trainable(seed=2)
    loss(two_inputs(), [[], []], weight=0.3, made=made).backward()
    grown = [parameter.grad for parameter in made.parameters() if parameter.grad is not None]
    assert all(grad.isfinite().all() for grad in grown)
    assert any(grad.abs().sum() > 0 for grad in grown)  # «cannot be answered» is learnt


def test_all_that_should_learn_does() -> None:
    made = trainable(seed=3)
    inputs = two_inputs()
    loss(inputs, [writable(one) for one in inputs], weight=0.3, made=made).backward()
    still = {name for name, p in made.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0}
    assert not still


@torch.no_grad()
def test_the_classifiers_lose_by_what_the_query_has() -> None:
    (one,) = two_inputs()[:1]
    made, words = trainable(seed=5), writable(one)
    written = {place for place in words if place < FIXED}
    seen = sorted(written | {5, 9, 30})
    made.writes(seen)  # words that no query has are no training example
    classes = made.classify(encode(made, [one]))
    used = torch.zeros(len(one.kept) + 2)
    used[[(place - FIXED) // ROLES for place in words if place >= FIXED]] = 1.0
    fixed = torch.tensor([float(place in written) for place in seen])
    parts = [(classes.used[0], used), (classes.fixed[0, seen], fixed), (classes.answerable, torch.ones(1))]
    expected = float(sum(F.binary_cross_entropy_with_logits(*part) for part in parts))
    found = float(loss([one], [words], weight=1.0, made=made) - loss([one], [words], weight=0.0, made=made))
    assert found == pytest.approx(expected, abs=1e-4)


def test_all_is_computed_where_the_batch_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a device that only knows shapes, which no tensor of the processor mixes with."""
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: nullcontext())  # unknown there
    inputs = two_inputs()
    batch, frozen = batch_of(inputs)
    there, tables = (
        batch.each(lambda one: one.to("meta")),
        FrozenStates(frozen.pieces.to("meta"), frozen.texts.to("meta")),
    )
    made = trainable(seed=1).to("meta").train()
    targets, used = (
        torch.zeros(2, 5, dtype=torch.long, device="meta"),
        torch.zeros(batch.texts.shape[:2], device="meta"),
    )
    found = made.loss(there, tables, targets, used, torch.zeros(2, device="meta"))
    found.backward()
    assert found.device.type == "meta"
    questions = [one.question.pieces for one in inputs]
    read = FrozenStates.of(questions, frozen.texts[1:].numpy(), encoder().model, 1, "meta")
    assert read.pieces.shape == (1 + sum(map(len, questions)), 32)
