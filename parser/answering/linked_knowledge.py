"""What a question needs beside the schema: the formulas that it names, and the values left for conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...encoders.text_vectors import TextVectors
from ...knowledge.linked_formulas import FormulaLinker, LinkedFormula
from ...ner.index import FoundValue
from ..reader.columns.concepts import formula_linker
from ..reader.columns.formula_items import FormulaItems, offered
from ..reader.columns.virtual_columns import VirtualColumn, virtual_columns
from ..reader.context import DatabaseContext

__all__ = ["KnowledgeLinker", "LinkedKnowledge"]

_SURE = ("exact", "folded", "stem")


@dataclass(frozen=True)
class LinkedKnowledge:
    """What a question needs.

    Attributes:
        formulas: that it names, grounded or not, in its order.
        values: that it names, without what went into a formula; the constants of the database are none of them.
        unread: pieces of its evidence that could not be read, each with why.
        lost: those of them that would be formulas.
        virtual: columns that it gives reason for, and the database has not.
    """

    formulas: tuple[LinkedFormula, ...] = ()
    values: tuple[FoundValue, ...] = ()
    unread: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    virtual: tuple[VirtualColumn, ...] = ()

    def offered(self, context: DatabaseContext) -> FormulaItems | None:
        """Return a database with what of it is grounded there, see `offered`."""
        return offered(context, self.formulas, virtual=self.virtual)


class KnowledgeLinker:
    """Finds out what questions on one database need.

    Args:
        context: of the database.
        vectors: of the encoder that grounds.
        knowledge: finds the formulas of banks; None without any.
    """

    def __init__(self, context: DatabaseContext, vectors: TextVectors, knowledge: FormulaLinker | None) -> None:
        self._context = context
        self._vectors = vectors
        self._knowledge = knowledge

    def of(self, question: str, values: Sequence[FoundValue], evidence: str) -> LinkedKnowledge:
        """Return what a question needs.

        Args:
            values: that it names.
            evidence: formulas for it alone, which go before others of the same words.
        """
        named = [one for one in self._named(question) if not _within(one, values)]
        found = LinkedKnowledge(tuple(named), tuple(values))
        if evidence.strip():
            found = self._told(question, values, named, evidence)
        taken = [(one.mention.start, one.mention.end) for one in found.formulas]
        return replace(found, virtual=tuple(virtual_columns(self._context, question, values, taken)))

    def _named(self, question: str) -> list[LinkedFormula]:
        return self._knowledge.find(question) if self._knowledge else []

    def _told(
        self, question: str, values: Sequence[FoundValue], named: list[LinkedFormula], evidence: str
    ) -> LinkedKnowledge:
        """Return what a question needs by its evidence; the share of Oslo is not one among the rows of Oslo."""
        from ...knowledge.evidence.names import NameBinder  # questions without evidence do without its libraries
        from ...knowledge.evidence.reading import read_evidence

        read = read_evidence(evidence, NameBinder(self._context.items.schema), question=question)
        given = formula_linker(read.bank, self._context, self._vectors).given(question)
        taken = {place for one in given for place in range(one.mention.start, one.mention.end)}
        others = [one for one in named if taken.isdisjoint(range(one.mention.start, one.mention.end))]
        found = sorted([*given, *others], key=lambda one: one.mention.start)
        left = [v for v in values if not any(one.compares(*place, v.value) for one in found for place in v.columns)]
        unread, lost = (tuple(f"{piece!r}: {why}" for piece, why in some) for some in (read.unread, read.lost))
        return LinkedKnowledge(tuple(found), tuple(left), unread=unread, lost=lost)


def _within(one: LinkedFormula, values: Sequence[FoundValue]) -> bool:
    """Is the name of a formula only a part of a longer cell of the database? «Winter Games» name no season."""
    start, end = one.mention.start, one.mention.end
    longer = (v for v in values if v.kind == "cell" and v.how in _SURE and v.end - v.start > end - start)
    return any(v.start <= start and end <= v.end for v in longer)
