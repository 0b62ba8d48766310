"""What the base learns: examples of public collections, of queries sampled on their databases, and of dialogues."""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from formula_examples import formula_examples

from querent.data.domains.collection import Collection, Pair
from querent.data.domains.dialogues import Dialogue, read_turns
from querent.data.sampler import STRUCTURE_KINDS, STRUCTURES, with_self_key, with_twin_columns
from querent.data.sampler.twin_columns import Twins
from querent.data.schema.schema import Schema
from querent.encoders import Encoder
from querent.encoders.functions import Floats
from querent.encoders.text_vectors import TextVectors
from querent.parser.decoding.expansions.meant_queries import as_the_question_says
from querent.parser.learning.batches import texts_of
from querent.parser.learning.dataset import contexts_of, make_training_examples
from querent.parser.learning.dialogue_examples import dialogue_examples
from querent.parser.learning.samples import sampled_dialogues, sampled_examples, sampled_pairs
from querent.parser.learning.training_examples import TrainingExample
from querent.parser.learning.unanswerable import unanswerable_examples
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.schema.output_vocabulary import UNKNOWN

MOST_DRAWN = 160
"""Databases of a collection that queries are sampled on."""
MOST_COPIED = 20_000_000
"""Bytes of a database of which a copy gets a key."""


Learnt = list[list[TrainingExample]]


@dataclass(frozen=True)
class OfCollection:
    """What is learnt of a collection, with the vectors of its texts, and how many examples are what."""

    name: str
    examples: Learnt
    vectors: dict[str, Floats]
    counts: dict[str, int]


def learnt(collections: list[Collection], encoder: Encoder, options: argparse.Namespace) -> tuple[Learnt, TextVectors]:
    """Return the training examples of collections, of queries sampled on their databases, and of other questions.

    Collections are read side by side, each by a process of its own; databases that several have are sampled once.
    """
    trained = [collection.part(options.part) for collection in collections]
    fresh, drawn = list[Collection](), set[str]()
    for one in trained:
        own = {name: file for name, file in sorted(one.databases.items()) if (one.language, name) not in drawn}
        drawn |= {(one.language, name) for name in own}
        fresh.append(replace(one, databases={} if one.name in options.unsampled else own))
    told = [(one, own, _other_names(one, trained), encoder, options) for one, own in zip(trained, fresh, strict=True)]
    vectors, examples = TextVectors(encoder), list[list[TrainingExample]]()
    with ProcessPoolExecutor(options.workers, get_context("fork")) as pool:
        for said in pool.map(learnt_of, told):
            examples += said.examples
            vectors.lend(said.vectors)
            print(f"{said.name}: {said.counts}", flush=True)
    if options.knowbench:
        for language in sorted({one.language for one in trained}):
            found, missing = formula_examples(options.knowbench / language, language, encoder)
            examples += found
            print(f"KnowBench, {language}: {len(found)}; no word for it: {missing}", flush=True)
    print(len(examples), "examples", flush=True)
    return examples, vectors


def learnt_of(told: tuple[Collection, Collection, Collection | None, Encoder, argparse.Namespace]) -> OfCollection:
    """Return the examples of one collection.

    Args:
        told: the collection; its databases that queries are sampled on; a collection with other names for some.
    """
    collection, fresh, names, encoder, options = told
    pairs = collection.pairs[:: dict(options.each).get(collection.name, 1)]
    talked = dialogues_of(collection, options)
    asked = {one.database for one in (*pairs, *talked)} | fresh.databases.keys()
    asked |= collection.databases.keys() if options.follow_ups else set()
    schemas = {name: schema for name, schema in collection.schemas.items() if name in asked}
    contexts = contexts_of(replace(collection, schemas=schemas), cache=options.cache, names=names)
    if collection.name in options.meant_only:
        pairs = tuple(pair for pair in pairs if means_something(pair, contexts[pair.database][0]))
    dataset = make_training_examples(pairs, contexts, encoder)
    examples = with_all_words(dataset.examples)
    counts = {"asked": len(examples), "says no value": len(dataset.examples) - len(examples)}
    counts |= dict(dataset.left_out.most_common())
    wanted = {STRUCTURES: options.sampled, **{STRUCTURE_KINDS[kind]: n for kind, n in options.more}}
    made = sampled(fresh, contexts, encoder, wanted, options.seed)
    made += self_keyed(replace(fresh, pairs=pairs), encoder, options)
    made += with_twins(collection, encoder, options)
    strange = unanswerable_examples(pairs, contexts, encoder, count=len(pairs) // 10, seed=options.seed)
    counts |= {"sampled": len(made), "without an answer": len(strange)}
    talked += asked_next(collection, contexts, options)
    turns = dialogue_examples(talked, contexts, encoder, own=options.own, seed=options.seed)
    counts |= {"turns": len(turns)}
    examples += made + strange + turns
    vectors = TextVectors(encoder)
    vectors.prepare(texts_of(examples))
    return OfCollection(collection.name, examples, dict(vectors), counts)


def dialogues_of(collection: Collection, options: argparse.Namespace) -> list[Dialogue]:
    """Return the dialogues on a collection's databases."""
    found: list[Dialogue] = []
    for name, file, labels in options.dialogues:
        found += read_turns(file, collection, labels=labels) if name == collection.name else ()
    return found


def asked_next(collection: Collection, contexts: Any, options: argparse.Namespace) -> list[Dialogue]:
    """Return so many dialogues of each database that follow-ups sampled on it make of its questions."""
    of: dict[str, list[Pair]] = {}
    for pair in collection.pairs if options.follow_ups else ():
        if (file := collection.databases.get(pair.database)) is not None and file.stat().st_size < MOST_COPIED:
            of.setdefault(pair.database, []).append(pair)
    told: dict[str, Any] = {"count": options.follow_ups, "seed": options.seed}
    made = (sampled_dialogues(own, contexts[name][0], collection.databases[name], **told) for name, own in of.items())
    return [dialogue for several in made for dialogue in several]


def _other_names(collection: Collection, others: list[Collection]) -> Collection | None:
    """Return the collection in another language that has most of the same databases, None if none has any."""
    shared = {one.name: len(one.schemas.keys() & collection.schemas.keys()) for one in others}
    found = [one for one in others if one.language != collection.language and shared[one.name]]
    return max(found, key=lambda one: shared[one.name], default=None)


def means_something(pair: Pair, context: DatabaseContext) -> bool:
    """Does the query of a pair compare times, flags or numbers in text, or take them apart?"""
    return as_the_question_says(pair.sql, pair.question, context, context.values(pair.question)).changed


def held_out(collections: list[Collection], encoder: Encoder, options: argparse.Namespace) -> list[TrainingExample]:
    """Return examples on the held-out databases, each named in the first of its ways."""
    found: list[TrainingExample] = []
    for collection in (one.part("held-out") for one in collections if one.name in options.judges):
        contexts = contexts_of(collection, cache=options.cache)
        found += [several[0] for several in make_training_examples(collection.pairs, contexts, encoder).examples]
    return found


def sampled(
    collection: Collection, contexts: Any, encoder: Encoder, counts: dict[tuple[str, ...], int], seed: int
) -> list[Any]:
    """Return training examples of so many queries of some structures, sampled over each training database."""
    step = -(-len(collection.databases) // MOST_DRAWN) or 1
    drawn = [
        replace(pair, id=f"{pair.id}-{structures[0]}")
        for name, file in list(collection.databases.items())[::step]
        for structures, count in counts.items()
        for pair in sampled_pairs(name, contexts[name][0], file, count=count, seed=seed, structures=structures)
    ]
    return sampled_examples(drawn, contexts, encoder)


def self_keyed(collection: Collection, encoder: Encoder, options: argparse.Namespace) -> list[Any]:
    """Return training examples on copies of databases in which rows of a table refer to others of it.

    Some of the questions that are asked of the database are asked of the copy as well: there its key is not meant.
    """
    if not options.self_keys:
        return []
    with TemporaryDirectory() as folder:
        schemas: dict[str, Schema] = {}
        for name, file in collection.databases.items():
            copy = Path(folder, f"{name}.sqlite")
            told: dict[str, Any] = {"language": collection.language, "out": copy, "seed": options.seed}
            if file.stat().st_size < MOST_COPIED:
                keyed = with_self_key(file, collection.schemas[name], **told)
                schemas |= {} if keyed is None else {name: keyed}
        copies = {name: Path(folder, f"{name}.sqlite") for name in schemas}
        pairs = tuple(pair for pair in collection.pairs if pair.database in schemas)
        keyed = replace(collection, schemas=schemas, databases=copies, pairs=pairs[:: options.again])
        contexts = contexts_of(keyed, cache=Path(folder))
        found = sampled(keyed, contexts, encoder, {STRUCTURE_KINDS["self-keys"]: options.self_keys}, options.seed)
        return found + with_all_words(make_training_examples(keyed.pairs, contexts, encoder).examples)


def with_twins(collection: Collection, encoder: Encoder, options: argparse.Namespace) -> list[Any]:
    """Return training examples of questions that may mean either of two columns, on copies of databases."""
    if not options.twins:
        return []
    with TemporaryDirectory() as folder:
        found: dict[str, Twins] = {}
        copies = {name: Path(folder, f"{name}.sqlite") for name in collection.databases}
        for name, file in collection.databases.items():
            told: dict[str, Any] = {"language": collection.language, "out": copies[name], "seed": options.seed}
            if file.stat().st_size < MOST_COPIED:
                twins = with_twin_columns(file, collection.schemas[name], count=options.twins, **told)
                found |= {} if twins is None else {name: twins}
        pairs = [
            replace(pair, sql=sql)
            for pair in collection.pairs
            if pair.database in found
            for sql in found[pair.database].readings(pair.sql)
        ]
        schemas = {name: twins.schema for name, twins in found.items()}
        changed = replace(collection, schemas=schemas, databases={name: copies[name] for name in found})
        return with_all_words(sampled_examples(pairs, contexts_of(changed, cache=Path(folder)), encoder))


def with_all_words(examples: list[list[TrainingExample]]) -> list[list[TrainingExample]]:
    """Return the examples whose questions say every value of their queries."""
    return [several for several in examples if (several[0].places != UNKNOWN).all()]
