"""The formulas of one question as decoder words: what each stands for, and where it may stand."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np
from sqlglot import exp

from ....data.schema.schema import Schema, Table
from ....grammar.decoding.state import Mask
from ....knowledge.formulas.expression import AGGREGATES
from ....knowledge.linked_formulas import LinkedFormula
from ...reader.formula_items import FormulaItems, Offered
from ...reader.items import column_kind
from ...reader.question import QuestionWords
from ...reader.virtual_columns import VirtualColumn
from .query_state import TOO_MANY, ExpressionWords, Unwritable, Words

Sort = Literal["column", "row", "aggregate", "other"]
"""The kind of a word: a column, a formula over a single row, an aggregate formula, or anything else."""


@dataclass(frozen=True)
class FormulaWord:
    """A word that stands for a formula or a virtual column.

    Attributes:
        formula: the formula that it writes, None for a virtual column.
        sort: the kind of the word.
        values: its expansions as a single value, of which the first that the constraint admits is taken; empty for a
            union of texts or times. The only expansion of a condition is the condition.
        side_by_side: the columns of a union; empty for other formulas.
        cell: the word that writes a condition as a cell, if this word is the condition's column.
        is_part: whether it is a part of a time.
        tested: the columns that its aggregate has conditions on; the query may have no further conditions on them.
        several: the tables whose rows may each join several rows of the aggregate.
        both: ``many`` or ``one`` if the formula has a word over many rows and another over a single row.
    """

    formula: LinkedFormula | None
    sort: Sort
    values: tuple[Words, ...]
    side_by_side: Words = ()
    cell: int | None = None
    is_part: bool = False
    tested: frozenset[int] = frozenset()
    several: frozenset[str] = frozenset()
    both: Literal["", "many", "one"] = ""


class FormulaWords(dict[int, FormulaWord]):
    """The formulas of one question by their words, which follow those of the database alone.

    Args:
        expressions: the writer of expressions in the vocabulary of the database alone.
        items: the database with its formulas.
        question: the words of the question, with the conditions among its values.

    Attributes:
        unwritten: the formulas that the vocabulary cannot express, with the reason.
        closed: a mask of the words that write conditions as cells, and are not available otherwise.
        needed: a mask of all words that the expansions of formulas use.
        unfiltered: whether the formulas use all values of the question, so that no value is left for a condition.
    """

    def __init__(self, expressions: ExpressionWords, items: FormulaItems, question: QuestionWords) -> None:
        super().__init__()
        self._write, self._schema, self._dialect = expressions, items.plain.schema, expressions.grammar.dialect
        self.vocabulary, self.size = expressions.constraint.vocabulary, len(items.context.vocabulary)
        self.unwritten: dict[LinkedFormula, str] = {}
        self.closed: Mask = np.zeros(len(self.vocabulary), np.bool_)
        slots = {node.found: f"text{i}" for i, node in enumerate(question.values)}
        for offer in items.offers:
            try:
                self._refuse_texts(offer)
                if offer.value is None:
                    self._add_column(offer)
                else:
                    self._add_condition(offer, slots.get(offer.value))
            except Unwritable as reason:
                if offer.needed is not None:
                    self.unwritten[offer.needed] = str(reason)
        self.needed: Mask = np.zeros(len(self.vocabulary), np.bool_)
        for word in self.values():
            for way in (word.side_by_side, *word.values):
                self.needed[list(way)] = True
        self.unfiltered = all(node.found.how == "constant" for node in question.values)

    def text_and_sort(self, word: int) -> tuple[str, Sort]:
        """Return the text and the sort of a word."""
        if word in self:
            return "", self[word].sort
        if word >= len(self.vocabulary):
            return "", "row"
        entry = self.vocabulary.words[word]
        return entry.text, "column" if entry.kind == "column" else "other"

    def written(self, words: Sequence[int]) -> tuple[LinkedFormula, ...]:
        """Return the formulas that a query uses."""
        formulas = (self[word].formula for word in words if word in self)
        return tuple(dict.fromkeys(formula for formula in formulas if formula is not None))

    def _add_column(self, offer: Offered) -> None:
        virtual = offer.expression if isinstance(offer.expression, VirtualColumn) else None
        sort: Sort = "column" if virtual is not None else "aggregate" if offer.expression.aggregate else "row"
        is_part = virtual is not None and bool(virtual.part_of)
        side, values = self._ways(offer)
        made = FormulaWord(offer.needed, sort, values, side, is_part=is_part, tested=self._tested(offer))
        if offer.by_row is not None:
            made = replace(made, several=_one_to_many_tables(offer, self._schema), both="many")
            side, values = self._ways(offer, by_row=True)
            self[offer.by_row] = FormulaWord(offer.needed, "row", values, side, several=made.several, both="one")
        self[offer.word] = made

    def _add_condition(self, offer: Offered, slot: str | None) -> None:
        if slot is None:
            raise Unwritable(TOO_MANY)
        text = offer.expression.sql(self._dialect)[0]
        way, ids = self._write.ids(text, offer.expression.tables[0]), self.vocabulary.slots.get(slot, ())
        self.closed[list(ids)] = True
        cell = next(i for i in ids if self.vocabulary.words[i].text == "'{" + slot + "}'")
        self[offer.word] = FormulaWord(offer.needed, "row", (way,), cell=cell)

    def _refuse_texts(self, offer: Offered) -> None:
        """Refuse a mean or total of a text column, whose texts count as zeros in engines without column types."""
        sums = (node.this for tree in offer.expression.trees(self._dialect) for node in tree.find_all(exp.Avg, exp.Sum))
        for column in (inner for inner in sums if isinstance(inner, exp.Column)):
            if column_kind(self._schema.table(column.table).column(column.name).type) == "text":
                raise Unwritable(f"{column.table}.{column.name} holds texts, which nobody adds up")

    def _tested(self, offer: Offered) -> frozenset[int]:
        """Return the words of the columns that an aggregate of a formula has conditions on."""
        aggregates = (node for tree in offer.expression.trees(self._dialect) for node in tree.find_all(*AGGREGATES))
        tests = (part.this for node in aggregates for case in node.find_all(exp.Case) for part in case.args["ifs"])
        columns = {(column.table, column.name) for test in tests for column in test.find_all(exp.Column)}
        words = enumerate(self.vocabulary.words) if columns else ()
        return frozenset(i for i, word in words if word.kind == "column" and (word.table, word.column) in columns)

    def _ways(self, offer: Offered, *, by_row: bool = False) -> tuple[Words, tuple[Words, ...]]:
        """Return a union's columns side by side, and the expansions of a value, the integer one first."""
        table, parts = offer.expression.tables[0], offer.expression.sql(self._dialect, by_row=by_row)
        listed = [i for part in parts for i in (*self._write.ids(part, table)[1:-1], self._write.word(",", "COMMA"))]
        side = tuple(listed[:-1]) if len(parts) > 1 else ()
        if not offer.adds_up:
            return side, ()
        values = [self._write.ids(" + ".join(parts), table)]
        if offer.needed is not None:
            with suppress(Unwritable):
                real = offer.expression.sql(self._dialect, by_row=by_row, real=True)
                values.append(self._write.ids(" + ".join(real), table))
        return side, tuple(values)


def _one_to_many_tables(offer: Offered, schema: Schema) -> frozenset[str]:
    """Return the tables whose rows may each join several rows of the formula's tables."""
    own = [schema.table(name) for name in offer.expression.tables]
    return frozenset(child.name for table, child in product(own, schema.tables) if _several(table, child.name))


def _several(table: Table, other: str) -> bool:
    """May a row of another table join several rows of this one?"""
    keys = [key.columns for key in table.foreign_keys if key.table.lower() == other.lower()]
    single = {table.primary_key, *((column,) for column in table.unique)}
    return bool(keys) and bool(table.primary_key) and single.isdisjoint(keys)
