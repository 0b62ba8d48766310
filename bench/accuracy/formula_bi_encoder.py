"""Trains the bi-encoder that finds formulas on KnowBench's training part (KnowSQL 2022, section 3.1)."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from formula_questions import flattened, text_of
from knowbench_told import bank_of, questions

from querent.data.databases.schema_places import open_schema
from querent.knowledge.formulas.bank import Formula
from querent.retrieval.bi_encoder import load_bi_encoder
from querent.retrieval.selection import Dense
from querent.retrieval.training import BiEncoderOptions, train_bi_encoder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = ["HELD_OUT", "Lesson", "trained"]

HELD_OUT = "health"
"""The training field by which epochs are chosen."""


@dataclass(frozen=True)
class Lesson:
    """A question with one formula that it needs; ``said`` are its names that stand in it, ``others`` needed, too."""

    domain: str
    question: str
    formula: Formula
    said: tuple[str, ...]
    others: tuple[Formula, ...]


def trained(
    root: Path, encoder: str, out: Path, options: BiEncoderOptions, *, negatives: int, schema: bool, each: int
) -> tuple[SentenceTransformer, dict[str, Any]]:
    """Return the bi-encoder, and what came of its epochs on the field held out: nothing of one that is in ``out``.

    Args:
        negatives: formulas beside the right one, rivals of its name first.
        schema: whether questions have the names of their database behind them.
        each: take every so many questions.
    """
    if (out / "modules.json").is_file():
        return load_bi_encoder(out), {}
    lessons = list(_lessons(root, schema=schema))
    inside = [one for one in lessons if one.domain != HELD_OUT]
    outside = [one for one in lessons if one.domain == HELD_OUT][::3]
    bank = list(dict.fromkeys(one.formula for one in lessons))
    model = load_bi_encoder(encoder)
    curve = {0: _recall(model, outside, bank)}

    def judge(share: float) -> None:
        epoch = round(share * options.epochs, 6)
        if epoch == int(epoch) and int(epoch) not in curve:
            curve[int(epoch)] = _recall(model, outside, bank)
            print(int(epoch), curve[int(epoch)], flush=True)

    rows = _rows(inside[::each], bank, negatives, random.Random(options.seed))
    begun = time.monotonic()
    train_bi_encoder(model, rows, out, options, progress=judge)
    told = {"lessons": len(rows["anchor"]), "seconds": round(time.monotonic() - begun), "held out by epoch": curve}
    return model, told


def _lessons(root: Path, *, schema: bool) -> Iterator[Lesson]:
    told = {(f.name, f.expression.text): f for f in bank_of(root).formulas}
    for name, several in questions(root, "train").items():
        behind = f" | {flattened(open_schema(root / 'databases' / f'{name}.sqlite')[0])}" if schema else ""
        for one in several:
            asked = one["question"]
            needed = [told[f["name"], f["is"]] for f in one["formulas"]]
            for formula in needed:
                said = tuple(n for n in formula.names if n.casefold() in asked.casefold())
                if said:  # a part of another formula is not asked for
                    others = tuple(f for f in needed if f is not formula)
                    yield Lesson(one["domain"], asked + behind, formula, said, others)


def _rows(lessons: list[Lesson], bank: list[Formula], negatives: int, rng: random.Random) -> dict[str, list[str]]:
    """Return anchors, right formulas, half of them without the names that were said, and wrong ones."""
    names = ("anchor", "positive", *(f"negative_{i}" for i in range(negatives)))
    rows: dict[str, list[str]] = {name: [] for name in names}
    for one in lessons:
        hidden = one.said if rng.random() < 0.5 and len(one.said) < len(one.formula.names) else ()
        others = [f for f in bank if f is not one.formula and f not in one.others and f.domain != HELD_OUT]
        rivals = [f for f in others if f.name == one.formula.name]
        field = [f for f in others if f.domain == one.domain and f not in rivals]
        wrong = [*rivals[:1], *rng.sample(field, min(len(field), (negatives + 1) // 2)), *rng.sample(others, negatives)]
        texts = [text_of(one.formula, hidden), *(text_of(f, one.said) for f in wrong[:negatives])]
        for name, text in zip(names, [one.question, *texts], strict=True):
            rows[name].append(text)
    return rows


def _recall(model: SentenceTransformer, lessons: list[Lesson], bank: list[Formula]) -> dict[str, float]:
    """Return recall@1 and @3 of the field held out: with all names, and without those that stand in the question."""
    whole = [text_of(f) for f in bank]
    without = list(dict.fromkeys(text_of(one.formula, one.said) for one in lessons))
    scores = Dense(model, [*whole, *without]).scores([one.question for one in lessons])
    found: dict[str, float] = {}
    for kind in ("said", "unsaid"):
        ranks: list[int] = []
        for row, one in zip(scores, lessons, strict=True):
            right = bank.index(one.formula)
            here = row[: len(whole)].copy()
            if kind == "unsaid":
                here[right] = row[len(whole) + without.index(text_of(one.formula, one.said))]
            here[[bank.index(other) for other in one.others if other in bank]] = -1
            ranks.append(int((here > here[right]).sum()))
        found |= {f"{kind} @{k}": round(float(np.mean(np.array(ranks) < k)), 4) for k in (1, 3)}
    return found
