"""The short form of queries: a join's ON is left out where foreign keys imply it.

    SELECT Artist.Name FROM Album JOIN Artist ON Album.ArtistId = Artist.ArtistId
    SELECT Artist.Name FROM Album JOIN Artist

As Herzig et al. 2021 («Unlocking Compositional Generalization in Pre-trained Models Using Intermediate
Representations») make what a network writes shorter, and reversible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...grammar import Grammar
from .keys import Keys, Words
from .place import FormPosition

__all__ = ["ShortForm"]

_BEHIND_ON = frozenset(
    {"JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"}
    | {"UNION", "INTERSECT", "EXCEPT", ",", ")"}
)
"""The words that end a condition of ON."""

_KEPT = frozenset({"ON", "USING"})


class ShortForm:
    """Turns the words of normal forms into short forms, and back; `expand` undoes `shorten`."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.keys = Keys(grammar)
        self._tables = {grammar.quoting.write(table): table.name for table in grammar.schema.tables}

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
        text, terminal = word
        return place.after(text, terminal, self._tables.get(text) if terminal == "TABLE" else None)

    def implied(self, place: FormPosition) -> Words:
        """Return the words from ON on that are implied for the source just written, none if ON is to be written."""
        return self.keys.implied(place.sources[:-1], place.sources[-1]) if place.open else ()

    def shorten(self, words: Sequence[tuple[str, str]]) -> Words:
        """Leave out each ON that is the implied one."""
        short: list[tuple[str, str]] = []
        place, position = FormPosition(), 0
        while position < len(words):
            short.append(words[position])
            place = self.after(place, words[position])
            position += 1
            implied = self.implied(place)
            end = position + len(implied)
            if implied and tuple(words[position:end]) == implied and _ends(words, end):
                place, position = place.settled, end
        return tuple(short)

    def expand(self, words: Iterable[tuple[str, str]]) -> Words:
        """Write each ON that is left out."""
        full: list[tuple[str, str]] = []
        place = FormPosition()
        for word in words:
            names_it = place.stage == "source" and (word[0] == "AS" or word[1] == "ALIAS")
            if place.open and not names_it and word[0] not in _KEPT:
                full += self.implied(place)
                place = place.settled
            full.append(word)
            place = self.after(place, word)
        return (*full, *self.implied(place))


def _ends(words: Sequence[tuple[str, str]], position: int) -> bool:
    return position == len(words) or words[position][0] in _BEHIND_ON
