"""What a question needs beside the schema: the formulas that it names, and the values left for conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...encoders.text_vectors import TextVectors
from ...knowledge.evidence import read_evidence
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
        unread: pieces of its evidence that are no formulas, each with the reason.
        lost: those of them whose right side could not be read.
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
        named = self._knowledge.find(question) if self._knowledge else []
        named = [one for one in named if not _within(one, values)]
        read = read_evidence(evidence)
        if read.bank.formulas:
            own = formula_linker(read.bank, self._context, self._vectors).find(question)
            named = [one for one in named if not any(one.mention.overlaps(other.mention) for other in own)]
            named = sorted([*named, *own], key=lambda one: one.mention.start)
        taken = [(one.mention.start, one.mention.end) for one in named]
        virtual = tuple(virtual_columns(self._context, question, values, taken))
        return LinkedKnowledge(tuple(named), tuple(values), read.unread, read.lost, virtual)


def _within(one: LinkedFormula, values: Sequence[FoundValue]) -> bool:
    """Is the name of a formula only a part of a longer cell of the database? «Winter Games» name no season."""
    start, end = one.mention.start, one.mention.end
    longer = (v for v in values if v.kind == "cell" and v.how in _SURE and v.end - v.start > end - start)
    return any(v.start <= start and end <= v.end for v in longer)
