"""Train the base: a parser that reads the schema, on the training databases of public collections.

    python bench/accuracy/base.py --collections spider:../shared/data/multi/spider-train --out runs/base

With --pack FOLDER in place of --out it trains nothing, but writes what `train_packed.py` needs on another machine.

Databases are parted by a hash of their names (`data.collection.is_held_out`); the held-out ones judge. A killed
training goes on where it was. The curve and what the training examples are made of stand in OUT.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import torch
from base_card import model_card
from lessons import held_out, learnt
from rich.console import Console
from train_packed import optim_options, take_over

from querent.data.databases.database import Database
from querent.data.domains.collection import read_collection
from querent.data.errors import DatabaseError
from querent.data.hashed_folder import read_json
from querent.data.sampler import STRUCTURE_KINDS
from querent.encoders import Encoder, load_encoder
from querent.encoders.weights import selected
from querent.evaluation.metrics import execution_match, is_ordered
from querent.parser.base import parser_folder
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.learning.batches import TrainingSet
from querent.parser.learning.dataset import contexts_of
from querent.parser.learning.graphs import answering
from querent.parser.learning.network import TrainableNetwork
from querent.parser.learning.packing import pack
from querent.parser.learning.training import Training
from querent.parser.learning.training_examples import words_written
from querent.parser.network.network import NetworkConfig
from querent.parser.network.saved import load_network, save_network
from querent.parser.reader.question.history import MAX_TURNS
from querent.parser.runs.options import OptimOptions
from querent.parser.runs.progress import bar

MORE = {"meant": 32, "told": 8, "tallies": 12, "rankings": 8, "places": 10, "with-none": 6}
"""Sampled questions of a kind of each training database, beside those of all kinds; few databases have so many."""


def main() -> None:
    """Train, and print the curve; or pack what to train."""
    options = arguments()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    collections = [read_collection(spec) for spec in options.collections]
    encoder = load_encoder(options.encoder)
    network = begun(encoder, options)  # before hours of reading: a start that does not fit is told at once
    examples, vectors = learnt(collections, encoder, options)
    network.writes(words_written(examples))
    about: dict[str, Any] = {
        "languages": sorted({collection.language for collection in collections}),
        "collections": [collection.name for collection in collections],
        "dialogues": [file.stem for _, file, _ in options.dialogues],
        "parts": [options.part],
        "examples": len(examples),
        "start": options.start and options.start.name,
        "knowbench": bool(options.knowbench),
    }
    noted = ("encoder", "epochs", "size", "lr", "anchor", "seed", "sampled", "more", "each", "follow_ups", "twins")
    about |= {name: getattr(options, name) for name in noted}
    if options.pack:
        judged = held_out(collections, encoder, options) if options.part == "train" else []
        ready = TrainingSet.of(examples, encoder, options.frozen, held_out=judged, vectors=vectors)
        pack(options.pack, ready, network, about)
        print("packed in", options.pack)
        return
    judge = Judge([one.part("held-out") for one in collections if one.name in options.judges], encoder, options)
    ready, optim = TrainingSet.of(examples, encoder, options.frozen, vectors=vectors), optim_options(about)
    training = Training(network, ready, optim, options.out, judge=judge, every=options.every, seed=options.seed)
    print(f"{sum(p.numel() for p in network.parameters()) / 1e6:.1f} M parameters, {training.steps} steps", flush=True)
    with bar("training", training.steps, Console(stderr=True)) as moved:
        for row in training.run(moved):
            print(json.dumps(row), flush=True)
    best = answering(training.best(), encoder, options.frozen)
    save_network(best, options.out / "best", languages=about["languages"], card=model_card(about))
    print("saved in", options.out / "best")


def begun(encoder: Encoder, options: argparse.Namespace) -> TrainableNetwork:
    """Return the network to train: new, or with the layers of a trained one.

    Of a trained one on another encoder those are taken over that see none of its states. Where fewer layers are frozen
    than in it, those that it has not are the encoder's own.
    """
    start = None if options.start is None else load_network(parser_folder(options.start)).network
    turns = MAX_TURNS if options.dialogues or (start is not None and start.config.turns) else 0
    network = TrainableNetwork(
        NetworkConfig(options.encoder, encoder.hidden, turns=turns), encoder.model, options.frozen
    )
    if start is None:
        return network
    other, deeper = start.config.encoder != options.encoder, start.frozen - options.frozen
    own = ("upper.", "word.", "texts.") if other else ()
    arrays = selected(start.weights)
    take_over(network, {_deeper(name, deeper): array for name, array in arrays.items() if not name.startswith(own)})
    return network


def _deeper(name: str, by: int) -> str:
    """Return what a weight is called where so many more of the encoder's layers learn."""
    if not name.startswith("upper.layers."):
        return name
    layer, own = name.removeprefix("upper.layers.").split(".", 1)
    return f"upper.layers.{int(layer) + by}.{own}"


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
        parser = SchemaParser(answering(network, self.encoder, self.options.frozen))
        begun, runs = time.perf_counter(), 0
        right: dict[str, list[int]] = {}
        for pair, collection in self.asked:
            scores = right.setdefault(collection.name, [])
            scores.append(0)
            with Database.open(collection.databases[pair.database]) as database:
                try:
                    context = self.contexts[collection.name, pair.database]
                    sql = parser.parse(context, pair.question, width=1).candidates[0].sql
                    rows = database.fetch(sql).rows
                    gold = database.fetch(pair.sql).rows
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
    parser.add_argument("--part", choices=("train", "held-out"), default="train",
                        help="databases to learn; the last training learns the held-out ones, too")  # fmt: skip
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
    parser.add_argument("--follow-ups", type=int, default=0, metavar="N",
                        help="so many dialogues of each database that are made of its questions")  # fmt: skip
    parser.add_argument("--twins", type=int, default=0, metavar="N",
                        help="columns that give way to two on copies of databases: either may be meant")  # fmt: skip
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
