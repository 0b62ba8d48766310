"""How weights lie once they are read, and that a layer multiplies by them all the same."""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from querent.encoders.weights import Weights, laid_out, read_weights


def stored(folder: Path) -> Path:
    draw = np.random.default_rng(7)
    arrays = {
        "out.weight": draw.normal(size=(70, 33)),
        "out.bias": draw.normal(size=70),
        "kind.weight": draw.normal(size=(9, 33)),
        "norm.weight": draw.normal(size=33),
        "norm.bias": draw.normal(size=33),
        "embeddings.word_embeddings.weight": draw.normal(size=(50, 33)),
    }
    halved = {name: array.astype(np.float16) for name, array in arrays.items()}
    save_file(halved | {"seen": np.array([True, False])}, folder / "model.safetensors")
    return folder / "model.safetensors"


def test_matrices_of_layers_lie_by_columns_and_tables_by_rows(tmp_path: Path) -> None:
    file = stored(tmp_path)
    read = read_weights(file)
    for name, array in load_file(file).items():
        assert np.array_equal(read[name], array)
        assert read[name].dtype == (array.dtype if "word_embeddings" in name or name == "seen" else np.float32)
    number = np.dtype(np.float32).itemsize
    assert read["out.weight"].strides == (number, (70 + 16) * number)
    assert read["kind.weight"].flags.c_contiguous
    words = read["embeddings.word_embeddings.weight"]
    assert words.flags.c_contiguous
    assert isinstance(words.base, np.memmap)  # and stays in the file


def test_a_layer_is_the_same_however_its_matrix_lies() -> None:
    draw = np.random.default_rng(8)
    small = {"out.weight": draw.normal(size=(70, 33)), "out.bias": draw.normal(size=70)}
    large = {"out.weight": draw.normal(size=(901, 700)), "out.bias": draw.normal(size=901)}  # few rows go in parts
    for arrays, rows in ((small, 1), (small, 200), (large, 1), (large, 4), (large, 40)):
        x = draw.normal(size=(rows, arrays["out.weight"].shape[1]))
        wanted = x @ arrays["out.weight"].T + arrays["out.bias"]
        for weights in (arrays, laid_out(arrays.items(), arrays)):
            assert np.allclose(Weights(weights).linear("out", x), wanted)
