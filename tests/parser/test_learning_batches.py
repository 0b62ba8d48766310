"""Collections as training examples, training examples in batches, and questions that have no answer."""

import re
from pathlib import Path

import numpy as np
import pytest
from cases import table
from reader_cases import encoder, schema, write_database

from querent.data.domains.collection import Collection, Pair
from querent.ner.language.question import QuestionText
from querent.parser.learning import training_set
from querent.parser.learning.dataset import contexts_of, make_training_examples
from querent.parser.learning.training_set import TrainingSet
from querent.parser.learning.unanswerable import TEXTS, unanswerable_examples
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.output_vocabulary import END, ROLES, UNKNOWN, fixed_words

FIXED = len(fixed_words())
PAIRS = tuple(Pair(*row) for row in table(__file__, "pairs_of_batches"))
BAD = tuple(Pair(*row) for row in table(__file__, "pairs_that_give_no_example"))


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection(
        "tiny", "en", PAIRS, {name: schema(name) for name in ("music", "staff")},
        {"music": write_database(tmp_path, "music")},
    )  # fmt: skip


@pytest.fixture
def contexts(collection: Collection, tmp_path: Path) -> dict[str, list[DatabaseContext]]:
    return contexts_of(collection, cache=tmp_path / "cache")


# --- material


def test_a_database_is_read_by_descriptions_and_by_identifiers(tmp_path: Path) -> None:
    told = schema("staff").to_json()
    told["tables"][1]["columns"][2]["description"] = "monthly pay"
    made = contexts_of(Collection("tiny", "zh", (), {"staff": type(schema()).from_json(told)}, {}), cache=tmp_path)
    assert [c.items.items[c.items.find("employee", "salary")].name for c in made["staff"]] == ["monthly pay", "salary"]
    assert [(c.language, c.index) for c in made["staff"]] == [("zh", None)] * 2
    assert made["staff"][0].values(QuestionText("Ada")) == ()


def test_a_pair_is_an_example_for_each_way_to_read_its_database(contexts) -> None:
    told: list[int] = []
    made, left_out = make_training_examples(PAIRS, contexts, encoder(), progress=lambda: told.append(1))
    assert [[one.id for one in several] for several in made] == [[pair.id] * 2 for pair in PAIRS]
    assert (left_out, len(told)) == ({}, 5)
    first = made[0][0]
    assert [node.found.value for node in first.question.values][:2] == ["Björk", "1995"]
    assert UNKNOWN not in first.places
    assert [one.places.tolist() for one in made[0]] == [first.places.tolist()] * 2
    assert UNKNOWN in made[4][0].places
    assert all(one.places[-1] == END for several in made for one in several)


def test_pairs_that_give_no_example_are_counted_by_reason(contexts) -> None:
    made, left_out = make_training_examples((*BAD, *PAIRS), contexts, encoder())
    assert len(made) == len(PAIRS)
    assert sum(left_out.values()) == len(BAD)
    reasons = " / ".join(sorted(left_out))
    for said in ("t1", "gone", "lost"):
        assert said in reasons


# --- batches


@pytest.fixture
def examples(contexts) -> TrainingSet:
    made = make_training_examples(PAIRS, contexts, encoder())[0]
    return TrainingSet.of(made, encoder(), 1)


def ids_of(examples: TrainingSet, seed: int, size: int) -> list[list[str]]:
    return [[example.id for example, _ in drawn] for drawn in examples.drawn(np.random.default_rng(seed), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_an_epoch_has_every_pair_once(examples: TrainingSet, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(training_set, "_POOL", 1)  # sorted by size within a few only
    groups = ids_of(examples, 3, size)
    assert sorted(id_ for group in groups for id_ in group) == sorted(pair.id for pair in PAIRS)
    assert len(groups) == -(-len(PAIRS) // size)
    assert max(map(len, groups)) <= size
    assert len(examples) == len(PAIRS)
    assert groups == ids_of(examples, 3, size)
    assert any(groups != ids_of(examples, seed, size) for seed in range(4, 9)) or size == 10


def test_a_batch_says_what_to_learn(examples: TrainingSet) -> None:
    drawn = [(several[0], np.arange(len(several[0].items))) for several in examples.examples]
    made = examples.collate(drawn)
    assert made.targets.shape == (len(PAIRS), max(len(several[0].places) for several in examples.examples))
    for row, (one, kept) in enumerate(drawn):
        length = len(one.places)
        assert (made.targets[row, length:] == -1).all()
        nodes = {(int(p) - FIXED) // ROLES for p in made.targets[row, :length] if p >= FIXED}
        assert set(made.used[row].nonzero()[:, 0].tolist()) == nodes
        own = np.array(sorted(nodes))
        moved = np.where(own < made.items, own, own - made.items + len(kept))
        assert set(moved.tolist()) == set(one.pointed.tolist())
    assert made.used.shape == made.texts.shape[:2]


def test_the_kept_states_are_those_of_the_lower_layers(examples: TrainingSet) -> None:
    drawn = [(several[0], np.arange(len(several[0].items))) for several in examples.examples]
    made = examples.collate(drawn)
    lower = examples.states.pieces[made.pieces].float()
    for row, (example, _) in enumerate(drawn):
        states = encoder().model.states(np.array([example.question.pieces]), 1)[0]
        assert np.abs(lower[row, : len(states)].numpy() - states).max() < 0.01  # kept in half precision
    assert (lower[~made.piece_mask] == 0).all()


# --- questions without an answer


def test_strange_questions_are_small_talk_or_of_another_database(contexts) -> None:
    found = unanswerable_examples(PAIRS, contexts, encoder(), count=60, seed=1)
    talk = [one for (one,) in found if one.question.text in TEXTS["small_talk"]["en"]]
    home = {pair.question: pair.database for pair in PAIRS}
    others = [one for (one,) in found if one.question.text in home]
    assert len(talk) == 15
    assert 5 < len(others) <= 30
    assert len(found) - len(talk) - len(others) == 15  # requests
    for one in others:
        assert one.items.schema.name != home[one.question.text]
    assert all(len(one.places) == 0 for (one,) in found)
    assert len({one.id for (one,) in found}) == len(found)
    assert {one.items.schema.name for (one,) in found} == {"music", "staff"}


def test_a_question_that_fits_the_other_database_is_not_strange(contexts) -> None:
    alike = [Pair("music-9", "music", "name and salary of employees", "SELECT 1")]
    found = unanswerable_examples(alike, contexts, encoder(), count=40, seed=1)
    assert len(found) == 20
    assert sum(one.question.text in TEXTS["small_talk"]["en"] for (one,) in found) == 10
    assert not any(one.question.text == alike[0].question for (one,) in found)


def test_statistics_are_asked_of_amounts(contexts) -> None:
    found = [one for (one,) in unanswerable_examples(PAIRS, contexts, encoder(), count=400, seed=3)]
    asked = [one for one in found if re.search("median|percentile|quartile|skewed|correlat", one.question.text)]
    assert len(asked) > 10
    assert {one.items.schema.name for one in asked} == {"music"}  # the other has no rows that tell amounts
    columns = {c.name for _, c in contexts["music"][0].items.schema.columns()}
    told = contexts["music"][0].profile.columns
    amounts = {column for (_, column), known in told.items() if known.kind == "amount"}
    assert amounts
    for one in asked:
        words = set(one.question.text.replace("?", "").lower().split())
        assert words & amounts
        assert not words & (columns - amounts - {t.name for t in one.items.schema.tables})
