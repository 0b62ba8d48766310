"""The short form of queries: a join's ON is left out where foreign keys imply it; a table's second use is one word.

    SELECT Artist.Name FROM Album JOIN Artist ON Album.ArtistId = Artist.ArtistId
    SELECT Artist.Name FROM Album JOIN Artist

    SELECT Staff_2.Name FROM Staff JOIN Staff AS Staff_2 ON Staff.Boss = Staff_2.Id WHERE Staff.Name = 'Ann'
    SELECT Staff_2.Name FROM Staff JOIN Staff_2 WHERE Staff.Name = 'Ann'

As Herzig et al. 2021 («Unlocking Compositional Generalization in Pre-trained Models Using Intermediate
Representations») make what a network writes shorter, and reversible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...data.schema.later_uses import used_again
from ...data.schema.schema import Schema, Table
from ...grammar import Grammar
from .words import OUTPUTS, Words, derived_words


@dataclass(frozen=True)
class Use:
    """A source of a FROM: its name in the query, and its table, empty for a derived table."""

    name: str
    table: str


@dataclass(frozen=True)
class JoinKey:
    """A foreign key between an earlier and a new source: pairs of columns, and whether the earlier one refers."""

    columns: tuple[tuple[str, str], ...]
    earlier_refers: bool


_Link = tuple[Use, JoinKey]
"""The earlier source that a new one is joined with, and the key."""

_Reference = tuple[str, str, tuple[str, ...]]
"""A referring use, the table that it refers to, and its columns."""


class Keys:
    """The foreign keys of one schema, in both directions."""

    def __init__(self, grammar: Grammar) -> None:
        self._write = grammar.quoting.write
        self._terminals = {text: terminal for terminal, text in grammar.tables.texts.items()}
        self._keys: dict[tuple[str, str], list[JoinKey]] = {}
        for one, other, key in links(grammar.schema):
            self._keys.setdefault((one, other), []).append(key)
        again = ((self._write(name), use.key) for name, use in used_again(grammar.schema).items())
        self._referred = {name: key.columns[0].lower() for name, key in again if key is not None}
        """The columns by which rows refer to later uses of their table, where that has several keys into itself."""

    def implied(self, earlier: Sequence[Use], new: Use) -> Words:
        """Return the implied ON of a new source, empty if no key links it to earlier ones.

        Of several keys the first counts: by the position of the earlier source, the latest first, then in the order of
        the schema. Each row follows a key once: the second use of an airport is the destination of a flight if the
        first is its origin. So of several uses of an earlier table the first counts whose key is not followed yet. A
        later use that belongs to one of its table's keys is referred to by that key.
        """
        followed: set[_Reference] = set()
        for place, use in enumerate(earlier):
            if link := self._link(earlier[:place], use, followed):
                followed.add(_reference(link, use))
        link = self._link(earlier, new, followed)
        return tuple(self._condition(link, new)) if link else ()

    def _link(self, earlier: Sequence[Use], new: Use, followed: Collection[_Reference]) -> _Link | None:
        links = [(use, key) for use in _nearest(earlier) for key in self._between(use, new)]
        free = (link for link in links if _reference(link, new) not in followed)
        return next(free, links[0] if links else None)

    def _between(self, use: Use, new: Use) -> Sequence[JoinKey]:
        keys, column = self._keys.get((use.table, new.table), ()), self._referred.get(new.name)
        if use.table != new.table or column is None:
            return keys
        return [key for key in keys if key.earlier_refers and [one.lower() for one, _ in key.columns] == [column]]

    def _condition(self, link: _Link, new: Use) -> Iterator[tuple[str, str]]:
        use, key = link
        for number, (one, other) in enumerate(key.columns):
            for text in ("AND" if number else "ON", f"{use.name}.{self._write(one)}", "="):
                yield text, self._terminals.get(text, "QCOLUMN")
            yield f"{new.name}.{self._write(other)}", "QCOLUMN"


def _nearest(sources: Sequence[Use]) -> list[Use]:
    """Return sources by their tables, the table used last first, and the uses of one table in order."""
    latest = {use.table: place for place, use in enumerate(sources)}
    return sorted(sources, key=lambda use: -latest[use.table])


def _reference(link: _Link, new: Use) -> _Reference:
    """Return the reference that a link follows."""
    use, key = link
    if key.earlier_refers:
        return use.name, new.table, tuple(one for one, _ in key.columns)
    return new.name, use.table, tuple(other for _, other in key.columns)


def links(schema: Schema) -> Iterator[tuple[str, str, JoinKey]]:
    """Yield each foreign key in both directions with its tables, without keys to missing tables or columns."""
    for table in schema.tables:
        for key in table.foreign_keys:
            other = schema.by_name.get(key.table)
            if other is None:
                continue
            mine = _spelled(table, key.columns)
            theirs = _spelled(other, key.references or other.primary_key)
            if mine and len(mine) == len(theirs):
                yield table.name, other.name, JoinKey(_in_order(table, mine, theirs), earlier_refers=True)
                yield other.name, table.name, JoinKey(_in_order(other, theirs, mine), earlier_refers=False)


def _spelled(table: Table, columns: Sequence[str]) -> list[str]:
    """Return columns in the spelling of the schema, empty if one is missing."""
    known = [table.by_name.get(name) for name in columns]
    return [column.name for column in known if column is not None] if None not in known else []


def _in_order(table: Table, mine: Sequence[str], theirs: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return pairs of columns in the order of the normal form: by the earlier table's column."""
    ranks = {column.name: rank for rank, column in enumerate(table.columns)}
    return tuple(sorted(zip(mine, theirs, strict=True), key=lambda pair: ranks[pair[0]]))


Stage = Literal["", "crossed", "cast", "from", "join", "source", "derived", "joined"]
"""The kind of the last word: CROSS, CAST, FROM or a comma, a JOIN with an ON, a source, a derived table
without a name yet, the same after a JOIN with an ON, or any other word (empty)."""


@dataclass(frozen=True)
class Level:
    """An open bracket, or the whole query.

    Attributes:
        sources: the sources of its SELECT so far.
        cast: whether it is the bracket of CAST.
        derived: whether it is a derived table, after a JOIN with an ON if `joined`.
        outputs: the output names of a derived table so far; None after its FROM, and for other brackets.
    """

    sources: tuple[Use, ...] = ()
    cast: bool = False
    derived: bool = False
    joined: bool = False
    outputs: frozenset[str] | None = None


@dataclass(frozen=True)
class FormPosition:
    """The immutable position after some words of a query.

    Attributes:
        levels: the query and its open brackets.
        stage: the kind of the last word.
        joining: whether the last source follows a JOIN with an ON.
        naming: whether the last word is AS.
    """

    levels: tuple[Level, ...] = (Level(),)
    stage: Stage = ""
    joining: bool = False
    naming: bool = False

    @property
    def open(self) -> bool:
        """Say whether ON may come next, or is implied."""
        return self.joining and self.stage == "source"

    @property
    def sources(self) -> tuple[Use, ...]:
        """Return the sources of the innermost SELECT, in order."""
        return self.levels[-1].sources

    @property
    def settled(self) -> FormPosition:
        """Return the position after an implied ON."""
        return FormPosition(self.levels)

    def after(self, text: str, table: str | None, named: Literal["", "output", "derived"] = "") -> FormPosition:
        """Return the position after one more word.

        Args:
            table: the table that the word is a use of, None for other words.
            named: whether the word names an output or a derived table.
        """
        if table is not None:
            return FormPosition(self._with(sources=(*self.sources, Use(text, table))), "source", self.stage == "join")
        if named == "output":
            return FormPosition(self._with(outputs=(self.levels[-1].outputs or frozenset()) | {text}))
        if named:
            return FormPosition(self._with(sources=(*self.sources, Use(text, ""))), "source", self.stage == "joined")
        return FormPosition(self._levels(text), self._stage(text), naming=text == "AS")

    def _levels(self, text: str) -> tuple[Level, ...]:
        match text:
            case "(":
                derived = self.stage in {"from", "join"}
                opened = Level(
                    (), self.stage == "cast", derived, self.stage == "join", frozenset() if derived else None
                )
                return (*self.levels, opened)
            case ")":
                return self.levels[:-1] or (Level(),)  # without the constraint a bracket may close that none opened
            case "SELECT":
                return self._with(sources=())
            case "FROM":
                return self._with(outputs=None)
            case _:
                return self.levels

    def _stage(self, text: str) -> Stage:
        if text == "FROM" or (text == "," and self.stage == "source"):
            return "from"
        if text == "JOIN":
            return "from" if self.stage == "crossed" else "join"
        if text == "CROSS":
            return "crossed"
        if text == ")" and self.levels[-1].derived:
            return "joined" if self.levels[-1].joined else "derived"
        return "cast" if text == "CAST" else self.stage if text == "AS" else ""

    def _with(self, **changed: Any) -> tuple[Level, ...]:
        return (*self.levels[:-1], replace(self.levels[-1], **changed))


_BEHIND_ON = frozenset(
    {"JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"}
    | {"UNION", "INTERSECT", "EXCEPT", ",", ")"}
)
"""The words that end a condition of ON."""

_KEPT = frozenset({"ON", "USING", "AS"})
"""The words behind a source before which no ON is implied."""


class ShortForm:
    """Turns the words of normal forms into short forms, and back; `expand` undoes `shorten`."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.keys = Keys(grammar)
        again = used_again(grammar.schema)
        write = grammar.quoting.write
        named = [word[:2] for word in derived_words(grammar.schema) if word[1] == "ALIAS"]
        self.outputs, self.derived = named[:OUTPUTS], named[OUTPUTS:]
        """The names of what derived tables show, and of derived tables, in order."""
        self._named: dict[tuple[str, str], Literal["output", "derived"]] = {
            **dict.fromkeys(self.outputs, "output"),
            **dict.fromkeys(self.derived, "derived"),
        }
        self._tables = {write(table): table.name for table in grammar.schema.tables}
        self._again = {write(name): (use.table, write(grammar.schema.table(use.table))) for name, use in again.items()}

    def words(self, normal: str) -> Words:
        """Return the short form of a query in normal form.

        Raises:
            QueryError: the query is outside the grammar.
        """
        return self.shorten([(token.text, token.terminal) for token in self.grammar.tokenize(normal)])

    def sql(self, words: Iterable[tuple[str, str]]) -> str:
        """Return the full query that words of a short form stand for."""
        return self.grammar.spell(self.expand(words))

    def after(self, place: FormPosition, word: tuple[str, str]) -> FormPosition:
        """Return the place behind one more word."""
        return place.after(word[0], self.used(word), self._named.get(word, ""))

    def used(self, word: tuple[str, str]) -> str | None:
        """Return the table that a word is a use of, the first or a later one; None of all others."""
        text, terminal = word
        if terminal == "ALIAS" and text in self._again:
            return self._again[text][0]
        return self._tables.get(text) if terminal == "TABLE" else None

    def implied(self, place: FormPosition) -> Words:
        """Return the implied ON of the last source, empty if there is none."""
        return self.keys.implied(place.sources[:-1], place.sources[-1]) if place.open else ()

    def shorten(self, words: Sequence[tuple[str, str]]) -> Words:
        """Return words without each ON that is implied, and without the table before the name of its later use."""
        short: list[tuple[str, str]] = []
        place, position = FormPosition(), 0
        while position < len(words):
            if self._is_again(words[position : position + 3]):
                position += 2
            short.append(words[position])
            place = self.after(place, words[position])
            position += 1
            implied = self.implied(place)
            end = position + len(implied)
            if implied and tuple(words[position:end]) == implied and _ends(words, end):
                place, position = place.settled, end
        return tuple(short)

    def _is_again(self, words: Sequence[tuple[str, str]]) -> bool:
        """Are these a table, AS, and the name of a later use of it?"""
        if len(words) < 3 or words[2][1] != "ALIAS" or words[0][1] != "TABLE":
            return False
        return self._again.get(words[2][0], ("", ""))[1] == words[0][0]

    def in_full(self, word: tuple[str, str]) -> Words:
        """Return the full words of a word in short form: three words for the later use of a table."""
        if word[1] != "ALIAS" or word[0] not in self._again:
            return (word,)
        return (self._again[word[0]][1], "TABLE"), ("AS", "AS"), word

    def expand(self, words: Iterable[tuple[str, str]]) -> Words:
        """Return words with each implied ON, and with the table before the name of its later use."""
        full: list[tuple[str, str]] = []
        place = FormPosition()
        for word in words:
            if place.open and word[0] not in _KEPT:
                full += self.implied(place)
                place = place.settled
            full += self.in_full(word)
            place = self.after(place, word)
        return (*full, *self.implied(place))


def _ends(words: Sequence[tuple[str, str]], position: int) -> bool:
    return position == len(words) or words[position][0] in _BEHIND_ON
