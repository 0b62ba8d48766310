"""Which byte may come next in the text of a query: the constraint on words, read through their spellings.

A text has several readings at a time: ``name`` may be a column, or the beginning of another one.
"""

from collections.abc import Iterable, Iterator

from ..decoding.constraint import Constraint
from .boundaries import MAX_SPACES, MAX_TEXT, Aliases, At, Boundaries, TextReading
from .inner_tokens import complete_character
from .spelling.lexicon import FOLLOWERS, IDENTIFIER, SPACES, Ending, may_touch
from .spelling.words import Inventory, Spelling

_QUOTE = ord("'")
_POINT = ord(".")


class SqlText:
    """The texts of the queries that a constraint admits.

    Args:
        constraint: on the words of ``inventory``.
        inventory: the words.
        spelling: of these.
        before: what must stand before the query: ``b"```sql\\n"``.
        behind: what must stand behind it.
    """

    def __init__(
        self, constraint: Constraint, inventory: Inventory, spelling: Spelling, *, before: bytes, behind: bytes
    ) -> None:
        dialect = inventory.grammar.dialect
        self.constraint = constraint
        self.inventory = inventory
        self.spelling = spelling
        self.lexicon = spelling.lexicon
        self.before, self.behind = before, behind
        self.boundaries = Boundaries(spelling, inventory)
        self.aliases = Aliases(inventory, spelling, self.boundaries, cased=inventory.grammar.types.names.cased)
        self.owners = {node: slot for slot, node in enumerate(spelling.columns)}
        self.backslash = dialect == "sqlite"  # elsewhere it escapes, in texts or in patterns

    def start(self) -> tuple[TextReading, ...]:
        """Return the readings of the empty text."""
        return (TextReading(self.constraint.start(), (), At.BEFORE if self.before else At.GAP),)

    # ---- one byte more

    def step(self, readings: Iterable[TextReading], byte: int) -> tuple[TextReading, ...]:
        """Return the readings after one more byte, none if it may not come."""
        return tuple(dict.fromkeys(after for reading in readings for after in self._step(reading, byte)))

    def _step(self, reading: TextReading, byte: int) -> Iterator[TextReading]:
        match reading.at:
            case At.GAP:
                yield from self._in_gap(reading, byte)
            case At.NAME:
                yield from self._in_name(reading, byte)
            case At.TEXT:
                yield from self._in_text(reading, byte)
            case At.QUOTED:
                if byte == _QUOTE and reading.size < MAX_TEXT and self.boundaries.at(reading.state).text:
                    yield reading._replace(at=At.TEXT, size=reading.size + 1)
                elif byte != _QUOTE and may_touch(Ending.NAME, byte):
                    yield from self.step(self.ended(reading), byte)
            case At.BEFORE:
                yield from self._in_affix(reading, byte, self.before)
            case At.BEHIND:
                yield from self._in_affix(reading, byte, self.behind)
            case _:
                yield from self._in_word(reading, byte)

    def _in_affix(self, reading: TextReading, byte: int, affix: bytes) -> Iterator[TextReading]:
        if reading.size < len(affix) and byte == affix[reading.size]:
            done = reading.at == At.BEFORE and reading.size + 1 == len(affix)
            yield reading._replace(at=At.GAP, size=0) if done else reading._replace(size=reading.size + 1)

    def _in_word(self, reading: TextReading, byte: int) -> Iterator[TextReading]:
        node = reading.at
        after = self.lexicon.edges[node].get(byte)
        if after is not None and self.boundaries.at(reading.state).leads(after):
            yield reading._replace(at=after)
        if node in self.owners:
            yield from self._begin_name(reading._replace(at=At.NAME, owner=self.owners[node]), byte)
        if self.lexicon.may_touch(node, byte):
            yield from self.step(self.ended(reading), byte)

    def _in_gap(self, reading: TextReading, byte: int) -> Iterator[TextReading]:
        here = self.boundaries.at(reading.state)
        if byte in SPACES:
            if reading.size < MAX_SPACES and reading.ending != Ending.CALL:
                yield reading._replace(size=reading.size + 1, ending=Ending.OPEN)
            if self.behind[:1] == bytes([byte]) and here.end:
                yield TextReading(reading.state, (), At.BEHIND, size=1)
            return
        if byte not in FOLLOWERS[reading.ending]:
            return
        for node in self.lexicon.begun.get(byte, ()):
            if here.leads(node):
                yield TextReading(reading.state, reading.names, node)
        if byte == _QUOTE and here.text:
            yield TextReading(reading.state, reading.names, At.TEXT)
        yield from self._begin_name(TextReading(reading.state, reading.names, At.NAME, free=reading.free), byte)
        if byte == ord(";") and here.end and not self.behind:
            yield TextReading(reading.state, (), At.BEHIND)
        if self.behind[:1] == bytes([byte]) and here.end:
            yield TextReading(reading.state, (), At.BEHIND, size=1)

    def _begin_name(self, reading: TextReading, byte: int) -> Iterator[TextReading]:
        begun = reading._replace(text=bytes([byte]))
        if byte in IDENTIFIER and not chr(byte).isdigit() and self.aliases.may_begin(begun):
            yield begun

    def _in_name(self, reading: TextReading, byte: int) -> Iterator[TextReading]:
        if byte in IDENTIFIER:
            longer = reading._replace(text=reading.text + bytes([byte]))
            if self.aliases.may_begin(longer):
                yield longer
        elif byte == _POINT:
            slot, names = self.aliases.slot(reading)
            able = slot >= 0 and reading.owner < 0 and not reading.free
            if able and self.boundaries.at(reading.state).leads(self.spelling.columns[slot]):
                yield TextReading(reading.state, names, self.spelling.columns[slot])
        elif may_touch(Ending.NAME, byte):
            yield from self.step(self.ended(reading), byte)

    def _in_text(self, reading: TextReading, byte: int) -> Iterator[TextReading]:
        if not self.boundaries.at(reading.state).text:
            return
        if byte == _QUOTE and not reading.text:
            yield reading._replace(at=At.QUOTED)
            return
        text = reading.text + bytes([byte])
        whole = complete_character(text, backslash=self.backslash)
        if whole is None or reading.size >= MAX_TEXT:
            return
        yield reading._replace(text=b"" if whole else text, size=reading.size + whole)

    # ---- where a word ends

    def ended(self, reading: TextReading) -> tuple[TextReading, ...]:
        """Return the readings in which the word that is being written has ended."""
        names, words = reading.names, tuple[int, ...]()
        match reading.at:
            case At.NAME:
                slot, names = self.aliases.slot(reading)
                spelled = self.spelling
                ways = (spelled.slots, spelled.bare) if reading.owner < 0 else (spelled.inner[reading.owner],)
                words = tuple(of[slot] for of in ways if slot >= 0)
            case At.QUOTED:
                words = (self.spelling.free,) if self.spelling.free is not None else ()
            case node if node >= 0:
                words = self.lexicon.ends[node]
            case _:
                pass
        return tuple(self._behind(reading, names, word) for word in words if reading.state.admits(word))

    def _behind(self, reading: TextReading, names: tuple[str, ...], word: int) -> TextReading:
        after = self.boundaries.advance(reading.state, word)
        free = word == self.spelling.declaring or after.defines
        return TextReading(after, names, ending=self.lexicon.ending.get(word, Ending.NAME), free=free)

    def complete(self, readings: Iterable[TextReading]) -> bool:
        """Say whether the text may end here."""
        for reading in readings:
            if reading.at == At.BEHIND:
                if reading.size == len(self.behind):
                    return True
            elif not self.behind:
                gaps = (reading,) if reading.at == At.GAP else self.ended(reading)
                if any(gap.ending != Ending.CALL and self.boundaries.at(gap.state).end for gap in gaps):
                    return True
        return False
