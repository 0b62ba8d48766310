"""The formulas of one question as words of the decoder, and the outermost SELECT that such a word stands in."""

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
        """The functions that add rows up."""
        self.lists = self._those(_LISTS)
        """What an output of a SELECT may follow."""
        self.clauses = {self[text]: text for text in _CLAUSES if text in self}
        """What begins a clause, with its text."""
        self.behind_groups = self._those(_BEHIND) | {EOS}
        """What may follow GROUP BY, the end among it."""

    def _those(self, texts: Sequence[str]) -> frozenset[int]:
        return frozenset(self[text] for text in texts if text in self)


Sort = Literal["column", "row", "aggregate", "other"]
"""What a word is: a column, a formula of one row, a formula of many rows, or anything else."""

_GROUPED_CLAUSES = frozenset({"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"})


@dataclass(frozen=True)
class Outline:
    """The outermost SELECT so far; never changes.

    Attributes:
        depth: brackets that stand open.
        clause: the one that was begun last.
        columns: that stand among the outputs by themselves, as words.
        by_row: a formula of one row is among the outputs.
        aggregate: a formula of many rows is.
        grouped: GROUP BY was written.
    """

    depth: int = 0
    clause: str = ""
    columns: tuple[int, ...] = ()
    by_row: bool = False
    aggregate: bool = False
    grouped: bool = False

    def after(self, word: int, text: str, sort: Sort) -> Outline:
        """Return the outline behind one more word."""
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
        """Say whether what comes next is of the outermost SELECT, behind its outputs."""
        return not self.depth and self.clause not in ("", "SELECT")

    @property
    def due(self) -> bool:
        """Say whether GROUP BY is implied before the next clause, or the end."""
        return self.outermost and bool(self.columns) and self.aggregate and not self.grouped

    def orders_by(self, sort: Sort) -> bool:
        """Say whether rows may be ordered by a formula: by one of many rows only where they are grouped."""
        if self.depth or self.clause != "ORDER" or not (self.columns or self.by_row):
            return True
        return self.grouped == (sort == "aggregate")


Words = tuple[int, ...]


@dataclass(frozen=True)
class FormulaWord:
    """A word that stands for a formula or a virtual column.

    Attributes:
        formula: that it writes, None of a virtual column.
        sort: as `Sort`.
        values: the ways to write it as one value, of which the first that the constraint admits is taken; none of a
            union of texts or times. Of a condition the condition.
        side_by_side: the columns of a union; none of other formulas.
        cell: of the word that is a condition's column, the word that writes the condition as its cell.
        part_of: of a virtual column that is part of a time, the word of that time.
        tested: the columns on whose values it parts its rows, which are no conditions beside it.
        several: of an aggregate, the tables whose rows may each join several of its rows.
        both: an aggregate is something of one row, too: this word is it of ``many`` rows, or of ``one``.
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
        expressions: write on the vocabulary of the database alone.
        items: the database with its formulas.
        question: as it was read, with the conditions among its values.
    """

    def __init__(self, expressions: ExpressionWords, items: FormulaItems, question: QuestionWords) -> None:
        self._write = expressions
        self._schema = items.plain.schema
        self.constraint = constraint = expressions.constraint
        self.size, self.size_with = len(constraint.vocabulary), len(items.context.vocabulary)
        self.marks = SqlMarks(constraint.vocabulary)
        self.words: dict[int, FormulaWord] = {}
        self.unwritten: dict[LinkedFormula, str] = {}
        """The formulas that no words of this vocabulary say, with the reason."""
        self.closed: Mask = np.zeros(self.size, np.bool_)
        """The words that write conditions as cells, which stand for nothing else."""
        slots = {node.found: f"text{i}" for i, node in enumerate(question.values)}
        for one in items.offers:
            try:
                self._refuse_texts(one)
                if one.value is None:
                    self._add_column(one)
                else:
                    self._add_condition(one, slots.get(one.value))
            except Unwritable as reason:
                if one.needed is not None:
                    self.unwritten[one.needed] = str(reason)
        self.needed: Mask = np.zeros(self.size, np.bool_)
        """All words that formulas are written with."""
        for word in self.words.values():
            for way in (word.side_by_side, *word.values):
                self.needed[list(way)] = True
        self.unfiltered = all(node.found.how == "constant" for node in question.values)
        """Whether the formulas have taken all values, so that none is left for a condition."""

    def text_and_sort(self, word: int) -> tuple[str, Sort]:
        """Return the text and the sort of a word."""
        if word in self.words:
            return "", self.words[word].sort
        if word >= self.size:
            return "", "row"
        one = self.constraint.vocabulary.words[word]
        return one.text, "column" if one.kind == "column" else "other"

    def written(self, words: Sequence[int]) -> tuple[LinkedFormula, ...]:
        """Return the formulas that stand in a query."""
        found = (self.words[word].formula for word in words if word in self.words)
        return tuple(dict.fromkeys(formula for formula in found if formula is not None))

    def _add_column(self, one: Offered) -> None:
        expression, part_of = one.expression, None
        sort: Sort = "aggregate" if expression.aggregate else "row"
        if isinstance(expression, VirtualColumn):
            sort, part_of = "column", self.constraint.numbers.get((expression.part_of, "QCOLUMN"))
        several = frozenset[str]() if one.by_row is None else several_of(one, self._schema)
        side, values = self._ways(one)
        both = "" if one.by_row is None else "many"
        found = FormulaWord(one.needed, sort, values, side, None, part_of, self._tested(one), several, both)
        if one.by_row is not None:
            side, values = self._ways(one, by_row=True)
            self.words[one.by_row] = FormulaWord(one.needed, "row", values, side, several=several, both="one")
        self.words[one.word] = found

    def _add_condition(self, one: Offered, slot: str | None) -> None:
        if slot is None:
            raise Unwritable(TOO_MANY)
        way = self._parts(one)[0]
        words, ids = self.constraint.vocabulary.words, self.constraint.vocabulary.slots.get(slot, ())
        self.closed[list(ids)] = True
        cell = next(i for i in ids if words[i].text == "'{" + slot + "}'")
        self.words[one.word] = FormulaWord(one.needed, "row", (way,), cell=cell)

    def _refuse_texts(self, one: Offered) -> None:
        """Refuse a mean or total of a column of texts, which engines that have no types take for zeros."""
        totals = (node.this for tree in one.expression.trees(self._dialect) for node in tree.find_all(exp.Avg, exp.Sum))
        for column in (inner for inner in totals if isinstance(inner, exp.Column)):
            if column_kind(self._schema.table(column.table).column(column.name).type) == "text":
                raise Unwritable(f"{column.table}.{column.name} holds texts, which nobody adds up")

    def _tested(self, one: Offered) -> frozenset[int]:
        """Return the words of the columns that an aggregate of a formula has conditions on."""
        aggregates = (node for tree in one.expression.trees(self._dialect) for node in tree.find_all(*AGGREGATES))
        tests = (part.this for node in aggregates for case in node.find_all(exp.Case) for part in case.args["ifs"])
        columns = {(column.table, column.name) for test in tests for column in test.find_all(exp.Column)}
        words = enumerate(self.constraint.vocabulary.words) if columns else ()
        return frozenset(i for i, word in words if word.kind == "column" and (word.table, word.column) in columns)

    def _ways(self, one: Offered, by_row: bool = False) -> tuple[Words, tuple[Words, ...]]:
        """Return a union's columns side by side, and the ways to write a value, in whole numbers before others."""
        plain = self._parts(one, by_row=by_row)
        every = [plain]
        if one.needed is not None:
            with suppress(Unwritable):
                every.append(self._parts(one, by_row=by_row, real=True))
        comma = self.constraint.numbers[",", "COMMA"]
        side = tuple(i for part in plain for i in (*part[1:-1], comma))[:-1] if len(plain) > 1 else ()
        return side, tuple(map(self._write.together, every)) if one.adds_up else ()

    def _parts(self, one: Offered, *, by_row: bool = False, real: bool = False) -> list[Words]:
        """Return the words of a formula's expressions."""
        texts = one.expression.sql(self._dialect, by_row=by_row, real=real)
        return [self._write.ids(text, one.expression.tables[0]) for text in texts]

    @property
    def _dialect(self) -> str:
        return self.constraint.constraint.grammar.dialect


def several_of(one: Offered, schema: Schema) -> frozenset[str]:
    """Return the tables of which a row may have several rows of the formula's."""
    own = [schema.table(name) for name in one.expression.tables]
    return frozenset(other.name for table, other in product(own, schema.tables) if _several(table, other.name))


def _several(table: Table, other: str) -> bool:
    """May a row of another table have several of this one?"""
    keys = [key.columns for key in table.foreign_keys if key.table.lower() == other.lower()]
    single = {table.primary_key, *((column,) for column in table.unique)}
    return bool(keys) and bool(table.primary_key) and single.isdisjoint(keys)
