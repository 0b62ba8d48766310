"""What a classifier reads: the question with its values replaced by their types."""

from __future__ import annotations

from collections.abc import Iterable

from ..data.examples import Mention
from ..ner.units import is_number, units

__all__ = ["words"]


def words(question: str, mentions: Iterable[Mention] = ()) -> list[str]:
    """Return the question's units: each mention ``<type>``, digits ``<number>``, words in lower case.

    CJK characters stand alone. Where mentions overlap the first, then the longer one is taken.

    >>> words("Rivers of New York over 500", [Mention(10, 18, "New York", "state_name", "new york")])
    ['rivers', 'of', '<state_name>', 'over', '<number>']
    """
    read: list[str] = []
    position = 0
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        if mention.start < position:
            continue
        read += _plain(question[position : mention.start])
        read.append(f"<{mention.type}>")
        position = mention.end
    return read + _plain(question[position:])


def _plain(text: str) -> list[str]:
    return ["<number>" if is_number(unit.text) else unit.text.lower() for unit in units(text)]
