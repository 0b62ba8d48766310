"""The formulas that one question may use as words of the decoder, and where in a query such a word may stand.

A formula of many rows beside a plain column is one value for each value of the column: GROUP BY it is implied, and
written where the network writes none. SQLite would show any row's value there, the other engines nothing at all. To a
network a formula looks like a column, so that it may forget what it never forgets behind SUM.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
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

__all__ = ["FormulaWords", "Outline"]

_CLAUSES = ("SELECT", "FROM", "WHERE", "HAVING", "BY", "ON", "(")
_LISTS = ("SELECT", "DISTINCT", ",")
_BEHIND = ("HAVING", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT")


class SqlMarks:
    """Numbers of words.

    Args:
        vocabulary: that they are of.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._words = vocabulary.words
        self._fixed = {word.text: i for i, word in enumerate(self._words) if word.kind in {"keyword", "operator"}}

    def __getitem__(self, text: str) -> int:
        return self._fixed[text]

    def several(self, *texts: str) -> tuple[int, ...]:
        """Return the words of several texts, as ``GROUP BY``."""
        return tuple(self._fixed[text] for text in texts)

    def operators(self, text: str) -> frozenset[int]:
        """Return all words of an operator's text."""
        return frozenset(i for i, word in enumerate(self._words) if word.text == text and word.kind == "operator")

    @cached_property
    def means(self) -> frozenset[int]:
        """The functions that add rows up."""
        words = enumerate(self._words)
        return frozenset(i for i, word in words if word.kind == "function" and word.text in ("SUM", "AVG"))

    @cached_property
    def lists(self) -> frozenset[int]:
        """What an output of a SELECT may follow."""
        return frozenset(self._fixed[text] for text in _LISTS if text in self._fixed)

    @cached_property
    def clauses(self) -> dict[int, str]:
        """What begins a clause, with its text."""
        return {self._fixed[text]: text for text in _CLAUSES if text in self._fixed}

    @cached_property
    def behind_groups(self) -> frozenset[int]:
        """What may follow GROUP BY, the end among it."""
        return frozenset({self._fixed[text] for text in _BEHIND if text in self._fixed} | {EOS})


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


@dataclass(frozen=True)
class Expansions:
    """The words that a formula may be written with.

    Attributes:
        side_by_side: the columns of a union; none of other formulas.
        values: one value; the first that the constraint admits is taken. None of a union of texts or times.
    """

    side_by_side: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]


class FormulaWords:
    """The formulas of one question, as words of one constraint.

    Args:
        expressions: write on the vocabulary of the database alone.
        items: the database with its formulas.
        question: as it was read, with the conditions among its values.
    """

    def __init__(self, expressions: ExpressionWords, items: FormulaItems, question: QuestionWords) -> None:
        self._write = expressions
        self.constraint = constraint = expressions.constraint
        self.size = len(constraint.vocabulary)
        self.columns: dict[int, Expansions] = {}
        """Of a formula's word: the ways to write it."""
        self.conditions: dict[int, tuple[int, ...]] = {}
        """Of the word that is a condition's column: the condition."""
        self.cells: dict[int, int] = {}
        """Of that column, the word that writes the condition as its cell."""
        self.aggregates: set[int] = set()
        self.also_by_row: set[int] = set()
        """Those aggregates that are something of one row, too."""
        self.unwritten: dict[LinkedFormula, str] = {}
        """The formulas that no words of this vocabulary say, with the reason."""
        self.several: dict[int, frozenset[str]] = {}
        """The tables whose rows may each join several rows of such an aggregate, by the aggregate's word."""
        self.tested: dict[int, frozenset[int]] = {}
        """Of a formula's word: the columns on whose values it parts its rows, which are no conditions beside it."""
        self.single: set[int] = set()
        """The words that write what such an aggregate is of one row."""
        self.virtual: dict[int, int | None] = {}
        """Of a virtual column, which may be grouped by as columns may, the column that it is a part of, if of one."""
        self._needed: dict[int, LinkedFormula] = {}
        self.closed: Mask = np.zeros(self.size, np.bool_)
        slots = {node.found: f"text{i}" for i, node in enumerate(question.values)}
        for one in items.offers:
            try:
                self._add(one, slots.get(one.value) if one.value is not None else None, items.plain.schema)
            except Unwritable as reason:
                if one.needed is not None:
                    self.unwritten[one.needed] = str(reason)
        self.needed: Mask = np.zeros(self.size, np.bool_)
        """All words that formulas are written with."""
        for ways in self.columns.values():
            for way in (ways.side_by_side, *ways.values):
                self.needed[list(way)] = True
        for way in self.conditions.values():
            self.needed[list(way)] = True
        self.marks = SqlMarks(constraint.vocabulary)
        self.equal, self.unequal = self.marks.operators("="), self.marks.operators("<>")
        self.unfiltered = all(node.found.how == "constant" for node in question.values)
        """Whether the formulas have taken all values, so that none is left for a condition."""
        self.size_with = len(items.context.vocabulary)

    def text_and_sort(self, word: int) -> tuple[str, Sort]:
        """Return the text and the sort of a word."""
        if word >= self.size:
            return "", "column" if word in self.virtual else "aggregate" if word in self.aggregates else "row"
        one = self.constraint.vocabulary.words[word]
        return one.text, "column" if one.kind == "column" else "other"

    def written(self, words: Sequence[int]) -> tuple[LinkedFormula, ...]:
        """Return the formulas that stand in a query."""
        return tuple(dict.fromkeys(self._needed[word] for word in words if word in self._needed))

    def _add(self, one: Offered, slot: str | None, schema: Schema) -> None:
        self._refuse_texts(one, schema)
        plain = self._parts(one)
        if one.value is None:
            by_row = None if one.by_row is None else self._ways(one, self._parts(one, by_row=True), True)
            self.columns[one.word] = self._ways(one, plain)
            self.aggregates |= {one.word} if one.expression.aggregate else set()
            if isinstance(one.expression, VirtualColumn):
                self.virtual[one.word] = self.constraint.numbers.get((one.expression.part_of, "QCOLUMN"))
            if tested := self._tested(one):
                self.tested[one.word] = tested
            if one.by_row is not None and by_row is not None:
                self.also_by_row.add(one.word)
                self.columns[one.by_row] = by_row
                self.several[one.word] = self.several[one.by_row] = several_of(one, schema)
                self.single.add(one.by_row)
                self._know(one.by_row, one)
        elif slot is None:
            raise Unwritable(TOO_MANY)
        else:
            words, ids = self.constraint.vocabulary.words, self.constraint.vocabulary.slots.get(slot, ())
            self.closed[list(ids)] = True
            self.conditions[one.word] = plain[0]
            self.cells[one.word] = next(i for i in ids if words[i].text == "'{" + slot + "}'")
        self._know(one.word, one)

    def _refuse_texts(self, one: Offered, schema: Schema) -> None:
        """Refuse a mean or total of a column of texts, which engines that have no types take for zeros."""
        totals = (node.this for tree in one.expression.trees(self._dialect) for node in tree.find_all(exp.Avg, exp.Sum))
        for column in (inner for inner in totals if isinstance(inner, exp.Column)):
            if column_kind(schema.table(column.table).column(column.name).type) == "text":
                raise Unwritable(f"{column.table}.{column.name} holds texts, which nobody adds up")

    def _know(self, word: int, one: Offered) -> None:
        if one.needed is not None:
            self._needed[word] = one.needed

    def _tested(self, one: Offered) -> frozenset[int]:
        """Return the words of the columns that an aggregate of a formula has conditions on."""
        trees = list(one.expression.trees(self._dialect))
        cases = (case for tree in trees for node in tree.find_all(*AGGREGATES) for case in node.find_all(exp.Case))
        columns = {
            (c.table, c.name) for case in cases for part in case.args["ifs"] for c in part.this.find_all(exp.Column)
        }
        words = enumerate(self.constraint.vocabulary.words)
        return frozenset(i for i, word in words if word.kind == "column" and (word.table, word.column) in columns)

    def _ways(self, one: Offered, plain: Sequence[tuple[int, ...]], by_row: bool = False) -> Expansions:
        """Return the ways to write a formula, side by side where it may, and in whole numbers, before others."""
        every = [plain]
        if one.needed is not None:
            with suppress(Unwritable):
                every.append(self._parts(one, by_row=by_row, real=True))
        return Expansions(self._side_by_side(plain), tuple(map(self._write.together, every)) if one.adds_up else ())

    def _parts(self, one: Offered, *, by_row: bool = False, real: bool = False) -> list[tuple[int, ...]]:
        """Return the words of a formula's expressions."""
        texts = one.expression.sql(self._dialect, by_row=by_row, real=real)
        return [self._write.ids(text, one.expression.tables[0]) for text in texts]

    def _side_by_side(self, parts: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """Return the columns of a union with commas between them, nothing of what has one part."""
        comma = self.constraint.numbers[",", "COMMA"]
        return tuple(i for part in parts for i in (*part[1:-1], comma))[:-1] if len(parts) > 1 else ()

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
