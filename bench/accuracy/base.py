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
from dataclasses import replace
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
from querent.data.domains.collection import Collection, Pair, named_as, read_collection
from querent.data.errors import DatabaseError
from querent.data.sampler import STRUCTURE_KINDS, STRUCTURES, with_self_key
from querent.data.schema.schema import Schema
from querent.encoders import Encoder, load_encoder
from querent.evaluation.metrics import execution_match, is_ordered
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.learning.batches import TrainingSet
from querent.parser.learning.dataset import contexts_of, make_training_examples
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
from querent.parser.reader.output_vocabulary import UNKNOWN
from querent.parser.reader.vectors import TextVectors
from querent.parser.runs.options import OptimOptions

MOST_DRAWN = 160
"""Databases of a collection that queries are sampled on."""
MORE = {"meant": 32, "told": 8, "tallies": 12, "rankings": 8, "places": 10, "with-none": 6}
"""Sampled questions of a kind of each training database, beside those of all kinds; few databases have so many."""
MOST_COPIED = 20_000_000
"""Bytes of a database of which a copy gets a key."""


def main() -> None:
    """Train, and print the curve; or pack what to train."""
    options = arguments()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    collections = [read_collection(spec) for spec in options.collections]
    encoder = load_encoder(options.encoder)
    examples = learnt(collections, encoder, options)
    network = TrainableNetwork(NetworkConfig(options.encoder, encoder.hidden), encoder.model, options.frozen)
    if options.start:
        start_from(network, options)
    network.writes(words_written(examples))
    about: dict[str, Any] = {
        "language": collections[0].language,
        "collections": [collection.name for collection in collections],
        "examples": len(examples),
        "start": options.start and options.start.name,
        "knowbench": bool(options.knowbench),
    }
    noted = ("encoder", "epochs", "size", "lr", "anchor", "seed", "sampled", "more")
    about |= {name: getattr(options, name) for name in noted}
    if options.pack:
        judged = held_out(collections, encoder, options)
        pack(options.pack, TrainingSet.of(examples, encoder, options.frozen, held_out=judged), network, about)
        print("packed in", options.pack)
        return
    judge = Judge([collection.part("held-out") for collection in collections], encoder, options)
    ready, optim = TrainingSet.of(examples, encoder, options.frozen), optim_options(about)
    training = Training(network, ready, optim, options.out, judge=judge, every=options.every, seed=options.seed)
    print(f"{sum(p.numel() for p in network.parameters()) / 1e6:.1f} M parameters, {training.steps} steps", flush=True)
    for row in training.run():
        print(json.dumps(row), flush=True)
    best = training.best().answering(encoder, options.frozen)
    save_network(best, options.out / "best", language=about["language"], card=model_card(about))
    print("saved in", options.out / "best")


def learnt(collections: list[Collection], encoder: Encoder, options: argparse.Namespace) -> list[list[TrainingExample]]:
    """Return the training examples of collections, of queries sampled on their databases, and of other questions."""
    trained = [collection.part("train") for collection in collections]
    if options.names:
        other = read_collection(options.names)
        trained = [named_as(one, other) if one.language != other.language else one for one in trained]
    examples: list[list[TrainingExample]] = []
    left_out: dict[str, dict[str, int]] = {}
    drawn = set[str]()
    for collection in trained:
        contexts = contexts_of(collection, cache=options.cache)
        pairs = collection.pairs[:: options.each]
        if collection.name in options.meant_only:
            pairs = [pair for pair in pairs if means_something(pair, contexts[pair.database][0])]
        dataset = make_training_examples(track(pairs, f"reading {collection.name}"), contexts, encoder)
        said = with_all_words(dataset.examples)
        left_out[collection.name] = {
            "a value that its question does not say": len(dataset.examples) - len(said),
            **dict(dataset.left_out.most_common()),
        }
        examples += said
        fresh = {name: file for name, file in sorted(collection.databases.items()) if name not in drawn}
        drawn |= fresh.keys()
        counts = {STRUCTURES: options.sampled, **{STRUCTURE_KINDS[kind]: n for kind, n in options.more}}
        examples += sampled(replace(collection, databases=fresh), contexts, encoder, counts, options.seed)
        examples += self_keyed(replace(collection, pairs=pairs, databases=fresh), encoder, options)
        strange = len(pairs) // 10
        examples += unanswerable_examples(pairs, contexts, encoder, count=strange, seed=options.seed)
    if options.knowbench:
        told, missing = formula_examples(formula_pairs(options.knowbench, trained[0].language, encoder), encoder)
        examples += told
        left_out["knowbench"] = {"no word for it": missing}
    print(len(examples), "examples; left out:", left_out, flush=True)
    return examples


def means_something(pair: Pair, context: DatabaseContext) -> bool:
    """Does the query of a pair compare times, flags or numbers in text, or take them apart?"""
    return as_the_question_says(pair.sql, pair.question, context, context.values(pair.question)).changed


def held_out(collections: list[Collection], encoder: Encoder, options: argparse.Namespace) -> list[TrainingExample]:
    """Return examples on the held-out databases, each named in the first of its ways."""
    found: list[TrainingExample] = []
    for collection in (one.part("held-out") for one in collections):
        contexts = contexts_of(collection, cache=options.cache)
        found += [several[0] for several in make_training_examples(collection.pairs, contexts, encoder).examples]
    return found


def formula_pairs(root: Path, language: str, encoder: Encoder) -> Iterator[tuple[FormulaPair, DatabaseContext]]:
    """Yield the training questions of KnowBench in a language, with their formulas."""
    return track(list(pairs(root / language, language, TextVectors(encoder))), "reading KnowBench")


def start_from(network: TrainableNetwork, options: argparse.Namespace) -> None:
    """Take over the layers of a trained network; of one on another encoder, those alone that see none of its states."""
    start = load_network(options.start).network
    same = (start.config.encoder, start.frozen) == (options.encoder, options.frozen)
    own = () if same else ("upper.", "word.", "texts.")
    named = {name: torch.from_numpy(a) for name, a in start.weights.arrays.items() if not name.startswith(own)}
    network.load_state_dict(network.state_dict() | named)


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
    found = sampled_examples(list(track(drawn, f"sampled on {collection.name}")), contexts, encoder)
    print(len(found), "sampled queries", flush=True)
    return found


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
    parser.add_argument("--names", help="a collection whose names for the same databases are a second way to read them")
    parser.add_argument("--start", type=Path, help="a trained network; on another encoder the layers above it")
    into = parser.add_mutually_exclusive_group(required=True)
    into.add_argument("--out", type=Path, help="folder of the run; goes on if it has begun")
    into.add_argument("--pack", type=Path, help="folder to pack the training into instead, for `train_packed.py`")
    parser.add_argument("--encoder", default="minilm", help="minilm, e5, or a folder (default: minilm)")
    parser.add_argument("--frozen", type=int, default=3, help="layers of the encoder that do not learn")
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
    parser.add_argument("--each", type=int, default=1, help="learn every so many questions of the collections")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=2, help="epochs between two judgements")
    parser.add_argument("--judged", type=int, default=280, help="held-out questions that judge an epoch")
    parser.add_argument("--cache", type=Path, default=None, help="folder of the value indexes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
