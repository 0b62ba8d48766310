"""The network that learns against the one that answers: same weights, same scores, side by side as alone."""

import functools
from contextlib import nullcontext

import numpy as np
import pytest
import torch
from reader_cases import TEXTS, context, encode, encoder, follow_up, question, trainable, two_inputs, vectors
from test_reader_network import FIXED, some_places, written
from torch.nn import functional as F

from querent.encoders.text_vectors import TextVectors
from querent.ner.language.question import QuestionText
from querent.parser.base import SHIPPED, parser_folder
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.learning.batches import Batch, FrozenStates, TrainingBatch, collate, first_rows
from querent.parser.learning.graphs import answering
from querent.parser.learning.network import BatchStates, TrainableNetwork
from querent.parser.network.saved import load_network
from querent.parser.reader.inputs import Input, make_input
from querent.parser.reader.output_vocabulary import BEGIN, END, ROLES, UNKNOWN, Role
from querent.parser.reader.question import MAX_TURNS

TOLERANCE = 1e-4


def batch_of(inputs: list[Input], frozen: int = 1) -> tuple[Batch, FrozenStates]:
    """Put inputs side by side, with what the encoder says of them in single precision."""
    texts = sorted({text for one in inputs for texts in one.texts() for text in texts})
    questions = sorted({one.question.pieces for one in inputs})
    vectors().prepare(texts)
    batch = collate(inputs, {text: row for row, text in enumerate(texts, start=1)}, first_rows(questions))
    states = [encoder().model.states(np.array([pieces]), frozen)[0] for pieces in questions]
    rows = [np.zeros((1, 32), np.float32)]
    tables = np.concatenate(rows + states), np.concatenate([*rows, np.array([vectors()[text] for text in texts])])
    return batch, FrozenStates(*map(torch.from_numpy, tables))


@torch.no_grad()
@pytest.mark.parametrize(("frozen", "turns"), [(0, 0), (1, 0), (2, 0), (1, MAX_TURNS)])
def test_side_by_side_as_the_one_that_answers_alone(frozen: int, turns: int) -> None:
    made = trainable(seed=frozen, frozen=frozen, turns=turns)
    made.writes({END, 5, *range(20, FIXED)})
    alike = answering(made, encoder(), frozen)
    inputs = [*two_inputs(), make_input(question("stars"), context("music").items, np.array([0, 2, 9]))]
    inputs += [follow_up()] if turns else []
    batch, states = batch_of(inputs, frozen)
    together = made.encode(batch, states)
    read = torch.tensor([some_places(one, batch.items) for one in inputs])
    scores = made.score(made.write(read, together), together).log_softmax(-1).numpy()
    classes = made.classify(together)
    assert len({len(one.question.stems) for one in inputs}) == len(inputs)
    assert len({len(one.kept) for one in inputs}) == 3
    held = together.held.shape[1]
    for row, one in enumerate(inputs):
        alone = encode(alike, one)
        words, kept, values = len(one.question.stems), len(one.kept), len(one.question.values)
        nodes = np.array([*range(kept), *range(batch.items, batch.items + values)])
        places = [*range(words), *(together.words + nodes)]
        places += [together.words + held + n for n in range(len(one.before))]
        assert together.mask[row].nonzero()[:, 0].tolist() == places
        memory = made.decoder.remember(together.nodes[row : row + 1, places])
        assert all(np.abs(a.numpy() - b).max() < TOLERANCE for a, b in zip(memory, alone.memory, strict=True))
        columns = [*range(FIXED), *(FIXED + nodes[:, None] * ROLES + np.arange(ROLES)).ravel()]
        own = written(alike, alone, some_places(one))
        assert np.array_equal(np.isneginf(scores[row][:, columns]), np.isneginf(own))
        seen = ~np.isneginf(own)
        assert np.abs(scores[row][:, columns][seen] - own[seen]).max() < TOLERANCE
        others = np.setdiff1d(np.arange(scores.shape[-1]), columns)
        assert np.isneginf(scores[row][:, others]).all()
        of_one = alone.classes
        assert np.abs(classes.used[row, nodes].numpy() - of_one.used).max() < TOLERANCE
        assert classes.used[row].sigmoid()[np.setdiff1d(np.arange(classes.used.shape[1]), nodes)].sum() == 0
        assert np.abs(classes.fixed[row].numpy() - of_one.fixed).max() < TOLERANCE
        assert abs(float(classes.answerable[row].sigmoid()) - of_one.answerable) < TOLERANCE
        assert (of_one.carries is None) == (classes.carries is None) == (not turns)
        if classes.carries is not None:
            assert abs(float(classes.carries[row].sigmoid()) - of_one.carries) < TOLERANCE


@torch.no_grad()
def test_the_network_that_ships_scores_as_torch_does() -> None:
    shipped = load_network(parser_folder(SHIPPED)).network
    one = SchemaParser(shipped).read(context("music"), QuestionText(TEXTS[0]))
    made = TrainableNetwork.of(shipped)
    vectors = TextVectors(shipped.encoder)
    vectors.prepare(text for texts in one.input.texts() for text in texts)
    ordered = sorted(vectors)
    batch = collate(
        [one.input], {text: row for row, text in enumerate(ordered, start=1)}, first_rows([one.question.pieces])
    )
    nothing = np.zeros((1, 384), np.float32)
    pieces = np.concatenate([nothing, shipped.encoder.model.states_of(one.question.pieces, shipped.frozen)])
    texts = np.concatenate([nothing, np.array([vectors[text] for text in ordered])])
    together = made.eval().encode(batch, FrozenStates(torch.from_numpy(pieces), torch.from_numpy(texts)))
    read = some_places(one.input, length=12)
    logits = made.score(made.write(torch.tensor([read]), together), together)[0].numpy()
    own = written(shipped, one.states, read)
    wanted = logits + one.states.bias
    wanted -= np.logaddexp.reduce(wanted, axis=-1, keepdims=True)
    seen = ~np.isneginf(own)
    assert np.array_equal(seen, ~np.isneginf(wanted))
    assert np.abs(own[seen] - wanted[seen]).max() < 1e-3


# --- what is learnt from: words, classes, and nothing from what no question tells


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
    learnt = TrainingBatch(**vars(batch), targets=rows, used=used, carries=torch.full((len(rows),), -1.0))
    return (made or drawn()).loss(learnt, frozen, weight=weight)


def scored(states: BatchStates, places: torch.Tensor) -> torch.Tensor:
    """Return the scores after each word, all read at once."""
    return drawn().score(drawn().write(places, states), states)


def side_by_side(made: TrainableNetwork, inputs: list[Input]) -> BatchStates:
    return made.encode(*batch_of(inputs))


def writable(one: Input, items: int = 0) -> list[int]:
    """Return words that the input's nodes can be written as, in a batch of so many items, its own at least."""
    items, own = max(items, len(one.kept)), len(one.kept)
    said = [FIXED + (items + i) * ROLES + Role.TEXT for i in range(len(one.question.values))]
    return [7, FIXED + Role.TABLE, 11, FIXED + (own - 1) * ROLES + Role.COLUMN, *said, END]


@torch.no_grad()
def test_a_value_that_no_question_tells_costs_nothing_and_is_read_as_unknown() -> None:
    (one,) = two_inputs()[:1]
    words = writable(one)
    gap = [*words[:2], UNKNOWN, *words[3:]]
    states = side_by_side(drawn(), [one])
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
    classes = made.classify(side_by_side(made, [one]))
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
    targets, used = torch.zeros(2, 5, dtype=torch.long), torch.zeros(batch.texts.shape[:2])
    there = TrainingBatch(**vars(batch), targets=targets, used=used, carries=torch.zeros(2)).to("meta")
    made = trainable(seed=1).to("meta").train()
    found = made.loss(there, FrozenStates(frozen.pieces.to("meta"), frozen.texts.to("meta")))
    found.backward()
    assert found.device.type == "meta"
    questions = [one.question.pieces for one in inputs]
    read = FrozenStates.of(questions, frozen.texts[1:].numpy(), encoder().model, 1, "meta")
    assert read.pieces.shape == (1 + sum(map(len, questions)), 32)
