"""What a question needs beside the schema: the formulas that it names, and the values left for conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...classifiers.intents import Intents
from ...encoders.text_vectors import TextVectors
from ...knowledge.evidence.names import NameBinder
from ...knowledge.evidence.reading import read_evidence
from ...knowledge.formulas.bank import Bank
from ...knowledge.grounding.grounder import Grounder
from ...knowledge.linked_formulas import FormulaLinker, LinkedFormula
from ...knowledge.shares import share_in
from ...ner.index import FoundValue
from ..reader.concepts import formula_linker
from ..reader.context import DatabaseContext
from ..reader.formula_items import FormulaItems, offered
from ..reader.virtual_columns import VirtualColumn, virtual_columns

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
        share: one of the formulas: a share that it asks for in its own words, which is shown.
        grouped: may it ask for that of each of several?
        virtual: columns that it gives reason for, and the database has not.
    """

    formulas: tuple[LinkedFormula, ...] = ()
    values: tuple[FoundValue, ...] = ()
    unread: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    share: LinkedFormula | None = None
    grouped: bool = False
    virtual: tuple[VirtualColumn, ...] = ()

    def offered(self, context: DatabaseContext) -> FormulaItems | None:
        """Return a database with what of it is grounded there, see `offered`."""
        return offered(context, self.formulas, shown=self.share, grouped=self.grouped, virtual=self.virtual)


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

    def of(self, intents: Intents, values: Sequence[FoundValue], evidence: str) -> LinkedKnowledge:
        """Return what a question needs.

        Args:
            intents: of the question.
            values: that it names.
            evidence: formulas for it alone, which go before others of the same words.
        """
        named = [one for one in self._named(intents.text) if not _within(one, values)]
        found = (self._told if evidence.strip() else self._own)(intents, values, named, evidence)
        taken = [(one.mention.start, one.mention.end) for one in found.formulas]
        return replace(found, virtual=tuple(virtual_columns(self._context, intents.text, values, taken)))

    def _named(self, question: str) -> list[LinkedFormula]:
        return self._knowledge.find(question) if self._knowledge else []

    def _own(
        self, intents: Intents, values: Sequence[FoundValue], named: list[LinkedFormula], _evidence: str
    ) -> LinkedKnowledge:
        """Return what a question needs by its own words; a share takes no name from a formula that is not here."""
        share = share_in(intents, named, values, self._grounder) if intents.shares else None
        if share is None or share.needed.grounded is None:
            return LinkedKnowledge(tuple(named), tuple(values))
        left = [one for one in named if one.grounded is None or not share.takes(one.mention.start, one.mention.end)]
        found = sorted([*left, share.needed], key=lambda one: one.mention.start)
        rest = tuple(one for one in values if not share.takes(one.start, one.end))
        return LinkedKnowledge(tuple(found), rest, share=share.needed, grouped=intents.grouped)

    def _told(
        self, intents: Intents, values: Sequence[FoundValue], named: list[LinkedFormula], evidence: str
    ) -> LinkedKnowledge:
        """Return what a question needs by its evidence; the share of Oslo is not one among the rows of Oslo."""
        read = read_evidence(evidence, NameBinder(self._context.items.schema), question=intents.text)
        given = formula_linker(read.bank, self._context, self._vectors).given(intents.text)
        taken = {place for one in given for place in range(one.mention.start, one.mention.end)}
        others = [one for one in named if taken.isdisjoint(range(one.mention.start, one.mention.end))]
        found = sorted([*given, *others], key=lambda one: one.mention.start)
        left = [v for v in values if not any(one.compares(*place, v.value) for one in found for place in v.columns)]
        unread, lost = (tuple(f"{piece!r}: {why}" for piece, why in some) for some in (read.unread, read.lost))
        return LinkedKnowledge(tuple(found), tuple(left), unread=unread, lost=lost)

    @cached_property
    def _grounder(self) -> Grounder:
        """Return what grounds formulas here, without a bank, too; made for the first question that needs it."""
        return (self._knowledge or formula_linker(Bank((), {}), self._context, self._vectors)).grounder


def _within(one: LinkedFormula, values: Sequence[FoundValue]) -> bool:
    """Is the name of a formula only a part of a longer cell of the database? «Winter Games» name no season."""
    start, end = one.mention.start, one.mention.end
    longer = (v for v in values if v.kind == "cell" and v.how in _SURE and v.end - v.start > end - start)
    return any(v.start <= start and end <= v.end for v in longer)
