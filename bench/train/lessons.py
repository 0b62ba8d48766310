"""The stage that makes and packs lessons, one collection of databases after the other."""

from collections import Counter
from typing import Any, Literal

import torch

from querent.data.domains.collection import COLLECTION_FORMATS, Collection
from querent.parser.learning.network import TrainableNetwork
from querent.parser.learning.training_examples import words_written
from querent.parser.learning.training_set import TrainingSet, pack
from querent.parser.network.network import NetworkConfig
from querent.parser.reader.question import MAX_TURNS

from .families import FAMILIES, Contexts, Source
from .recipes import Lines
from .walk import Figures, Work

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
    others = [work.collection(base) for base in by_base if formats[base] in COLLECTION_FORMATS]
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
    languages = sorted({COLLECTION_FORMATS[one] for one in formats.values() if one in COLLECTION_FORMATS})
    pack(work.folder / "pack", ready, network, languages)
    return {"examples": len(examples), "judged": len(held), "languages": languages, "counts": dict(counts)}


def _named_otherwise(collection: Collection, others: list[Collection]) -> Collection | None:
    """Return the collection in another language that has most of the same databases, None if none has any."""
    shared = {one.name: len(one.schemas.keys() & collection.schemas.keys()) for one in others}
    found = [one for one in others if one.language != collection.language and shared[one.name]]
    return max(found, key=lambda one: shared[one.name], default=None)
