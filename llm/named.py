"""The values and formulas that a question names, as text for a prompt."""

from collections.abc import Callable, Iterator

import sqlglot
from sqlglot import exp

from ..answers.answer import FormulaUse
from ..data.schema.likely_keys import with_likely_keys
from ..data.schema.schema import Schema
from ..data.values.slots import quoted
from ..encoders import load_encoder
from ..encoders.text_vectors import TextVectors
from ..grammar import Access, Grammar
from ..knowledge.formulas.bank import Bank
from ..knowledge.grounding.grounded import Grounding
from ..knowledge.linked_formulas import LinkedFormula
from ..ner.index import FoundValue, ValueIndex
from ..ner.language.question import QuestionText
from ..ner.masking import apart
from ..parser.reader.formula_items import formulas_on

_LEAST = 0.35
"""The least score of a value in a prompt: below it are short cells within words."""

_PLACES = 3
"""The greatest number of columns that a prompt names for one value."""


def named_values(index: ValueIndex, language: str) -> Callable[[str], str]:
    """Return a function that finds the values in a question (value linking: Lin et al. 2020, BRIDGE).

    It returns a text for a prompt, empty if a question names no value: ``Canada = 'CA' in author.country; Dune in
    book.title``. Of values that overlap it takes the surest.
    """

    def named(question: str) -> str:
        found = index.find(QuestionText(question, language))
        return "; ".join(map(_value_text, apart([value for value in found if value.columns and value.score >= _LEAST])))

    return named


def _value_text(value: FoundValue) -> str:
    places = ", ".join(f"{table}.{column}" for table, column in value.columns[:_PLACES])
    named = value.text if value.text == value.value else f"{value.text} = {quoted(value.value)}"
    return f"{named} in {places}"


class NamedFormulas:
    """Finds the formulas of a bank that questions name, as text for a prompt; an encoder compares their names.

    Args:
        schema: of the database.
        bank: the formulas.
        dialect: of the text: sqlite, mysql or postgres.
        language: of the questions.
        index: of the values that may be read.
        access: what may be read, all if None; formulas are grounded in nothing else.
        vectors: of names; they keep what other parts of the database needed.

    Raises:
        InputError: the encoder is not installed.
    """

    def __init__(
        self,
        schema: Schema,
        bank: Bank,
        dialect: str,
        language: str,
        *,
        index: ValueIndex | None = None,
        access: Access | None = None,
        vectors: TextVectors | None = None,
    ) -> None:
        likely = with_likely_keys(schema)
        readable = likely if access is None else access.narrowed(likely)
        vectors = TextVectors(load_encoder("e5")) if vectors is None else vectors
        self._linker = formulas_on(readable, bank, vectors, language=language, index=index)
        vectors.prepare_kept(self._linker.grounder.features.names)
        self._dialect = dialect
        self._write = Grammar.for_schema(readable, dialect=dialect).quoting.write

    def __call__(self, question: str) -> str:
        """Return the formulas of a question, empty if it names none.

        ``EBIT = sales.revenue - sales.costs; minor: workers.age < 18``. One that cannot be grounded is
        written over its concepts, with the formulas among these.
        """
        found = self._linker.find(QuestionText(question))
        return "; ".join(dict.fromkeys(text for one in found for text in self._texts(one)))

    def uses(self, question: str) -> tuple[FormulaUse, ...]:
        """Return the formulas that a question names and this database can write, each once."""
        found: dict[tuple[str, str], FormulaUse] = {}
        for use in (one.use for one in self._linker.find(QuestionText(question))):
            if use is not None:
                found.setdefault((use.name, use.formula), use)
        return tuple(found.values())

    def _texts(self, linked: LinkedFormula) -> Iterator[str]:
        name, words = linked.grounding.formula.name, linked.mention.text
        alike = name.casefold() in words.casefold() or words.casefold() in name.casefold()
        return self._definitions(linked.grounding, name if alike else f"{words} ({name})")

    def _definitions(self, grounding: Grounding, name: str) -> Iterator[str]:
        formula, grounded = grounding.formula, grounding.grounded
        if any("." in concept for concept in grounding.missing):
            return  # bound to a column that is missing or may not be read
        parts = () if grounded is None else grounded.sql(self._dialect)
        right = ", ".join(map(self._plain, parts)) if parts else formula.expression.text
        yield f"{name}: {right}" if formula.kind == "condition" else f"{name} = {right}"
        if grounded is None:
            for others in self._linker.bank.parts(formula).values():
                best = max(map(self._linker.grounding, others), key=lambda one: one.grounded is not None)
                yield from self._definitions(best, best.formula.name)

    def _plain(self, sql: str) -> str:
        """Return an expression without the quotes that its names do not need."""
        tree = sqlglot.parse_one(sql, read=self._dialect)
        for name in tree.find_all(exp.Identifier):
            name.set("quoted", self._write(name.name) != name.name)
        return tree.sql(dialect=self._dialect)
