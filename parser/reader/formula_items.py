"""Grounded formulas as what a network can point at: a calculation is a column, a condition a value.

To the reader «EBIT» is one more number of its table, named by the question's own words, and «minor» a cell of AGE: it
reads and writes both as it always did. What they stand for is the constraint's affair (`decoding.formula_state`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...data.schema.schema import Column, Schema
from ...grammar import Vocabulary, Word
from ...knowledge.grounding.grounded import Grounded
from ...knowledge.linked_formulas import LinkedFormula
from ...knowledge.mentions import Mention
from ...ner.index import FoundValue
from .context import DatabaseContext
from .items import SchemaItems, column_kind
from .output_vocabulary import OutputVocabulary

__all__ = ["FormulaItems", "Offered", "offered"]


_NUMBER = "REAL"
"""The type of what can be reckoned with."""

_CONDITIONS = {"en": ("status", "kind", "group"), "zh": ("状态", "类别", "分组")}
"""What the columns are called that hold the conditions of a table, the first best read."""


@dataclass(frozen=True)
class Offered:
    """A grounded formula that one question may use.

    Attributes:
        needed: with its mention.
        grounded: the formula on this database.
        column: what it is called among the columns of its first table.
        word: of the extended vocabulary: that column.
        by_row: of an aggregate, the word that writes what it is of one row, and to the network is the same.
        value: of a condition, as if it were a cell; None of all others.
        adds_up: is it a number? A union of texts or times is shown side by side, and never reckoned with.
    """

    needed: LinkedFormula
    grounded: Grounded
    column: str
    word: int
    by_row: int | None = None
    value: FoundValue | None = None
    adds_up: bool = True


@dataclass(frozen=True)
class FormulaItems:
    """A database with the formulas that one question may use.

    Attributes:
        context: of the database, with a column for each calculation, at the end of its table, and its word, at the
            end of the vocabulary.
        offers: the formulas.
        plain: the tables and columns of the database alone.
        shown: the formula that the answer must show, None if none.
        grouped: may it be shown beside what it is grouped by?
    """

    context: DatabaseContext
    offers: tuple[Offered, ...]
    plain: SchemaItems
    shown: Offered | None = None
    grouped: bool = False

    def values(self, named: Sequence[FoundValue]) -> list[FoundValue]:
        """Return the values of a question behind its conditions, without what the words of its formulas may name."""
        conditions = [one.value for one in self.offers if one.value is not None]
        mentions = [one.needed.mention for one in self.offers]
        rest = [one for one in named if all(not _touches(one, mention) for mention in mentions)]
        return [*conditions, *rest]


def offered(
    context: DatabaseContext,
    needed: Sequence[LinkedFormula],
    *,
    shown: LinkedFormula | None = None,
    grouped: bool = False,
) -> FormulaItems | None:
    """Return a database with the formulas that are grounded there; None where there is none.

    Args:
        shown: the one of them that the answer must show.
        grouped: may it be shown beside what it is grouped by?
    """
    schema, words, offers = context.items.schema, list[Word](), list[Offered]()
    for one in needed:
        grounded = one.grounded
        if grounded is None or not grounded.places:
            continue
        table, condition = grounded.tables[0], grounded.formula.kind == "condition"
        names = _CONDITIONS[context.language] if condition else (one.mention.text,)
        taken = {column.name.lower() for column in schema.table(table).columns}
        name = next((name for name in names if name.lower() not in taken), None)
        if name is None:
            continue
        kind = _type_of(grounded, schema)
        schema = _with_column(schema, table, name, kind)
        write = context.grammar.quoting.write
        both = grounded.formula.expression.by_row is not None
        word = Word(f"{write(schema.table(table))}.{write(name)}", "QCOLUMN", "column", table, name, tables=(table,))
        words += [word, word] if both else [word]
        value = _cell(one, table, name) if condition else None
        first = len(context.vocabulary) + len(words) - 1 - both
        offers.append(Offered(one, grounded, name, first, first + 1 if both else None, value, kind == _NUMBER))
    if not offers:
        return None
    cells = {place: one.value.value for one in offers if one.value for place in one.value.columns}
    items = SchemaItems(schema, partial(_samples, context, cells), described=context.items.described)
    vocabulary = Vocabulary(context.grammar, context.vocabulary.words, beyond=words)
    outputs = OutputVocabulary(vocabulary, items)
    own = replace(context, items=items, vocabulary=vocabulary, outputs=outputs)
    must = next((one for one in offers if one.needed is shown), None)
    return FormulaItems(own, tuple(offers), context.items, must, grouped)


def _type_of(grounded: Grounded, schema: Schema) -> str:
    """Return the type that a formula's column has to the reader: of a union of texts or times theirs."""
    if grounded.formula.kind != "union":
        return "TEXT" if grounded.formula.kind == "condition" else _NUMBER
    places = [one.place for one in grounded.concepts if one.place is not None and one.place.column is not None]
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
    column = Column(name, type_, name)  # «RevPAR» is one word, where a column RevPAR would be two
    tables = [
        replace(one, columns=(*one.columns, column)) if one.name.lower() == table.lower() else one
        for one in schema.tables
    ]
    return replace(schema, tables=tuple(tables))


def _cell(one: LinkedFormula, table: str, column: str) -> FoundValue:
    mention = one.mention
    return FoundValue(mention.start, mention.end, mention.text, mention.text, "cell", "exact", ((table, column),), 1.0)


def _touches(one: FoundValue, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end
