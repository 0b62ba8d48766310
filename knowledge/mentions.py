"""Which formulas a question names: their names and aliases are looked up as values of a database are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ..data.schema.schema import Schema
from ..ner.index.building import write_index
from ..ner.index.cells import ColumnCells
from ..ner.index.store import IndexStore
from ..ner.matching.matching import same, typos
from ..ner.matching.question import QuestionRuns
from ..ner.matching.schema_words import SchemaWords
from .formulas.bank import Bank, Formula

__all__ = ["Mention", "Mentions"]

_SURE = {"exact": 1.0, "folded": 0.95, "stem": 0.9, "meaning": 0.5, "typo": 0.6}


@dataclass(frozen=True)
class Mention:
    """``question[start:end]`` names formulas: one, or several candidates.

    Attributes:
        text: the words that name them.
        formulas: all that are called so.
        score: how surely, 0 to 1.
    """

    start: int
    end: int
    text: str
    formulas: tuple[Formula, ...]
    score: float

    def overlaps(self, other: Mention) -> bool:
        """Do both have a word of the question in common?"""
        return self.start < other.end and other.start < self.end


class Mentions:
    """Finds the formulas of a bank in questions.

    Args:
        bank: of the formulas.
        schema: of the database that is asked, whose own names open no value.
    """

    def __init__(self, bank: Bank, schema: Schema) -> None:
        self._schema = SchemaWords(schema)
        named: dict[str, list[Formula]] = {}
        for formula in bank.formulas:
            for name in formula.names:
                named.setdefault(name, []).append(formula)
        self._named = named
        self._folder = TemporaryDirectory(prefix="querent-")  # goes when this does
        path = Path(self._folder.name) / "formulas.sqlite"
        write_index(path, "formulas", [ColumnCells("formulas", "name", cells=[(name, 1) for name in named])])
        self._store = IndexStore(path)

    def find(self, question: str) -> list[Mention]:
        """Return the formulas that a question names, in its order; of words that overlap the longest name counts."""
        asked = QuestionRuns(question, self._schema)
        if not asked.words:
            return []
        found = [*self._found(asked), *self._nearly(asked)]
        kept: list[Mention] = []
        for one in sorted(found, key=lambda mention: (mention.start - mention.end, -mention.score)):
            if not any(map(one.overlaps, kept)):
                kept.append(one)
        return sorted(kept, key=lambda mention: mention.start)

    def _found(self, asked: QuestionRuns) -> Iterator[Mention]:
        together: dict[tuple[int, int], dict[str, float]] = {}
        for value in same(asked, self._store):
            together.setdefault((value.start, value.end), {})[value.value] = _SURE.get(value.how, 0.5)
        for (start, end), names in together.items():
            best = max(names.values())
            formulas = dict.fromkeys(f for name, sure in names.items() if sure == best for f in self._named[name])
            yield Mention(start, end, asked.text[start:end], tuple(formulas), best)

    def _nearly(self, asked: QuestionRuns) -> Iterator[Mention]:
        for value in typos(asked, self._store, []):
            yield Mention(value.start, value.end, value.text, tuple(self._named[value.value]), _SURE["typo"])
