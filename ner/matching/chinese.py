"""What is left of a Chinese question when its function words and the schema's names are taken out.

Chinese has neither blanks nor capitals, so a name that no cell holds can only be seen by what stands around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from ..index.found import FoundValue
from ..index.keys import is_cjk
from ..words import FUNCTION_WORDS
from .people import people
from .question import QuestionRuns

__all__ = ["Pieces"]

_WEAK = frozenset("他她它那过去看买吃用吧也很最各每叫跟让给而且又只为与")
"""Function words that stand inside of names, too: a name may go on behind them."""

_HAN = "\u3400-\u9fff"
# no end of a name: a remark in brackets, a letter in the middle
_INSIDE = rf"(?<=[{_HAN}])(?:[(（\[【〔][{_HAN}A-Za-z0-9]{{1,12}}[)）\]】〕]|[A-Za-z]\d{{0,3}}(?=[{_HAN}]))"
_HEADS = "其该某此并将曾已像均"  # stand before a name and are no part of it
# behind digits: what they count («5个马拉松», «2019年西城区»), or where («2019-03-01内»)
_COUNTED = re.compile(
    r"(?<=\d)(?:[万千百亿]*(?:平方)?(?:公里|千米|千克|公斤|米|元|块|岁|年|月|日|号|个|位|名|家|种|条|项|部|本|集|台|件|届|次|天|款)"
    r"|[万千百亿]+)"
)
_PLACED = re.compile(r"(?<=[^\u3400-\u9fff])(?:中(?!国)|内(?!蒙)|里(?!约)|间|前|后|时)")
_TAILS = "均都也还就共"  # likewise behind one
_LEAST, _MOST, _JOINED = 2, 16, 12  # characters of a piece, and of one that goes on behind a weak word
_PIECES = 6  # of one question
_BEFORE = re.compile(r"(?:在|从|到|是|叫|于|来自|属于|包含|含有|由|用|去|看|对|为)$")
_AFTER = re.compile(r"^(?:的|有|是|在|这)")


class Pieces:
    """Finds the pieces between function words and one schema's names."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = {name for name in names if len(name) > 1}

    def find(self, question: QuestionRuns) -> Iterator[FoundValue]:
        """Yield pieces of Chinese text that may be names, those with a likely neighbour before the others."""
        if not any(is_cjk(word.text) for word in question.words):
            return
        text = question.text
        gaps = list(self._between.finditer(text))
        ends = frozenset(gap.start() for gap in gaps if gap.lastgroup != "inside")
        named = [span for span in people(text, ends) if not question.is_quoted(*span)]
        rest = [span for span in self._spans(text, gaps) if not any(_holds(span, name) for name in named)]
        rest = [span for span in rest if not (question.is_quoted(*span) or question.names_schema([text[slice(*span)]]))]
        rest.sort(key=lambda span: (not _likely(text, *span), span))
        for start, end in [*named, *rest][:_PIECES]:
            said = text[start:end]
            score = 0.3 if (start, end) in named or _likely(text, start, end) else 0.22
            yield FoundValue(start, end, said, said, "text", "literal", (), score)

    @cached_property
    def _between(self) -> re.Pattern[str]:
        words = sorted({*FUNCTION_WORDS, *self._names}, key=len, reverse=True)
        return re.compile(rf"(?P<inside>{_INSIDE})|(?P<word>{'|'.join(map(re.escape, words))})|[^{_HAN}]+|$")

    def _spans(self, text: str, gaps: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
        """Yield every piece, and those that go on behind weak words."""
        position = begun = 0  # of the piece, of the run of pieces with only weak words between
        for gap in gaps:
            if gap.lastgroup == "inside" and position < gap.start():
                continue
            piece = _trimmed(text, position, gap.start())
            if piece is not None:
                yield piece
                yield from self._without_class(text, *piece)
                if gap[0] in self._names:  # «公立小学» in a database of 小学
                    yield piece[0], gap.end()
            position = gap.end()
            if gap[0] not in _WEAK:
                whole = _trimmed(text, begun, gap.start())
                if whole is not None and whole != piece and whole[1] - whole[0] <= _JOINED:
                    yield whole
                begun = gap.end()

    def _without_class(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield what stands before words of the schema's names: «海尔» of «海尔品牌»."""
        for middle in range(start + _LEAST, end - 1):
            if any(text[middle:end] in name for name in self._names):
                yield start, middle
                return


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return a piece without the function words that are told by their place; None where too little is left."""
    if behind := _COUNTED.match(text, start, end) or _PLACED.match(text, start, end):
        start = behind.end()
    while start < end and text[start] in _HEADS:
        start += 1
    while start < end and text[end - 1] in _TAILS:
        end -= 1
    return (start, end) if _LEAST <= end - start <= _MOST else None


def _holds(span: tuple[int, int], name: tuple[int, int]) -> bool:
    """Does a piece have a person's name in it?"""
    return span[0] <= name[0] and name[1] <= span[1]


def _likely(text: str, start: int, end: int) -> bool:
    """Do the words beside it mostly stand beside names?"""
    return _BEFORE.search(text[:start]) is not None or _AFTER.search(text[end:]) is not None
