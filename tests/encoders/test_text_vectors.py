"""What the encoder says of texts, kept by text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reader_cases import encoder
from safetensors.numpy import load_file, save_file

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


def test_too_many_vectors_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_vectors, "_MOST", 2)
    made = TextVectors(encoder())
    made.prepare(["a", "b", "c"])
    made.prepare(["c", "d"])
    assert set(made) == {"c", "d"}


# --- in the user's cache


def kept(texts: list[str], made: TextVectors | None = None) -> TextVectors:
    made = made or TextVectors(encoder())
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
    (file,) = cached(cache)
    stamp = file.stat().st_mtime_ns
    asked: list[str] = []
    cut = type(encoder()).cut
    monkeypatch.setattr(type(encoder()), "cut", lambda self, text, most: (asked.append(text), cut(self, text, most))[1])
    second = kept(["albums", "city", "city"])
    assert asked == ["name"]  # what tells that the encoder is the same
    assert all(np.array_equal(first[text], second[text]) for text in ("city", "albums", "name"))
    assert [one.stat().st_mtime_ns for one in cached(cache)] == [stamp]
    kept(["albums"])
    assert len(cached(cache)) == 2


def test_vectors_of_another_encoder_or_a_broken_file_are_made_anew(cache: Path) -> None:
    kept(["city"])
    (file,) = cached(cache)
    good = file.read_bytes()
    save_file({"vectors": load_file(file)["vectors"][:, ::-1].copy()}, file)  # of an encoder of the same name
    assert np.allclose(kept(["city"])["city"], load_file(file)["vectors"][0])
    assert file.read_bytes() == good
    for broken in (good[:50], b"", good[:-4]):
        file.write_bytes(broken)
        kept(["city"])
        assert file.read_bytes() == good
    save_file({"vectors": np.zeros((1, 32), np.float32)}, file)
    kept(["city"])
    assert cached(cache) == [file]
    assert file.read_bytes() == good


def test_a_cache_that_cannot_be_written_is_done_without(cache: Path) -> None:
    (cache / "vectors").write_text("no folder")
    assert "city" in kept(["city"])
