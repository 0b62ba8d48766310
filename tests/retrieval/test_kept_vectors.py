"""Vectors of solved questions come from the cache where the same model had the same texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from querent.encoders import load_encoder
from querent.encoders.weights import Weights
from querent.retrieval import kept_vectors as module
from querent.retrieval.bi_encoder import embed
from querent.retrieval.kept_vectors import kept_vectors
from querent.retrieval.shots import Shot, ShotStore, ways_named

TEXTS = ["how many lakes are there", "which river is long", "how many lakes are there", "name each city"]


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch, cache: Path) -> list[list[str]]:
    """Return the lists of texts that were embedded."""
    told: list[list[str]] = []

    def watched(model, texts):
        told.append(list(texts))
        return embed(model, texts)

    monkeypatch.setattr(module, "embed", watched)
    return told


def files(cache: Path) -> list[Path]:
    return sorted((cache / "vectors").iterdir())


def test_what_was_embedded_once_is_not_embedded_again(tiny_encoder, embedded) -> None:
    first = kept_vectors(load_encoder(tiny_encoder), TEXTS)
    again = kept_vectors(load_encoder(tiny_encoder), TEXTS[::-1])
    assert embedded == [[TEXTS[0], TEXTS[1], TEXTS[3]]]
    assert np.array_equal(again, first[::-1])
    assert np.allclose(first, embed(load_encoder(tiny_encoder), TEXTS), atol=1e-5)


def test_only_new_texts_are_embedded(tiny_encoder, embedded) -> None:
    model = load_encoder(tiny_encoder)
    kept_vectors(model, TEXTS)
    found = kept_vectors(model, [*TEXTS, "the largest state"])
    assert embedded[1:] == [["the largest state"]]
    assert np.allclose(found[-1:], embed(model, ["the largest state"]), atol=1e-5)


def test_another_model_has_vectors_of_its_own(tiny_encoder, embedded, cache) -> None:
    encoder = load_encoder(tiny_encoder)
    before = kept_vectors(encoder, TEXTS)
    arrays = dict(encoder.model.weights.arrays)
    name = "embeddings.word_embeddings.weight"
    arrays[name] = arrays[name] * np.where(np.arange(arrays[name].shape[1]) % 2, 1, -1)  # as if trained on
    trained = replace(encoder, model=replace(encoder.model, weights=Weights(arrays)))
    after = kept_vectors(trained, TEXTS)
    kept_vectors(replace(trained, prefix="which "), TEXTS)
    assert len(embedded) == len(files(cache)) == 3
    assert not np.allclose(before, after, atol=1e-3)


def test_a_broken_file_is_written_anew(tiny_encoder, embedded, cache) -> None:
    model = load_encoder(tiny_encoder)
    first = kept_vectors(model, TEXTS)
    (file,) = files(cache)
    file.write_bytes(file.read_bytes()[:100])
    assert np.allclose(kept_vectors(model, TEXTS), first, atol=1e-6)
    kept_vectors(model, TEXTS)
    assert len(embedded) == 2


def test_a_cache_that_cannot_be_written_is_done_without(tiny_encoder, embedded, tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUERENT_CACHE", str(tmp_path / "file"))
    model = load_encoder(tiny_encoder)
    assert np.allclose(kept_vectors(model, TEXTS), embed(model, TEXTS), atol=1e-5)


def test_old_texts_go_where_there_are_too_many(tiny_encoder, embedded, monkeypatch) -> None:
    monkeypatch.setattr(module, "_MOST", 3)
    model = load_encoder(tiny_encoder)
    kept_vectors(model, TEXTS)
    kept_vectors(model, ["the largest state", TEXTS[1]])
    kept_vectors(model, [TEXTS[1], TEXTS[0]])
    assert embedded[1:] == [["the largest state"], [TEXTS[0]]]


def test_no_texts_have_no_vectors(tiny_encoder, cache) -> None:
    model = load_encoder(tiny_encoder)
    assert kept_vectors(model, []).shape == embed(model, []).shape


def test_a_search_by_a_bi_encoder_keeps_its_vectors(tiny_encoder, embedded) -> None:
    shots = [Shot(text, "SELECT 1") for text in TEXTS]
    for _ in range(2):
        store = ShotStore(shots, ways_named(["dense"], model=tiny_encoder))
        assert store.search(TEXTS[1], 1)[0].score == pytest.approx(1.0, abs=1e-5)
    assert len(embedded) == 1
