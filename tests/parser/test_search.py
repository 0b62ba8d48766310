"""Greedy and beam search: valid, in budget, the same alone as in a batch, and the best where all can be listed."""

import math

import numpy as np
import pytest
import torch
from tiny import EXAMPLES, example, parser

from querent.data.errors import ConstraintError
from querent.parser.account import Account
from querent.parser.collate import collate
from querent.parser.search import beam, greedy, search
from querent.parser.words import BOS, EOS, PAD


@pytest.fixture(scope="module")
def tiny():
    made = parser(seed=3)
    made.model.eval()
    # a random network without its even taste, so that choices differ between questions
    torch.manual_seed(1)
    for table in (made.model.outputs.own, made.model.inputs.own):
        torch.nn.init.normal_(table.weight, std=0.5)
    return made


def features(tiny, examples=EXAMPLES):
    return collate([tiny.featurizer.question(e.question, e.values) for e in examples])


def accounts(tiny, *, closed=(), bias=None, values=()):
    available = np.ones(len(tiny.vocabulary), dtype=bool)
    available[list(closed)] = False
    bias = np.zeros(len(available), np.float32) if bias is None else bias
    return [Account(available, bias, {}, {}, values)] * len(EXAMPLES)


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("budget", [6, 15, 40])
def test_every_query_of_a_random_network_is_valid_and_in_budget(tiny, width, budget):
    for found in search(tiny.model, features(tiny), width=width, constraint=tiny.constraint, budget=budget):
        assert found.complete
        assert len(found.words) <= budget
        tiny.grammar.tokenize(tiny.vocabulary.decode(found.words))


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("constrained", [True, False])
def test_alone_as_in_a_batch(tiny, width, constrained):
    rule = tiny.constraint if constrained else None
    together = search(tiny.model, features(tiny), width=width, constraint=rule, budget=20)
    for pair, found in zip(EXAMPLES, together, strict=True):
        alone = search(tiny.model, features(tiny, [pair]), width=width, constraint=rule, budget=20)[0]
        assert alone.words == found.words
        assert alone.score == pytest.approx(found.score, abs=1e-4)


def test_a_beam_of_one_is_greedy(tiny):
    batch = features(tiny)
    assert beam(tiny.model, batch, width=1, constraint=tiny.constraint) == greedy(
        tiny.model, batch, constraint=tiny.constraint
    )


@torch.no_grad()
def test_the_score_is_the_mean_log_probability_of_the_words(tiny):
    pair = EXAMPLES[0]
    found = greedy(tiny.model, features(tiny, [pair]), constraint=tiny.constraint, budget=12)[0]
    labels = [*found.words, EOS]
    batch = features(tiny, [pair])
    logits = tiny.model(**batch, decoder_input_ids=torch.tensor([[BOS, *found.words]])).logits[0]
    chosen = torch.log_softmax(logits, dim=-1)[range(len(labels)), labels]
    assert found.score == pytest.approx(chosen.mean().item(), abs=1e-4)
    total = greedy(tiny.model, batch, constraint=tiny.constraint, budget=12, alpha=0.0)[0].score
    assert total == pytest.approx(chosen.sum().item(), abs=1e-3)


@torch.no_grad()
def test_a_wide_beam_finds_the_best_of_all_queries(tiny):
    batch = features(tiny, EXAMPLES[:1])
    closed = [i for i, w in enumerate(tiny.vocabulary.words) if w.text not in ("NAME", "CITY", "RIVER")]
    given = accounts(tiny, closed=closed)[:1]

    def walk(state, prefix):
        for word in np.flatnonzero(state.allowed()):
            if word == EOS:
                yield tuple(prefix)
            else:
                yield from walk(state.advance(int(word)), [*prefix, int(word)])

    every = list(walk(tiny.constraint.start(given[0].available, 5), []))
    assert 100 < len(every) < 2000

    def total(query):
        logits = tiny.model(**batch, decoder_input_ids=torch.tensor([[BOS, *query]])).logits[0]
        return torch.log_softmax(logits, -1)[range(len(query) + 1), [*query, EOS]].sum().item()

    best = max(every, key=total)
    found = beam(tiny.model, batch, width=len(every), constraint=tiny.constraint, accounts=given, budget=5, alpha=0.0)[
        0
    ]
    assert found.words == best
    assert found.score == pytest.approx(total(best), abs=1e-3)


def test_closed_words_never_come_with_or_without_the_local_constraint(tiny):
    closed = [i for i, w in enumerate(tiny.vocabulary.words) if w.table == "RIVER" or w.text == "SELECT"]
    free = search(tiny.model, features(tiny), accounts=accounts(tiny, closed=closed), budget=20)
    assert not {i for f in free for i in f.words} & set(closed)
    rivers = [i for i in closed if tiny.vocabulary.words[i].table == "RIVER"]
    held = search(
        tiny.model, features(tiny), constraint=tiny.constraint, accounts=accounts(tiny, closed=rivers), budget=20
    )
    assert not {i for f in held for i in f.words} & set(rivers)


@pytest.mark.parametrize(("number", "whole"), [("3", True), ("2.5", False), ("-3", False)])
def test_a_number_that_is_not_whole_never_stands_behind_limit(tiny, number, whole):
    slot = set(tiny.vocabulary.slots["number0"])
    limit = tiny.vocabulary.index("LIMIT", "LIMIT")
    bias = np.zeros(len(tiny.vocabulary), np.float32)
    bias[[limit, *slot]] = 50.0
    given = accounts(tiny, bias=bias, values=example(f"[{number}|number]", "SELECT NAME FROM CITY").values)
    found = beam(tiny.model, features(tiny), constraint=tiny.constraint, accounts=given, budget=12)
    behind = {w for f in found for before, w in zip(f.words, f.words[1:], strict=False) if before == limit}
    assert behind
    assert bool(behind & slot) == whole


def test_a_bias_pulls(tiny):
    count = tiny.vocabulary.index("COUNT", tiny.grammar.functions["COUNT"].terminal)
    bias = np.zeros(len(tiny.vocabulary), np.float32)
    bias[count] = 1000.0
    for found in greedy(tiny.model, features(tiny), constraint=tiny.constraint, accounts=accounts(tiny, bias=bias)):
        assert count in found.words


def test_the_baseline_stops_at_the_budget_and_writes_no_padding(tiny):
    batch = features(tiny)
    for found in greedy(tiny.model, batch, budget=5):
        assert len(found.words) <= 5
        assert found.complete == (len(found.words) < 5)
        assert not {PAD, BOS, EOS} & set(found.words)
        assert math.isfinite(found.score)


def test_with_no_words_at_hand_there_are_keywords_and_in_too_few_words_no_query(tiny):
    closed = accounts(tiny, closed=range(len(tiny.vocabulary)))
    for found in greedy(tiny.model, features(tiny), constraint=tiny.constraint, accounts=closed):
        assert {tiny.vocabulary.words[i].kind for i in found.words} <= {"keyword", "operator"}
    with pytest.raises(ConstraintError, match="no query has 1 words"):
        greedy(tiny.model, features(tiny), constraint=tiny.constraint, accounts=closed, budget=1)


def test_steps_tell_what_was_allowed_and_refused(tiny):
    batch = features(tiny)
    plain = beam(tiny.model, batch, width=2, constraint=tiny.constraint, budget=12)
    told = beam(tiny.model, batch, width=2, constraint=tiny.constraint, budget=12, explain=True)
    refusals = 0
    for before, found in zip(plain, told, strict=True):
        assert found.words == before.words
        assert [s.word for s in found.steps] == [*found.words, EOS]
        for step in found.steps:
            assert step.allowed + step.forbidden == len(tiny.vocabulary)
            assert step.mass >= sum(r.probability for r in step.refused) - 1e-6
            assert all(r.reason for r in step.refused)
            refusals += len(step.refused)
        total = sum(math.log(s.probability) for s in found.steps)
        assert total / len(found.steps) == pytest.approx(found.score, abs=1e-3)
    assert refusals
    assert all(not f.steps for f in plain)
