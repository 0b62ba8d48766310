"""The parser's network: question in, scores of SQL words out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.utils.generic import ModelOutput

from . import encoder
from .config import ParserConfig
from .decoder import Cache, Decoder
from .loss import IGNORE, bilevel_loss
from .words import BOS, PAD, PARTS, WordEmbedding

__all__ = ["Memory", "ParserModel", "ParserOutput"]


@dataclass
class ParserOutput(ModelOutput):
    """Loss (a scalar, where labels were given) and logits (batch, length, words)."""

    loss: Tensor | None = None
    logits: Tensor | None = None


@dataclass
class Memory:
    """What stays the same, or grows, while the queries of some questions are written; one row each.

    Attributes:
        cache: keys and values of the decoder.
        slot_words: (batch, slots) word ids of the bound slots, 0 where there are fewer.
        slot_inputs: (batch, slots, width) what the question says at a slot, added to its word on input.
        slot_keys: (batch, slots, width) the same for the output, pointed at by the decoder.
        inputs, outputs: (words, width) embeddings of all words.
    """

    cache: Cache
    slot_words: Tensor
    slot_inputs: Tensor
    slot_keys: Tensor
    inputs: Tensor
    outputs: Tensor

    def select(self, rows: Tensor) -> Memory:
        """Return the memory of ``rows`` (n,), which may repeat or leave out rows of this one."""
        slots = (self.slot_words[rows], self.slot_inputs[rows], self.slot_keys[rows])
        return Memory(self.cache.select(rows), *slots, self.inputs, self.outputs)


class ParserModel(PreTrainedModel):
    """Encoder, decoder, and word embeddings into which the question's values are copied.

    A word of a bound slot is its embedding plus what the encoder saw at the value's span; on output the
    span is a pointer key beside the word's own. Input and output embeddings are two tables: tied, they
    train much worse here. Call `ParserModel.create` for a new model: it loads the encoder's weights and
    the parts of the words.
    """

    config_class = ParserConfig
    base_model_prefix = "parser"
    main_input_name = "input_ids"

    def __init__(self, config: ParserConfig) -> None:
        super().__init__(config)
        self.encoder = encoder.build(config)
        hidden = int(self.encoder.config.hidden_size)
        width = config.width
        self.bridge = nn.Sequential(nn.Linear(hidden, width), nn.LayerNorm(width))
        self.decoder = Decoder(width=width, layers=config.layers, heads=config.heads, dropout=config.dropout)
        made: dict[str, Any] = {"words": config.vocab_size, "sizes": config.part_sizes, "width": width}
        self.inputs = WordEmbedding(**made, name_width=config.name_width)
        self.outputs = WordEmbedding(**made, name_width=config.name_width)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.slot_input = nn.Linear(width, width, bias=False)
        self.slot_key = nn.Linear(width, width, bias=False)
        self.register_buffer("parts", torch.zeros(config.vocab_size, len(PARTS), dtype=torch.long))
        self.register_buffer("names", torch.zeros(config.vocab_size, config.name_width))
        self.post_init()
        self.freeze()

    @classmethod
    def create(cls, config: ParserConfig, parts: Tensor, names: Mapping[str, Tensor] | None = None) -> ParserModel:
        """Return a model to train.

        A pretrained encoder is loaded with its weights and its configuration put into ``config``. What it says of
        the words' names before any training stays part of their vectors: it knows that people ask for the
        «population» with other words, too.

        Args:
            config: of the model.
            parts: (words, parts) of `words.word_parts`.
            names: `words.name_texts` as the pretrained encoder's tokenizer reads them, None to do without.

        Raises:
            InputError: the encoder cannot be found.
        """
        own = None if config.encoder == "scratch" else encoder.pretrained(config)
        if own is not None:
            config.encoder_config = own.config.to_dict()
            config.name_width = 0 if names is None else int(own.config.hidden_size)
        model = cls(config)
        if own is not None:
            model.encoder.load_state_dict(own.state_dict())
            if names is not None:
                cast(Tensor, model.names).copy_(encoder.means(own, names))
        cast(Tensor, model.parts).copy_(parts)
        return model

    def freeze(self) -> None:
        """Keep the layers of `ParserConfig.freeze_layers` from learning."""
        encoder.freeze(self.encoder, self.config.freeze_layers, scratch=self.config.encoder == "scratch")

    def parameter_groups(self, *, lr: float, encoder_lr: float, weight_decay: float = 0.01) -> list[dict[str, Any]]:
        """Return optimizer groups: a pretrained encoder learns at ``encoder_lr``; vectors and biases do not decay."""
        self.freeze()  # from_pretrained makes new parameters, all of which learn
        slow = self.config.encoder != "scratch"
        groups: dict[tuple[float, float], list[nn.Parameter]] = {}
        for name, parameter in self.named_parameters():
            if parameter.requires_grad:
                rate = encoder_lr if slow and name.startswith("encoder.") else lr
                groups.setdefault((rate, weight_decay if parameter.ndim > 1 else 0.0), []).append(parameter)
        return [{"params": found, "lr": rate, "weight_decay": decay} for (rate, decay), found in groups.items()]

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        bias = getattr(module, "bias", None)
        if isinstance(bias, nn.Parameter) and isinstance(module, nn.Linear | nn.LayerNorm):
            nn.init.zeros_(bias)
        if isinstance(module, nn.LayerNorm):
            nn.init.ones_(module.weight)

    def remember(
        self,
        *,
        input_ids: Tensor,
        attention_mask: Tensor,
        slot_words: Tensor,
        slot_starts: Tensor,
        slot_ends: Tensor,
    ) -> Memory:
        """Read the questions.

        Args:
            input_ids: (batch, source) tokens.
            attention_mask: (batch, source), 0 at padding.
            slot_words: (batch, slots) ids of the words of bound slots, 0 at padding.
            slot_starts, slot_ends: (batch, slots) first token of the slot's value, and one past its last.
        """
        found = self.encoder(input_ids=input_ids, attention_mask=attention_mask)
        states = self.bridge(found.last_hidden_state)
        place = torch.arange(input_ids.shape[1], device=input_ids.device)
        inside = ((place >= slot_starts[..., None]) & (place < slot_ends[..., None])).to(states.dtype)
        spans = (inside / inside.sum(-1, keepdim=True).clamp(min=1)) @ states
        return Memory(
            cache=self.decoder.remember(states, attention_mask),
            slot_words=slot_words,
            slot_inputs=self.slot_input(spans),
            slot_keys=self.slot_key(spans) * self.config.width**-0.5,
            inputs=self.inputs(self.parts, self.names),
            outputs=self.outputs(self.parts, self.names),
        )

    def score(self, words: Tensor, memory: Memory) -> Tensor:
        """Read ``words`` (batch, length) after those in ``memory``; return logits (batch, length, words) of the next.

        The memory's cache grows by these words.
        """
        pointed = (words[..., None] == memory.slot_words[:, None, :]).to(memory.slot_inputs.dtype)
        embedded = memory.inputs[words] + pointed @ memory.slot_inputs
        states = self.decoder(embedded, memory.cache)
        logits = states @ memory.outputs.T + self.bias  # in the bias's precision, whatever autocast computed in
        pointers = (states @ memory.slot_keys.transpose(1, 2)).to(logits.dtype)
        return logits.scatter_add(2, memory.slot_words[:, None, :].expand_as(pointers), pointers)

    def forward(
        self,
        *,
        input_ids: Tensor,
        attention_mask: Tensor,
        slot_words: Tensor,
        slot_starts: Tensor,
        slot_ends: Tensor,
        decoder_input_ids: Tensor | None = None,
        labels: Tensor | None = None,
        available: Tensor | None = None,
        local: Tensor | None = None,
    ) -> ParserOutput:
        """Score every word of the target.

        Args:
            decoder_input_ids: (batch, length) from <bos> on; made of ``labels`` where it is not given.
            labels: (batch, length) the query's words and <eos>, `loss.IGNORE` at padding.
            available: (batch, words) and
            local: (batch, length, words), indicators for the constraint loss.

        The other arguments are those of `remember`.
        """
        if decoder_input_ids is None:
            if labels is None:
                raise ValueError("give decoder_input_ids or labels")
            decoder_input_ids = shift_right(labels)
        if self.training and self.config.word_dropout:
            hidden = torch.rand(decoder_input_ids.shape, device=decoder_input_ids.device) < self.config.word_dropout
            decoder_input_ids = decoder_input_ids.masked_fill(hidden & (decoder_input_ids != BOS), PAD)
        memory = self.remember(
            input_ids=input_ids,
            attention_mask=attention_mask,
            slot_words=slot_words,
            slot_starts=slot_starts,
            slot_ends=slot_ends,
        )
        logits = self.score(decoder_input_ids, memory)
        if labels is None:
            return ParserOutput(logits=logits)
        loss = bilevel_loss(
            logits,
            labels,
            available=available,
            local=local,
            alpha=self.config.alpha,
            beta=self.config.beta,
            label_smoothing=self.config.label_smoothing if self.training else 0.0,
        )
        return ParserOutput(loss=loss, logits=logits)


def shift_right(labels: Tensor) -> Tensor:
    """Return what the decoder reads to write ``labels``: <bos>, then all but the last."""
    read = torch.full_like(labels, PAD)
    read[:, 0] = BOS
    read[:, 1:] = labels[:, :-1]
    return read.masked_fill(read == IGNORE, PAD)
