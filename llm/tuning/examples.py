"""What a language model is tuned on: for each solved question the tokens of its prompt and of its answer."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...data.errors import InputError
from ...retrieval.shots import Shot, ShotStore
from ..backends.causal_model import LanguageModel
from ..backends.chat_prompt import prompt_ids
from ..messages import Message
from ..prompting import Prompter

__all__ = ["TuningExample", "answer_ids", "shots_beside", "tuning_example", "tuning_examples"]

_VALUE = re.compile(r"'(?:[^']|'')*'|\b\d+(?:\.\d+)?\b")
"""A string or a number in a query, of whatever dialect."""


@dataclass(frozen=True)
class TuningExample:
    """One answer to be learnt.

    Attributes:
        prompt: tokens of all that stands before it.
        answer: its own tokens, that which ends it included.
    """

    prompt: list[int]
    answer: list[int]

    @property
    def row(self) -> dict[str, list[int]]:
        """Return it as trl's `SFTTrainer` takes it; only what the mask has as 1 is learnt."""
        mask = [0] * len(self.prompt) + [1] * len(self.answer)
        return {"input_ids": self.prompt + self.answer, "completion_mask": mask}


def tuning_examples(
    loaded: LanguageModel, prompter: Prompter, asked: Iterable[tuple[Shot, Sequence[Shot]]]
) -> list[TuningExample]:
    """Return an example for each solved question.

    Args:
        loaded: the model; its token for the end of a text ends each answer.
        prompter: writes prompts and answers.
        asked: solved questions, each with those that stand before it, the most alike first.

    Raises:
        InputError: one takes more tokens than the model reads.
        QueryError: the query of a solved question is none, and a program should be made of it.
    """
    context = loaded.context
    found = [
        tuning_example(loaded, prompter.messages(shot.question, near), prompter.answer(shot)) for shot, near in asked
    ]
    longest = max((len(one.prompt) + len(one.answer) for one in found), default=0)
    if context is not None and longest > context:
        hint = "show fewer solved questions, tell no tables, or take a model with a longer context"
        raise InputError(f"an example takes {longest} tokens and the model reads {context}", field="shots", hint=hint)
    return found


def tuning_example(loaded: LanguageModel, messages: Sequence[Message], answer: str) -> TuningExample:
    """Return an answer behind its messages, as the model is to write it."""
    return TuningExample(prompt_ids(loaded.tokenizer, messages), answer_ids(loaded, answer))


def answer_ids(loaded: LanguageModel, answer: str) -> list[int]:
    """Return the tokens of an answer, the end included; they are the tokenizer's own, whatever stands before."""
    return [*loaded.tokenizer(answer, add_special_tokens=False)["input_ids"], loaded.tokenizer.eos_token_id]


def shots_beside(
    shots: Sequence[Shot], store: ShotStore, count: int, *, distractors: float = 0.0, seed: int = 0
) -> Iterator[tuple[Shot, tuple[Shot, ...]]]:
    """Yield each solved question with the ``count`` others that are most like it, the most alike first.

    Args:
        distractors: share of the questions whose others all have queries of another pattern (RAFT, Zhang et al. 2024):
            where each one has its pattern shown, a model learns to copy what it is shown and nothing of what is asked.
        seed: of their choice.
    """
    drawn = random.Random(seed)
    for shot in shots:
        apart = drawn.random() < distractors
        others = [other for other in _near(shot, store, count, apart=apart) if other != shot]
        yield shot, tuple(others[:count])


def _near(shot: Shot, store: ShotStore, count: int, *, apart: bool) -> list[Shot]:
    if not count:
        return []
    if not apart:
        return store.similar(shot.question, count + 1)
    pattern = _pattern(shot.sql)
    return [other for other in store.similar(shot.question, len(store)) if _pattern(other.sql) != pattern]


def _pattern(sql: str) -> str:
    """Return a query without its values."""
    return " ".join(_VALUE.sub("?", sql).upper().split())
