"""Learn a linear map of E5's vectors under which words that databases use for one another lie close.

    python bench/accuracy/synonym_projection.py

What is learnt are the groups of `knowledge/grounding/words` and what the shipped banks call their concepts and
formulas: two members of a group are to lie closer than those of the groups around it, which are of the same field
(InfoNCE with hard negatives). One group in ten is held out to measure on: how often is the nearest of all held-out
words another of the same group, before and after. The map saved is of all groups; beside it is saved what the encoder
says of the shipped concepts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track
from safetensors.numpy import save_file
from torch.nn import functional

from querent.data.languages import LANGUAGES
from querent.encoders import load_encoder
from querent.encoders.text_vectors import TextVectors
from querent.knowledge.formulas.bank import Bank
from querent.knowledge.formulas.reading import open_banks
from querent.knowledge.grounding.features import known_by_name
from querent.knowledge.grounding.synonyms import shipped_groups

_HELD_OUT = 10
_BLOCK, _BLOCKS = 64, 4
"""Groups side by side in a batch, and such runs of them."""

_TEMPERATURE = 0.05
Floats = NDArray[np.float32]


def main() -> None:
    """Learn on nine groups of ten, measure on the others, learn on all, and save."""
    options = arguments()
    torch.set_num_threads(1)
    words = [list(dict.fromkeys(group)) for group in groups() if len(set(group)) > 1]
    vectors = TextVectors(load_encoder("e5"))
    vectors.prepare(word for group in words for word in group)
    every = [np.array([vectors[word] for word in group]) for group in words]
    known = [group for i, group in enumerate(every) if i % _HELD_OUT]
    others = [group for i, group in enumerate(every) if not i % _HELD_OUT]
    found = {"groups": len(every), "nearest is of the group, before": nearest(others, np.eye(every[0].shape[1]))}
    found["nearest is of the group, after"] = nearest(others, learnt(known, options.steps, options.seed))
    print(json.dumps(found))
    options.save.mkdir(parents=True, exist_ok=True)
    projection = learnt(every, options.steps, options.seed).astype(np.float16)
    known = sorted({name for language in LANGUAGES for name in known_by_name(Bank([], {}), language)})
    vectors.prepare(known)
    told = {"projection": projection, "known": np.array([vectors[name] for name in known], np.float16)}
    file = options.save / "e5.safetensors"
    save_file(told, file, {"known": json.dumps(known, ensure_ascii=False)})


def groups() -> Iterator[Sequence[str]]:
    """Yield the groups of the word lists and of the shipped banks' concepts, and the names of their formulas."""
    yield from shipped_groups()
    bank = open_banks(["all"])
    yield from (formula.names for formula in bank.formulas)


def learnt(every: Sequence[Floats], steps: int, seed: int) -> Floats:
    """Return the map, (hidden, hidden)."""
    rng = np.random.default_rng(seed)
    one = torch.eye(every[0].shape[1])
    weight = one.clone().requires_grad_()
    optimizer = torch.optim.Adam([weight], lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in track(range(steps), "learning"):
        left, right = batch(every, rng)
        cosines = functional.normalize(left @ weight, dim=1) @ functional.normalize(right @ weight, dim=1).T
        aims = torch.arange(len(cosines))
        both = functional.cross_entropy(cosines / _TEMPERATURE, aims)
        both = both + functional.cross_entropy(cosines.T / _TEMPERATURE, aims)
        loss = both / 2 + 1e-4 * ((weight - one) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return weight.detach().numpy()


def batch(every: Sequence[Floats], rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two members of each of some groups that stand side by side in the lists, (groups, hidden) twice."""
    starts = rng.integers(0, max(1, len(every) - _BLOCK), _BLOCKS)
    chosen = sorted({min(start + i, len(every) - 1) for start in starts.tolist() for i in range(_BLOCK)})
    pairs = [every[i][rng.choice(len(every[i]), 2, replace=False)] for i in chosen]
    both = torch.from_numpy(np.stack(pairs).astype(np.float32))
    return both[:, 0], both[:, 1]


def nearest(others: Sequence[Floats], projection: NDArray[np.floating]) -> float:
    """Return how often the nearest other word of a word is one of its group."""
    vectors = np.concatenate(others) @ projection
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    owner = np.repeat(np.arange(len(others)), [len(group) for group in others])
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    return round(float((owner[cosines.argmax(1)] == owner).mean()), 4)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=32)
    parser.add_argument("--save", type=Path, default=Path("knowledge/grounding/projections"), help="folder of the maps")
    return parser.parse_args()


if __name__ == "__main__":
    main()
