"""What the encoder says of texts, kept by text."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reader_cases import encoder

from querent.encoders import text_vectors
from querent.encoders.text_vectors import TextVectors


def test_vectors_are_kept_by_text_and_do_not_hang_on_their_neighbours() -> None:
    one, other = TextVectors(encoder()), TextVectors(encoder())
    one.prepare(["city", "which albums came out before 1990", "name"])
    other.prepare(["name"])
    assert np.allclose(one["name"], other["name"], atol=1e-5)
    assert set(one) == {"city", "which albums came out before 1990", "name"}
    assert np.linalg.norm(one["city"]) == pytest.approx(1.0, abs=1e-5)
    kept = one["city"]
    one.prepare(["city", "new"])
    assert one["city"] is kept
    assert len(one) == 4
    with pytest.raises(KeyError):
        one["old"]


def test_of_too_many_vectors_the_older_half_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_vectors, "_MOST", 2)
    made = TextVectors(encoder())
    made.prepare(["a", "b", "c"])
    made.prepare(["c", "d"])
    assert set(made) == {"b", "c", "d"}


# --- in the user's cache


def kept(texts: list[str], made: TextVectors | None = None) -> TextVectors:
    made = TextVectors(encoder()) if made is None else made
    made.prepare_kept(texts)
    return made


def cached(cache: Path) -> list[Path]:
    return sorted((cache / "vectors").iterdir())


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path))
    return tmp_path


def test_what_was_prepared_once_is_not_computed_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept(["city", "albums"])
    asked: list[str] = []
    cut = type(encoder()).cut
    monkeypatch.setattr(type(encoder()), "cut", lambda self, text, most: (asked.append(text), cut(self, text, most))[1])
    second = kept(["albums", "city", "city"])
    assert asked == []
    assert all(np.array_equal(first[text], second[text]) for text in ("city", "albums"))
    kept(["albums", "town"])
    assert asked == ["town"]
    assert len(cached(cache)) == 1


def test_kept_vectors_open_no_layer(cache: Path) -> None:
    first, again = kept(["city"]), replace(encoder(), model=replace(encoder().model))
    second = kept(["city"], TextVectors(again))
    assert not again.model._opened
    assert np.array_equal(first["city"], second["city"])


def test_other_layers_have_vectors_of_their_own(cache: Path) -> None:
    whole, lower = kept(["city"]), kept(["city"], TextVectors(encoder(), layers=1))
    assert not np.allclose(whole["city"], lower["city"], atol=1e-3)
    assert len(cached(cache)) == 2


def test_vectors_of_other_weights_are_made_anew(cache: Path) -> None:
    kept(["city"])
    model = encoder().model
    words = model.words * np.where(np.arange(model.hidden) % 2, 1, -1)  # as if trained on
    trained = replace(encoder(), model=replace(model, words=words))
    found = kept(["city"], TextVectors(trained))
    expected = TextVectors(trained)
    expected.prepare(["city"])
    assert np.allclose(found["city"], expected["city"], atol=1e-5)
    assert len(cached(cache)) == 1


@pytest.mark.parametrize("broken", [b"", b"no database"])
def test_a_broken_file_is_begun_anew(cache: Path, broken: bytes) -> None:
    first = kept(["city"])
    (file,) = cached(cache)
    file.write_bytes(broken)
    assert np.allclose(kept(["city"])["city"], first["city"], atol=1e-5)
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT COUNT(*) FROM vector").fetchone() == (1,)


def test_of_too_many_the_oldest_go(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_vectors, "_MOST_STORED", 2)
    kept(["city", "albums"])
    kept(["town"])
    asked: list[str] = []
    monkeypatch.setattr(TextVectors, "_computed", watched(asked, TextVectors._computed))
    kept(["town"])
    assert asked == []
    kept(["albums", "city"])
    assert len(asked) == 1


def watched(asked: list[str], compute: Any) -> Any:
    """Return what computes vectors and tells of which texts."""
    return lambda self, texts: (asked.extend(texts), compute(self, texts))[1]


def test_a_cache_that_cannot_be_written_is_done_without(cache: Path) -> None:
    (cache / "vectors").write_text("no folder")
    assert "city" in kept(["city"])


def test_threads_that_begin_a_store_at_once_share_it(cache: Path) -> None:
    texts = [[f"text {n} {m}" for m in range(3)] for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(kept, texts))
    for some, vectors in zip(texts, found, strict=True):
        assert set(some) <= set(vectors)
    (file,) = cached(cache)
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT COUNT(*) FROM vector").fetchone() == (8 * 3,)
