"""The parts of the network against the formulas that they stand for, a node at a time."""

from __future__ import annotations

import math

import pytest
import torch
from reader_cases import encoder, network, two_inputs, vectors

from querent.parser.encoders import split_at
from querent.parser.reader.decoder import rotated
from querent.parser.reader.inputs import collate
from querent.parser.reader.layers import RelationLayer
from querent.parser.reader.network import _pooled


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
    torch.manual_seed(0)
    q, k = torch.randn(1, 1, 1, 8), torch.randn(1, 1, 1, 8)
    products = {(i, j): float((rotated(q, i) * rotated(k, j)).sum()) for i in range(12) for j in range(12)}
    for (i, j), product in products.items():
        near = [one for (m, n), one in products.items() if m - n == i - j]
        assert all(one == pytest.approx(product, abs=1e-4) for one in near)
    assert max(products.values()) - min(products.values()) > 0.1
    assert torch.equal(rotated(q, 0), q)
    together = torch.cat([q, k], dim=2)
    assert torch.allclose(rotated(together, 5)[:, :, 1:], rotated(k, 6))


@torch.no_grad()
def test_a_word_is_the_mean_of_its_pieces() -> None:
    inputs = two_inputs()
    vectors().prepare(text for one in inputs for texts in one.texts() for text in texts)
    batch = collate(inputs, vectors(), hidden=32)
    pieces = network().upper(
        split_at(encoder().model, 1).lower_states(batch.pieces, batch.piece_mask), batch.piece_mask
    )
    found = _pooled(pieces, batch)
    several = 0
    for row, one in enumerate(inputs):
        for word in range(batch.words):
            mine = [i for i, of in enumerate(one.question.words_of_pieces) if of == word]
            several += len(mine) > 1
            expected = pieces[row, mine].mean(0) if mine else torch.zeros(32)
            assert torch.allclose(found[row, word], expected, atol=1e-5)
    assert several > 2
