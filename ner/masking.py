"""Masks the values of a question, so that solved questions are compared without them."""

from collections.abc import Iterable

from .index import FoundValue, ValueIndex
from .language.question import QuestionText

_LEAST = 0.5
"""Score from which a value is masked: below it are parts of longer cells, and short cells within words."""

_LITERALS = {"quoted": "[value]", "number": "[number]", "time": "[time]"}


class ValueMask:
    """Puts a mask in place of each value in a question: ``who wrote [title] before [number]``.

    The mask of a cell is the column that holds it: the meaning of a question depends on the kind of its values (BibSQL
    2025, section 4 masks types). Of several columns it is the first of the schema's index.

    Args:
        index: of the database's values.
        language: of the questions.
    """

    def __init__(self, index: ValueIndex, language: str) -> None:
        self._index, self._language = index, language

    def __call__(self, question: str) -> str:
        """Return a question with masks; of values that overlap the surest is masked."""
        found = self._index.find(QuestionText(question, self._language))
        for value in reversed(apart(value for value in found if value.kind != "text" and value.score >= _LEAST)):
            mask = _LITERALS.get(value.kind, "[value]")
            if value.columns:
                mask = f"[{value.columns[0][1].replace('_', ' ').lower()}]"
            question = f"{question[: value.start]}{mask}{question[value.end :]}"
        return question


def apart(found: Iterable[FoundValue]) -> list[FoundValue]:
    """Return values that do not overlap, in the order of the question.

    Args:
        found: the surest first, as `ValueIndex.find` returns them; of those that overlap the first is kept.
    """
    kept: list[FoundValue] = []
    for value in found:
        if value.start < value.end and all(value.end <= one.start or one.end <= value.start for one in kept):
            kept.append(value)
    return sorted(kept, key=lambda value: value.start)
