"""What a question says by itself: numbers, times, months, quoted strings, capitalised runs."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from ...data.values import literals
from ...data.values.amounts import amounts, in_metres
from ...data.values.numerals import ENGLISH_ORDINALS
from ..index.found import FoundValue
from .question import QuestionRuns

__all__ = ["capitals", "months", "numbers", "quoted"]

_JOINED = frozenset(
    re.findall(r"\w+", "of the a an to on at with as de la le du van von der and for in by")
)  # inside a name, never at its ends
_BROKEN = re.compile(r"[^\s'’&.-]|[.?!]\s")  # between words that make no name together
_SAID = re.compile(
    r"\b(?:contain(?:s|ed|ing)?|includ(?:es?|ing)|substrings?|(?:start|begin|end)(?:s|ning|ing)? (?:with|in)|letters?"
    r"|words?|phrase|prefix|suffix|like)\s+(?:(?:is|are|of|by|a|an|the|with|letter|word|phrase|substring|string)\s+)*"
    r"([^\W_]+)",
    re.IGNORECASE,
)

_MONTHS = tuple(month_name[1:])
_MONTH = {
    # «may» is mostly no month
    "en": re.compile(rf"\b(?:(?i:{'|'.join(m for m in _MONTHS if m != 'May')})|May)\b(?!\s+\d)"),
    "zh": re.compile(r"(?<![\d年一二三四五六七八九十个])(1[0-2]|[1-9])月(?:份)?(?!\d)"),
}
_DAY = re.compile(r"\d(?:st|nd|rd|th)?(?:\s+of)?\s*$", re.IGNORECASE)  # «the 8th of» stands before March


def numbers(question: QuestionRuns, language: str, now: datetime | None = None) -> list[FoundValue]:
    """Return the numbers and times, as SQL writes them."""
    found = [
        FoundValue(m.start, m.end, m.text, m.sql, "time" if m.type == "time" else "number", "literal", (), 0.9)
        for m in literals.find(question.text, language=language, now=now)
    ]
    for start, end, value in amounts(question.text):
        if not any(f.kind == "time" and f.start < end and start < f.end for f in found):
            found = [f for f in found if f.end <= start or end <= f.start]
            found.append(FoundValue(start, end, question.text[start:end], value, "number", "literal", (), 0.9))
    for number in [f for f in found if f.kind == "number"]:
        if metres := in_metres(question.text, number.start, number.end, number.value):
            start, end, value = metres
            found.append(FoundValue(start, end, question.text[start:end], value, "number", "literal", (), 0.3))
    plain = {f.value for f in found if not _is_ordinal(question.text, f)}
    found = [replace(f, ordinal=f.value not in plain) for f in found]  # each once: of «3rd» and «3» none says which one
    return [f for f in found if not question.is_quoted(f.start, f.end) or (f.start, f.end) in question.quotes]


def _is_ordinal(text: str, number: FoundValue) -> bool:
    """Does a number say which one: «third», «3rd», 第三?"""
    last = re.split(r"[\s-]", number.text.lower())[-1]
    behind = text[number.end : number.end + 3].lower()
    return (
        last in ENGLISH_ORDINALS
        or (behind[:2] in {"st", "nd", "rd", "th"} and not behind[2:].isalpha())
        or text[: number.start].rstrip().endswith("第")
    )


def months(question: QuestionRuns, language: str) -> Iterator[FoundValue]:
    """Yield months without year or day, as what dates that fall into them contain: «-03-»."""
    for match in _MONTH[language].finditer(question.text) if language in _MONTH else ():
        if _DAY.search(question.text, 0, match.start()) or question.is_quoted(*match.span()):
            continue
        number = int(match[1]) if language == "zh" else _MONTHS.index(match[0].capitalize()) + 1
        yield FoundValue(*match.span(), match[0], f"-{number:02}-", "time", "literal", (), 0.6)


def quoted(question: QuestionRuns, cells: Sequence[FoundValue]) -> list[FoundValue]:
    """Return every quoted string, as the cells that it is or else as it stands."""
    found: list[FoundValue] = []
    for start, end in question.quotes:
        text = question.text[start:end].strip()
        own = [
            replace(cell, kind="quoted")
            for cell in cells
            if start <= cell.start and cell.end <= end and cell.text.strip() == text.strip(".,?! ")
        ]
        found += own
        if text and not any(cell.how == "exact" for cell in own):
            found.append(FoundValue(start, end, text, text, "quoted", "literal", (), 0.7 if own else 0.95))
    return found


def capitals(question: QuestionRuns) -> Iterator[FoundValue]:
    """Yield runs of capitalised words, those of two or three word by word, too, and what «contains …» says."""
    first = 0
    while first < len(question.words):
        last = _run_from(question, first)
        while first < last and _says_nothing(question, first):
            first += 1
        if first < last:
            yield from _named(question, first, last, 0.35)
            if 1 < last - first <= 3:  # a first and a last name stand in columns of their own
                for n in range(first, last):
                    if not question.stopped([question.words[n].key]):
                        yield from _named(question, n, n + 1, 0.25)
        first = max(last, first + 1)
    for match in _SAID.finditer(question.text):
        start, end = match.span(1)
        letter = len(match[1]) == 1 and "letter" in match[0].lower()
        if not question.is_quoted(start, end) and (letter or not question.stopped([match[1].lower()])):
            yield FoundValue(start, end, match[1], match[1], "text", "literal", (), 0.4)


def _run_from(question: QuestionRuns, first: int) -> int:
    """Return the end of the run of capitalised words that begins here."""
    words, last = question.words, first
    if not words[first].capital or not words[first].opens:
        return first
    while last < len(words) and (words[last].capital or words[last].key in _JOINED or words[last].text.isdigit()):
        if last > first and _BROKEN.search(question.text[words[last - 1].end : words[last].start]):
            break
        last += 1
    while last > first and not (words[last - 1].capital and words[last - 1].closes):
        last -= 1
    return last


def _says_nothing(question: QuestionRuns, first: int) -> bool:
    """A question's first word has a capital whatever it is, and so has «How» in the middle; «IT» means something."""
    word = question.words[first]
    if question.opens_sentence(first):
        return not (word.text.isupper() and len(word.text) > 1)
    return question.stopped([word.key]) and (not word.text.isupper() or word.text == "I")


def _named(question: QuestionRuns, first: int, last: int, score: float) -> Iterator[FoundValue]:
    run = question.run(first, last)
    if not question.is_quoted(run.start, run.end):
        weak = 0.1 if question.names_schema(run.keys) else 0.0
        yield FoundValue(run.start, run.end, run.text, run.text, "text", "literal", (), score - weak)
