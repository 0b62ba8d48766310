"""The stage that packs lessons: what its lines say, of each collection in a process of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Literal, NamedTuple

import torch

from querent.data.domains.collection import COLLECTION_FORMATS, Collection
from querent.encoders.functions import Floats
from querent.encoders.text_vectors import TextVectors
from querent.parser.learning.batches import TrainingSet, texts_of
from querent.parser.learning.network import TrainableNetwork
from querent.parser.learning.packing import pack
from querent.parser.learning.training_examples import words_written
from querent.parser.network.network import NetworkConfig
from querent.parser.reader.question import MAX_TURNS

from .families import FAMILIES, Contexts, Examples, Source
from .recipes import Lines
from .walk import Figures, Work

__all__ = ["lessons"]

NOTHING = Collection("", "en", (), {}, {})
"""In the place of a collection where the lines of a data set need none."""


class Part(NamedTuple):
    """What the lines of one collection gave.

    Attributes:
        examples, judged: to learn from, and to judge by.
        vectors: what the encoder says of their texts.
        counts: of lessons by line, and of pairs left out by reason.
    """

    examples: Examples
    judged: Examples
    vectors: dict[str, Floats]
    counts: dict[str, int]


@dataclass(frozen=True)
class Job:
    """The lines on one collection, which one process works off.

    Attributes:
        base: the data set with the databases.
        lines: numbers and options of the lines with the data sets, in the order of the recipe.
        others: collections that may have the same databases under names in another language.
    """

    work: Work
    base: str
    lines: list[tuple[int, str, dict[str, Any]]]
    part: Literal["train", "held-out"]
    seed: int
    others: list[Collection]

    def make(self) -> Part:
        """Make the lessons."""
        examples: Examples = []
        judged: Examples = []
        counts = Counter[str]()
        sources: dict[tuple[str, str], Source] = {}
        for number, name, line in self.lines:
            family = str(line["family"])
            if family == "judge" and self.part == "held-out":
                continue
            part = "held-out" if family == "judge" else self.part
            of = sources[name, part] = sources.get((name, part)) or self._source(name, part, sources)
            made = FAMILIES[family](of, **{k: v for k, v in line.items() if k not in ("family", "sets")})
            counts[f"{number} {family}, {name}"] += len(made)
            (judged if family == "judge" else examples).extend(made)
        for one in sources.values():
            counts.update({f"left out of {one.name}: {reason}": n for reason, n in one.counts.items()})
        vectors = TextVectors(self.work.encoder)
        vectors.prepare(texts_of([*examples, *judged]))
        return Part(examples, judged, dict(vectors), dict(counts))

    def _source(self, name: str, part: Any, known: dict[tuple[str, str], Source]) -> Source:
        if self.work.recipe.data[name].format == "knowbench":
            return Source(name, NOTHING, Contexts(NOTHING, None, self.work.cache), self.work, self.seed)
        whole = self.work.collection(name)
        found, same = whole.part(part), [one.contexts for (_, other), one in known.items() if other == part]
        contexts = same[0] if same else Contexts(found, self._names(whole), self.work.cache)
        return Source(name, found, contexts, self.work, self.seed)

    def _names(self, collection: Collection) -> Collection | None:
        """Return the collection in another language that has most of the same databases, None if none has any."""
        shared = {one.name: len(one.schemas.keys() & collection.schemas.keys()) for one in self.others}
        found = [one for one in self.others if one.language != collection.language and shared[one.name]]
        return max(found, key=lambda one: shared[one.name], default=None)


def lessons(work: Work, *, lines: Lines, part: Literal["train", "held-out"] = "train", seed: int = 0) -> Figures:
    """Make the lessons of all lines and pack them, with a new network, so that they can be learnt on any machine.

    Args:
        part: the databases to learn: those that are not held out, or those that are.
        seed: of what is sampled, and of the new network's weights.
    """
    jobs, every = list(_jobs(work, lines, part, seed)), list[Part]()
    with work.bar("lessons", len(jobs)) as moved:
        for job, made in zip(jobs, _made(jobs, work.walk.workers), strict=True):
            moved()
            work.walk.say.print(f"{job.base}: {len(made.examples)} lessons", highlight=False, soft_wrap=True)
            every.append(made)
    examples = [several for one in every for several in one.examples]
    held = [several[0] for one in every for several in one.judged]
    vectors, encoder, recipe = TextVectors(work.encoder), work.encoder, work.recipe
    for one in every:
        vectors.lend(one.vectors)
    torch.manual_seed(seed)
    sizes: dict[str, Any] = {"encoder": recipe.encoder, "hidden": encoder.hidden, "turns": MAX_TURNS, **recipe.network}
    network = TrainableNetwork(NetworkConfig(**sizes), encoder.model, recipe.frozen)
    network.writes(words_written(examples))
    ready = TrainingSet.of(examples, encoder, recipe.frozen, held_out=held, vectors=vectors)
    formats = {recipe.data[job.base].format for job in jobs}
    languages = sorted({COLLECTION_FORMATS[one] for one in formats if one in COLLECTION_FORMATS})
    pack(work.folder / "pack", ready, network, languages)
    counts = {line: count for one in every for line, count in one.counts.items()}
    return {"examples": len(examples), "judged": len(held), "languages": languages, "counts": counts}


def _jobs(work: Work, lines: Lines, part: Literal["train", "held-out"], seed: int) -> Iterator[Job]:
    """Yield a job for each data set that has databases, in the order of the lines."""
    by_base: dict[str, list[tuple[int, str, dict[str, Any]]]] = {}
    for number, line in enumerate(lines, start=1):
        for name in line["sets"]:
            by_base.setdefault(work.recipe.data[name].on or name, []).append((number, name, line))
    bases = [base for base in by_base if work.recipe.data[base].format in COLLECTION_FORMATS]
    others = [work.collection(base) for base in bases]
    for base, own in by_base.items():
        yield Job(work, base, own, part, seed, others)


def _made(jobs: list[Job], workers: int) -> Iterator[Part]:
    """Yield what each job makes, in order; they run side by side where there are several workers."""
    if workers < 2 or len(jobs) < 2:
        yield from (job.make() for job in jobs)
        return
    with ProcessPoolExecutor(workers, get_context("fork"), _FORKED.extend, (jobs,)) as pool:
        yield from pool.map(_make, range(len(jobs)))


_FORKED: list[Job] = []
"""The jobs of a forked process, which need not be sent to it."""


def _make(number: int) -> Part:
    return _FORKED[number].make()
