"""The protocol between a session and a language model, wherever it runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal, Protocol, runtime_checkable

from ..data.schema.schema import Schema
from ..grammar import Access

_MARKS = 8
"""Tokens that a chat template puts around a message."""


@dataclass(frozen=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Completions:
    """The replies of a model.

    Attributes:
        texts: as many as were requested.
        prompt_tokens: of the messages, None if they are not counted.
        completion_tokens: of all texts together, None if they are not counted.
    """

    texts: tuple[str, ...]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True)
class SqlTask:
    """The query that a masked model is to write.

    Attributes:
        schema: the tables, columns and functions that the query may name.
        dialect: sqlite, mysql or postgres.
        program: whether the model may write free text before the query.
        access: what may be read, all if None.
        aliases: the aliases of solved queries, which may qualify columns before FROM.
    """

    schema: Schema
    dialect: str
    program: bool = False
    access: Access | None = None
    aliases: tuple[str, ...] = ()


@runtime_checkable
class Backend(Protocol):
    """A language model.

    Attributes:
        name: for messages and records, without any key.
        context: the greatest number of tokens of messages and answer together, None if unknown.
    """

    name: str
    context: int | None

    def complete(
        self, messages: Sequence[Message], *, n: int = 1, temperature: float = 0.0, max_tokens: int = 256
    ) -> Completions:
        """Return ``n`` answers to a chat.

        Args:
            temperature: 0 takes the likeliest token; ``n`` answers are then alike.
            max_tokens: of each answer.

        Raises:
            LlmError: the model does not answer.
        """
        ...

    def count(self, messages: Sequence[Message]) -> int:
        """Return how many tokens messages take; where only a server knows it, an estimate that is seldom too small."""
        ...


@runtime_checkable
class ConstrainedBackend(Backend, Protocol):
    """A language model whose every token can be masked."""

    def complete_sql(
        self, messages: Sequence[Message], task: SqlTask, *, n: int = 1, temperature: float = 0.0, max_tokens: int = 256
    ) -> Completions:
        """Return answers that end in a fenced query which runs, after free text where the task allows it.

        Raises:
            LlmError: the model cannot be run.
            ConstraintError: no query has so few tokens, or the tokenizer cannot spell the schema.
        """
        ...


def likely_tokens(messages: Sequence[Message]) -> int:
    """Return an estimate of the tokens of messages that is seldom too small.

    SQL and names of columns have some 2.4 letters a token for a tokenizer of 49,152 tokens, prose 3.8, Chinese half a
    letter; many tokenizers write each digit as one. Larger vocabularies take fewer.
    """
    return sum(_MARKS + _likely(message.content) for message in messages)


def _likely(text: str) -> int:
    digits = sum(letter.isdigit() for letter in text)
    others = sum(not letter.isascii() for letter in text)
    return digits + 2 * others + ceil((len(text) - digits - others) / 2)
