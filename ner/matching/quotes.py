"""Texts in quotes of a question, found in time that grows as the question does."""

from __future__ import annotations

import re

__all__ = ["quoted_spans"]

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
