"""The stages that learn which names mean a concept: the projection of an encoder, and the weights of the grounding."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import knowbench
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from torch.nn import functional

from querent.data.databases.schema_places import open_schema
from querent.data.languages import LANGUAGES
from querent.data.schema.plain_names import plain_name
from querent.data.schema.schema import Schema
from querent.encoders.functions import Floats
from querent.encoders.text_vectors import TextVectors
from querent.knowledge.formulas.bank import Bank
from querent.knowledge.formulas.reading import open_banks
from querent.knowledge.grounding.features import FEATURES, known_by_name
from querent.knowledge.grounding.grounder import Grounder
from querent.knowledge.grounding.synonyms import known_concepts, shipped_groups
from querent.ner.index import ValueIndex
from querent.parser.decoding.encoded_question import one_thread
from querent.parser.reader.columns.concepts import formula_linker
from querent.parser.reader.context import DatabaseContext

from .recipes import SetName
from .walk import Figures, Work

__all__ = ["grounding", "projection"]

HELD_OUT = 10
"""One group of words in so many measures, before the map of all groups is learnt."""
BLOCK, BLOCKS, TEMPERATURE = 64, 4, 0.05
"""Groups side by side in a batch, such runs of them, and the temperature of their cosines."""
ABSENT = 15
"""Concepts of a database that are to ground nowhere."""


def projection(work: Work, *, steps: int = 1200, seed: int = 0) -> Figures:
    """Learn a linear map under which words that databases use for one another lie close: ``ENCODER.safetensors``.

    Two members of a group of the shipped word lists and banks are to lie closer than those of the groups around it,
    which are of the same field (InfoNCE with hard negatives). The file has what the encoder says of the shipped
    concepts, too.
    """
    every = [list(dict.fromkeys(group)) for group in shipped_groups()]
    every += [list(dict.fromkeys(formula.names)) for formula in open_banks(["all"]).formulas]
    words = [group for group in every if len(group) > 1]
    vectors = TextVectors(work.encoder)
    vectors.prepare(word for group in words for word in group)
    groups = [np.array([vectors[word] for word in group]) for group in words]
    known = [group for i, group in enumerate(groups) if i % HELD_OUT]
    others = groups[::HELD_OUT]
    with work.bar("projection", 2 * steps) as moved:
        figures: Figures = {"groups": len(groups), "nearest before": _nearest(others, np.eye(work.encoder.hidden))}
        figures["nearest after"] = _nearest(others, _learnt_map(known, steps, seed, moved))
        learnt = _learnt_map(groups, steps, seed, moved).astype(np.float16)
    names = sorted({name for language in LANGUAGES for name in known_by_name(Bank([], {}), language)})
    vectors.prepare(names)
    tables = {"projection": learnt, "known": np.array([vectors[name] for name in names], np.float16)}
    file = work.folder / f"{Path(work.recipe.encoder).name}.safetensors"
    save_file(tables, file, {"known": json.dumps(names, ensure_ascii=False)})
    return figures


def _learnt_map(groups: Sequence[Floats], steps: int, seed: int, moved: Any) -> Floats:
    """Return the map, (hidden, hidden)."""
    rng, one = np.random.default_rng(seed), torch.eye(groups[0].shape[1])
    weight = one.clone().requires_grad_()
    optimizer = torch.optim.Adam([weight], lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        starts = rng.integers(0, max(1, len(groups) - BLOCK), BLOCKS)
        chosen = sorted({min(start + i, len(groups) - 1) for start in starts.tolist() for i in range(BLOCK)})
        pairs = np.stack([groups[i][rng.choice(len(groups[i]), 2, replace=False)] for i in chosen]).astype(np.float32)
        left, right = (functional.normalize(torch.from_numpy(pairs[:, n]) @ weight, dim=1) for n in (0, 1))
        cosines, aims = left @ right.T / TEMPERATURE, torch.arange(len(chosen))
        both = functional.cross_entropy(cosines, aims) + functional.cross_entropy(cosines.T, aims)
        loss = both / 2 + 1e-4 * ((weight - one) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        moved()
    return weight.detach().numpy()


def _nearest(groups: Sequence[Floats], matrix: NDArray[np.floating]) -> float:
    """Return how often the nearest other word of a word is one of its group."""
    vectors = np.concatenate(groups) @ matrix
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    return round(float((owner[cosines.argmax(1)] == owner).mean()), 4)


@dataclass(frozen=True)
class Candidates:
    """The columns and tables of a database for one concept.

    Attributes:
        field: of the database, by which the cross-validation parts.
        features: (columns and tables that fit, features).
        right: which of them it is, (columns and tables that fit,).
    """

    field: str
    features: NDArray[np.float64]
    right: NDArray[np.bool_]


def grounding(work: Work, *, bench: SetName, weight: float = 4.0) -> Figures:
    """Fit how sure a name makes that a column is meant, by KnowBench's training part: ``weights.json``.

    A logistic regression over the columns that fit a concept; concepts of other fields, of which the database has
    none, ground nowhere. Figures of the best column at the grounder's threshold are of a cross-validation by field.

    Args:
        weight: what a right column counts against a wrong one.
    """
    figures: Figures = {}
    learnt: dict[str, dict[str, float]] = {}
    for home in sorted(work.knowbench(bench).iterdir()):
        language, found = home.name, [one for one in _candidates(work, home) if len(one.right)]
        features, right = np.concatenate([one.features for one in found]), np.concatenate([one.right for one in found])
        fields = np.repeat([one.field for one in found], [len(one.right) for one in found])
        model, counted = LogisticRegression(max_iter=2000, C=10.0), np.where(right, weight, 1.0)
        how = {"groups": fields, "cv": GroupKFold(2), "params": {"sample_weight": counted}, "method": "predict_proba"}
        sure = np.split(
            cross_val_predict(model, features, right, **how)[:, 1], np.cumsum([len(o.right) for o in found])[:-1]
        )
        named = [bool(shares.max() >= Grounder.threshold) for shares in sure]
        hits = [bool(one.right[shares.argmax()]) for one, shares in zip(found, sure, strict=True)]
        there = [bool(one.right.any()) for one in found]
        both = sum(map(min, named, hits))
        precision, recall = both / max(1, sum(named)), both / max(1, sum(there))
        figures[language] = {"concepts": len(found), "precision": round(precision, 4), "recall": round(recall, 4)}
        figures[language]["named though absent"] = sum(n for n, here in zip(named, there, strict=True) if not here)
        model.fit(features, right, sample_weight=counted)
        learnt[language] = dict(zip(FEATURES, np.round(model.coef_[0], 4).tolist(), strict=True))
        learnt[language]["constant"] = round(float(model.intercept_[0]), 4)
    work.write("weights.json", json.dumps(learnt, indent=1) + "\n")
    return figures


def _candidates(work: Work, home: Path) -> Iterator[Candidates]:
    """Yield the concepts of the training part, each once a database, and concepts that ground nowhere."""
    bank, vectors = knowbench.bank_of(home), TextVectors(work.encoder)
    needs = {concept: need for formula in bank.formulas for concept, need in formula.expression.needs.items()}
    every = knowbench.questions(home, "train")
    with work.bar(f"databases, {home.name}", len(every)) as moved:
        for path, several in every.items():
            given = {c: p for one in several for c, p in one["grounding"].items() if isinstance(p, str)}
            schema, database = open_schema(path)[0], path.stem
            with ValueIndex.open(path, schema) as index, one_thread():
                context = DatabaseContext.of(schema, index, dialect="sqlite", language=home.name)
                grounder = formula_linker(bank, context, vectors).grounder
                for concept in [*given, *_absent(bank, database, schema)]:
                    fits, place = grounder.fits(needs[concept]), given.get(concept, "").lower()
                    right = np.array([str(one.place).lower() == place for one in grounder.items])
                    yield Candidates(database.partition("_")[0], grounder.features.of(concept)[fits], right[fits])
            moved()


def _absent(bank: Bank, database: str, schema: Schema) -> list[str]:
    """Return concepts of other fields than the database's, of which it has no column."""
    own = {c for f in bank.formulas if f.domain == database.partition("_")[0] for c in f.expression.needs}
    named = {name for _, c in schema.columns() for name in (plain_name(c.name), c.description.lower())}
    others = sorted({c for f in bank.formulas for c in f.expression.needs} - own)
    said = {c: {one.lower() for one in (*bank.aliases(c), *known_concepts().get(c, ()))} for c in others}
    others = [c for c in others if not bank.called(c) and named.isdisjoint(said[c])]
    return random.Random(database).sample(others, min(ABSENT, len(others)))
