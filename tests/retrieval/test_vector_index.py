"""The exact vector index: what is added is found, what is removed is not, and a folder holds both its parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from querent.data.errors import InputError, RunError
from querent.retrieval.vector_index import Entry, VectorIndex


def index_of(count: int, width: int = 8, seed: int = 1) -> VectorIndex:
    index = VectorIndex(width)
    entries = [Entry(f"e{i}", f"text {i}", {"kind": "even" if i % 2 == 0 else "odd"}) for i in range(count)]
    index.add(entries, np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32))
    return index


def test_the_nearest_are_those_of_the_largest_cosine() -> None:
    index = index_of(200)
    queries = np.random.default_rng(2).normal(size=(3, 8)).astype(np.float32)
    for query, found in zip(queries, index.search(queries, 7), strict=True):
        cosines = index.vectors @ (query / np.linalg.norm(query))
        assert [f.entry.id for f in found] == [f"e{i}" for i in np.argsort(-cosines)[:7]]
        assert found[0].score == pytest.approx(cosines.max(), abs=1e-6)


def test_length_counts_for_nothing() -> None:
    index = VectorIndex(2)
    index.add([Entry("long", "a"), Entry("near", "b")], np.array([[90.0, 9.0], [0.1, 0.0]], np.float32))
    assert [f.entry.id for f in index.search(np.array([[5.0, 0.0]], np.float32), 2)[0]] == ["near", "long"]


def test_a_filter_leaves_others_out() -> None:
    index = index_of(20)
    found = index.search(index.vectors[3:4], 20, where=lambda entry: entry.tags["kind"] == "even")[0]
    assert {f.entry.tags["kind"] for f in found} == {"even"}
    assert len(found) == 10


def test_what_is_removed_is_found_no_more_and_may_come_again() -> None:
    index = index_of(5)
    kept = index.vectors[2].copy()
    assert index.remove(["e2", "nothing"]) == 1
    assert len(index) == 4
    assert all(f.entry.id != "e2" for f in index.search(kept[None], 5)[0])
    index.add([Entry("e2", "again")], kept[None])
    assert index.search(kept[None], 1)[0][0].entry.text == "again"


def test_a_saved_index_comes_back(tmp_path: Path) -> None:
    index = index_of(9)
    index.save(tmp_path / "index")
    again = VectorIndex.load(tmp_path / "index")
    assert again.entries == index.entries
    assert np.array_equal(again.vectors, index.vectors)


def test_parts_of_two_indexes_are_refused(tmp_path: Path) -> None:
    index_of(9).save(tmp_path / "one")
    index_of(9, seed=2).save(tmp_path / "two")
    (tmp_path / "one" / "vectors.npy").write_bytes((tmp_path / "two" / "vectors.npy").read_bytes())
    with pytest.raises(RunError, match=r"vectors\.npy"):
        VectorIndex.load(tmp_path / "one")


@pytest.mark.parametrize(
    ("entries", "vectors", "said"),
    [
        ([Entry("e1", "twice")], np.ones((1, 8)), "'e1' is in the index"),
        ([Entry("x", "")], np.ones((1, 7)), "shape"),
        ([Entry("x", "")], np.zeros((1, 8)), "zero"),
        ([Entry("x", "")], np.full((1, 8), np.nan), "not finite"),
    ],
)
def test_what_cannot_be_added_is_refused_and_leaves_the_index(
    entries: list[Entry], vectors: np.ndarray, said: str
) -> None:
    index = index_of(3)
    with pytest.raises(InputError, match=said):
        index.add(entries, vectors.astype(np.float32))
    assert len(index) == len(index.vectors) == 3


def test_an_empty_index_finds_nothing() -> None:
    assert VectorIndex(4).search(np.ones((2, 4), np.float32), 3) == [[], []]
