"""Every size and switch of the parser's model, kept as its ``config.json``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from transformers import PretrainedConfig

from ..data.errors import InputError

__all__ = ["ParserConfig", "ValuesAs"]

ValuesAs = Literal["type", "surface", "both"]


class ParserConfig(PretrainedConfig):
    """Configuration of `ParserModel`.

    Args:
        encoder: ``scratch``, ``minilm``, or a name or path that `AutoModel` knows.
        encoder_config: the encoder's own configuration as a dict; `encoder.prepare` fills it in.
        freeze_layers: the embeddings and this many layers of the encoder stay as they were pretrained;
            0 freezes nothing, None takes half of a pretrained encoder and nothing of a scratch one.
        values_as: how the encoder reads a bound value: as its type's name, as it was said, or both.
        vocab_size: words of the SQL vocabulary.
        part_sizes: how many different values each part of a word has (see `words.word_parts`).
        name_width: width of the pretrained encoder's vectors of the words' names; 0 where they are not used.
        width, layers, heads: of the decoder; ``width`` is also that of the word embeddings.
        dropout: of the decoder and of a scratch encoder.
        word_dropout: share of the query's words that the decoder does not see in training, so that it leans on the
            question more and on queries learnt by heart less.
        budget: most words a query may have, the end not counted.
        sources: most sources of one FROM, any number if None.
        joins: what a FROM joins, ``any`` tables or those that foreign ``keys`` link.
        label_smoothing: of the cross-entropy.
        alpha, beta: weights of the constraint loss, global and local; 0 switches a term off.
        scripts: writing systems of the training questions, as `pipeline` checks them.
    """

    model_type = "querent-parser"

    def __init__(
        self,
        *,
        encoder: str = "scratch",
        encoder_config: dict[str, Any] | None = None,
        freeze_layers: int | None = None,
        values_as: ValuesAs = "type",
        vocab_size: int = 3,
        part_sizes: Sequence[int] = (),
        name_width: int = 0,
        width: int = 256,
        layers: int = 3,
        heads: int = 4,
        dropout: float = 0.1,
        word_dropout: float = 0.0,
        budget: int = 120,
        sources: int | None = None,
        joins: str = "any",
        label_smoothing: float = 0.0,
        alpha: float = 0.0,
        beta: float = 0.0,
        scripts: Sequence[str] = (),
        **others: Any,
    ) -> None:
        if width % heads:
            raise InputError(f"width {width} is not a multiple of heads {heads}", field="width")
        if values_as not in ("type", "surface", "both"):
            raise InputError(f"unknown {values_as!r}", field="values_as", hint="use type, surface or both")
        self.encoder = encoder
        self.encoder_config = encoder_config
        self.freeze_layers = freeze_layers
        self.values_as: ValuesAs = values_as
        self.vocab_size = vocab_size
        self.part_sizes = list(part_sizes)
        self.name_width = name_width
        self.width = width
        self.layers = layers
        self.heads = heads
        self.dropout = dropout
        self.word_dropout = word_dropout
        self.budget = budget
        self.sources = sources
        self.joins = joins
        self.label_smoothing = label_smoothing
        self.alpha = alpha
        self.beta = beta
        self.scripts = list(scripts)
        super().__init__(**others)
