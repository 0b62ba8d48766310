"""A question as the index reads it: its words, its quoted strings, its runs of words; and the words of a schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...data.schema.schema import Schema
from ..language.keys import IndexWord, fold, is_cjk, key_of, question_words, words_of
from ..language.words import STOP_CJK, STOP_WORDS

__all__ = ["QuestionRuns", "Run", "SchemaWords", "forms_of", "quoted_spans"]

_CLOSERS = {
    **{"“": "”", "«": "»", "「": "」", "『": "』", "《": "》", "‘": "’", '"': '"', "'": "'", "`": "`"},
    **{"”": "”", "``": "''"},
}
_OPENS = re.compile(r"``|(?<![^\W_])'|[\"“”«「『《‘`]")  # an apostrophe inside a word opens no string
_ENDED = r"(?![^\W_])"  # nor closes one
_CURLY = re.compile(rf"’{_ENDED}")
_CLOSING = {sign: re.compile(sign) for sign in (*_CLOSERS.values(), "“", "\n")} | {"'": re.compile(rf"'{_ENDED}")}


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of what stands in quotes, the quotes left out.

    >>> [text[start:end] for text in ("«Jaws» or 'Schindler's List'",) for start, end in quoted_spans(text)]
    ['Jaws', "Schindler's List"]
    """
    found: list[tuple[int, int]] = []
    quotes, at = _Quotes(text), 0
    while opening := _OPENS.search(text, at):
        at = opening.start() + 1
        for sign in (opening[0], opening[0][0]):  # where two backticks open nothing, the first may
            if (end := quotes.closed(sign, opening.start() + len(sign))) is not None:
                found.append((opening.start() + len(sign), end))
                at = end + len(_CLOSERS[sign])
                break
    return found


class _Quotes:
    """Knows where the next sign of each kind stands, so that none is looked for twice."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next: dict[str, int] = {}

    def closed(self, opening: str, start: int) -> int | None:
        """Return where the text ends that begins behind an opening quote; None where it does not, or is empty."""
        end = self._at(_CLOSERS[opening], start)
        fine = start < end < len(self._text)
        if opening == "'":
            fine &= not self._text.startswith("'", start)
        elif opening == "‘":
            fine &= _CURLY.match(self._text, end) is not None
        elif opening == "”":  # as some write both quotes
            fine &= self._at("“", start) > end
        elif opening == "``":
            fine &= self._at("\n", start) > end
        return end if fine else None

    def _at(self, sign: str, start: int) -> int:
        """Return where a sign stands from a place on, the text's length if nowhere; places only grow."""
        if self._next.get(sign, -1) < start:
            found = _CLOSING[sign].search(self._text, start)
            self._next[sign] = len(self._text) if found is None else found.start()
        return self._next[sign]


_MAX_WORDS = 40  # of one value
_SENTENCE_ENDS = re.compile(r"[.?!:;]\s*$")


@dataclass(frozen=True)
class Run:
    """Words ``first`` to ``last`` (one past the end) of a question; ``key`` is what cells are looked up by."""

    first: int
    last: int
    start: int
    end: int
    text: str
    keys: tuple[str, ...]
    key: str


class QuestionRuns:
    """A question with what its words look like; a run is *marked* where quotes or capitals say that it is a name."""

    def __init__(self, text: str, schema: SchemaWords) -> None:
        self.text = text
        self.words: list[IndexWord] = question_words(text)
        self.quotes = quoted_spans(text)
        self._schema = schema
        capitals = sum(word.capital for word in self.words)
        self._shouted = capitals > 3 and capitals > 0.7 * sum(word.text.isalpha() for word in self.words)

    def runs(self, longest: int) -> Iterator[Run]:
        """Yield every run of whole words that a value may be, shorter ones first from each word on."""
        most = min(longest, _MAX_WORDS)
        for first, word in enumerate(self.words):
            if word.opens:
                for last in range(first + 1, min(len(self.words), first + most) + 1):
                    if self.words[last - 1].closes:
                        yield self.run(first, last)

    def run(self, first: int, last: int) -> Run:
        """Return words ``first`` to ``last`` (one past the end)."""
        start, end = self.words[first].start, self.words[last - 1].end
        keys = tuple([word.key for word in self.words[first:last]])
        return Run(first, last, start, end, self.text[start:end], keys, key_of(keys))

    def is_quoted(self, start: int, end: int) -> bool:
        """Are these characters a quoted string, or inside one?"""
        return any(left <= start and end <= right for left, right in self.quotes)

    def opens_sentence(self, first: int) -> bool:
        """Does a sentence begin with this word, so that its capital says nothing?"""
        before = self.text[: self.words[first].start].rstrip("\"'“‘ ")
        return not before or _SENTENCE_ENDS.search(before) is not None

    def marked(self, run: Run) -> bool:
        """Do quotes or capitals say that this is a name?"""
        if self.is_quoted(run.start, run.end):
            return True
        capital = any(self.words[n].capital and not self.opens_sentence(n) for n in range(run.first, run.last))
        return capital and not self._shouted

    def stopped(self, keys: Sequence[str]) -> bool:
        """Are these words that are hardly ever values?"""
        if is_cjk(keys[0]):
            return "".join(keys) in STOP_CJK or all(key in STOP_CJK for key in keys)
        return all(key in STOP_WORDS for key in keys)

    def names_schema(self, keys: Sequence[str]) -> bool:
        """Are these words of the schema's own names?"""
        return self._schema.hold(list(keys))


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def forms_of(word: str) -> tuple[str, ...]:
    """Return the singulars and plurals that an English word may have.

    >>> forms_of("cities")
    ('city', 'citie')
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return ()
    if word.endswith("ies") and len(word) > 4:
        return (f"{word[:-3]}y", word[:-1])
    if word.endswith("es") and len(word) > 4:
        return (word[:-1], word[:-2])
    if word.endswith("s") and not word.endswith("ss"):
        return (word[:-1],)
    if word.endswith("y"):
        return (f"{word[:-1]}ies", f"{word}s")
    return (f"{word}s", f"{word}es")


class SchemaWords:
    """The words of tables' and columns' names, which questions mostly say for the table or column itself.

    Args:
        others: names that the schema does not have.
    """

    def __init__(self, schema: Schema, others: Iterable[str] = ()) -> None:
        named = (one for table in schema.tables for one in (table, *table.columns))
        names = dict.fromkeys([*others, *(name for one in named for name in (one.name, one.description))])
        self._joined = " ".join(dict.fromkeys(fold(name) for name in names if is_cjk(name)))
        words = {word for name in names for word in words_of(_CAMEL.sub(" ", name))}
        self._words = words | {form for word in words for form in forms_of(word)}

    def hold(self, keys: list[str]) -> bool:
        """Do names of the schema hold all these words?"""
        text = "".join(keys)
        return text in self._joined if is_cjk(text) else all(key in self._words for key in keys)
