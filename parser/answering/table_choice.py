"""Chooses the tables that are read for a question: all of a small database, the relevant ones of a large database."""

from collections.abc import Iterable, Sequence

from ...data.domains.dialogues import Turn
from ...data.errors import InputError, did_you_mean
from ...data.sql.sources import tables_of
from ...encoders.functions import one_thread
from ...knowledge.formulas.bank import Bank
from ...knowledge.linked_formulas import Mentions
from ...ner.language.question import QuestionText
from ..reader.catalogue import FIRST, MORE, TableCatalogue, TableRetriever
from ..reader.question import MAX_TURNS


class TableChoice:
    """Chooses tables of one database, for a parser or a language model.

    Args:
        catalogue: the catalogue of the database.
        retriever: the retriever of relevant tables; None for a database whose tables are all read.
        bank: the bank of formulas that questions may name.
    """

    def __init__(self, catalogue: TableCatalogue, retriever: TableRetriever | None, bank: Bank | None = None) -> None:
        self.catalogue = catalogue
        self.retriever = retriever
        self._mentions = None if bank is None or retriever is None else Mentions(bank, catalogue.readable)

    @property
    def all_tables(self) -> tuple[str, ...]:
        """Return the names of the tables that may be read."""
        return tuple(table.name for table in self.catalogue.readable.tables)

    def sets(
        self,
        question: QuestionText,
        *,
        before: Sequence[Turn] = (),
        evidence: str = "",
        queries: Iterable[str] = (),
        wanted: Sequence[int] = (FIRST, MORE),
    ) -> list[tuple[str, ...]]:
        """Return the tables to read first, then those to read where the first give no sure answer, each the best first.

        Args:
            before: the turns before it, the latest last; the tables of the last one's query are read first.
            evidence: formulas given with the question.
            queries: queries whose tables are read next, as that of a similar solved question.
            wanted: the number of best tables in each set.
        """
        if self.retriever is None:
            return [self.all_tables]
        earlier = [turn.utterance for turn in before[: -MAX_TURNS - 1 : -1]]
        needed = self.tables_of([*(turn.sql for turn in before[-1:]), *queries])
        with one_thread():
            named = [] if self._mentions is None else self._mentions.find(question)
            concepts = (concept for one in named for formula in one.formulas for concept in formula.expression.needs)
            beside = [*filter(None, [evidence]), *dict.fromkeys(concepts)]
            ranked = self.retriever.ranked(question, earlier=earlier, beside=beside)
            return self.retriever.sets(ranked, needed=needed, wanted=wanted)

    def tables_of(self, queries: Iterable[str]) -> list[str]:
        """Return the tables that queries read, each once."""
        catalogue = self.catalogue
        names = (name for sql in queries for name in tables_of(sql, catalogue.readable, catalogue.dialect))
        return list(dict.fromkeys(names))

    def named(self, tables: Sequence[str]) -> tuple[str, ...]:
        """Return tables that a person named, in the schema's order.

        Raises:
            InputError: there is no such table.
        """
        names: set[str] = set()
        for name in tables:
            table = self.catalogue.readable.by_name.get(name)
            if table is None:
                raise InputError(f"no table {name!r}", field="tables", hint=self._nearest(name))
            names.add(table.name)
        return self.in_order(names)

    def _nearest(self, name: str) -> str:
        """Return a hint for an unknown name: the tables of that name in several schemas, or the most similar name."""
        own = [table.name for table in self.catalogue.readable.tables if table.own_name.lower() == name.lower()]
        if len(own) > 1:
            return f"it is one of {', '.join(own)}"
        return did_you_mean(name, self.all_tables) or f"the database has {len(self.all_tables)} tables"

    def in_order(self, tables: Iterable[str]) -> tuple[str, ...]:
        """Return tables in the schema's order."""
        wanted = set(tables)
        return tuple(name for name in self.all_tables if name in wanted)

    def notes(self, tables: Sequence[str]) -> tuple[str, ...]:
        """Return the notes of an answer on the tables that were read: none if these are all tables."""
        if len(tables) == len(self.all_tables):
            return ()
        return (f"read {len(tables)} of {len(self.all_tables)} tables: {', '.join(tables)}",)
