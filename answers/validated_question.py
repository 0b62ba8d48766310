"""Validation of questions: a question must not be empty, as long as a document, or broken text."""

from __future__ import annotations

from ..data.errors import InputError

__all__ = ["MAX_CHARACTERS", "validated_question"]

MAX_CHARACTERS = 2000
"""The greatest length of a question; a longer text is a pasted document."""


def validated_question(text: str, *, field: str = "question") -> str:
    """Return a question, or the evidence given with it, without leading and trailing white space.

    Args:
        field: the name of the field.

    Raises:
        InputError: the text is too long, has lone surrogates, which bytes that are not UTF-8 leave, or is an empty
            question.
    """
    text = text.strip()
    if not text and field == "question":
        raise InputError("the question is empty", field=field, hint="write one in plain words")
    if len(text) > MAX_CHARACTERS:
        problem = f"the {field} has {len(text)} characters; {MAX_CHARACTERS} are the most"
        raise InputError(problem, field=field, hint="ask for one thing in a sentence or two")
    if half := next((sign for sign in text if "\ud800" <= sign <= "\udfff"), None):
        problem = f"the {field} is no text: {ascii(half)[1:-1]} is half a character"
        raise InputError(problem, field=field, hint="write it in UTF-8")
    return text
