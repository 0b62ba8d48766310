"""How tables of a schema are scored: names, terms, cells and keys; the same in numpy and in torch."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from querent.data.databases.schema_readers import from_ddl
from querent.data.errors import InputError, RunError
from querent.ner.language.words import stem, units
from querent.retrieval.schema_retriever.schema_names import SchemaNames, terms_of
from querent.retrieval.schema_retriever.table_scorer import (
    FEATURES,
    CellMention,
    RetrieverQuestion,
    TableScorer,
    open_scorer,
    term_matches,
)
from querent.retrieval.schema_retriever.training import (
    RetrieverLesson,
    RetrieverOptions,
    TaughtSchema,
    TrainableScorer,
    hard_negative_loss,
    train_scorer,
)

HIDDEN = 8
DDL = """
CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, title TEXT, hall_id INTEGER REFERENCES hall (hall_id));
CREATE TABLE singer_in_concert (
    singer_id INTEGER REFERENCES singer (singer_id), concert_id INTEGER REFERENCES concert (concert_id)
);
CREATE TABLE hall (hall_id INTEGER PRIMARY KEY, seats INTEGER);
CREATE TABLE invoice (invoice_no INTEGER PRIMARY KEY, total REAL);
"""


@pytest.fixture
def names() -> SchemaNames:
    return SchemaNames.of(from_ddl(DDL, dialect="sqlite"))


def asked(question: str, cells: Sequence[CellMention] = (), seed: int = 1) -> RetrieverQuestion:
    stems = tuple(stem(unit.text) for unit in units(question))
    states = np.random.default_rng(seed).normal(size=(len(stems), HIDDEN)).astype(np.float32)
    return RetrieverQuestion(stems, states, tuple(cells))


def scorer(**features: float) -> TableScorer:
    """Return one that looks at nothing but some features."""
    nothing = np.zeros((4, HIDDEN), np.float32)
    worth = np.array([features.get(name.replace(" ", "_"), 0.0) for name in FEATURES])
    gate = {"gate": np.zeros(HIDDEN), "gate_bias": np.zeros(1), "rarity": np.zeros(1)}
    return TableScorer({"question": nothing, "name": nothing, "features": worth, **gate})


def ranked(found: TableScorer, question: RetrieverQuestion, names: SchemaNames) -> Mapping[str, float]:
    vectors = np.zeros((len(names.texts), HIDDEN), np.float32)
    scores = found.scores(question, names, found.project(vectors)).round(4).tolist()
    return {table.name: score for table, score in zip(names.schema.tables, scores, strict=True)}


# --- names


def test_names_of_a_table_stand_side_by_side_its_own_first(names: SchemaNames) -> None:
    firsts = [names.texts[names.text_of[start]] for start in names.starts]
    assert firsts == ["singer", "concert", "singer in concert", "hall", "invoice"]
    assert names.own.sum() == 5
    assert names.table_of.tolist() == sorted(names.table_of.tolist())
    assert names.places["singer", "country"] == (3,)
    assert len(set(names.texts)) == len(names.texts) < len(names.text_of)  # «singer id» stands twice


def test_tables_are_linked_by_keys_both_ways(names: SchemaNames) -> None:
    assert sorted(map(tuple, names.links.tolist())) == [(0, 2), (1, 2), (1, 3), (2, 0), (2, 1), (3, 1)]


def test_tables_that_differ_in_case_alone_are_two() -> None:
    ddl = 'CREATE TABLE "T" (a INTEGER); CREATE TABLE t (b INTEGER, c INTEGER);'
    found = SchemaNames.of(from_ddl(ddl, dialect="postgres"))
    assert found.starts.tolist() == [0, 2]
    assert found.table_of.tolist() == [0, 0, 1, 1, 1]


def test_other_names_are_names_too(names: SchemaNames) -> None:
    found = SchemaNames.of(names.schema, {("singer", None): ("vocalist",), ("hall", "seats"): ("座位数",)})
    assert {"vocalist", "座位数"} <= set(found.texts)
    assert [found.texts[found.text_of[n]] for n in found.places["singer", None]] == ["singer", "vocalist"]


def test_a_rare_term_says_more(names: SchemaNames) -> None:
    assert names.rarity["invoice"] == pytest.approx(np.log(5))
    assert names.rarity["concert"] == pytest.approx(np.log(5 / 2))


def test_chinese_is_found_by_pairs_of_characters() -> None:
    assert terms_of(["the", "a", "5", "城", "市"]) == [set(), set(), {"5"}, {"城市"}, {"城市"}]
    assert terms_of(["人"]) == [{"人"}]
    assert terms_of(["人", "x"]) == [set(), set()]


# --- scores


def test_words_are_matched_with_the_names_that_they_are_words_of(names: SchemaNames) -> None:
    found = term_matches(asked("seats of each concert hall"), names)
    told = {
        (int(w), names.texts[t]): round(float(s), 2)
        for w, t, s in zip(found.words, found.texts, found.share, strict=True)
    }
    assert told[0, "seats"] == 1.0
    assert told[3, "concert"] == 1.0
    assert told[3, "singer in concert"] == 0.5
    assert found.rarity[1] == 0


def test_a_table_whose_names_are_said_comes_first(names: SchemaNames) -> None:
    found = ranked(scorer(term=1.0, all_terms=1.0), asked("total of each invoice"), names)
    assert max(found, key=found.__getitem__) == "invoice"
    assert found["hall"] == 0


def test_a_cell_speaks_for_the_tables_that_hold_it_the_fewer_the_more(names: SchemaNames) -> None:
    country, title = names.places["singer", "country"][0], names.places["concert", "title"][0]
    one = ranked(scorer(cell=1.0), asked("who is Can", [CellMention(2, 3, (country,), sure=True)]), names)
    both = ranked(scorer(cell=1.0), asked("who is Can", [CellMention(2, 3, (country, title), sure=True)]), names)
    assert one["singer"] == pytest.approx(1 / 3, abs=1e-3)
    assert both["singer"] == both["concert"] == pytest.approx(1 / 3 / 2**0.5, abs=1e-3)


def test_what_links_two_tables_is_found_by_them(names: SchemaNames) -> None:
    question = asked("country and title")
    assert ranked(scorer(term=1.0), question, names)["singer_in_concert"] == 0
    found = ranked(scorer(term=1.0, linked=1.0), question, names)
    assert found["singer_in_concert"] == max(found["singer_in_concert"], found["hall"], found["invoice"])
    assert found["singer_in_concert"] > found["hall"] > found["invoice"]


def test_a_schema_without_keys_has_no_links() -> None:
    ddl = "CREATE TABLE a (b INTEGER); CREATE TABLE c (d INTEGER);"
    alone = SchemaNames.of(from_ddl(ddl, dialect="sqlite"))
    assert alone.links.shape == (0, 2)
    assert set(ranked(scorer(linked=1.0), asked("b"), alone)) == {"a", "c"}


# --- training


def taught(names: SchemaNames, lessons: Sequence[RetrieverLesson]) -> TaughtSchema:
    vectors = np.random.default_rng(0).normal(size=(len(names.texts), HIDDEN)).astype(np.float32)
    return TaughtSchema(names, vectors, lessons)


def lesson(question: str, *tables: int, seed: int = 1) -> RetrieverLesson:
    return RetrieverLesson(asked(question, [CellMention(0, 1, (3, 5), sure=True)], seed), tables)


def test_torch_and_numpy_agree(names: SchemaNames, tmp_path: Path) -> None:
    torch.manual_seed(0)
    made, schema = TrainableScorer(HIDDEN, 4), taught(names, [lesson("country of each singer in a hall", 0, 3)])
    made.save(tmp_path / "weights.safetensors")
    read = TableScorer.load(tmp_path / "weights.safetensors")
    found = read.scores(schema.lessons[0].question, names, read.project(schema.vectors))
    (expected,) = made(schema, schema.lessons, 0.0)
    assert np.allclose(found, expected.detach().numpy(), atol=5e-3)  # the file has half precision


def test_it_learns(names: SchemaNames, tmp_path: Path) -> None:
    lessons = [lesson(f"word{n}", n, seed=n) for n in range(5)]
    schema = taught(names, lessons)
    done: list[float] = []
    options = RetrieverOptions(steps=60, batch=5, rate=0.05, width=8, dropout=0.0)
    train_scorer([schema], tmp_path / "weights.safetensors", options, progress=done.append)
    read = TableScorer.load(tmp_path / "weights.safetensors")
    best = [int(read.scores(one.question, names, read.project(schema.vectors)).argmax()) for one in lessons]
    assert best == [0, 1, 2, 3, 4]
    assert done[-1] == 1.0
    again = tmp_path / "again.safetensors"
    train_scorer([schema], again, options)
    assert again.read_bytes() == (tmp_path / "weights.safetensors").read_bytes()


def test_wrong_tables_that_are_much_better_count_for_nothing() -> None:
    sharp = torch.tensor(1.0, requires_grad=True)
    scores = torch.tensor([1.0, 0.5, 3.0], requires_grad=True)
    strict = hard_negative_loss(scores, [0], sharp, margin=10.0)
    mild = hard_negative_loss(scores, [0], sharp, margin=0.1)
    assert mild < strict
    mild.backward()
    assert scores.grad is not None and scores.grad[2] == 0
    assert torch.isfinite(scores.grad).all() and sharp.grad is not None and torch.isfinite(sharp.grad)


def test_nothing_to_learn_from_is_told(names: SchemaNames, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no question on a database of several tables"):
        train_scorer([taught(names, [])], tmp_path / "weights.safetensors")


# --- files


def test_the_shipped_one_is_small_and_whole() -> None:
    shipped = open_scorer()
    assert all(np.isfinite(array).all() for array in shipped.weights.values())
    assert sum(array.size for array in shipped.weights.values()) * 2 < 3_000_000


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.safetensors"
    save_file({"question": np.zeros((2, 2), np.float32)}, file)
    with pytest.raises(RunError, match="not a schema retriever"):
        TableScorer.load(file)
    TrainableScorer(HIDDEN, 4).save(file)
    short = replace_features(load_file(file))
    save_file(short, file)
    with pytest.raises(RunError, match="not a schema retriever"):
        TableScorer.load(file)


def replace_features(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return weights of a version that had fewer features."""
    return {**arrays, "features": arrays["features"][:-1]}
