"""A chat as the one text that a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ...data.errors import LlmError
from ..messages import Message

__all__ = ["prompt_ids"]


def prompt_ids(tokenizer: Any, messages: Sequence[Message], begun: str = "") -> list[int]:
    """Return the tokens of a chat, ready for the assistant's next message.

    Args:
        tokenizer: of transformers. Its chat template is used; without one, messages follow one another with an empty
            line between them.
        begun: what the assistant's message begins with.

    Raises:
        LlmError: the template refuses the messages.
    """
    if getattr(tokenizer, "chat_template", None):
        text = _templated(tokenizer, messages) + begun
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])
    text = "".join(f"{message.content}\n\n" for message in messages) + begun
    return list(tokenizer(text)["input_ids"])


def _templated(tokenizer: Any, messages: Sequence[Message]) -> str:
    """Apply the template; those of some models (Gemma, Mistral) know no system, whose words the user then says."""
    try:
        return _applied(tokenizer, messages)
    except Exception as error:  # jinja2 raises what the template tells it to
        said = error
    try:
        return _applied(tokenizer, _without_system(messages))
    except Exception:  # as above
        raise LlmError(f"the model's chat template refuses the messages: {said}") from said


def _applied(tokenizer: Any, messages: Sequence[Message]) -> str:
    chat = [asdict(message) for message in messages]
    return str(tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))


def _without_system(messages: Sequence[Message]) -> list[Message]:
    told = "\n\n".join(message.content for message in messages if message.role == "system")
    others = [message for message in messages if message.role != "system"]
    if not told or not others or others[0].role != "user":
        return others
    return [Message("user", f"{told}\n\n{others[0].content}"), *others[1:]]
