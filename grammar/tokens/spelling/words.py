"""The lexicon of an inventory: each word in the ways that a model may spell it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...vocabulary.build import split_name
from ...vocabulary.word import Word
from .inventory import SLOTS, Inventory, slot_name
from .lexicon import Ending, Lexicon, ending_of
from .literals import add_label, add_numbers, add_texts, labels_among, quoted, text_kinds

__all__ = ["Spelling", "name_forms", "spell"]

_MARKS = {"sqlite": ('"', "`"), "mysql": ("`",), "postgres": ('"',)}


class Spelling(NamedTuple):
    """How the words of an inventory are spelled.

    Attributes:
        lexicon: the graph of bytes.
        slots: the word of each slot.
        bare: of each slot the word of a column that is called so.
        columns: of each slot the node behind its point: ``T1.``.
        shown: of each slot the words of the slots behind its point: ``T1.total``.
        declaring: the word AS.
        free: the word of any text, None where only given literals may be written.
    """

    lexicon: Lexicon
    slots: tuple[int, ...]
    bare: tuple[int, ...]
    columns: tuple[int, ...]
    shown: tuple[tuple[int, ...], ...]
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
        names = [slot_name(slot) for slot in range(SLOTS)]
        slots = tuple(numbered[name, "ALIAS"] for name in names)
        bare = tuple(numbered[name, "COLUMN"] for name in names)
        shown = tuple(tuple(numbered[f"{owner}.{name}", "QCOLUMN"] for name in names) for owner in names)
        columns = tuple(behind[name] for name in names)
        return Spelling(self.lexicon, slots, bare, columns, shown, numbered["AS", "AS"], free)

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
        folded = text[0] != '"'  # a collation is told by its name: COLLATE "C"
        self.lexicon.end(self.lexicon.spell(root, text.encode(), folded=folded), number, ending)
