"""The words of SQL as language models write it: each name of a schema in all its forms, aliases by place.

A model calls an alias what it likes. To the rules only which alias it is matters, so the vocabulary has a few *slots*,
and the text of a query says what each is called: the first name that is no other word takes the first slot, and so on.
Literals are as free: each kind of number or text that the rules tell apart has one word here, its sample, and what is
written means the sample of its kind (`literals.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from ....data.schema.schema import Table
from ...grammar import Grammar
from ...reading.quoting import ANY_SYSTEM_COLUMN
from ...vocabulary.vocabulary import Vocabulary
from ...vocabulary.word import Word
from .literals import labels_among, samples

__all__ = ["ALIASES", "SLOTS", "Inventory", "initials", "slot_name"]

SLOTS = 8
"""Names that one query may make up: of sources and of outputs."""

ALIASES = (*(f"T{n}" for n in range(1, 10)), *"abcdefghijklmnopqrstuvwxyz")
"""Names that columns may be called by before FROM declares them, beside the initials of tables."""


def slot_name(slot: int) -> str:
    """Return the name that the rules know a slot by; no identifier that a model may write is called so."""
    return f"\x01{slot}"


def initials(table: Table) -> str:
    """Return what people call a table for short: ``order_item``: oi."""
    return "".join(part[0] for part in table.own_name.split("_") if part)


class Inventory:
    """The words of one schema in one dialect.

    Args:
        grammar: of the schema.
        values: the only literals, as they stand in SQL, beside 0 and 1; any if None.
        aliases: further names that columns may be called by before FROM declares them.
    """

    def __init__(
        self, grammar: Grammar, *, values: Collection[str] | None = None, aliases: Collection[str] = ()
    ) -> None:
        self.grammar = grammar
        self.values = values
        types = grammar.types
        self.columns: dict[str, list[str]] = {}
        for table, column in grammar.schema.columns():
            self.columns.setdefault(grammar.names.spelling(column.name), []).append(table.name)
        titled = [name.lower() for name in grammar.functions] if types.titled else []
        tables, names = grammar.schema.tables, types.names
        known = {names.key(name) for t in tables for name in (t.own_name, *(c.name for c in t.columns))}
        self.reserved = {name.lower() for name in grammar.quoting.reserved} | ANY_SYSTEM_COLUMN | types.constants
        # these mean what they say to the rules: an output may be called as a column is
        self.labels = sorted(known | set(titled))
        self.taken = self.reserved | set(self.labels)
        short = [*ALIASES, *map(initials, tables)]
        both = [name.swapcase() for name in short] if names.cased else []  # t1 is another one than T1
        wanted = dict.fromkeys(n for n in (*aliases, *short, *both) if n.isascii() and n.isidentifier())
        self.aliases = tuple(name for name in wanted if name.lower() not in self.taken)
        self.vocabulary = Vocabulary(grammar, (*self._base, *self._names(), *self._literals()))

    @cached_property
    def _base(self) -> tuple[Word, ...]:
        words = Vocabulary.build(self.grammar, (), functions="all").words
        return tuple(word for word in words if word.kind != "constant")

    def _names(self) -> Iterator[Word]:
        """Yield the names of outputs, and each slot with the columns that it may have."""
        write = self.grammar.quoting.write
        tables = tuple(t.name for t in self.grammar.schema.tables)
        for name in self.labels:
            yield Word(write(name), "ALIAS", "alias")
        for slot in map(slot_name, range(SLOTS)):
            yield Word(slot, "ALIAS", "alias")
            yield Word(slot, "COLUMN", "column", column=slot)  # of a query of WITH
            yield Word(f"{slot}.*", "QSTAR", "column", tables[0] if len(tables) == 1 else None, "*", tables=tables)
            yield Word(f"{slot}.*", "QSTAR", "column", column="*")
            for name, of in self.columns.items():
                text = f"{slot}.{write(name)}"
                yield Word(text, "QCOLUMN", "column", of[0] if len(of) == 1 else None, name, tables=tuple(of))
                yield Word(text, "QCOLUMN", "column", column=name)  # of a derived table
            for shown in map(slot_name, range(SLOTS)):
                yield Word(f"{slot}.{shown}", "QCOLUMN", "column", column=shown)

    def _literals(self) -> Iterator[Word]:
        if self.values is None:
            yield from samples(self.grammar.dialect, labels_among(self.grammar.types.enumerations))
            return
        for text in dict.fromkeys((*self.values, "0", "1")):
            terminal = "STRING" if text[:1] == "'" else "WHOLE" if text.isdigit() else "NUMBER"
            yield Word(text, terminal, "constant")
