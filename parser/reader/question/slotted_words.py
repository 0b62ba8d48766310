"""A query's words in the vocabulary, its literals as the values that its question has."""

from __future__ import annotations

from contextlib import suppress

from ....data.values.numerals import value_of
from ....grammar import Vocabulary
from ...normal_form.keys import Words
from .question import QuestionWords

__all__ = ["UNSAID", "slotted_word", "slotted_words"]

UNSAID = -1
"""In place of a literal that is neither a value of the question nor a constant."""

_LIKE = (("'%", "%'", "'%{{text{}}}%'"), ("'", "%'", "'{{text{}}}%'"), ("'%", "'", "'%{{text{}}}'"))


def slotted_words(words: Words, question: QuestionWords, vocabulary: Vocabulary) -> list[int]:
    """Return the words of a query, its literals as values of the question or as constants; `UNSAID` for neither.

    Raises:
        KeyError: a name or keyword is not in the vocabulary.
    """
    return [slotted_word(text, terminal, question, vocabulary) for text, terminal in words]


def slotted_word(text: str, terminal: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    """Return one word of a query in the vocabulary; see `slotted_words`."""
    if terminal == "STRING":
        return _string(text, question, vocabulary)
    if terminal in {"WHOLE", "NUMBER"}:
        return _number(text, question, vocabulary)
    return vocabulary.index(text, terminal)


def _string(text: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    values = {node.found.value: i for i, node in reversed(list(enumerate(question.values)))}
    inner = text[1:-1].replace("''", "'")
    if inner.startswith("{text"):  # a value that the query does not spell, see `meant_queries`
        return vocabulary.index(text, "STRING")
    if inner in values:
        return vocabulary.index(f"'{{text{values[inner]}}}'", "STRING")
    folded = {value.lower(): i for value, i in values.items()}  # the first of the question comes last here, and stays
    for before, after, form in _LIKE:
        bare = text.removeprefix(before).removesuffix(after).replace("''", "'").lower()
        if text.startswith(before) and text.endswith(after) and bare in folded:
            return vocabulary.index(form.format(folded[bare]), "STRING")
    return UNSAID


def _number(text: str, question: QuestionWords, vocabulary: Vocabulary) -> int:
    wanted = value_of(text)
    numbers = [(i, node.found) for i, node in enumerate(question.values) if node.found.kind == "number"]
    equal = [(i, found.how) for i, found in numbers if wanted is not None and value_of(found.value) == wanted]
    said = next((i for i, how in equal if how != "constant"), None)
    if said is None:  # the 1 of LIMIT is no constant 1.0
        with suppress(KeyError):
            return vocabulary.index(text, "WHOLE")
        said = next((i for i, _ in equal), None)
    return UNSAID if said is None else vocabulary.index(f"{{number{said}}}", "WHOLE")
