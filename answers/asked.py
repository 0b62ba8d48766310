"""What is asked as a question at all: a text that is not empty, not a document, and whole."""

from __future__ import annotations

from ..data.errors import InputError

__all__ = ["MAX_CHARACTERS", "asked"]

MAX_CHARACTERS = 2000
"""A longer text is a pasted document and not a question."""


def asked(text: str, *, field: str = "question") -> str:
    """Return a question, or what is told beside it, without the white space around it.

    Args:
        field: what it is.

    Raises:
        InputError: it is too long or holds half a character, as bytes that are not UTF-8 leave them; a question is
            empty.
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
