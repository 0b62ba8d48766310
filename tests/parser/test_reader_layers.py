"""The parts of the network against the formulas that they stand for, a node at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from reader_cases import trainable, two_inputs
from test_learning_network import batch_of

from querent.encoders.functions import gelu, log_sigmoid, sigmoid
from querent.parser.learning.layers import RelationLayer, _turns, rotated
from querent.parser.learning.network import _pooled


def test_functions_are_those_of_torch() -> None:
    draw = np.random.default_rng(0)
    x = np.concatenate([draw.normal(0, 3, (40, 7)), [[-np.inf, -80, -1e-6, 0, 1e-6, 30, 88]]]).astype(np.float32)
    there, finite = torch.from_numpy(x), torch.from_numpy(x[:-1])
    close = {"atol": 2e-6, "rtol": 2e-6}
    assert torch.allclose(torch.from_numpy(gelu(x[:, 1:])), torch.nn.functional.gelu(there[:, 1:]), **close)
    assert torch.allclose(torch.from_numpy(log_sigmoid(x[:-1])), torch.nn.functional.logsigmoid(finite), **close)
    assert torch.allclose(torch.from_numpy(sigmoid(x[:-1])), finite.sigmoid(), **close)
    assert {f(x[:-1]).dtype for f in (gelu, sigmoid)} == {np.dtype(np.float32)}


@torch.no_grad()
def test_relation_aware_attention_is_that_of_the_paper() -> None:
    torch.manual_seed(0)
    layer = RelationLayer(width=8, heads=2, relations=5, dropout=0.5).eval()
    for part in layer.parameters():
        torch.nn.init.normal_(part)
    x, relations = torch.randn(1, 6, 8), torch.randint(5, (1, 6, 6))
    there = torch.tensor([True] * 4 + [False, True])
    bias = torch.zeros(1, 1, 1, 6).masked_fill(~there, -1e9)
    normed = layer.norms[0](x)[0]
    q, k, v = layer.projection(normed).chunk(3, dim=-1)
    found = torch.zeros(6, 8)
    for head in (slice(0, 4), slice(4, 8)):
        for i in range(6):
            scores = torch.full((6,), -math.inf)
            for j in range(6):
                if there[j]:
                    key = k[j, head] + layer.relation_keys[relations[0, i, j]]
                    scores[j] = q[i, head] @ key / math.sqrt(4)
            values = torch.stack([v[j, head] + layer.relation_values[relations[0, i, j]] for j in range(6)])
            found[i, head] = scores.softmax(-1) @ values
    after = x[0] + layer.out(found)
    after = after + layer.mlp(layer.norms[1](after))
    assert torch.allclose(layer(x, relations, bias)[0], after, atol=1e-4)


def test_rotary_positions_tell_distances() -> None:
    q, k = torch.randn(2, 1, 1, 1, 8, generator=torch.Generator().manual_seed(0))
    places = [_turns(torch.tensor([n]), 4) for n in range(12)]
    products = {
        (i, j): float((rotated(q, one) * rotated(k, other)).sum())
        for i, one in enumerate(places)
        for j, other in enumerate(places)
    }
    for (i, j), product in products.items():
        near = [one for (m, n), one in products.items() if m - n == i - j]
        assert all(one == pytest.approx(product, abs=1e-4) for one in near)
    assert max(products.values()) - min(products.values()) > 0.1
    assert torch.equal(rotated(q, places[0]), q)


@torch.no_grad()
def test_a_word_is_the_mean_of_its_pieces() -> None:
    inputs = two_inputs()
    batch, frozen = batch_of(inputs)
    pieces = trainable().upper(frozen.pieces[batch.pieces], batch.piece_mask)
    found = _pooled(pieces, batch)
    several = 0
    for row, one in enumerate(inputs):
        for word in range(batch.words):
            mine = [i for i, of in enumerate(one.question.words_of_pieces) if of == word]
            several += len(mine) > 1
            before = found[row, word - 1] if word else torch.zeros(32)  # of a word within another's piece
            assert torch.allclose(found[row, word], pieces[row, mine].mean(0) if mine else before, atol=1e-5)
    assert several > 2
