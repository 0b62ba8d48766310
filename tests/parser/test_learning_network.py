"""The network that learns against the one that answers: same weights, same scores, side by side as alone."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import torch
from reader_cases import TEXTS, context, encode, encoder, follow_up, question, trainable, two_inputs, vectors
from test_reader_network import FIXED, some_places, written

from querent.encoders.text_vectors import TextVectors
from querent.ner.language.question import QuestionText
from querent.parser.base import SHIPPED, parser_folder
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.learning.batches import FrozenStates, first_rows
from querent.parser.learning.graphs import answering
from querent.parser.learning.inputs import Batch, collate
from querent.parser.learning.network import TrainableNetwork
from querent.parser.network.saved import load_network
from querent.parser.reader.history import MAX_TURNS
from querent.parser.reader.inputs import Input, make_input
from querent.parser.reader.output_vocabulary import END, ROLES

TOLERANCE = 1e-4


@functools.cache
def drawn() -> TrainableNetwork:
    """Return a network with random weights, made once."""
    return trainable()


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


def test_it_goes_on_from_the_weights_of_one_that_answers() -> None:
    one = trainable(seed=7)
    one.writes([END, 7])
    other = TrainableNetwork.of(answering(one, encoder(), 1))
    assert other.config == one.config
    for name, value in one.state_dict().items():
        assert torch.equal(value, other.state_dict()[name]), name
    with torch.no_grad():
        other.query.weight += 1.0  # a copy, not the same memory
    assert not torch.equal(one.query.weight, other.query.weight)


def test_which_fixed_words_are_written() -> None:
    one = trainable()
    one.writes([END, 7])
    assert one.seen.nonzero()[:, 0].tolist() == [END, 7]
    one.writes([3])  # not in addition
    assert one.seen.nonzero()[:, 0].tolist() == [3]


@torch.no_grad()
def test_what_comes_later_changes_nothing_before() -> None:
    inputs = two_inputs()[:1]
    states = drawn().encode(*batch_of(inputs))
    read = torch.tensor([some_places(inputs[0], length=8)])
    whole = drawn().write(read, states)
    for length in range(1, 8):
        assert torch.allclose(drawn().write(read[:, :length], states)[0], whole[0, :length], atol=TOLERANCE)
