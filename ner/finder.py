"""The values of a question, from the gazetteer, the tagger and the literals together."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from ..data import literals
from ..data.errors import InputError, RunError
from ..data.examples import Example, Mention, Value, bind
from .gazetteer import Entry, Gazetteer, Match
from .sources import FIXED_TYPES, entries, literals_of
from .tagger import Labelled, Tagged, Tagger, TaggerConfig
from .units import Unit, is_number, units

if TYPE_CHECKING:
    from ..data.domain import Domain

__all__ = ["FinderConfig", "ValueFinder"]


@dataclass(frozen=True)
class FinderConfig:
    """How the sources are weighed.

    Attributes:
        language: of the questions, for numerals.
        trust: weight of the gazetteer beside the tagger's probability, for a surface that training
            questions always mean as a value.
        accept: smallest weight of a span that is taken.
        near: forgive one typo in stored surfaces.
    """

    language: str = "en"
    trust: float = 0.6
    accept: float = 0.3
    near: bool = True


@dataclass(frozen=True)
class _Candidate:
    start: int
    end: int
    type: str
    weight: float
    entry: Entry | None


class ValueFinder:
    """Finds and binds the values that questions name.

    A span's weight is the tagger's probability that it is one value of a type, plus what the
    gazetteer adds: its trust in the surface times the share of the type among that surface's uses.
    Of overlapping spans the one of greatest weight times length wins, so that the longest known
    value beats the tagger unless the tagger is sure of another. Literals fill what is left.
    """

    def __init__(self, gazetteer: Gazetteer, tagger: Tagger, config: FinderConfig | None = None) -> None:
        self.gazetteer = gazetteer
        self.tagger = tagger
        self.config = config or FinderConfig()
        self.literals: dict[str, Literal["string", "number"]] = {}
        self.common: dict[str, int] = {}
        self.reliability: dict[str, float] = {}
        self.default_reliability = 0.5

    @classmethod
    def fit(
        cls,
        examples: Sequence[Example],
        *,
        domain: Domain,
        seed: int = 0,
        epochs: int = 20,
        config: FinderConfig | None = None,
        tagger: TaggerConfig | None = None,
    ) -> Self:
        """Learn from training examples; ``domain`` gives language, entities and database.

        Raises:
            InputError: no examples.
            DatabaseError: the domain's database is gone or locked.
        """
        if not examples:
            raise InputError("no examples to learn values from")
        gazetteer = Gazetteer(entries(examples, domain))
        labelled = [_label(example) for example in examples]
        types = sorted({name for question in labelled for _, name in question.pieces if name is not None})
        surfaces: dict[str, list[str]] = defaultdict(list)
        for entry in gazetteer.entries:
            surfaces[entry.type].append(entry.surface)
        model = Tagger(types, tagger).fit(
            labelled, surfaces={name: surfaces[name] for name in types}, epochs=epochs, seed=seed
        )
        finder = cls(gazetteer, model, config or FinderConfig(language=domain.language))
        finder.literals = literals_of(examples)
        finder._weigh(labelled)
        return finder

    def find(self, questions: Sequence[str]) -> list[tuple[Value, ...]]:
        """Return the bound values of each question, in order of position."""
        return [bind(mentions) for mentions in self.mentions(questions)]

    def mentions(self, questions: Sequence[str]) -> list[list[Mention]]:
        """Return the values each question names, repeated ones too, in order of position."""
        read = self.tagger.tag(questions)
        return [self._mentions(question, tagged) for question, tagged in zip(questions, read, strict=True)]

    def save(self, folder: Path) -> None:
        """Write ``values.json``, ``gazetteer.json``, ``tagger.json`` and ``tagger.safetensors`` into ``folder``."""
        self.tagger.save(folder)
        _write(folder / "gazetteer.json", self.gazetteer.to_json())
        about = {
            "config": asdict(self.config),
            "literals": self.literals,
            "common": self.common,
            "reliability": self.reliability,
            "default_reliability": self.default_reliability,
        }
        _write(folder / "values.json", about)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what `save` wrote.

        Raises:
            RunError: a file is missing or is not what `save` wrote.
        """
        tagger = Tagger.load(folder)
        path = folder / "gazetteer.json"
        try:
            gazetteer = Gazetteer.from_json(json.loads(path.read_text(encoding="utf-8")))
            path = folder / "values.json"
            about = json.loads(path.read_text(encoding="utf-8"))
            finder = cls(gazetteer, tagger, FinderConfig(**about["config"]))
            finder.literals = about["literals"]
            finder.common = about["common"]
            finder.reliability = about["reliability"]
            finder.default_reliability = about["default_reliability"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            hint = "train again, or copy the whole folder"
            raise RunError(f"not saved values: {error}", file=path, hint=hint) from error
        return finder

    def _weigh(self, labelled: Iterable[Labelled]) -> None:
        """Learn how often a known surface in a training question is meant as a value, and the common words."""
        meant: Counter[str] = Counter()
        said: Counter[str] = Counter()
        words: Counter[str] = Counter()
        for question in labelled:
            for text, name in question.pieces:
                read = units(text)
                if name is None:
                    words.update(unit.text.lower() for unit in read)
                for match in self.gazetteer.matches(read):
                    surface = _surface(read, match)
                    # a known value inside a longer one says nothing about either
                    if name is None:
                        said[surface] += 1
                    elif (match.start, match.end) == (0, len(read)):
                        said[surface] += 1
                        meant[surface] += 1
        self.common = dict(words)
        self.reliability = {s: (meant[s] + 0.5) / (said[s] + 1) for s in said if meant[s] < said[s]}
        self.default_reliability = (sum(meant.values()) + 0.5) / (sum(said.values()) + 1)

    def _mentions(self, question: str, tagged: Tagged) -> list[Mention]:
        read = units(question)
        found: list[Mention] = []
        taken = [False] * len(read)
        for candidate in sorted(self._candidates(read, tagged), key=lambda c: (-_rank(read, c), c.start, c.type)):
            if candidate.weight < self.config.accept or any(taken[candidate.start : candidate.end]):
                continue
            taken[candidate.start : candidate.end] = [True] * (candidate.end - candidate.start)
            if candidate.type not in FIXED_TYPES:
                found.append(self._mention(question, read, candidate))
        for literal in literals.find(question, language=self.config.language):
            if not any(m.start < literal.end and literal.start < m.end for m in found):
                found.append(literal)
        return sorted(found, key=lambda m: m.start)

    def _candidates(self, read: Sequence[Unit], tagged: Tagged) -> list[_Candidate]:
        found: list[_Candidate] = []
        for match in self.gazetteer.matches(read, near=self.config.near, known=self.common.keys()):
            chances = self.tagger.chance(tagged, match.start, match.end)
            trust = self.config.trust * self.reliability.get(_surface(read, match), self.default_reliability)
            shares = self._shares(match.entries)
            best = max(match.entries, key=lambda e: (chances.get(e.type, 0.0) + trust * shares[e.type], e.count))
            weight = chances.get(best.type, 0.0) + trust * shares[best.type]
            found.append(_Candidate(match.start, match.end, best.type, weight, best))
        for start, end, name in tagged.spans:
            found.append(_Candidate(start, end, name, max(self.tagger.chance(tagged, start, end)[name], 0.5), None))
        return found

    def _shares(self, choices: Sequence[Entry]) -> dict[str, float]:
        """Return the share of each type among the uses of one surface; unseen surfaces go by nothing."""
        counts: Counter[str] = Counter()
        for entry in choices:
            counts[entry.type] += entry.count + 1
        total = sum(counts.values())
        return {name: count / total for name, count in counts.items()}

    def _mention(self, question: str, read: Sequence[Unit], candidate: _Candidate) -> Mention:
        start, end = read[candidate.start].start, read[candidate.end - 1].end
        text = question[start:end]
        entry = candidate.entry
        literal = self.literals.get(candidate.type, "string") if entry is None else entry.literal
        sql = text if entry is None else entry.sql
        return Mention(start, end, text, candidate.type, sql, literal, score=min(candidate.weight, 1.0))


def _label(example: Example) -> Labelled:
    """Cut a training question at its values; a value said again is one more value."""
    spans: list[tuple[int, int, str]] = []
    mentions = [value.mention for value in example.values]
    places = [(m.start, m.end, m.type) for m in mentions]
    for mention in mentions:
        if mention.type in FIXED_TYPES or not mention.text:
            continue
        position = example.question.find(mention.text, mention.end)
        while position >= 0:
            places.append((position, position + len(mention.text), mention.type))
            position = example.question.find(mention.text, position + len(mention.text))
    for start, end, name in places:
        if all(end <= s or e <= start for s, e, _ in spans):
            spans.append((start, end, name))
    pieces: list[tuple[str, str | None]] = []
    position = 0
    for start, end, name in sorted(spans):
        pieces += [(example.question[position:start], None), (example.question[start:end], name)]
        position = end
    pieces.append((example.question[position:], None))
    return Labelled(tuple(piece for piece in pieces if piece[0].strip()))


def _surface(read: Sequence[Unit], match: Match) -> str:
    return " ".join(unit.text.lower() for unit in read[match.start : match.end])


def _rank(read: Sequence[Unit], candidate: _Candidate) -> float:
    return candidate.weight * sum(len(unit.text) for unit in read[candidate.start : candidate.end])


def _write(path: Path, data: object) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")
