"""The slots that stand for a question's values, by their names: ``text0``, ``number0``."""

from __future__ import annotations

from collections.abc import Mapping

from ...data.domains.examples import Value, ValueMention
from ...ner.index import FoundValue
from ..reader.question.question import QuestionWords

__all__ = ["slot_values", "slots_of", "values_in"]


def slots_of(question: QuestionWords) -> dict[str, FoundValue]:
    """Return the value that each slot stands for, by the slot's name."""
    nodes = enumerate(question.values)
    return {f"{kind}{i}": node.found for i, node in nodes for kind in _kinds(node.found.kind)}


def slot_values(question: QuestionWords) -> dict[str, str]:
    """Return what fills each slot that a query may have, by the slot's name."""
    return {slot: found.value for slot, found in slots_of(question).items()}


def values_in(slots: Mapping[str, str]) -> tuple[Value, ...]:
    """Return what fills slots as `fill_sql` takes it."""
    return tuple(Value(slot, ValueMention(0, 0, text, slot, text)) for slot, text in slots.items())


def _kinds(kind: str) -> tuple[str, ...]:
    return ("text", "number") if kind == "number" else ("text",)
