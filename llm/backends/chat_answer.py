"""The body of a chat's answer, as OpenAI's protocol has it."""

from __future__ import annotations

import json
from typing import Any

from ...data.errors import LlmError
from ...data.texts import json_of
from ..messages import Completions
from .endpoint import Endpoint
from .retries import TryAgainError

__all__ = ["read_answer"]


def read_answer(body: bytes, endpoint: Endpoint, max_tokens: int) -> Completions:
    """Return the texts that are not empty, at least one, and the numbers of tokens if they are told.

    Raises:
        TryAgainError: this is no answer, or an empty one.
        LlmError: the model wrote no text within its tokens, as those that reason first do.
    """
    try:
        data: Any = json_of(body, halves=True)
    except ValueError:
        shown = endpoint.cleaned(body.decode("utf-8", "replace"))  # before it is cut, which could halve a key
        raise TryAgainError(f"what came is no JSON: {shown[:60]!r}, {len(body)} bytes") from None
    choices: Any = data.get("choices") if isinstance(data, dict) else None
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        said = endpoint.cleaned(json.dumps(data, ensure_ascii=False))[:200]
        raise TryAgainError(f"what came has no answers: {said}")
    texts = [text for choice in choices if (text := _text(choice))]
    if not texts and any(choice.get("finish_reason") == "length" for choice in choices):
        hint = "allow more tokens: a model that reasons first may use up hundreds"
        raise LlmError(f"{endpoint.model} wrote no text within {max_tokens} tokens", hint=hint)
    if not texts:
        raise TryAgainError("the answer is empty")
    usage: Any = data.get("usage")
    prompt, written = (_number(usage, name) for name in ("prompt_tokens", "completion_tokens"))
    return Completions(tuple(texts), prompt, written)


def _text(choice: dict[str, Any]) -> str:
    message: Any = choice.get("message")
    text: Any = message.get("content") if isinstance(message, dict) else None
    return text if isinstance(text, str) and text.strip() else ""


def _number(usage: Any, name: str) -> int | None:
    found: Any = usage.get(name) if isinstance(usage, dict) else None
    return found if isinstance(found, int) else None
