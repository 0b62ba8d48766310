"""The values of a question, from the gazetteer, the tagger and the literals together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from ..data import literals
from ..data.errors import InputError, RunError
from ..data.examples import Example, Mention, Value, bind
from .gazetteer import Entry, Gazetteer, Match
from .labelled import Labelled
from .sources import FIXED_TYPES, entries, literals_of
from .tagger import Tagged, Tagger, TaggerConfig
from .units import Unit, units

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
        closed: how much less a value that only the tagger sees counts, for a type all of whose
            training values are stored.
        accept: smallest weight of a span that is taken.
        near: forgive one typo in stored surfaces.
        now: the moment that «yesterday» is seen from, in ISO form; empty: such words are no times.
    """

    language: str = "en"
    trust: float = 0.45
    closed: float = 0.9
    accept: float = 0.3
    near: bool = True
    now: str = ""

    @classmethod
    def of(cls, domain: Domain) -> Self:
        """Return the usual weights for the questions of a domain."""
        return cls(language=domain.language, now="" if domain.now is None else str(domain.now))


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
        self.said: dict[str, int] = {}
        self.reliability: dict[str, float] = {}
        self.coverage: dict[str, float] = {}

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
        labelled = [Labelled.of(example) for example in examples]
        types = sorted({name for question in labelled for _, name in question.pieces if name is not None})
        model = Tagger(types, gazetteer, tagger).fit(labelled, epochs=epochs, seed=seed)
        finder = cls(gazetteer, model, config or FinderConfig.of(domain))
        finder.literals = literals_of(examples)
        finder._weigh(labelled)
        return finder

    def at(self, now: datetime) -> None:
        """See «yesterday» and the like from ``now`` on."""
        self.config = replace(self.config, now=str(now))

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
            "said": self.said,
            "reliability": self.reliability,
            "coverage": self.coverage,
        }
        _write(folder / "values.json", about)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read what `save` wrote.

        Raises:
            RunError: a file is missing or is not what `save` wrote.
        """
        path = folder / "gazetteer.json"
        try:
            gazetteer = Gazetteer.from_json(json.loads(path.read_text(encoding="utf-8")))
            path = folder / "values.json"
            about = json.loads(path.read_text(encoding="utf-8"))
            finder = cls(gazetteer, Tagger.load(folder, gazetteer), FinderConfig(**about["config"]))
            finder.literals = about["literals"]
            finder.common = about["common"]
            finder.said = about["said"]
            finder.reliability = about["reliability"]
            finder.coverage = about["coverage"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            hint = "train again, or copy the whole folder"
            raise RunError(f"not saved values: {error}", file=path, hint=hint) from error
        return finder

    def _weigh(self, labelled: Iterable[Labelled]) -> None:
        """Learn from training questions how far each source is right.

        ``said``: how often a known surface occurs. ``reliability``: of the places where a known value
        of a type could be read, how many mean it. ``coverage``: of the values of a type, how many
        are stored. ``common``: words outside values.
        """
        said: Counter[str] = Counter()
        read_as, meant, stored, values = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
        common: dict[str, int] = {}
        for question in labelled:
            read, spans = question.spans()
            outside = set(range(len(read))) - {n for start, end, _ in spans for n in range(start, end)}
            common |= {read[n].lower(): 1 for n in outside}
            values.update(name for _, _, name in spans)
            for match in self.gazetteer.matches(read):
                place = match.start, match.end
                # a known value inside a longer one says nothing about either
                if any(s <= place[0] and place[1] <= e and (s, e) != place for s, e, _ in spans):
                    continue
                said[_surface(read, match)] += 1
                for name in {entry.type for entry in match.entries}:
                    read_as[name] += 1
                    meant[name] += (*place, name) in spans
                stored.update(
                    n for s, e, n in spans if (s, e) == place and any(x.stored for x in match.entries if x.type == n)
                )
        self.common = common
        self.said = dict(said)
        self.reliability = {name: (meant[name] + 0.5) / (read_as[name] + 1) for name in read_as}
        self.coverage = {name: stored[name] / (values[name] + 1) for name in values}

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
        now = datetime.fromisoformat(self.config.now) if self.config.now else None
        for literal in literals.find(question, language=self.config.language, now=now):
            if not any(m.start < literal.end and literal.start < m.end for m in found):
                found.append(literal)
        return sorted(found, key=lambda m: m.start)

    def _candidates(self, read: Sequence[Unit], tagged: Tagged) -> list[_Candidate]:
        found: list[_Candidate] = []
        texts = [unit.text for unit in read]
        for match in self.gazetteer.matches(texts, near=self.config.near, known=self.common.keys()):
            chances = self.tagger.chance(tagged, match.start, match.end)
            said = self.said.get(_surface(texts, match), 0)
            for entry in match.entries:
                trust = (entry.count + self.reliability.get(entry.type, 0.5)) / (max(said, entry.count) + 1)
                weight = chances.get(entry.type, 0.0) + self.config.trust * trust
                found.append(_Candidate(match.start, match.end, entry.type, weight, entry))
        for start, end, name in tagged.spans:
            # where nearly all values of a type are stored, one that is not is hardly one
            weight = self.tagger.chance(tagged, start, end)[name] * (
                1 - self.config.closed * self.coverage.get(name, 0.0)
            )
            found.append(_Candidate(start, end, name, weight, None))
        return found

    def _mention(self, question: str, read: Sequence[Unit], candidate: _Candidate) -> Mention:
        start, end = read[candidate.start].start, read[candidate.end - 1].end
        text = question[start:end]
        entry = candidate.entry
        literal = self.literals.get(candidate.type, "string") if entry is None else entry.literal
        sql = text if entry is None else entry.sql
        return Mention(start, end, text, candidate.type, sql, literal, score=min(candidate.weight, 1.0))


def _surface(read: Sequence[str], match: Match) -> str:
    return " ".join(read[match.start : match.end]).lower()


def _rank(read: Sequence[Unit], candidate: _Candidate) -> float:
    return candidate.weight * sum(len(unit.text) for unit in read[candidate.start : candidate.end])


def _write(path: Path, data: object) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")
