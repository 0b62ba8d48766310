"""What a Chinese question says that names contain, begin or end with, and surnames; even one character counts here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..index.found import FoundValue
from .question import QuestionRuns

__all__ = ["fragments"]

_HAN = "\u3400-\u9fff"
_CLOSED = rf"(?=字?(?:的|或|和|且|但|[^{_HAN}]|$))"
_EDGE = "(?:开头|打头|开始|起首|结尾|结束|收尾)"
_SAID = tuple(
    re.compile(pattern)
    for pattern in (
        rf"姓(?![名氏什何])(?P<said>[{_HAN}]{{1,2}}?){_CLOSED}",
        rf"(?:包含|包括|含有|带有|含|带)(?P<said>[{_HAN}]){_CLOSED}",
        rf"以(?P<said>[^，。？、；的以]{{1,8}}?)字?为?{_EDGE}",
        rf"(?P<said>[{_HAN}])字{_EDGE}",
        rf"{_EDGE}(?:是|为)(?P<said>[{_HAN}A-Za-z0-9]{{1,8}}?){_CLOSED}",
    )
)


def fragments(question: QuestionRuns) -> Iterator[FoundValue]:
    """Yield the words and signs that names are said to have, each once."""
    seen: set[tuple[int, int]] = set()
    for pattern in _SAID:
        for match in pattern.finditer(question.text):
            start, end = match.span("said")
            if (start, end) not in seen and not question.is_quoted(start, end):
                seen.add((start, end))
                yield FoundValue(start, end, match["said"], match["said"], "text", "literal", (), 0.4)
