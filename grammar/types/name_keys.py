"""Which names are one to a dialect's engine: how it folds them, cuts them, and tells sources apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase

__all__ = ["NameKeys", "folded"]

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)

_PART = re.compile(r'"(?:[^"]|"")*"|[^."]+')
"""A name of those with dots between them."""


def folded(name: str) -> str:
    """Return what a dialect that folds names makes of one without quotes: in UTF-8 it folds ASCII's letters alone."""
    return name.translate(_LOWER)


@dataclass(frozen=True)
class NameKeys:
    """The names of one dialect.

    Attributes:
        folds: whether names differ that differ in case alone, once those without quotes are folded to lower case.
        cased: whether `T1` and `t1` are two sources, as they are to servers on file systems that tell them apart.
        longest: the bytes of a name that are looked at, 0 for all.
    """

    folds: bool
    cased: bool
    longest: int

    def key(self, name: str) -> str:
        """Return a name of the schema such that names are equal if they are one to the engine."""
        return name if self.folds else name.lower()

    def meant(self, name: str, *, quoted: bool) -> str:
        """Return the key of the name that a query means by what it writes, in quotes or without."""
        return folded(name) if self.folds and not quoted else self.key(name)

    def named(self, text: str) -> str:
        """Return the key of a name that is written, in quotes or without."""
        mark = text[:1]
        if mark in {'"', "`"}:
            return self.key(self._cut(text[1:-1].replace(mark * 2, mark)))
        return self._cut(self.meant(text, quoted=False))

    def source(self, name: str) -> str:
        """Return the name of a source, as it is written, so that names of one source are equal."""
        if not self.folds:
            return self._cut(name) if self.cased else self._cut(name).lower()
        return ".".join(self._cut(part if part[0] == '"' else folded(part)) for part in _PART.findall(name))

    def _cut(self, name: str) -> str:
        """Return as much of a name as is looked at."""
        return name.encode()[: self.longest].decode(errors="ignore") if self.longest else name
