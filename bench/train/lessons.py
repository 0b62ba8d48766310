"""The stage of lessons, and the families of lessons, each of which makes training examples of one data set.

The options of a family in a line of the recipe are its keyword parameters; `FAMILIES` has the families by name.
"""

import random
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Literal

import knowbench
import torch

from querent.data.domains.collection import Collection, Pair, named_as
from querent.data.domains.dialogues import Dialogue
from querent.data.domains.schema_places import open_schema
from querent.data.hashed_folder import read_json
from querent.data.schema.schema import Schema
from querent.encoders import Encoder
from querent.encoders.text_vectors import TextVectors
from querent.knowledge.linked_formulas import LinkedFormula
from querent.ner.index import ValueIndex
from querent.parser.learning.dataset import (
    contexts_of,
    invented,
    invented_dialogues,
    invented_pairs,
    make_training_examples,
)
from querent.parser.learning.dialogue_examples import dialogue_examples
from querent.parser.learning.formula_examples import formula_examples
from querent.parser.learning.network import TrainableNetwork
from querent.parser.learning.training_examples import TrainingExample, words_written
from querent.parser.learning.training_set import TrainingSet, pack
from querent.parser.learning.unanswerable import unanswerable_examples
from querent.parser.network.network import NetworkConfig
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.formula_items import formula_linker
from querent.parser.reader.output_vocabulary import UNKNOWN
from querent.parser.reader.question import MAX_TURNS
from querent.sampler import WHOLES, TemplateBank, general, with_self_key, with_twin_columns
from querent.sampler import composed as compose

from .grounds import templates_of
from .recipes import COLLECTIONS, Lines, SetName, StageName
from .walk import Figures, Work

Examples = list[list[TrainingExample]]
"""For each lesson the ways to read it."""

MOST_COPIED = 20_000_000
"""The greatest size in bytes of a database that is copied."""


class Contexts(dict[str, list[DatabaseContext]]):
    """The databases of a collection as the parser reads them, each opened at first use.

    Args:
        names: a collection with names in another language for some of them.
    """

    def __init__(self, collection: Collection, names: Collection | None, cache: Path) -> None:
        super().__init__()
        self.collection, self.names, self.cache = collection, names, cache

    def __missing__(self, name: str) -> list[DatabaseContext]:
        one = replace(self.collection, schemas={name: self.collection.schemas[name]})
        self[name] = contexts_of(one, cache=self.cache, names=self.names)[name]
        return self[name]


@dataclass(frozen=True)
class Source:
    """A data set for lessons.

    Attributes:
        name: of the data set.
        collection: the databases of the part that is learnt, with the pairs of the data set.
        contexts: of these databases.
        work: the stage.
        counts: how many pairs were left out, by reason.
    """

    name: str
    collection: Collection
    contexts: Contexts
    work: Work
    seed: int
    counts: Counter[str] = field(default_factory=Counter[str])

    def small(self) -> Iterator[tuple[str, Path]]:
        """Yield the databases that are small enough to be copied, by name, with their files."""
        files = self.collection.databases.items()
        yield from ((name, file) for name, file in files if file.stat().st_size < MOST_COPIED)

    @contextmanager
    def copies(self, change: Callable[..., Any], **options: Any) -> Generator[tuple[dict[str, Any], Contexts]]:
        """Change copies of databases; yields the results where that was possible, and the contexts of the copies."""
        given = {"language": self.collection.language, "seed": self.seed, **options}
        with TemporaryDirectory() as folder:
            files = {name: Path(folder, f"{name}.sqlite") for name, _ in self.small()}
            every = {n: change(f, self.collection.schemas[n], out=files[n], **given) for n, f in self.small()}
            found = {name: one for name, one in every.items() if one is not None}
            schemas = {name: one if isinstance(one, Schema) else one.schema for name, one in found.items()}
            changed = replace(self.collection, schemas=schemas, databases={name: files[name] for name in found})
            yield found, Contexts(changed, None, Path(folder))

    def read(self, pairs: Sequence[Pair], contexts: Contexts) -> Examples:
        """Return lessons of the pairs whose questions name every value of their queries."""
        examples, left_out = make_training_examples(pairs, contexts, self.work.encoder)
        self.counts.update(left_out)
        whole = with_all_words(examples)
        self.counts["says no value"] += len(examples) - len(whole)
        return whole


def with_all_words(examples: Examples) -> Examples:
    """Return the lessons whose questions name every value of their queries."""
    return [several for several in examples if (several[0].places != UNKNOWN).all()]


def asked(of: Source, *, every: int = 1) -> Examples:
    """Learn every n-th question of a data set."""
    return of.read(of.collection.pairs[::every], of.contexts)


def retold(of: Source, *, templates: list[SetName], count: int, least: int = 5) -> Examples:
    """Learn questions of other data sets that are asked of each database: names and values are replaced.

    Args:
        templates: the data sets whose questions become templates.
        count: how many a database.
        least: the number of databases of which each word between the slots must be said.
    """
    known = [of.work.collection(name).part("train") for name in templates]
    bank = TemplateBank(general([one for some in known for one in templates_of(some, of.counts)], least))
    return _bound(of, bank, count)


def composed(of: Source, *, count: int, templates: int = 4000, language: str = "", named: SetName = "") -> Examples:
    """Learn questions that are composed of parts.

    Args:
        count: how many a database.
        templates: how many are composed, to be asked of all databases.
        language: of the words, where names are of another one.
        named: a data set with other names for the same databases, which the questions say.
    """
    others = named_as(of.collection, of.work.collection(named)).schemas if named else {}
    return _bound(of, _composed(of, templates, language), count, language=language, named=others)


def _composed(of: Source, templates: int, language: str = "", **options: Any) -> TemplateBank:
    rng = random.Random(of.seed)
    said = language or of.collection.language
    return TemplateBank([compose(said, rng, **options) for _ in range(templates)])


def _bound(
    of: Source,
    bank: TemplateBank,
    count: int,
    *,
    language: str = "",
    named: Mapping[str, Schema] = MappingProxyType({}),
) -> Examples:
    """Return lessons of ``count`` questions of a bank on each database."""
    pairs = list[Pair]()
    for name, file in sorted(of.collection.databases.items()):
        options: dict[str, Any] = {"count": count, "seed": of.seed, "schema": named.get(name), "language": language}
        pairs += invented_pairs(name, invented(name, of.contexts[name][0], file, bank, **options))
    return of.read(pairs, of.contexts)


def self_keys(of: Source, *, count: int, every: int = 8) -> Examples:
    """Learn queries along a key into the same table, on copies of databases that get such a key.

    Every n-th question is learnt on the copy as well: it does not mean the new key.
    """
    with of.copies(with_self_key) as (found, contexts):
        other = replace(of, collection=contexts.collection, contexts=contexts)
        pairs = [pair for pair in of.collection.pairs if pair.database in found]
        along = _bound(other, _composed(of, 200, wholes=[name for name in WHOLES if "boss" in name]), count)
        return along + of.read(pairs[::every], contexts)


def twins(of: Source, *, count: int) -> Examples:
    """Learn questions that may mean either of two columns, on copies in which ``count`` columns become two each."""
    with of.copies(with_twin_columns, count=count) as (found, contexts):
        known = [pair for pair in of.collection.pairs if pair.database in found]
        return of.read(
            [replace(pair, sql=sql) for pair in known for sql in found[pair.database].readings(pair.sql)], contexts
        )


def unanswerable(of: Source, *, share: float = 0.1, every: int = 1) -> Examples:
    """Learn unanswerable questions, as a share of the questions that are learnt of the data set."""
    pairs = of.collection.pairs[::every]
    contexts = {name: of.contexts[name] for name in dict.fromkeys(pair.database for pair in pairs)}
    count = round(len(pairs) * share)
    return unanswerable_examples(pairs, contexts, of.work.encoder, count=count, seed=of.seed) if pairs else []


def dialogues(of: Source, *, own: StageName = "") -> Examples:
    """Learn the later turns of dialogues.

    Args:
        own: a stage of answers; in half of the turns its query takes the place of the gold query before.
    """
    queries = read_json(of.work.of(own) / "queries.json") if own else {}
    found = of.work.dialogues(of.name, of.collection)
    return dialogue_examples(found, of.contexts, of.work.encoder, own=queries, seed=of.seed)


def follow_ups(of: Source, *, count: int, templates: int = 2000, turns: int = 4) -> Examples:
    """Learn ``count`` composed conversations on each database."""
    bank, made = _composed(of, templates, turns=turns), list[Dialogue]()
    for name, file in of.small():
        asked = invented(name, of.contexts[name][0], file, bank, count=count, seed=of.seed)
        made += invented_dialogues(name, asked)
    return dialogue_examples(made, of.contexts, of.work.encoder, seed=of.seed)


def formulas(of: Source) -> Examples:
    """Learn KnowBench's training questions, whose queries have the words of formulas."""
    made, missing = formula_examples(_pairs_with_formulas(of.work.knowbench(of.name), of.work.encoder), of.work.encoder)
    of.counts["a formula has no word"] += missing
    return made


def _pairs_with_formulas(
    home: Path, encoder: Encoder
) -> Iterator[tuple[Pair, tuple[LinkedFormula, ...], DatabaseContext]]:
    """Yield the training questions of each language of KnowBench with their formulas and gold groundings."""
    vectors = TextVectors(encoder)
    for folder in sorted(home.iterdir()):
        bank = knowbench.bank_of(folder)
        for file, several in knowbench.questions(folder, "train").items():
            schema, dialect = open_schema(file)
            context = DatabaseContext.of(schema, ValueIndex.open(file, schema), dialect=dialect, language=folder.name)
            linker = formula_linker(bank, context, vectors)
            for one in several:
                needed = tuple(knowbench.needed(one, linker, grounded=True))
                yield Pair(one["id"], folder.name, one["question"], one["sql"]), needed, context


def judge(of: Source) -> Examples:
    """Judge a training by the questions on held-out databases, unless these are learnt."""
    return [several[:1] for several in make_training_examples(of.collection.pairs, of.contexts, of.work.encoder)[0]]


_FAMILIES = (asked, retold, composed, self_keys, twins, unanswerable, dialogues, follow_ups, formulas)
FAMILIES: Mapping[str, Callable[..., Examples]] = {one.__name__.replace("_", "-"): one for one in (*_FAMILIES, judge)}


NOTHING = Collection("", "en", (), {}, {})
"""The collection of a data set that has none."""

Part = Literal["train", "held-out"]


def lessons(work: Work, *, lines: Lines, part: Part = "train", seed: int = 0) -> Figures:
    """Make the lessons of all lines and pack them, with a new network, so that they can be learnt on any machine.

    Args:
        part: the databases to learn: those that are not held out, or those that are.
        seed: of all samples, and of the new network's weights.
    """
    by_base: dict[str, list[tuple[int, str, dict[str, Any]]]] = {}
    for number, line in enumerate(lines, start=1):
        for name in line["sets"]:
            by_base.setdefault(work.walk.recipe.data[name].on or name, []).append((number, name, line))
    formats = {base: work.walk.recipe.data[base].format for base in by_base}
    others = [work.collection(base) for base in by_base if formats[base] in COLLECTIONS]
    examples, judged, counts = list[Any](), list[Any](), Counter[str]()
    with work.bar("lessons", len(by_base)) as moved:
        for own in by_base.values():  # the contexts of a collection's databases are large, and freed after it
            contexts, sources = dict[Part, Contexts](), dict[tuple[str, Part], Source]()
            for number, name, line in own:
                options = {key: value for key, value in line.items() if key not in ("family", "sets")}
                family, key = line["family"], (name, "held-out" if line["family"] == "judge" else part)
                if family == "judge" and part == "held-out":
                    continue
                if key not in sources:
                    known = work.walk.recipe.data[name].format != "knowbench"
                    whole = work.collection(name) if known else NOTHING
                    found = whole.part(key[1])
                    if key[1] not in contexts:
                        contexts[key[1]] = Contexts(found, _named_otherwise(whole, others), work.of("indexes"))
                    sources[key] = Source(name, found, contexts[key[1]], work, seed)
                made = FAMILIES[family](sources[key], **options)
                counts[f"{number} {family}, {name}"] += len(made)
                (judged if family == "judge" else examples).extend(made)
            for one in sources.values():
                counts.update({f"left out of {one.name}: {reason}": n for reason, n in one.counts.items()})
            moved()
    held, encoder, recipe = [several[0] for several in judged], work.encoder, work.walk.recipe
    torch.manual_seed(seed)
    sizes: dict[str, Any] = {"encoder": recipe.encoder, "hidden": encoder.hidden, "turns": MAX_TURNS, **recipe.network}
    network = TrainableNetwork(NetworkConfig(**sizes), encoder.model, recipe.frozen)
    network.writes(words_written(examples))
    ready = TrainingSet.of(examples, encoder, recipe.frozen, held_out=held)
    languages = sorted({one.language for one in others})
    pack(work.folder / "pack", ready, network, languages)
    return {"examples": len(examples), "judged": len(held), "languages": languages, "counts": dict(counts)}


def _named_otherwise(collection: Collection, others: list[Collection]) -> Collection | None:
    """Return the collection in another language that has most of the same databases, None if none has any."""
    shared = {one.name: len(one.schemas.keys() & collection.schemas.keys()) for one in others}
    found = [one for one in others if one.language != collection.language and shared[one.name]]
    return max(found, key=lambda one: shared[one.name], default=None)
