"""How likely words mean something that a schema has, by the weights that ship."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from querent.classifiers import schema_match
from querent.classifiers.schema_match import ABSENT, SchemaMatch
from querent.encoders import load_encoder
from querent.encoders.text_vectors import TextVectors

NAMES = ["customer", "name", "city", "product", "price", "category", "order", "order date"]


@pytest.fixture(scope="module")
def vectors() -> TextVectors:
    return TextVectors(load_encoder("e5"))


def of(vectors: TextVectors, texts: list[str]) -> NDArray[np.float32]:
    vectors.prepare(texts)
    return np.array([vectors[text] for text in texts])


def shipped() -> SchemaMatch:
    found = SchemaMatch.shipped("e5")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("here", "elsewhere"),
    [
        (
            ["clients", "goods", "cost", "town", "ordered", "expensive"],
            ["soldiers", "volcanoes", "dinosaurs", "bridges"],
        ),
        (["顾客", "产品", "价钱", "贵"], ["火山", "囚犯", "地震", "选举"]),
    ],
)
def test_synonyms_are_told_from_nouns_of_other_databases(
    vectors: TextVectors, here: list[str], elsewhere: list[str]
) -> None:
    match, names = shipped(), of(vectors, NAMES)
    likely, unlikely = (match.probabilities(of(vectors, texts), names) for texts in (here, elsewhere))
    assert likely.min() > ABSENT > unlikely.max()


def test_what_is_near_is_found_with_the_name_that_is_nearest(vectors: TextVectors) -> None:
    cosines = shipped().cosines(of(vectors, ["clients", "goods", "cost"]), of(vectors, NAMES))
    assert [NAMES[i] for i in cosines.argmax(1)] == ["customer", "product", "price"]


def test_a_name_more_makes_nothing_less_likely(vectors: TextVectors) -> None:
    said, names = of(vectors, ["clients", "bridges"]), of(vectors, NAMES)
    assert (shipped().probabilities(said, names) >= shipped().probabilities(said, names[1:])).all()


def test_what_is_saved_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "match.safetensors"
    rows = np.arange(6, dtype=np.float32)
    SchemaMatch(rows[:3], rows.reshape(3, 2), rows[3:], {"nearest": 2.0, "constant": -1.0}).save(file, encoder="tiny")
    monkeypatch.setattr(schema_match, "_FILE", file)
    found = SchemaMatch.shipped.__wrapped__(SchemaMatch, "tiny")
    assert found is not None
    assert found.weights == {"nearest": 2.0, "constant": -1.0}
    assert np.array_equal(found.projection, rows.reshape(3, 2))
    assert SchemaMatch.shipped.__wrapped__(SchemaMatch, "other") is None
