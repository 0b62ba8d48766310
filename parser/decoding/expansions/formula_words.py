"""The formulas of one question as decoder words, and the outline of the outermost SELECT that contains them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np
from sqlglot import exp

from ....data.schema.schema import Schema, Table
from ....grammar import EOS, Vocabulary
from ....grammar.decoding.state import Mask
from ....knowledge.formulas.expression import AGGREGATES
from ....knowledge.linked_formulas import LinkedFormula
from ...reader.formula_items import FormulaItems, Offered
from ...reader.items import column_kind
from ...reader.question import QuestionWords
from ...reader.virtual_columns import VirtualColumn
from .expression_words import TOO_MANY, ExpressionWords, Unwritable

__all__ = ["FormulaWord", "FormulaWords", "Outline"]

_CLAUSES = ("SELECT", "FROM", "WHERE", "HAVING", "BY", "ON", "(")
_LISTS = ("SELECT", "DISTINCT", ",")
_BEHIND = ("HAVING", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT")


class SqlMarks(dict[str, int]):
    """The words of a vocabulary that are keywords and operators, by their texts."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        words = [*enumerate(vocabulary.words)]
        super().__init__({word.text: i for i, word in words if word.kind in {"keyword", "operator"}})
        self.operators = {text: frozenset(i for i, word in words if (word.text, word.kind) == (text, "operator"))
                          for text in ("=", "<>")}  # fmt: skip
        self.means = frozenset(i for i, word in words if word.kind == "function" and word.text in ("SUM", "AVG"))
        """The functions that sum over rows."""
        self.lists = self._those(_LISTS)
        """The words that an output of a SELECT may follow."""
        self.clauses = {self[text]: text for text in _CLAUSES if text in self}
        """The words that begin a clause, with their texts."""
        self.behind_groups = self._those(_BEHIND) | {EOS}
        """The words that may follow GROUP BY, including the end."""

    def _those(self, texts: Sequence[str]) -> frozenset[int]:
        return frozenset(self[text] for text in texts if text in self)


Sort = Literal["column", "row", "aggregate", "other"]
"""The kind of a word: a column, a formula over a single row, an aggregate formula, or anything else."""

_GROUPED_CLAUSES = frozenset({"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"})


@dataclass(frozen=True)
class Outline:
    """The immutable outline of the outermost SELECT so far.

    Attributes:
        depth: the number of open brackets.
        clause: the clause that began last.
        columns: the words of the outputs that are plain columns.
        by_row: whether a formula over a single row is among the outputs.
        aggregate: whether an aggregate formula is among the outputs.
        grouped: whether GROUP BY was written.
    """

    depth: int = 0
    clause: str = ""
    columns: tuple[int, ...] = ()
    by_row: bool = False
    aggregate: bool = False
    grouped: bool = False

    def after(self, word: int, text: str, sort: Sort) -> Outline:
        """Return the outline after one more word."""
        if text in ("(", ")"):
            return replace(self, depth=self.depth + (1 if text == "(" else -1))
        if self.depth:
            return self
        if text in _GROUPED_CLAUSES:
            grouped = self.grouped or text == "GROUP"
            return Outline(clause=text) if text == "SELECT" else replace(self, clause=text, grouped=grouped)
        return self._output(word, sort) if self.clause == "SELECT" else self

    def _output(self, word: int, sort: Sort) -> Outline:
        match sort:
            case "column":
                return replace(self, columns=(*self.columns, word))
            case "row":
                return replace(self, by_row=True)
            case "aggregate":
                return replace(self, aggregate=True)
            case _:
                return self

    @property
    def outermost(self) -> bool:
        """Say whether the next word belongs to the outermost SELECT, after its outputs."""
        return not self.depth and self.clause not in ("", "SELECT")

    @property
    def due(self) -> bool:
        """Say whether GROUP BY is implied before the next clause, or the end."""
        return self.outermost and bool(self.columns) and self.aggregate and not self.grouped

    def orders_by(self, sort: Sort) -> bool:
        """Say whether rows may be ordered by a formula; an aggregate formula requires groups."""
        if self.depth or self.clause != "ORDER" or not (self.columns or self.by_row):
            return True
        return self.grouped == (sort == "aggregate")


Words = tuple[int, ...]


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
        part_of: the word of the time that a virtual column extracts a part of.
        tested: the columns that its aggregate has conditions on; the query may have no further conditions on them.
        several: the tables whose rows may each join several rows of the aggregate.
        both: ``many`` or ``one`` if the formula has a word over many rows and another over a single row.
    """

    formula: LinkedFormula | None
    sort: Sort
    values: tuple[Words, ...]
    side_by_side: Words = ()
    cell: int | None = None
    part_of: int | None = None
    tested: frozenset[int] = frozenset()
    several: frozenset[str] = frozenset()
    both: Literal["", "many", "one"] = ""


class FormulaWords:
    """The formulas of one question, as words of one constraint.

    Args:
        expressions: the writer of expressions in the vocabulary of the database alone.
        items: the database with its formulas.
        question: the words of the question, with the conditions among its values.
    """

    def __init__(self, expressions: ExpressionWords, items: FormulaItems, question: QuestionWords) -> None:
        self._write = expressions
        self._schema = items.plain.schema
        self.constraint = constraint = expressions.constraint
        self.size, self.size_with = len(constraint.vocabulary), len(items.context.vocabulary)
        self.marks = SqlMarks(constraint.vocabulary)
        self.words: dict[int, FormulaWord] = {}
        self.unwritten: dict[LinkedFormula, str] = {}
        """The formulas that the vocabulary cannot express, with the reason."""
        self.closed: Mask = np.zeros(self.size, np.bool_)
        """A mask of the words that write conditions as cells, and are not available otherwise."""
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
        self.needed: Mask = np.zeros(self.size, np.bool_)
        """A mask of all words that the expansions of formulas use."""
        for word in self.words.values():
            for way in (word.side_by_side, *word.values):
                self.needed[list(way)] = True
        self.unfiltered = all(node.found.how == "constant" for node in question.values)
        """Whether the formulas use all values of the question, so that no value is left for a condition."""

    def text_and_sort(self, word: int) -> tuple[str, Sort]:
        """Return the text and the sort of a word."""
        if word in self.words:
            return "", self.words[word].sort
        if word >= self.size:
            return "", "row"
        entry = self.constraint.vocabulary.words[word]
        return entry.text, "column" if entry.kind == "column" else "other"

    def written(self, words: Sequence[int]) -> tuple[LinkedFormula, ...]:
        """Return the formulas that a query uses."""
        formulas = (self.words[word].formula for word in words if word in self.words)
        return tuple(dict.fromkeys(formula for formula in formulas if formula is not None))

    def _add_column(self, offer: Offered) -> None:
        expression, part_of = offer.expression, None
        sort: Sort = "aggregate" if expression.aggregate else "row"
        if isinstance(expression, VirtualColumn):
            sort, part_of = "column", self.constraint.numbers.get((expression.part_of, "QCOLUMN"))
        several = frozenset[str]() if offer.by_row is None else one_to_many_tables(offer, self._schema)
        side, values = self._ways(offer)
        both = "" if offer.by_row is None else "many"
        formula_word = FormulaWord(offer.needed, sort, values, side, None, part_of, self._tested(offer), several, both)
        if offer.by_row is not None:
            side, values = self._ways(offer, by_row=True)
            self.words[offer.by_row] = FormulaWord(offer.needed, "row", values, side, several=several, both="one")
        self.words[offer.word] = formula_word

    def _add_condition(self, offer: Offered, slot: str | None) -> None:
        if slot is None:
            raise Unwritable(TOO_MANY)
        way = self._parts(offer)[0]
        words, ids = self.constraint.vocabulary.words, self.constraint.vocabulary.slots.get(slot, ())
        self.closed[list(ids)] = True
        cell = next(i for i in ids if words[i].text == "'{" + slot + "}'")
        self.words[offer.word] = FormulaWord(offer.needed, "row", (way,), cell=cell)

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
        words = enumerate(self.constraint.vocabulary.words) if columns else ()
        return frozenset(i for i, word in words if word.kind == "column" and (word.table, word.column) in columns)

    def _ways(self, offer: Offered, by_row: bool = False) -> tuple[Words, tuple[Words, ...]]:
        """Return a union's columns side by side, and the expansions of a value, the integer one first."""
        plain = self._parts(offer, by_row=by_row)
        every = [plain]
        if offer.needed is not None:
            with suppress(Unwritable):
                every.append(self._parts(offer, by_row=by_row, real=True))
        comma = self.constraint.numbers[",", "COMMA"]
        side = tuple(i for part in plain for i in (*part[1:-1], comma))[:-1] if len(plain) > 1 else ()
        return side, tuple(map(self._write.together, every)) if offer.adds_up else ()

    def _parts(self, offer: Offered, *, by_row: bool = False, real: bool = False) -> list[Words]:
        """Return the words of a formula's expressions."""
        texts = offer.expression.sql(self._dialect, by_row=by_row, real=real)
        return [self._write.ids(text, offer.expression.tables[0]) for text in texts]

    @property
    def _dialect(self) -> str:
        return self.constraint.constraint.grammar.dialect


def one_to_many_tables(offer: Offered, schema: Schema) -> frozenset[str]:
    """Return the tables whose rows may each join several rows of the formula's tables."""
    own = [schema.table(name) for name in offer.expression.tables]
    return frozenset(child.name for table, child in product(own, schema.tables) if _several(table, child.name))


def _several(table: Table, other: str) -> bool:
    """May a row of another table join several rows of this one?"""
    keys = [key.columns for key in table.foreign_keys if key.table.lower() == other.lower()]
    single = {table.primary_key, *((column,) for column in table.unique)}
    return bool(keys) and bool(table.primary_key) and single.isdisjoint(keys)
