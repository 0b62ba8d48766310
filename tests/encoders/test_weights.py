"""Weights in a file: how they are read, and which are."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from querent.encoders.bert import WORDS
from querent.encoders.weights import StoredWeights, quantized, selected


@pytest.fixture
def file(tmp_path: Path) -> Path:
    draw = np.random.default_rng(7)
    arrays = {
        "out.weight": draw.normal(size=(70, 33)),
        "out.bias": draw.normal(size=70),
        WORDS: draw.normal(size=(50, 33)),
    }
    halved = {name: array.astype(np.float16) for name, array in arrays.items()}
    save_file(halved | {"seen": np.array([True, False])}, tmp_path / "model.safetensors")
    return tmp_path / "model.safetensors"


def test_floats_are_read_in_single_precision_and_words_stay_in_the_file(file: Path) -> None:
    stored = StoredWeights(file)
    for name, array in load_file(file).items():
        assert np.array_equal(stored[name], array)
        assert stored[name].dtype == (np.bool_ if name == "seen" else np.float32)
    words = stored.mapped(WORDS)
    assert (words.dtype, isinstance(words.base, np.memmap)) == (np.float16, True)
    assert np.array_equal(words, stored[WORDS])
    with pytest.raises(KeyError):
        stored["out"]


def test_all_numbers_of_half_precision_are_read_as_numpy_reads_them(tmp_path: Path) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    save_file({"x": finite}, tmp_path / "x.safetensors")
    read = StoredWeights(tmp_path / "x.safetensors")["x"]
    assert read.view(np.int32).tolist() == finite.astype(np.float32).view(np.int32).tolist()  # -0.0 is not 0.0


def test_a_part_of_the_weights(file: Path) -> None:
    for weights in (StoredWeights(file), load_file(file)):
        assert set(selected(weights, "out.")) == {"weight", "bias"}
        assert set(selected(weights, but="out.")) == {WORDS, "seen"}
    save_file({f"bert.{name}": array for name, array in load_file(file).items()}, file)
    assert set(StoredWeights(file, ["roberta.", "bert."])) == {"out.weight", "out.bias", WORDS, "seen"}


def test_eight_bits_are_scaled_back(tmp_path: Path) -> None:
    matrix = np.random.default_rng(8).normal(size=(9, 40)).astype(np.float32)
    save_file(quantized({"x": matrix}), tmp_path / "x.safetensors")
    stored = StoredWeights(tmp_path / "x.safetensors")
    assert list(stored) == ["x"]
    assert np.abs(stored["x"] - matrix).max() <= np.abs(matrix).max() * 0.51 / 127
