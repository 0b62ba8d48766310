"""A question without its values, so that solved questions are compared by what they ask and not by whom they name."""

from __future__ import annotations

from ..ner.index import ValueIndex

__all__ = ["ValueMask"]

_MASKS = {"cell": "[value]", "quoted": "[value]", "number": "[number]", "time": "[time]"}


class ValueMask:
    """Puts a mask in place of each value that a question names: ``who wrote [value] before [number]``.

    Args:
        index: of the database's values.
        language: of the questions.
    """

    def __init__(self, index: ValueIndex, language: str) -> None:
        self._index, self._language = index, language

    def __call__(self, question: str) -> str:
        """Return a question with masks; of values that overlap the surest is masked."""
        kept: list[tuple[int, int, str]] = []
        for value in self._index.find(question, language=self._language):  # the surest first
            mask = _MASKS.get(value.kind)
            apart = all(value.end <= start or end <= value.start for start, end, _ in kept)
            if mask is not None and value.start < value.end and apart:
                kept.append((value.start, value.end, mask))
        for start, end, mask in sorted(kept, reverse=True):
            question = f"{question[:start]}{mask}{question[end:]}"
        return question
