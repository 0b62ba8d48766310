"""The network: what padding, order and numbering must not change, and which words it can write."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping

import numpy as np
import pytest
import torch
from reader_cases import context, encode, german, network, question, schema, two_inputs, value

from querent.data.schema import Schema
from querent.parser.reader.inputs import Batch, Input, collate, make_input
from querent.parser.reader.items import ITEM_KINDS, SchemaItems
from querent.parser.reader.network import Network, States
from querent.parser.reader.words import BEGIN, END, ROLES, Role, fixed_words, roles_of

FIXED = len(fixed_words())
MADE = network()
TOLERANCE = 1e-4


def scored(made: Network, states: States, places: torch.Tensor) -> torch.Tensor:
    """Return the scores after each word, all read at once."""
    return made.score(made.write(places, states, made.start(states)), states)


def some_places(one: Input, items: int | None = None, *, length: int = 7, seed: int = 0) -> list[int]:
    """Return words that a query on an input may have, drawn at random, where ``items`` places are kept for items."""
    draw, found = np.random.default_rng(seed), [BEGIN]
    for _ in range(length - 1):
        node = int(draw.integers(len(one.kept) + len(one.question.values)))
        place = node if node < len(one.kept) else (items or len(one.kept)) + node - len(one.kept)
        found.append(int(draw.choice([draw.integers(3, FIXED), FIXED + place * ROLES + draw.integers(ROLES)])))
    return found


def finite_like(one: torch.Tensor, other: torch.Tensor) -> None:
    assert torch.equal(one.isneginf(), other.isneginf())
    seen = ~one.isneginf()
    assert (one[seen] - other[seen]).abs().max() < TOLERANCE


# --- side by side


@torch.no_grad()
def test_side_by_side_as_alone() -> None:
    inputs = [*two_inputs(), make_input(question("stars"), context("music").items, np.array([0, 2, 9]))]
    together = encode(MADE, inputs)
    read = torch.tensor([some_places(one, together.items) for one in inputs])
    scores, classes = scored(MADE, together, read), MADE.classify(together)
    assert len({len(one.question.stems) for one in inputs}) == len({len(one.kept) for one in inputs}) == 3
    for row, one in enumerate(inputs):
        alone = encode(MADE, [one])
        words, kept, values = len(one.question.stems), len(one.kept), len(one.question.values)
        items = range(together.words, together.words + kept)
        said = range(together.words + together.items, together.words + together.items + values)
        places = [*range(words), *items, *said]
        assert together.mask[row].nonzero()[:, 0].tolist() == places
        assert (together.nodes[row, places] - alone.nodes[0]).abs().max() < TOLERANCE
        nodes = np.array([*range(kept), *range(together.items, together.items + values)])
        columns = [*range(FIXED), *(FIXED + nodes[:, None] * ROLES + np.arange(ROLES)).ravel()]
        own = scored(MADE, alone, torch.tensor([some_places(one)]))[0]
        finite_like(scores[row][:, columns], own)
        others = np.setdiff1d(np.arange(scores.shape[-1]), columns)
        assert scores[row][:, others].isneginf().all()
        of_one = MADE.classify(alone)
        assert (classes.used[row, nodes] - of_one.used[0]).abs().max() < TOLERANCE
        assert classes.used[row].sigmoid()[np.setdiff1d(np.arange(classes.used.shape[1]), nodes)].sum() == 0
        assert (classes.fixed[row] - of_one.fixed[0]).abs().max() < TOLERANCE
        assert abs(classes.answerable[row] - of_one.answerable[0]) < TOLERANCE


def test_padding_is_told_from_what_is_there() -> None:
    inputs = two_inputs()
    said = dict.fromkeys((t for one in inputs for texts in one.texts() for t in texts), np.ones(4, np.float32))
    batch = collate(inputs, said, hidden=4)
    shapes = {f.name: tuple(getattr(batch, f.name).shape) for f in dataclasses.fields(Batch) if f.type == "Tensor"}
    words = max(len(one.question.stems) for one in inputs)
    items = max(len(one.items) for one in inputs)
    nodes = words + items + 2
    pieces = max(len(one.question.pieces) for one in inputs)
    assert (batch.words, batch.items) == (words, items)
    assert shapes == {
        "pieces": (2, pieces), "piece_mask": (2, pieces), "words_of_pieces": (2, pieces),
        "vectors": (2, items + 2, 3, 4), "kinds": (2, nodes), "marks": (2, nodes), "mask": (2, nodes),
        "relations": (2, nodes, nodes),
    }  # fmt: skip
    assert batch.mask.sum(1).tolist() == [one.nodes for one in inputs]
    assert batch.piece_mask.sum(1).tolist() == [len(one.question.pieces) for one in inputs]
    assert (batch.words_of_pieces[~batch.piece_mask] == words).all()
    for row, one in enumerate(inputs):
        of = batch.words_of_pieces[row, batch.piece_mask[row]].tolist()
        assert of == [words if word < 0 else word for word in one.question.words_of_pieces]  # marks are of no word
    there = batch.mask[:, words:].clone()
    # a value has one text, an item three
    assert (batch.vectors[..., 0, 0].bool() == there).all()
    there[:, items:] = False
    assert (batch.vectors[..., 2, 0].bool() == there).all()


@torch.no_grad()
def test_a_question_without_words_is_read() -> None:
    one = make_input(question("\u200b"), context("music").items)
    states = encode(MADE, [one])
    assert (states.words, states.nodes.isfinite().all()) == (0, True)
    assert MADE.classify(states).answerable.isfinite().all()


# --- order and names


class Spoken(Mapping[str, np.ndarray]):
    """Vectors that tell texts by their words, whatever the order of these."""

    def __getitem__(self, text: str) -> np.ndarray:
        number = int(hashlib.sha256(" ".join(sorted(text.replace(",", " ").split())).encode()).hexdigest()[:8], 16)
        return np.random.default_rng(number).normal(size=32).astype(np.float32) / 4

    def __iter__(self):
        return iter(())

    def __len__(self) -> int:
        return 0


@torch.no_grad()
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_tables_and_columns_changes_nothing(seed: int) -> None:
    draw = np.random.default_rng(seed)
    tables = [
        dataclasses.replace(t, columns=tuple(t.columns[i] for i in draw.permutation(len(t.columns))))
        for t in schema("music").tables
    ]
    other = SchemaItems(Schema(tuple(tables[i] for i in (2, 0, 1))))
    one = make_input(german(), SchemaItems(schema("music")))
    two = make_input(german(), other)
    order = np.array([other.find(item.table, item.column) for item in one.items.items])
    assert (order != np.arange(len(order))).any()
    first, second = (encode(MADE, [x], said=Spoken()) for x in (one, two))
    nodes = np.concatenate([order, len(order) + np.arange(2)])
    moved = np.concatenate([np.arange(first.words), first.words + nodes])
    assert (first.nodes[0] - second.nodes[0, moved]).abs().max() < TOLERANCE
    row = np.concatenate([np.arange(FIXED), (FIXED + nodes[:, None] * ROLES + np.arange(ROLES)).ravel()])
    read = np.array(some_places(one, seed=seed))
    before = scored(MADE, first, torch.from_numpy(read)[None])
    after = scored(MADE, second, torch.from_numpy(row[read])[None])
    finite_like(before[0], after[0][:, row])


@torch.no_grad()
def test_what_a_schema_says_does_change_something() -> None:
    one, items = german(), context("music").items
    changed = make_input(one, items)
    changed.relations[0, len(one.stems)] += 1  # another match of a word and a table
    first, second = (encode(MADE, [x]) for x in (make_input(one, items), changed))
    assert (first.nodes - second.nodes).abs().max() > TOLERANCE


# --- which words


@torch.no_grad()
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
    made.writes(seen)
    states = encode(made, [one])
    scores = scored(made, states, torch.tensor([some_places(one)]))[0]
    kinds = [item.kind for item in one.items.items] + [ITEM_KINDS[node.kind] for node in asked.values]
    open_ = {FIXED + i * ROLES + role for i, kind in enumerate(kinds) for role in ROLES_OF[kind]}
    assert scores.shape[-1] == FIXED + len(kinds) * ROLES
    for row in scores:
        assert set(row.isfinite().nonzero()[:, 0].tolist()) == seen | open_


TEXT = (Role.TEXT, Role.CONTAINS, Role.STARTS, Role.ENDS)
COLUMN = (Role.COLUMN, Role.COLUMN_AGAIN, Role.COLUMN_THIRD)
ROLES_OF = {
    "table": (Role.TABLE, Role.STAR, Role.TABLE_AGAIN, Role.TABLE_THIRD),
    **dict.fromkeys(("text", "number", "time", "boolean", "other"), COLUMN),
    **dict.fromkeys(("cell", "cell, nearly", "time said", "quoted", "text said"), TEXT),
    "number said": (*TEXT, Role.NUMBER),
}


def test_every_kind_but_words_has_roles() -> None:
    assert set(ROLES_OF) == set(ITEM_KINDS) - {"word"}
    assert {role for kind in ("table", "column", "value") for role in roles_of(kind)} == set(Role)
    able = {kind: tuple(Role(int(i)) for i in row.nonzero()) for kind, row in zip(ITEM_KINDS, MADE.able, strict=True)}
    assert able == {"word": (), **{kind: tuple(sorted(roles)) for kind, roles in ROLES_OF.items()}}


def test_which_fixed_words_are_written_is_kept_with_the_weights() -> None:
    one, other = network(), network(seed=1)
    one.writes([END, 7])
    assert one.seen.nonzero()[:, 0].tolist() == [END, 7]
    other.load_state_dict(one.state_dict())
    assert torch.equal(one.seen, other.seen)
    one.writes([3])  # not in addition
    assert one.seen.nonzero()[:, 0].tolist() == [3]


# --- a word at a time


@torch.no_grad()
def test_a_word_at_a_time_as_all_at_once() -> None:
    inputs = two_inputs()
    states = encode(MADE, inputs)
    read = torch.tensor([some_places(one, states.items, length=9) for one in inputs])
    at_once, kept, rows = scored(MADE, states, read), MADE.start(states), []
    for i in range(read.shape[1]):
        assert kept.length == i
        rows.append(MADE.score(MADE.write(read[:, i : i + 1], states, kept), states))
    finite_like(torch.cat(rows, dim=1), at_once)


@torch.no_grad()
def test_what_comes_later_changes_nothing_before() -> None:
    (one,) = two_inputs()[:1]
    states = encode(MADE, [one])
    read = torch.tensor([some_places(one, length=8)])
    whole = scored(MADE, states, read)
    for length in range(1, 8):
        finite_like(scored(MADE, states, read[:, :length])[0], whole[0, :length])


@torch.no_grad()
def test_the_order_of_words_changes_what_comes_after() -> None:
    (one,) = two_inputs()[:1]
    states, read = encode(MADE, [one]), some_places(one, length=6)
    other = [read[0], read[2], read[1], *read[3:]]
    assert read[1] != read[2]
    last = [scored(MADE, states, torch.tensor([some]))[0, -1] for some in (read, other)]
    seen = ~last[0].isneginf()
    assert (last[0] - last[1])[seen].abs().max() > TOLERANCE


@torch.no_grad()
def test_rows_of_the_cache_may_be_chosen_repeated_and_left() -> None:
    inputs = two_inputs()
    states = encode(MADE, inputs)
    read = torch.tensor([some_places(one, states.items, length=5) for one in inputs])
    kept, rows = MADE.start(states), torch.tensor([1, 0, 1])
    MADE.write(read[:, :1], states, kept)
    MADE.write(read[:, 1:2], states, kept)
    chosen = kept.select(rows)
    three = states.select(rows)
    after = MADE.score(MADE.write(read[rows, 2:3], three, chosen), three)[:, 0]
    for row, of in enumerate(rows):
        finite_like(after[row], scored(MADE, states, read[:, :3])[of, 2])
    assert kept.length == 2  # the cache it came from is as it was
    assert chosen.length == 3
