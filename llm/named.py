"""What a model reads of the values and formulas that a question names, as its database writes them."""

from collections.abc import Callable, Iterator
from typing import Self

import sqlglot
from sqlglot import exp

from ..answers.answer import FormulaUse
from ..data.schema.likely_keys import with_likely_keys
from ..data.schema.schema import Schema
from ..encoders import load_encoder
from ..encoders.text_vectors import TextVectors
from ..grammar import Access, Grammar
from ..knowledge.formulas.bank import Bank
from ..knowledge.grounding.grounded import Grounding
from ..knowledge.linked_formulas import FormulaLinker, LinkedFormula
from ..ner.index import FoundValue, ValueIndex
from ..ner.language.question import QuestionText
from ..ner.masking import apart
from ..parser.reader.formula_items import formulas_on

_LEAST = 0.35
"""Score from which a value is told: below it are short cells within words."""

_PLACES = 3
"""Columns of one value that are told, at most."""


def named_values(index: ValueIndex, language: str) -> Callable[[str], str]:
    """Return what finds the values that questions of a language name (value linking: Lin et al. 2020, BRIDGE).

    It returns a text for a prompt, empty if a question names none: ``Canada = 'CA' in author.country; Dune in
    book.title``. Of values that overlap the surest is told.
    """

    def named(question: str) -> str:
        found = index.find(QuestionText(question, language))
        return "; ".join(map(_told, apart([value for value in found if value.columns and value.score >= _LEAST])))

    return named


def _told(value: FoundValue) -> str:
    places = ", ".join(f"{table}.{column}" for table, column in value.columns[:_PLACES])
    written = value.value.replace("'", "''")
    said = value.text if value.text == value.value else f"{value.text} = '{written}'"
    return f"{said} in {places}"


def formula_vectors() -> TextVectors:
    """Return what compares names of formulas and columns.

    Raises:
        InputError: the encoder is not installed.
    """
    return TextVectors(load_encoder("e5"))


class NamedFormulas:
    """Finds the formulas that questions name, as text for a prompt.

    Args:
        needed: finds and grounds them.
        dialect: of what is told: sqlite, mysql or postgres.
    """

    def __init__(self, needed: FormulaLinker, dialect: str) -> None:
        self._needed, self._dialect = needed, dialect
        self._write = Grammar.for_schema(needed.grounder.schema, dialect=dialect).quoting.write

    @classmethod
    def on(
        cls,
        schema: Schema,
        bank: Bank,
        dialect: str,
        language: str,
        *,
        index: ValueIndex | None = None,
        access: Access | None = None,
        vectors: TextVectors | None = None,
    ) -> Self:
        """Return what finds the formulas of a bank on a database; an encoder compares their names.

        Args:
            schema: of the database.
            language: of the questions.
            index: of the values that may be read.
            access: what may be read, all if None; nothing else is what a formula means.
            vectors: of names, by the encoder; those that other parts of the database needed need not be computed again.

        Raises:
            InputError: the encoder is not installed.
        """
        likely = with_likely_keys(schema)
        readable = likely if access is None else access.narrowed(likely)
        vectors = formula_vectors() if vectors is None else vectors
        needed = formulas_on(readable, bank, vectors, language=language, index=index)
        vectors.prepare_kept(needed.grounder.features.names)
        return cls(needed, dialect)

    def __call__(self, question: str) -> str:
        """Return the formulas of a question, empty if it names none.

        ``EBIT = sales.revenue - sales.costs; minor: workers.age < 18``. One that cannot be grounded stands there over
        its concepts, with the formulas that are among these.
        """
        told = dict.fromkeys(text for one in self._needed.find(QuestionText(question)) for text in self._of(one))
        return "; ".join(told)

    def uses(self, question: str) -> tuple[FormulaUse, ...]:
        """Return the formulas that a question names and this database can write, each once."""
        found: dict[tuple[str, str], FormulaUse] = {}
        for use in (one.use for one in self._needed.find(QuestionText(question))):
            if use is not None:
                found.setdefault((use.name, use.formula), use)
        return tuple(found.values())

    def _of(self, needed: LinkedFormula) -> Iterator[str]:
        name, said = needed.grounding.formula.name, needed.mention.text
        alike = name.casefold() in said.casefold() or said.casefold() in name.casefold()
        return self._told(needed.grounding, name if alike else f"{said} ({name})")

    def _told(self, grounding: Grounding, name: str) -> Iterator[str]:
        formula, grounded = grounding.formula, grounding.grounded
        if any("." in concept for concept in grounding.missing):
            return  # bound to a column that is not here, or that may not be read
        parts = () if grounded is None else grounded.sql(self._dialect)
        right = ", ".join(map(self._plain, parts)) if parts else formula.expression.text
        yield f"{name}: {right}" if formula.kind == "condition" else f"{name} = {right}"
        if grounded is None:
            for others in self._needed.bank.parts(formula).values():
                best = max(map(self._needed.grounding, others), key=lambda one: one.grounded is not None)
                yield from self._told(best, best.formula.name)

    def _plain(self, sql: str) -> str:
        """Return an expression without the quotes that its names do not need."""
        tree = sqlglot.parse_one(sql, read=self._dialect)
        for name in tree.find_all(exp.Identifier):
            name.set("quoted", self._write(name.name) != name.name)
        return tree.sql(dialect=self._dialect)
