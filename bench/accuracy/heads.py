"""How well the heads of a network say what a query will need, on databases that its training never saw.

    python bench/accuracy/heads.py --parser shipped --out bench/results/heads.json \\
        --collections spider:../shared/data/multi/spider-train chase:../shared/data/multi/chase-train

Labels come from gold queries. Precision, recall and F1 over all questions of a set: of the tables, columns and values
that a query has, of what it asks for (is something counted or added up, grouped, sorted, cut off, denied, each once?),
and of whether there is an answer at all, by questions put to other databases.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from held_out import swapped
from numpy.typing import NDArray
from result_files import save
from rich.progress import track

from querent.classifiers.calibration import logit
from querent.classifiers.scores import hits
from querent.data.domains.collection import Collection, Pair, read_collection
from querent.encoders.text_vectors import TextVectors
from querent.parser.base import parser_folder
from querent.parser.learning.batches import texts_of
from querent.parser.learning.dataset import contexts_of, make_training_examples
from querent.parser.learning.training_examples import TrainingExample
from querent.parser.network.network import Network
from querent.parser.network.saved import load_network
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.inputs import make_input
from querent.parser.reader.question.question import read_question
from querent.parser.reader.schema.output_vocabulary import fixed_words

Hits = tuple[int, int, int]

INTENTS = {
    "aggregate": ("COUNT", "SUM", "AVG", "MIN", "MAX"),
    "grouped": ("GROUP",),
    "sorted": ("ORDER",),
    "from the top": ("DESC",),
    "cut off": ("LIMIT",),
    "denied": ("NOT", "EXCEPT", "<>"),
    "each once": ("DISTINCT",),
}
"""What a question asks for, by the words of a query that say it."""


def main() -> None:
    """Measure each collection, print the figures, and save them."""
    options = arguments()
    network = load_network(parser_folder(options.parser)).network
    figures: dict[str, Any] = {}
    for spec in options.collections:
        collection = read_collection(spec).part("held-out")
        figures[collection.name] = told(collection, network, options.cache)
        print(json.dumps({collection.name: figures[collection.name]}, indent=1), flush=True)
    if options.out:
        save(options.out, {"figures": figures})


def told(collection: Collection, network: Network, cache: Path | None) -> dict[str, Any]:
    """Return precision, recall and F1 of each label."""
    contexts = {name: several[:1] for name, several in contexts_of(collection, cache=cache).items()}
    made = make_training_examples(collection.pairs, contexts, network.encoder).examples
    strange = [unanswered(pair, contexts[pair.database][0], network) for pair in swapped(collection).pairs]
    counts: dict[str, NDArray[np.int64]] = {}
    vectors = TextVectors(network.encoder)
    for one in track([*(several[0] for several in made), *strange], collection.name):
        vectors.prepare(texts_of([[one]]))
        for label, some in labels(one, network, vectors):
            counts[label] = counts.get(label, np.zeros(3, np.int64)) + some
    of_labels = {label: scores(*some.tolist()) for label, some in counts.items()}
    return {"questions": len(made), "put to other databases": len(strange), **of_labels}


def unanswered(pair: Pair, context: DatabaseContext, network: Network) -> TrainingExample:
    """Return a question that its database cannot answer."""
    question = read_question(pair.question, context.values(pair.question), network.encoder)
    return TrainingExample(pair.id, question, context.items, np.empty(0, np.int64))


def labels(example: TrainingExample, network: Network, vectors: TextVectors) -> Iterator[tuple[str, Hits]]:
    """Yield what is chosen and needed, chosen, and needed, of each kind of label of a question."""
    items, kept = example.items, np.arange(len(example.items))
    found = network.encode(make_input(example.question, items, kept), vectors).classes
    has_one = len(example.places) > 0
    yield "has an answer", hits(np.array([logit(found.answerable)], np.float32), np.array([has_one]))
    if not has_one:
        return
    needed = np.zeros(len(found.used), np.bool_)
    needed[example.pointed] = True
    parts = {"tables": slice(items.tables), "columns": slice(items.tables, len(kept)), "values": slice(len(kept), None)}
    for name, part in parts.items():
        yield name, hits(found.used[part], needed[part])
    words = [text for text, _ in fixed_words()]
    written = {words[place] for place in example.places.tolist() if place < len(words)}
    for name, some in INTENTS.items():
        said = max(float(found.fixed[i]) for i, word in enumerate(words) if word in some)
        yield name, hits(np.array([said], np.float32), np.array([not written.isdisjoint(some)]))


def scores(both: int, chosen: int, needed: int) -> dict[str, float]:
    """Return precision, recall and F1, with how many are needed."""
    shares = {"precision": both / max(1, chosen), "recall": both / max(1, needed)}
    shares["f1"] = 2 * both / max(1, chosen + needed)
    return {name: round(share, 4) for name, share in shares.items()} | {"needed": needed}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parser", type=Path, required=True, help="folder of a saved network, or shipped")
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER or chase:FOLDER")
    parser.add_argument("--cache", type=Path, default=None, help="folder of the value indexes")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
