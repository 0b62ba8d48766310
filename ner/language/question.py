"""A question, tokenised once for all readers: its units, words and quotes, its numbers and times.

A question must not be empty, as long as a document, or broken text: see `validated_question`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...data.errors import InputError
from ...data.values import literals
from ...data.values.slots import ValueMention
from .words import FUNCTION_WORDS_CJK, STOP_CJK, STOP_WORDS, Unit, fold, is_cjk, key_of, stem, units

_LONG = 120  # characters of a text in quotes, as of the longest cell; the bound keeps the search linear
_QUOTED = re.compile(
    "|".join(
        (
            rf"``(?!'')([^\n]{{1,{_LONG}}}?)''",
            rf"(?<![^\W_])'(?!')(.{{1,{_LONG}}}?)'(?![^\W_])",  # an apostrophe inside a word opens and closes no string
            rf"‘([^’]{{1,{_LONG}}})’(?![^\W_])",
            rf"”([^“”]{{1,{_LONG}}})”",  # as some write both quotes
            *(rf"{a}([^{b}]{{1,{_LONG}}}){b}" for a, b in ("“”", "«»", "「」", "『』", "《》", '""', "``")),
        )
    ),
    re.DOTALL,
)
_MAX_WORDS = 40  # of one value
_SENTENCE_ENDS = re.compile(r"[.?!:;]\s*$")


@dataclass(frozen=True)
class FoldedWord(Unit):
    """A unit that may be part of a value: a CJK character, a run of letters or of digits.

    Attributes:
        key: folded.
        opens: nothing that is part of the same word touches it on the left.
        closes: likewise on the right.
    """

    key: str
    opens: bool
    closes: bool

    @property
    def capital(self) -> bool:
        """Begins with a capital letter."""
        return self.text[0].isupper()


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


@dataclass(frozen=True)
class QuestionText:
    """A question in a language; each of its properties is computed once, at first use.

    A run of words is *marked* if quotes or capitals suggest that it is a name.

    Attributes:
        text: the text, unchanged.
        language: ``en`` and ``zh`` read ``8/12/2013`` month first, other languages day first.
    """

    text: str
    language: str = "en"

    @classmethod
    def of(cls, question: str | QuestionText, language: str = "en") -> QuestionText:
        """Return a question as it is, a text as a question in a language."""
        return question if isinstance(question, QuestionText) else cls(question, language)

    @cached_property
    def units(self) -> list[Unit]:
        """Return its units, in order."""
        return units(self.text)

    @cached_property
    def stems(self) -> list[str]:
        """Return the stems of its units."""
        return [stem(unit.text) for unit in self.units]

    @cached_property
    def has_cjk(self) -> bool:
        """Does it hold Chinese, Japanese or Korean characters?"""
        return any(is_cjk(unit.text) for unit in self.units)

    @cached_property
    def function_words(self) -> list[tuple[int, int]]:
        """Return (start, end) of its Chinese function words, of those that begin at one place the longest.

        >>> QuestionText("有哪些仓库").function_words
        [(0, 1), (1, 3)]
        """
        return [match.span() for match in FUNCTION_WORDS_CJK.finditer(self.text)]

    @cached_property
    def words(self) -> list[FoldedWord]:
        """Return those units that are words, in order."""
        text, found = self.text, list[FoldedWord]()
        for unit in self.units:
            if unit.text[0].isalnum() or is_cjk(unit.text):
                sides = [text[unit.start - 1 : unit.start] if unit.start else "", text[unit.end : unit.end + 1]]
                free = is_cjk(unit.text)
                opens, closes = (free or not (one.isalnum() or one == "_") or is_cjk(one) for one in sides)
                found.append(FoldedWord(unit.text, unit.start, unit.end, fold(unit.text), opens, closes))
        return found

    @cached_property
    def quotes(self) -> list[tuple[int, int]]:
        """Return (start, end) of what stands in quotes, the quotes left out.

        >>> question = QuestionText("«Jaws» or 'Schindler's List'")
        >>> [question.text[start:end] for start, end in question.quotes]
        ['Jaws', "Schindler's List"]
        """
        return [match.span(match.lastindex or 0) for match in _QUOTED.finditer(self.text)]

    @cached_property
    def literals(self) -> list[ValueMention]:
        """Return its numbers and times that need no clock, in order, none overlapping."""
        return literals.find(self.text, language=self.language)

    def runs(self, longest: int) -> Iterator[Run]:
        """Yield every run of whole words that a value may be, shorter ones first from each word on."""
        for first, word in enumerate(self.words):
            if word.opens:
                for last in range(first + 1, min(len(self.words), first + min(longest, _MAX_WORDS)) + 1):
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
        """Does a sentence begin with this word, so that its capital is no evidence?"""
        before = self.text[: self.words[first].start].rstrip("\"'“‘ ")
        return not before or _SENTENCE_ENDS.search(before) is not None

    def marked(self, run: Run) -> bool:
        """Do quotes or capitals mark it as a name?"""
        if self.is_quoted(run.start, run.end):
            return True
        return not self._shouted and any(
            self.words[n].capital and not self.opens_sentence(n) for n in range(run.first, run.last)
        )

    @cached_property
    def _shouted(self) -> bool:
        capitals = sum(word.capital for word in self.words)
        return capitals > 3 and capitals > 0.7 * sum(word.text.isalpha() for word in self.words)


def are_stop_words(keys: Sequence[str]) -> bool:
    """Are these words that are hardly ever values?"""
    if is_cjk(keys[0]):
        return "".join(keys) in STOP_CJK or all(key in STOP_CJK for key in keys)
    return all(key in STOP_WORDS for key in keys)


MAX_CHARACTERS = 2000
"""The greatest length of a question; a longer text is a pasted document."""


def validated_question(text: str, *, field: str = "question") -> str:
    """Return a question, or the evidence given with it, without leading and trailing white space.

    Args:
        field: the name of the field.

    Raises:
        InputError: the text is too long, has lone surrogates, which bytes that are not UTF-8 leave, or is an empty
            question.
    """
    text = text.strip()
    if not text and field == "question":
        raise InputError("the question is empty", field=field, hint="write one in plain words")
    if len(text) > MAX_CHARACTERS:
        problem = f"the {field} has {len(text)} characters; {MAX_CHARACTERS} are the most"
        raise InputError(problem, field=field, hint="ask for one thing in a sentence or two")
    if half := next((sign for sign in text if "\ud800" <= sign <= "\udfff"), None):
        problem = f"the {field} is no text: {ascii(half)[1:-1]} is half a character"
        raise InputError(problem, field=field, hint="write it in UTF-8")
    return text
