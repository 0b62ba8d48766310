"""Train the base: a parser that reads the schema, on the training databases of public collections.

    python bench/accuracy/base.py --collections spider:../shared/data/multi/spider-train --out runs/base-en

With --pack FOLDER in place of --out it trains nothing, but writes what `train_packed.py` needs on another machine.

Databases are parted by a hash of their names (`data.collection.is_held_out`); the held-out ones judge. A killed
training goes on where it was. The curve and what the training examples are made of stand in OUT.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from base_card import model_card
from formula_examples import FormulaPair, formula_examples
from knowbench_told import pairs
from rich.progress import track
from train_packed import optim_options

from querent.data.databases.database import Database
from querent.data.domains.collection import Collection, Pair, read_collection
from querent.data.domains.dialogues import Dialogue, read_turns
from querent.data.errors import DatabaseError
from querent.data.hashed_folder import read_json
from querent.data.sampler import STRUCTURE_KINDS, STRUCTURES, with_self_key
from querent.data.schema.schema import Schema
from querent.encoders import Encoder, load_encoder
from querent.encoders.functions import Floats
from querent.encoders.text_vectors import TextVectors
from querent.evaluation.metrics import execution_match, is_ordered
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.learning.batches import TrainingSet, texts_of
from querent.parser.learning.dataset import contexts_of, make_training_examples
from querent.parser.learning.dialogue_examples import dialogue_examples
from querent.parser.learning.meant_queries import as_the_question_says
from querent.parser.learning.network import TrainableNetwork
from querent.parser.learning.packing import pack
from querent.parser.learning.samples import sampled_examples, sampled_pairs
from querent.parser.learning.training import Training
from querent.parser.learning.training_examples import TrainingExample, words_written
from querent.parser.learning.unanswerable import unanswerable_examples
from querent.parser.network.network import NetworkConfig
from querent.parser.network.saved import load_network, save_network
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.history import MAX_TURNS
from querent.parser.reader.output_vocabulary import UNKNOWN
from querent.parser.runs.options import OptimOptions

MOST_DRAWN = 160
"""Databases of a collection that queries are sampled on."""
MORE = {"meant": 32, "told": 8, "tallies": 12, "rankings": 8, "places": 10, "with-none": 6}
"""Sampled questions of a kind of each training database, beside those of all kinds; few databases have so many."""
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


def main() -> None:
    """Train, and print the curve; or pack what to train."""
    options = arguments()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    collections = [read_collection(spec) for spec in options.collections]
    encoder = load_encoder(options.encoder)
    examples, vectors = learnt(collections, encoder, options)
    sizes = NetworkConfig(options.encoder, encoder.hidden, lent=True, turns=MAX_TURNS if options.dialogues else 0)
    network = TrainableNetwork(sizes, encoder.model, options.frozen)
    if options.start:
        start_from(network, options)
    network.writes(words_written(examples))
    about: dict[str, Any] = {
        "languages": sorted({collection.language for collection in collections}),
        "collections": [collection.name for collection in collections],
        "dialogues": [file.stem for _, file, _ in options.dialogues],
        "examples": len(examples),
        "start": options.start and options.start.name,
        "knowbench": bool(options.knowbench),
    }
    noted = ("encoder", "epochs", "size", "lr", "anchor", "seed", "sampled", "more", "each")
    about |= {name: getattr(options, name) for name in noted}
    if options.pack:
        judged = held_out(collections, encoder, options)
        ready = TrainingSet.of(examples, encoder, options.frozen, held_out=judged, vectors=vectors)
        pack(options.pack, ready, network, about)
        print("packed in", options.pack)
        return
    judge = Judge([one.part("held-out") for one in collections if one.name in options.judges], encoder, options)
    ready, optim = TrainingSet.of(examples, encoder, options.frozen, vectors=vectors), optim_options(about)
    training = Training(network, ready, optim, options.out, judge=judge, every=options.every, seed=options.seed)
    print(f"{sum(p.numel() for p in network.parameters()) / 1e6:.1f} M parameters, {training.steps} steps", flush=True)
    for row in training.run():
        print(json.dumps(row), flush=True)
    best = training.best().answering(encoder, options.frozen)
    save_network(best, options.out / "best", languages=about["languages"], card=model_card(about))
    print("saved in", options.out / "best")


def learnt(collections: list[Collection], encoder: Encoder, options: argparse.Namespace) -> tuple[Learnt, TextVectors]:
    """Return the training examples of collections, of queries sampled on their databases, and of other questions.

    Collections are read side by side, each by a process of its own; databases that several have are sampled once.
    """
    trained = [collection.part("train") for collection in collections]
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
            found, missing = formula_examples(formula_pairs(options.knowbench, language, encoder), encoder)
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
    strange = unanswerable_examples(pairs, contexts, encoder, count=len(pairs) // 10, seed=options.seed)
    counts |= {"sampled": len(made), "without an answer": len(strange)}
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


def formula_pairs(root: Path, language: str, encoder: Encoder) -> Iterator[tuple[FormulaPair, DatabaseContext]]:
    """Yield the training questions of KnowBench in a language, with their formulas."""
    return track(list(pairs(root / language, language, TextVectors(encoder))), "reading KnowBench")


def start_from(network: TrainableNetwork, options: argparse.Namespace) -> None:
    """Take over the layers of a trained network; of one on another encoder, those alone that see none of its states.

    Where fewer layers are frozen than in it, those that it has not are the encoder's own.
    """
    start = load_network(options.start).network
    other, deeper = start.config.encoder != options.encoder, start.frozen - options.frozen
    own = ("upper.", "word.", "texts.") if other else ()
    arrays = start.weights.arrays.items()
    named = {_deeper(name, deeper): torch.from_numpy(a) for name, a in arrays if not name.startswith(own)}
    network.load_state_dict(network.state_dict() | named)


def _deeper(name: str, by: int) -> str:
    """Return what a weight is called where so many more of the encoder's layers learn."""
    if not name.startswith("upper.layers."):
        return name
    layer, own = name.removeprefix("upper.layers.").split(".", 1)
    return f"upper.layers.{int(layer) + by}.{own}"


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


def with_all_words(examples: list[list[TrainingExample]]) -> list[list[TrainingExample]]:
    """Return the examples whose questions say every value of their queries."""
    return [several for several in examples if (several[0].places != UNKNOWN).all()]


class Judge:
    """Execution accuracy on held-out databases, greedy, without the constraint."""

    def __init__(self, collections: list[Any], encoder: Any, options: argparse.Namespace) -> None:
        self.options = options
        self.encoder = encoder
        self.asked = [(pair, collection) for collection in collections for pair in collection.pairs]
        self.asked = self.asked[:: max(1, len(self.asked) // options.judged)]
        self.contexts = {
            (collection.name, name): several[0]
            for collection in collections
            for name, several in contexts_of(collection, cache=options.cache).items()
        }

    def __call__(self, network: TrainableNetwork) -> dict[str, float]:
        parser = SchemaParser(network.answering(self.encoder, self.options.frozen))
        begun, runs = time.perf_counter(), 0
        right: dict[str, list[int]] = {}
        for pair, collection in self.asked:
            scores = right.setdefault(collection.name, [])
            scores.append(0)
            with Database.open(collection.databases[pair.database]) as database:
                try:
                    context = self.contexts[collection.name, pair.database]
                    sql = parser.parse(context, pair.question, width=1).candidates[0].sql
                    rows = database.query(sql).rows
                    gold = database.query(pair.sql).rows
                except (DatabaseError, ValueError, IndexError):  # without the constraint a query may be anything
                    continue
                runs += 1
                scores[-1] = int(execution_match(rows, gold, is_ordered(pair.sql, "sqlite")))
        count = len(self.asked)
        seconds = (time.perf_counter() - begun) / count
        found = {"ex": sum(map(sum, right.values())) / count, "runs": runs / count}
        found |= {f"ex {name}": sum(scores) / len(scores) for name, scores in right.items() if len(right) > 1}
        return {name: round(share, 4) for name, share in found.items()} | {"ms": round(1000 * seconds, 1)}


def dialogues(text: str) -> tuple[str, Path, Path | None]:
    """Read ``COLLECTION=FILE`` or ``COLLECTION=FILE,LABELS``."""
    name, _, files = text.partition("=")
    file, _, labels = files.partition(",")
    if not file:
        raise argparse.ArgumentTypeError(f"{text!r} is no COLLECTION=FILE")
    return name, Path(file), Path(labels) if labels else None


def every(text: str) -> tuple[str, int]:
    """Read ``COLLECTION=N``."""
    name, _, number = text.partition("=")
    if not number.isdecimal() or not int(number):
        raise argparse.ArgumentTypeError(f"{text!r} is no COLLECTION=N")
    return name, int(number)


def counted(text: str) -> tuple[str, int]:
    """Read ``KIND=N``."""
    kind, _, number = text.partition("=")
    if kind not in STRUCTURE_KINDS or not number.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no KIND=N; kinds are {', '.join(STRUCTURE_KINDS)}")
    return kind, int(number)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER, cspider:FOLDER or chase:FOLDER")
    parser.add_argument(
        "--meant-only", nargs="+", default=[], help="those of which only queries of meanings are learnt"
    )
    parser.add_argument("--dialogues", nargs="*", default=[], type=dialogues, metavar="COLLECTION=FILE[,LABELS]",
                        help="on a collection's databases, with CHASE's labels where there are any")  # fmt: skip
    parser.add_argument("--own", type=lambda file: read_json(Path(file)), default={}, metavar="FILE",
                        help="a parser's queries by turn, of `dialogues.py`, as the query before")  # fmt: skip
    parser.add_argument("--unsampled", nargs="+", default=[], help="those on whose databases no query is sampled")
    parser.add_argument("--judges", nargs="+", default=["spider-train", "chase-train"],
                        help="collections whose held-out databases judge (default: Spider and CHASE)")  # fmt: skip
    parser.add_argument("--workers", type=int, default=2, help="processes that read collections (default: 2)")
    parser.add_argument("--start", type=Path, help="a trained network; on another encoder the layers above it")
    into = parser.add_mutually_exclusive_group(required=True)
    into.add_argument("--out", type=Path, help="folder of the run; goes on if it has begun")
    into.add_argument("--pack", type=Path, help="folder to pack the training into instead, for `train_packed.py`")
    parser.add_argument("--encoder", default="e5", help="e5 or a folder (default: e5)")
    parser.add_argument("--frozen", type=int, default=6, help="layers of the encoder that do not learn")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--size", type=int, default=OptimOptions.batch_size, help="examples of a batch")
    parser.add_argument("--sampled", type=int, default=24, help="sampled questions of each training database")
    parser.add_argument("--more", nargs="*", default=list(MORE.items()), type=counted, metavar="KIND=N",
                        help=f"so many of a kind beside them (default: {MORE})")  # fmt: skip
    parser.add_argument(
        "--self-keys", type=int, default=12, help="of keys into the same table, on copies of databases that get one"
    )
    parser.add_argument(
        "--again", type=int, default=6, help="of the questions, one in so many is asked of the copy, too"
    )
    parser.add_argument("--knowbench", type=Path, help="folder of KnowBench, whose training part is learnt, too")
    parser.add_argument("--lr", type=float, default=5e-4, help="highest learning rate; the encoder's is a sixth")
    parser.add_argument("--anchor", type=float, default=0.0, help="pull towards the weights of --start")
    parser.add_argument("--each", nargs="*", default=[], type=every, metavar="COLLECTION=N",
                        help="learn every so many questions of a collection")  # fmt: skip
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=2, help="epochs between two judgements")
    parser.add_argument("--judged", type=int, default=280, help="held-out questions that judge an epoch")
    parser.add_argument("--cache", type=Path, default=None, help="folder of the value indexes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
