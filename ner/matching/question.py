"""A question as the index reads it: its words, its quoted strings, its runs of words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..index.keys import IndexWord, is_cjk, key_of, question_words
from ..words import STOP_CJK, STOP_WORDS
from .quotes import quoted_spans
from .schema_words import SchemaWords

__all__ = ["QuestionRuns", "Run"]

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
