"""The formulas of a question as items that the network can point at: a calculation is a column, a condition a value.

To the network «EBIT» is another number column of its table, with the question's words as its name, and «minor» a cell
of AGE, so it needs no training on formulas. `decoding.expansions.formula_layer` writes their expressions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ...data.schema.schema import Column, Schema
from ...encoders.functions import Floats
from ...encoders.text_vectors import TextVectors
from ...grammar import Grammar, Vocabulary, Word
from ...knowledge.formulas.bank import Bank
from ...knowledge.grounding.grounded import Grounded
from ...knowledge.grounding.grounder import Grounder
from ...knowledge.grounding.synonyms import projection_of
from ...knowledge.linked_formulas import FormulaLinker, LinkedFormula, Mention, read_evidence
from ...ner.index import FoundValue, ValueIndex
from ...ner.language.question import QuestionText
from .context import DatabaseContext
from .items import SchemaItems, column_kind
from .output_vocabulary import OutputVocabulary
from .virtual_columns import VirtualColumn, virtual_columns


def formula_linker(bank: Bank, context: DatabaseContext, vectors: TextVectors) -> FormulaLinker:
    """Return the linker of a bank's formulas for questions on a parser's database."""
    given: dict[str, Any] = {"index": context.index, "now": context.now, "language": context.language}
    return formulas_on(context.items.schema, bank, vectors, **given)


def formulas_on(
    schema: Schema,
    bank: Bank,
    vectors: TextVectors,
    *,
    language: str,
    index: ValueIndex | None = None,
    now: datetime | None = None,
) -> FormulaLinker:
    """Return the linker of a bank's formulas for questions on a database.

    Args:
        schema: the part of the schema that may be read, with likely keys.
        language: the language of the encoder of ``vectors``.
        index: the index of its values, None if there is none.
        now: the time of «today», None to use the database's clock.
    """
    projection = projection_of(vectors.encoder)
    if projection is not None:
        vectors.lend(projection.known)

    def likeness(texts: Sequence[str], names: Sequence[str]) -> Floats:
        vectors.prepare([*texts, *names])
        both = [np.array([vectors[text] for text in some]) for some in (texts, names)]
        if projection is not None:
            moved = [some @ projection.matrix for some in both]
            both = [some / np.linalg.norm(some, axis=1, keepdims=True) for some in moved]
        return both[0] @ both[1].T

    grounder = Grounder(schema, bank, likeness, kind_of=column_kind, index=index, now=now, language=language)
    return FormulaLinker(bank, grounder)


_CLOSE_MATCHES = ("exact", "folded", "stem")


@dataclass(frozen=True)
class LinkedKnowledge:
    """The formulas, values and virtual columns that a question was linked to.

    Attributes:
        formulas: the formulas that it names, grounded or not, in the order of the question.
        values: the values that it names, without those in the names of formulas and without constants.
        virtual: the virtual columns that it adds to the database.
        unread: the pieces of its evidence that are no formulas, each with the reason.
        lost: the unread pieces whose right side could not be parsed.
    """

    formulas: tuple[LinkedFormula, ...] = ()
    values: tuple[FoundValue, ...] = ()
    virtual: tuple[VirtualColumn, ...] = ()
    unread: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def linked_knowledge(
    context: DatabaseContext,
    question: QuestionText,
    values: Sequence[FoundValue],
    vectors: TextVectors,
    *,
    linker: FormulaLinker | None = None,
    evidence: str = "",
) -> LinkedKnowledge:
    """Return the formulas and virtual columns of a question on one database.

    Args:
        values: the values that it names.
        vectors: the vectors of the encoder that grounds the formulas of the evidence.
        linker: the linker of the banks' formulas; None if there are no banks.
        evidence: formulas for this question alone, which have priority over others of the same words.
    """
    named = [] if linker is None else [one for one in linker.find(question) if not _within(one, values)]
    unread, lost = (), ()
    if evidence:
        read = read_evidence(evidence)
        unread, lost = read.unread, read.lost
        own = formula_linker(read.bank, context, vectors).find(question) if read.bank.formulas else []
        named = [formula for formula in named if not any(formula.mention.overlaps(given.mention) for given in own)]
        named = sorted([*named, *own], key=lambda formula: formula.mention.start)
    taken = [(formula.mention.start, formula.mention.end) for formula in named]
    virtual = tuple(virtual_columns(context, question, values, taken))
    return LinkedKnowledge(tuple(named), tuple(values), virtual, unread, lost)


def _within(formula: LinkedFormula, values: Sequence[FoundValue]) -> bool:
    """Is the name of a formula only a part of a longer cell? The cell «Winter Games» names no season."""
    start, end = formula.mention.start, formula.mention.end
    longer = (v for v in values if v.kind == "cell" and v.how in _CLOSE_MATCHES and v.end - v.start > end - start)
    return any(v.start <= start and end <= v.end for v in longer)


_NUMBER = "REAL"
"""The type of columns for calculations."""

_CONDITIONS = {"en": ("status", "kind", "group"), "zh": ("状态", "类别", "分组")}
"""The names of columns that hold the conditions of a table; the network reads the first best."""


ColumnExpression: TypeAlias = Grounded | VirtualColumn
"""The expression of a column that the database lacks: a grounded formula, or a virtual column."""


@dataclass(frozen=True)
class Offered:
    """A column that one question may use though the database lacks it.

    Attributes:
        needed: the formula with its mention, None for a virtual column.
        expression: the expression of the column.
        column: the name of the column in its first table.
        word: the number of the column's word in the extended vocabulary.
        by_row: the word of an aggregate over a single row, which looks the same to the network; None without one.
        value: a condition as a cell; None for other formulas.
        adds_up: whether it is a number; a union of texts or times only lists its columns side by side.
    """

    needed: LinkedFormula | None
    expression: ColumnExpression
    column: str
    word: int
    by_row: int | None = None
    value: FoundValue | None = None
    adds_up: bool = True


@dataclass(frozen=True)
class FormulaItems:
    """A database with the formulas that one question may use.

    Attributes:
        context: the context of the database, with a column for each calculation at the end of its table, and its word
            at the end of the vocabulary.
        offers: the formulas.
        plain: the tables and columns of the database alone.
    """

    context: DatabaseContext
    offers: tuple[Offered, ...]
    plain: SchemaItems

    @property
    def virtual(self) -> tuple[VirtualColumn, ...]:
        """Return the virtual columns."""
        return tuple(offer.expression for offer in self.offers if isinstance(offer.expression, VirtualColumn))

    def grammar(self) -> Grammar:
        """Return a grammar that knows the columns as columns of their tables, for queries that name them."""
        plain = self.context.grammar
        schema = plain.schema
        for offer in self.offers:
            schema = _with_column(schema, offer.expression.tables[0], offer.column, _NUMBER)
        return Grammar.for_schema(schema, dialect=plain.dialect)

    def values(self, named: Sequence[FoundValue]) -> list[FoundValue]:
        """Return the values of a question behind its conditions, without what the words of its formulas may name."""
        conditions = [offer.value for offer in self.offers if offer.value is not None]
        mentions = [offer.needed.mention for offer in self.offers if offer.needed is not None]
        return [*conditions, *(one for one in named if not any(_touches(one, mention) for mention in mentions))]


def offered(
    context: DatabaseContext, needed: Sequence[LinkedFormula], *, virtual: Sequence[VirtualColumn] = ()
) -> FormulaItems | None:
    """Return a database with the formulas that are grounded there and virtual columns; None where there is none.

    Args:
        virtual: what the meaning of columns implies.
    """
    schema, words, offers = context.items.schema, list[Word](), list[Offered]()
    here = [(formula, one) for formula in needed if (one := formula.grounded) is not None and one.places]
    for formula, expression in (*here, *((None, column) for column in virtual)):
        table, both, condition = expression.tables[0], False, False
        if isinstance(expression, VirtualColumn):
            names, kind = expression.names, expression.type
        else:
            condition, both = expression.formula.kind == "condition", expression.formula.expression.by_row is not None
            names, kind = (formula.mention.text,) if formula else (), _type_of(expression, schema)
            names = _CONDITIONS[context.language] if condition else names
        taken = {column.name.lower() for column in schema.table(table).columns}
        name = next((name for name in names if name.lower() not in taken), None)
        if name is None:
            continue
        schema, first = _with_column(schema, table, name, kind), len(context.vocabulary) + len(words)
        write = context.grammar.quoting.write
        text = f"{write(schema.table(table))}.{write(name)}"
        words += [Word(text, "QCOLUMN", "column", table, name, tables=(table,))] * (1 + both)
        value = _cell(formula, table, name) if condition and formula else None
        by_row, adds_up = first + 1 if both else None, formula is None or kind == _NUMBER
        offers.append(Offered(formula, expression, name, first, by_row, value, adds_up))
    if not offers:
        return None
    cells = {place: offer.value.value for offer in offers if offer.value for place in offer.value.columns}
    items = SchemaItems(schema, partial(_samples, context, cells), described=context.items.described)
    vocabulary = Vocabulary(context.grammar, context.vocabulary.words, beyond=words)
    outputs = OutputVocabulary(vocabulary, items)
    extended = replace(context, items=items, vocabulary=vocabulary, outputs=outputs)
    return FormulaItems(extended, tuple(offers), context.items)


def _type_of(grounded: Grounded, schema: Schema) -> str:
    """Return the type of a formula's column: a union of texts or times has their type, other formulas are numbers."""
    if grounded.formula.kind != "union":
        return "TEXT" if grounded.formula.kind == "condition" else _NUMBER
    places = [term.place for term in grounded.concepts if term.place is not None and term.place.column is not None]
    kinds = {column_kind(schema.table(place.table).column(str(place.column)).type) for place in places}
    if kinds <= {"number", "boolean", "other"}:
        return _NUMBER
    return "DATE" if kinds == {"time"} else "TEXT"


def _samples(
    context: DatabaseContext, conditions: Mapping[tuple[str, str], str], table: str, column: str
) -> Sequence[str]:
    if (table, column) in conditions:
        return (conditions[table, column],)
    return context.index.samples(table, column) if context.index else ()


def _with_column(schema: Schema, table: str, name: str, type_: str) -> Schema:
    column = Column(name, type_, name)  # as a name in words, «RevPAR» stays a single word
    tables = [
        replace(other, columns=(*other.columns, column)) if other.name.lower() == table.lower() else other
        for other in schema.tables
    ]
    return replace(schema, tables=tuple(tables))


def _cell(formula: LinkedFormula, table: str, column: str) -> FoundValue:
    mention = formula.mention
    return FoundValue(mention.start, mention.end, mention.text, mention.text, "cell", "exact", ((table, column),), 1.0)


def _touches(value: FoundValue, mention: Mention) -> bool:
    return value.start < mention.end and mention.start < value.end
