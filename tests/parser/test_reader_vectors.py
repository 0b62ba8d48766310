"""What the encoder says of texts, kept by text."""

from __future__ import annotations

import numpy as np
import pytest
from reader_cases import encoder

from querent.parser.reader import vectors
from querent.parser.reader.vectors import TextVectors


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
    monkeypatch.setattr(vectors, "_MOST", 2)
    made = TextVectors(encoder())
    made.prepare(["a", "b", "c"])
    made.prepare(["c", "d"])
    assert set(made) == {"c", "d"}
