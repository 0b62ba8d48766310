"""Questions and queries as tensors.

A question's bound values are replaced by their types, or marked with them, before it is tokenized; the text is
built piece by piece, so that each value's place in it is known exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from ..data.errors import InputError
from ..data.examples import SLOT, Example, Value
from .config import ValuesAs
from .loss import IGNORE
from .tokenizer import type_name
from .words import EOS, PAD, bound_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..grammar import Vocabulary

__all__ = ["Featurizer", "collate", "read", "split_by_length", "training_texts"]


def read(
    question: str, values: Iterable[Value], *, values_as: ValuesAs, name: Callable[[str], str]
) -> tuple[str, dict[str, tuple[int, int]]]:
    """Return the question as the encoder shall read it, and each slot's characters in that text.

    A value that overlaps an earlier one shares its place.

    Args:
        name: gives the words or token that stand for a value type.
    """
    text, place = "", 0
    spans: dict[str, tuple[int, int]] = {}
    last = (0, 0)
    for value in sorted(values, key=lambda v: (v.mention.start, -v.mention.end)):
        mention = value.mention
        if mention.start >= place:
            text += question[place : mention.start]
            shown = "" if values_as == "surface" else name(_type(value))
            said = "" if values_as == "type" else question[mention.start : mention.end]
            # spaces keep the name apart in scripts without them; around plain surfaces nothing is changed
            piece = said if values_as == "surface" else f" {shown} {said} " if said else f" {shown} "
            last = (len(text) + len(piece) - len(piece.lstrip()), len(text) + len(piece.rstrip()))
            text += piece
            place = mention.end
        spans[value.slot] = last
    return text + question[place:], spans


def _type(value: Value) -> str:
    match = SLOT.fullmatch("{" + value.slot + "}")
    if match is None:
        raise InputError(f"{value.slot!r} is not a slot", field="values", hint="write a type and a number, like name0")
    return match[1]


def training_texts(examples: Iterable[Example], *, values_as: ValuesAs) -> list[str]:
    """Return what a tokenizer shall be trained on: the questions, without their values where only types are read."""
    hidden = values_as == "type"
    return [read(e.question, e.values if hidden else (), values_as="type", name=lambda _: "")[0] for e in examples]


@dataclass(frozen=True)
class Featurizer:
    """Turns one question, or one example, into lists of ids.

    Attributes:
        tokenizer: of the encoder.
        vocabulary: of SQL words.
        values_as: see `ParserConfig`.
        longest: most tokens the encoder reads.
    """

    tokenizer: PreTrainedTokenizerFast
    vocabulary: Vocabulary
    values_as: ValuesAs = "type"
    longest: int = 512

    def question(self, question: str, values: Iterable[Value]) -> dict[str, Any]:
        """Return ``input_ids`` and the words and token spans of the bound slots.

        Raises:
            InputError: the question has more tokens than the encoder reads.
        """
        values = tuple(values)
        text, spans = read(question, values, values_as=self.values_as, name=lambda t: type_name(self.tokenizer, t))
        encoded = self.tokenizer(text, return_offsets_mapping=True, verbose=False)
        if len(encoded["input_ids"]) > self.longest:
            problem = f"the question has {len(encoded['input_ids'])} tokens, the encoder reads {self.longest}"
            raise InputError(problem, field="question", hint="shorten it")
        tokens = {slot: _tokens(encoded["offset_mapping"], *span) for slot, span in spans.items()}
        words = bound_words(self.vocabulary, [value.slot for value in values])
        return {
            "input_ids": encoded["input_ids"],
            "slot_words": [word for word, _ in words],
            "slot_starts": [tokens[slot][0] for _, slot in words],
            "slot_ends": [tokens[slot][1] for _, slot in words],
        }

    def example(self, example: Example, *, indicators: Mapping[str, NDArray[np.bool_]] | None = None) -> dict[str, Any]:
        """Return the features of a question with ``labels``, the words of its gold query and <eos>.

        Args:
            indicators: ``available`` (words,) and ``local`` (length, words), for the constraint loss.

        Raises:
            QueryError: the gold query is outside the grammar or the vocabulary.
        """
        labels = [*self.vocabulary.encode(example.slotted), EOS]
        return {**self.question(example.question, example.values), "labels": labels, **(indicators or {})}


def _tokens(offsets: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """Return the first token that overlaps the characters, and one past the last."""
    inside = [i for i, (a, b) in enumerate(offsets) if a < end and b > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def collate(features: Sequence[Mapping[str, Any]], *, pad: int = 0) -> dict[str, Tensor]:
    """Pad features to a batch.

    Args:
        features: of `Featurizer`; all with the same keys.
        pad: the tokenizer's padding id.
    """
    fill = {"input_ids": pad, "slot_words": PAD, "slot_starts": 0, "slot_ends": 0, "labels": IGNORE}
    batch = {key: _pad([f[key] for f in features], value) for key, value in fill.items() if key in features[0]}
    lengths = torch.tensor([len(f["input_ids"]) for f in features])
    batch["attention_mask"] = (torch.arange(batch["input_ids"].shape[1]) < lengths[:, None]).long()
    if "available" in features[0]:
        batch["available"] = torch.from_numpy(np.stack([f["available"] for f in features]))
    if "local" in features[0]:
        rows = [torch.from_numpy(f["local"]) for f in features]
        # padded positions do not count, whatever they hold
        batch["local"] = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=True)
    return batch


def split_by_length(batch: Mapping[str, Tensor], size: int) -> Iterator[dict[str, Tensor]]:
    """Yield a batch's rows ``size`` at a time, shortest queries first, without the padding that none of them needs."""
    lengths = (batch["labels"] != IGNORE).sum(1)
    for rows in lengths.argsort(stable=True).split(size):
        part = {key: value[rows] for key, value in batch.items()}
        query, question = int(lengths[rows].max()), int(part["attention_mask"].sum(1).max())
        ends = {"labels": query, "local": query, "input_ids": question, "attention_mask": question}
        yield {key: value[:, : ends[key]] if key in ends else value for key, value in part.items()}


def _pad(rows: Sequence[Sequence[int]], fill: int) -> Tensor:
    width = max(1, *map(len, rows))
    return torch.tensor([[*row, *[fill] * (width - len(row))] for row in rows], dtype=torch.long)
