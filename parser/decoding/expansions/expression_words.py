"""Tokenizes SQL expressions into vocabulary words; their constants take slots that the question leaves free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ....data.errors import QueryError
from ....grammar import Grammar
from ...normal_form import ShortConstraint
from ...reader.question import QuestionWords

__all__ = ["TOO_MANY", "ExpressionWords", "FreeSlots", "Unwritable"]

TOO_MANY = "it has more constants than a query may have beside those of the question"


class Unwritable(Exception):
    """Raised, with a one-line reason, if the vocabulary lacks a word of an expression."""


@dataclass
class FreeSlots:
    """The slots that are free for the constants of expressions, since no value of the question has them."""

    texts: list[str]
    numbers: list[str]
    filled: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, question: QuestionWords, most: int) -> FreeSlots:
        """Return the slots that a question leaves free, of ``most`` of a kind."""
        free = range(len(question.values), most)
        return cls([f"text{i}" for i in free], [f"number{i}" for i in free])

    def slot(self, value: str, kind: str) -> str:
        """Assign a value to a free slot, and return the slot.

        Raises:
            Unwritable: no slot is free.
        """
        for slot, held in self.filled.items():
            if held == value and slot.startswith(kind):
                return slot
        free = self.texts if kind == "text" else self.numbers
        if not free:
            raise Unwritable(TOO_MANY)
        slot = free.pop()
        self.filled[slot] = value
        return slot


class ExpressionWords:
    """Turns SQL expressions into words.

    Args:
        constraint: the constraint on the vocabulary of the database alone.
        free: the slots for constants that the vocabulary lacks.
    """

    def __init__(self, constraint: ShortConstraint, free: FreeSlots) -> None:
        self.constraint = constraint
        self.free = free

    @property
    def grammar(self) -> Grammar:
        """Return the grammar of the expressions."""
        return self.constraint.constraint.grammar

    def ids(self, text: str, table: str) -> tuple[int, ...]:
        """Return the words of an expression, in brackets.

        Args:
            table: a table that it reads.

        Raises:
            Unwritable: the vocabulary lacks one of them.
        """
        source = self.grammar.quoting.write(self.grammar.schema.table(table))
        try:
            tokens = self.grammar.tokenize(f"SELECT ( {text} ) FROM {source}")[1:-2]
        except QueryError as error:
            raise Unwritable(str(error)) from error
        return tuple(self._number(token.text, token.terminal) for token in tokens)

    def skipping(self, rows: int) -> tuple[int, ...]:
        """Return the words that follow LIMIT to skip some rows and take the next.

        Raises:
            Unwritable: the vocabulary lacks one of them.
        """
        return tuple(
            self._number(text, terminal)
            for text, terminal in (("1", "WHOLE"), ("OFFSET", "OFFSET"), (str(rows), "WHOLE"))
        )

    def together(self, parts: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """Return the sum of several expressions in brackets, or the only one."""
        if len(parts) == 1:
            return parts[0]
        number = self.constraint.numbers
        opening, closing, plus = number["(", "LPAR"], number[")", "RPAR"], number["+", "PLUS"]
        return (opening, *[i for part in parts for i in (*part[1:-1], plus)][:-1], closing)

    def _number(self, text: str, terminal: str) -> int:
        """Return the word of a token, or of the slot that it is assigned to if it is a constant."""
        numbers = self.constraint.numbers
        if (text, terminal) in numbers:
            return numbers[text, terminal]
        if terminal == "STRING":
            slot = self.free.slot(text[1:-1].replace("''", "'"), "text")
            return numbers["'{" + slot + "}'", "STRING"]
        if terminal in ("WHOLE", "NUMBER"):
            return numbers["{" + self.free.slot(text, "number") + "}", "WHOLE"]
        raise Unwritable(f"the constraint has no word for {text}")
