"""The words of SQL as language models write it: each name of a schema in all its forms, aliases by place.

A model calls an alias what it likes. To the rules only which alias it is matters, so the vocabulary has a few *slots*,
and the text of a query gives each its name: the first name that is no other word takes the first slot, and so on.
Literals are as free: each kind of number or text that the rules tell apart has one word here, its sample, and what is
written means the sample of its kind (`literals.py`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from ....data.schema.schema import Table
from ...reading.grammar import Grammar
from ...reading.lexer import ANY_SYSTEM_COLUMN
from ...vocabulary.vocabulary import Vocabulary, Word, split_name
from .lexicon import (
    Ending,
    Lexicon,
    add_label,
    add_numbers,
    add_texts,
    ending_of,
    labels_among,
    quoted,
    samples,
    text_kinds,
)

SLOTS = 8
"""Names that one query may make up: of sources and of outputs."""

ALIASES = (*(f"T{n}" for n in range(1, 10)), *"abcdefghijklmnopqrstuvwxyz")
"""Names that columns may be called by before FROM declares them, beside the initials of tables."""


def _slot_name(slot: int) -> str:
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
        base = [word for word in Vocabulary.build(grammar, (), functions="all").words if word.kind != "constant"]
        self.vocabulary = Vocabulary(grammar, (*base, *self._names(), *self._literals()))

    def _names(self) -> Iterator[Word]:
        """Yield the names of outputs, and each slot with the columns that it may have."""
        write = self.grammar.quoting.write
        tables = tuple(t.name for t in self.grammar.schema.tables)
        for name in self.labels:
            yield Word(write(name), "ALIAS", "alias")
        for slot in map(_slot_name, range(SLOTS)):
            yield Word(slot, "ALIAS", "alias")
            yield Word(slot, "COLUMN", "column", column=slot)  # of a query of WITH
            yield Word(f"{slot}.*", "QSTAR", "column", tables[0] if len(tables) == 1 else None, "*", tables=tables)
            yield Word(f"{slot}.*", "QSTAR", "column", column="*")
            for name, of in self.columns.items():
                text = f"{slot}.{write(name)}"
                yield Word(text, "QCOLUMN", "column", of[0] if len(of) == 1 else None, name, tables=tuple(of))
                yield Word(text, "QCOLUMN", "column", column=name)  # of a derived table
            for output in map(_slot_name, range(SLOTS)):
                yield Word(f"{slot}.{output}", "QCOLUMN", "column", column=output)

    def _literals(self) -> Iterator[Word]:
        if self.values is None:
            yield from samples(self.grammar.dialect, labels_among(self.grammar.types.enumerations))
            return
        for text in dict.fromkeys((*self.values, "0", "1")):
            terminal = "STRING" if text[:1] == "'" else "WHOLE" if text.isdigit() else "NUMBER"
            yield Word(text, terminal, "constant")


_MARKS = {"sqlite": ('"', "`"), "mysql": ("`",), "postgres": ('"',)}


class Spelling(NamedTuple):
    """How the words of an inventory are spelled.

    Attributes:
        lexicon: the graph of bytes.
        slots: the word of each slot.
        bare: of each slot the word of a column that is called so.
        columns: of each slot the node behind its point: ``T1.``.
        inner: of each slot the words of the slots behind its point: ``T1.total``.
        declaring: the word AS.
        free: the word of any text, None where only given literals may be written.
    """

    lexicon: Lexicon
    slots: tuple[int, ...]
    bare: tuple[int, ...]
    columns: tuple[int, ...]
    inner: tuple[tuple[int, ...], ...]
    declaring: int
    free: int | None


def spell(inventory: Inventory) -> Spelling:
    """Return the spelling of an inventory."""
    return _Speller(inventory).spelled()


def name_forms(written: str, dialect: str) -> Iterator[str]:
    """Yield the ways to write a name: as it is, and in each kind of quotes; each part for itself."""
    owner, last = split_name(written)
    if owner:
        yield from (f"{one}.{other}" for one in name_forms(owner, dialect) for other in name_forms(last, dialect))
        return
    yield written
    mark = written[0]
    plain = written[1:-1].replace(mark * 2, mark) if mark in '"`' else written
    if dialect == "postgres" and plain.lower() != plain:
        return  # without quotes it is another name
    for mark in _MARKS[dialect]:
        quoted = mark + plain.replace(mark, mark * 2) + mark
        if quoted != written:
            yield quoted


class _Speller:
    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self.dialect = inventory.grammar.dialect
        self.lexicon = Lexicon()
        self.words = inventory.vocabulary.words
        # MySQL's servers may tell tables, and what sources are called, apart by the case of their names
        self.cased = self.lexicon.new_root() if self.dialect == "mysql" else self.lexicon.root

    def spelled(self) -> Spelling:
        numbered = {(word.text, word.terminal): n for n, word in enumerate(self.words)}
        owners: dict[str, list[int]] = {}
        for number, word in enumerate(self.words):
            match word.kind:
                case "keyword" | "operator":
                    self._end(self.lexicon.root, word.text, number, ending_of(word.text.encode()))
                case "function":
                    touching = self.dialect == "mysql" and word.terminal != "NILADIC"
                    self._end(self.lexicon.root, word.text, number, Ending.CALL if touching else Ending.NAME)
                case "column" if word.terminal != "COLUMN":
                    owners.setdefault(split_name(word.text)[0], []).append(number)
                case "table" | "column" | "alias" | "label" if word.text[0] != "\x01":
                    self._name(self.lexicon.root if word.kind == "column" else self.cased, word, number)
                case "constant" if self.inventory.values is not None:
                    node = self.lexicon.spell(self.lexicon.root, word.text.encode(), folded=False)
                    self.lexicon.end(node, number, Ending.NAME)
                case _:
                    pass
        behind = {owner: self._columns(numbers) for owner, numbers in owners.items()}
        for owner, node in behind.items():
            for form in () if owner[0] == "\x01" else name_forms(owner, self.dialect):
                before = self._spelled(self.cased, form)
                self.lexicon.edge(before, b".", node)
        free = self._literals({text: n for (text, _), n in numbered.items()})
        names = [_slot_name(slot) for slot in range(SLOTS)]
        slots = tuple(numbered[name, "ALIAS"] for name in names)
        bare = tuple(numbered[name, "COLUMN"] for name in names)
        inner = tuple(tuple(numbered[f"{owner}.{name}", "QCOLUMN"] for name in names) for owner in names)
        columns = tuple(behind[name] for name in names)
        return Spelling(self.lexicon, slots, bare, columns, inner, numbered["AS", "AS"], free)

    def _literals(self, numbers: Mapping[str, int]) -> int | None:
        if self.inventory.values is not None:
            return None
        add_numbers(self.lexicon, numbers)
        labels = labels_among(self.inventory.grammar.types.enumerations)
        any_text, *kinds = text_kinds(self.dialect, labels)
        for kind in kinds:
            add_texts(self.lexicon, kind, numbers[kind.word])
        for text in map(quoted, labels):
            add_label(self.lexicon, text, numbers[text])
        return numbers[any_text.word]

    def _columns(self, numbers: Iterable[int]) -> int:
        """Return a node at which the columns of one owner begin."""
        root = self.lexicon.node()
        for number in numbers:
            _, part = split_name(self.words[number].text)
            if part == "*":
                self._end(root, part, number, Ending.OPERATOR)
            elif part[0] != "\x01":  # what a derived table calls a column is a name to be made up
                self._name(root, self.words[number], number, part)
        return root

    def _name(self, root: int, word: Word, number: int, text: str = "") -> None:
        for form in name_forms(text or word.text, self.dialect):
            node = self._spelled(root, form)
            self.lexicon.end(node, number, Ending.NAME)

    def _spelled(self, root: int, form: str) -> int:
        """Return the node behind a name, each part of which is folded or not: ``SHOP."lakeId"``."""
        owner, last = split_name(form)
        if not owner:
            return self.lexicon.spell(root, form.encode(), folded=self._folded(root, form))
        node = self.lexicon.spell(self._spelled(root, owner), b".", folded=False)
        return self.lexicon.spell(node, last.encode(), folded=self._folded(root, last))

    def _folded(self, root: int, form: str) -> bool:
        exact = form[0] in '"`' if self.dialect == "postgres" else (root == self.cased != self.lexicon.root)
        return not exact

    def _end(self, root: int, text: str, number: int, ending: Ending) -> None:
        folded = text[0] != '"'  # a collation is known by its name: COLLATE "C"
        self.lexicon.end(self.lexicon.spell(root, text.encode(), folded=folded), number, ending)
