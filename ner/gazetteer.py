"""Known values and where a question says them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from .units import units

__all__ = ["Entry", "Gazetteer", "Match"]

_NEAR = 6  # letters a surface needs before one typo in it is forgiven


@dataclass(frozen=True)
class Entry:
    """One way to say one value.

    Attributes:
        surface: as a question says it.
        type: the entity type.
        sql: as SQL stores it, without quotes.
        literal: written in quotes in SQL, or bare.
        count: how often training questions say it so.
        stored: whether it comes from the database or the domain's entities, not from a training
            question alone; only such lists are complete enough to correct a question by.
    """

    surface: str
    type: str
    sql: str
    literal: Literal["string", "number"] = "string"
    count: int = 0
    stored: bool = False


@dataclass(frozen=True)
class Match:
    """Units ``start`` to ``end`` (one past the last) of a question say one of ``entries``."""

    start: int
    end: int
    entries: tuple[Entry, ...]
    exact: bool = True


class Gazetteer:
    """Entries by surface; matching ignores case and goes by whole units, so «is» is not found in «this»."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        merged: dict[tuple[tuple[str, ...], str, str], Entry] = {}
        for entry in entries:
            read = _key([unit.text for unit in units(entry.surface)])
            if not read:
                continue
            key = (read, entry.type, entry.sql)
            old = merged.get(key)
            merged[key] = entry if old is None else _merge(old, entry)
        self.entries = tuple(merged.values())
        self._by_units: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
        for (read, _, _), entry in merged.items():
            self._by_units[read].append(entry)
        self._longest = max(map(len, self._by_units), default=0)
        self._begun = {read[:n] for read in self._by_units for n in range(1, len(read) + 1)}
        self._near: dict[int, dict[str, tuple[str, ...]]] = defaultdict(dict)
        for read, found in self._by_units.items():
            text = " ".join(read)
            if len(text) >= _NEAR and any(e.stored for e in found) and not any(c.isdigit() for c in text):
                self._near[len(text)][text] = read

    def __len__(self) -> int:
        return len(self.entries)

    def matches(self, read: Sequence[str], *, near: bool = False, known: Collection[str] = ()) -> list[Match]:
        """Return every run of units that says an entry, overlapping ones too.

        Args:
            read: the texts of the question's units.
            near: forgive one typo in stored surfaces of six letters or more without digits.
            known: words that are right as they are: a run of them alone is never taken for a typo.
        """
        key = _key(read)
        found: list[Match] = []
        for start in range(len(key)):
            for end in range(start + 1, min(len(key), start + self._longest) + 1):
                run = key[start:end]
                if not near and run not in self._begun:
                    break
                if entries := self._by_units.get(run):
                    found.append(Match(start, end, tuple(entries)))
                elif near and not all(word in known for word in run) and (close := self._close(" ".join(run))):
                    stored = tuple(e for e in self._by_units[close] if e.stored)
                    found.append(Match(start, end, stored, exact=False))
        return found

    def to_json(self) -> list[dict[str, Any]]:
        """Return plain dicts that `from_json` reads back."""
        return [asdict(entry) for entry in self.entries]

    @classmethod
    def from_json(cls, data: Iterable[dict[str, Any]]) -> Gazetteer:
        """Build a gazetteer from what `to_json` returned."""
        return cls(Entry(**entry) for entry in data)

    def _close(self, text: str) -> tuple[str, ...] | None:
        if len(text) < _NEAR or any(c.isdigit() for c in text):
            return None
        for length in (len(text), len(text) + 1, len(text) - 1):
            if choices := self._near.get(length):
                best = process.extractOne(text, choices.keys(), scorer=Levenshtein.distance, score_cutoff=1)
                if best is not None:
                    return choices[best[0]]
        return None


def _key(read: Sequence[str]) -> tuple[str, ...]:
    return tuple(text.lower() for text in read)


def _merge(old: Entry, new: Entry) -> Entry:
    return Entry(
        old.surface, old.type, old.sql, old.literal, count=old.count + new.count, stored=old.stored or new.stored
    )
