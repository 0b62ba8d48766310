"""The network that answers: what order and numbering must not change, and which words it can write."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from reader_cases import context, encode, network, question, two_inputs, value, writes

from querent.parser.network.network import Network, States
from querent.parser.reader.inputs import Input, make_input
from querent.parser.reader.items import ITEM_KINDS
from querent.parser.reader.output_vocabulary import BEGIN, END, ROLES, Role, fixed_words

FIXED = len(fixed_words())
TOLERANCE = 1e-4


@functools.cache
def drawn() -> Network:
    """Return a network with random weights, made once."""
    return network()


def written(made: Network, states: States, places: Sequence[int]) -> np.ndarray:
    """Return the scores after each word of one query, (words, row)."""
    past, rows = made.start(), list[np.ndarray]()
    for place in places:
        row, past = made.write(np.array([place]), np.array([0]), states, past)
        rows.append(row)
    return np.concatenate(rows)


def some_places(one: Input, items: int | None = None, *, length: int = 7, seed: int = 0) -> list[int]:
    """Return words that a query on an input may have, drawn at random, where ``items`` places are kept for items."""
    draw, found = np.random.default_rng(seed), [BEGIN]
    for _ in range(length - 1):
        node = int(draw.integers(len(one.kept) + len(one.question.values)))
        place = node if node < len(one.kept) else (items or len(one.kept)) + node - len(one.kept)
        found.append(int(draw.choice([draw.integers(3, FIXED), FIXED + place * ROLES + draw.integers(ROLES)])))
    return found


def finite_like(one: np.ndarray, other: np.ndarray) -> None:
    assert np.array_equal(np.isneginf(one), np.isneginf(other))
    seen = ~np.isneginf(one)
    assert np.abs(one[seen] - other[seen]).max() < TOLERANCE


# --- order and names


# --- which words


def test_scores_are_closed_exactly_for_what_a_node_cannot_be_written_as() -> None:
    text = "albums 'Post' since 1990 by Björk in May 1993 of Can"
    asked = question(
        text,
        value(text, "Post", kind="quoted", how="exact"),
        value(text, "1990", kind="number", how="literal"),
        value(text, "Björk"),
        value(text, "May 1993", kind="time", how="literal"),
        value(text, "Can", how="part"),
        value(text, "Björk in May", kind="text", how="literal"),
    )
    one = make_input(asked, context("music").items)
    made = network(seed=1)
    seen = {END, 5, 9, FIXED - 1}
    writes(made, seen)
    scores = written(made, encode(made, one), some_places(one))
    kinds = [item.kind for item in one.items.items] + [ITEM_KINDS[node.kind] for node in asked.values]
    open_ = {FIXED + i * ROLES + role for i, kind in enumerate(kinds) for role in ROLES_OF[kind]}
    assert scores.shape[-1] == FIXED + len(kinds) * ROLES
    for row in scores:
        assert set(np.flatnonzero(np.isfinite(row)).tolist()) == seen | open_


TEXT = (Role.TEXT, Role.CONTAINS, Role.STARTS, Role.ENDS)
COLUMN = (Role.COLUMN, Role.COLUMN_AGAIN, Role.COLUMN_THIRD)
ROLES_OF = {
    "table": (Role.TABLE, Role.STAR, Role.TABLE_AGAIN, Role.TABLE_THIRD),
    **dict.fromkeys(("text", "number", "time", "boolean", "other"), COLUMN),
    **dict.fromkeys(("cell", "cell, nearly", "time said", "quoted", "text said"), TEXT),
    "number said": (*TEXT, Role.NUMBER),
}


# --- a word at a time


def test_several_hypotheses_as_one() -> None:
    one = two_inputs()[0]
    states = encode(drawn(), one)
    queries = np.array([some_places(one, length=6, seed=seed) for seed in range(3)])
    past, rows, found = drawn().start(), np.zeros(3, np.int64), list[np.ndarray]()
    for i in range(6):
        logits, past = drawn().write(queries[:, i], rows, states, past)
        rows = np.arange(3)
        found.append(logits)
    for number, query in enumerate(queries):
        finite_like(np.stack([row[number] for row in found]), written(drawn(), states, query))


def test_hypotheses_may_be_chosen_repeated_and_left() -> None:
    one = two_inputs()[0]
    states = encode(drawn(), one)
    queries = np.array([some_places(one, length=5, seed=seed) for seed in range(2)])
    rows = np.array([1, 0, 1])
    _, past = drawn().write(queries[:, 0], np.zeros(2, np.int64), states, drawn().start())
    _, past = drawn().write(queries[:, 1], np.arange(2), states, past)
    before = [one.copy() for one in past]
    after, _ = drawn().write(queries[rows, 2], rows, states, past)
    for row, of in enumerate(rows):
        finite_like(after[row], written(drawn(), states, queries[of, :3])[-1])
    assert all(map(np.array_equal, past, before))  # what it came from is as it was
