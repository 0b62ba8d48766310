"""Train the head that finds spans in questions, and measure it on databases that its training never saw.

    python bench/accuracy/span_finder.py --data ../shared/data --out spans.safetensors \\
        --result bench/results/span-finder.json

English questions are marked by their gold queries, Chinese ones by people (`learning.span_examples`). The states of
their words are read once and kept in --states.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from result_files import DATA, save
from rich.progress import track
from safetensors.numpy import load_file, save_file

from querent.classifiers.span_finder import SpanFinder, WordStates
from querent.classifiers.span_learning import TaggedWords, fit_spans
from querent.data.domains.collection import is_held_out, read_collection
from querent.data.domains.shipped import cache_folder
from querent.data.formats.chase_links import read_linked_turns
from querent.encoders import Encoder, load_encoder
from querent.parser.learning.span_examples import SpanExample, linked_examples, projected_examples
from querent.parser.reader.question.question import read_question
from querent.parser.reader.question.word_states import words_of_many

MOST = {"spider-train": 3000, "bird-train": 1500, "chase-train": 8500}
"""Questions of each set that are learnt, drawn with the seed; all of its databases held out judge."""
LOWER = 4
"""Of the English questions learnt one in so many is in small letters; held-out ones are judged so, too."""

Known = dict[str, Any]


def main() -> None:
    """Train, measure, and keep."""
    options = arguments()
    examples = list(read(options))
    encoder = load_encoder("e5")
    states = kept_states(examples, encoder, options.layers, options.states)
    finder, result = learnt(examples, states, options.layers, options)
    print(json.dumps(result, indent=1), flush=True)
    if options.out:
        finder.save(options.out)
    if options.result:
        trained = {"seed": options.seed, "with": {name: version(name) for name in ("torch", "seqeval")}}
        save(options.result, {"trained": trained, "layers": options.layers, **result})


def read(options: argparse.Namespace) -> Iterator[SpanExample]:
    """Yield the questions that are learnt, and all of the databases held out."""
    rng = random.Random(options.seed)
    for name, most in MOST.items():
        found = list(one_set(name, options.data))
        learn = [one for one in found if not is_held_out(one.database) and one.whole]
        drawn = rng.sample(learn, min(most, len(learn)))
        yield from (lowered(one) if n % LOWER == 0 else one for n, one in enumerate(drawn))
        held = [one for one in found if is_held_out(one.database)]
        yield from held
        if name != "chase-train":
            yield from (replace(lowered(one), source=f"{name}, small letters") for one in held)


def lowered(example: SpanExample) -> SpanExample:
    """Return a question in small letters, unless some letter is then of another length."""
    text = example.question.lower()
    return replace(example, question=text) if len(text) == len(example.question) else example


def one_set(name: str, data: Path) -> Iterable[SpanExample]:
    """Return the questions of a set."""
    folder = data / "multi" / name
    if name == "chase-train":
        return linked_examples(read_linked_turns(folder, data / "dialogue" / "chase-labels.json"), name)
    return projected_examples(read_collection(f"spider:{folder}"))


def kept_states(examples: list[SpanExample], encoder: Encoder, layers: int, folder: Path) -> list[WordStates]:
    """Return the states of the words of each question, in half precision, from a file if they are kept there."""
    digest = hashlib.sha256("\n".join(one.question for one in examples).encode()).hexdigest()[:12]
    file = folder / f"e5-{layers}-{digest}.safetensors"
    if not file.exists():
        questions = [read_question(one.question, (), encoder) for one in examples]
        found = dict(track(words_of_many(questions, encoder, layers), f"{layers} layers", total=len(questions)))
        each = [found[i] for i in range(len(questions))]
        table = {
            "states": np.concatenate([one.states for one in each]).astype(np.float16),
            "own": np.concatenate([one.own for one in each]),
            "words": np.array([len(one.own) for one in each]),
        }
        folder.mkdir(parents=True, exist_ok=True)
        save_file(table, file)
    kept = load_file(file)
    ends = np.cumsum(kept["words"])[:-1]
    parts = zip(np.split(kept["states"], ends), np.split(kept["own"], ends), strict=True)
    return [WordStates(states.astype(np.float32), own) for states, own in parts]


def learnt(
    examples: list[SpanExample], states: list[WordStates], layers: int, options: argparse.Namespace
) -> tuple[SpanFinder, Known]:
    """Train a head, and return it with its figures."""
    each = [TaggedWords(own, one.tags(len(own.own))) for one, own in zip(examples, states, strict=True)]
    pairs = list(zip(examples, each, strict=True))
    train = [own for one, own in pairs if not is_held_out(one.database)]
    begun = time.perf_counter()
    finder = fit_spans(train, "e5", layers, epochs=options.epochs, seed=options.seed)
    figures: Known = {"seconds": round(time.perf_counter() - begun), "learnt": len(train)}
    for name in dict.fromkeys(one.source for one in examples):
        held = [own for one, own in pairs if one.source == name and one.whole and is_held_out(one.database)]
        scores = finder.score([finder.predict(own.words) for own in held], [own.tags for own in held])
        figures[name] = {"questions": len(held), **scores}
    return finder, figures


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the public sets")
    parser.add_argument("--states", type=Path, default=cache_folder() / "span-states", help="where states are kept")
    parser.add_argument("--layers", type=int, default=6, help="of the encoder, whose states the head reads")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="file of the weights")
    parser.add_argument("--result", type=Path, help="JSON of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
