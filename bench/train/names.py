"""The stages that learn which names mean a concept: the projection of an encoder, and the weights of the grounding."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import knowbench
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GroupKFold
from torch.nn import functional

from querent.data.domains.schema_places import open_schema
from querent.data.languages import LANGUAGES
from querent.data.schema.plain_names import plain_name
from querent.data.schema.schema import Schema
from querent.encoders.functions import Floats, one_thread
from querent.encoders.text_vectors import TextVectors
from querent.knowledge.formulas.bank import Bank
from querent.knowledge.formulas.reading import open_banks
from querent.knowledge.grounding.features import FEATURES, known_by_name
from querent.knowledge.grounding.synonyms import known_concepts, shipped_groups
from querent.ner.index import ValueIndex
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.formula_items import formula_linker

from .recipes import SetName
from .walk import Figures, Work

BLOCK, BLOCKS, TEMPERATURE = 64, 4, 0.05
"""Neighbouring groups in a block, blocks in a batch, and the temperature of the cosines."""
ABSENT = 15
"""The number of concepts that are to ground nowhere on a database."""


def projection(work: Work, *, steps: int = 1200, seed: int = 0) -> Figures:
    """Learn a linear map under which synonyms in databases lie close: ``ENCODER.safetensors``.

    Two members of a group of the shipped word lists and banks are to lie closer than those of the groups around it,
    which are of the same field (InfoNCE with hard negatives). The file has the encoder's vectors of the shipped
    concepts, too.
    """
    every = [list(dict.fromkeys(group)) for group in shipped_groups()]
    every += [list(dict.fromkeys(formula.names)) for formula in open_banks(["all"]).formulas]
    words = [group for group in every if len(group) > 1]
    vectors = TextVectors(work.encoder)
    vectors.prepare(word for group in words for word in group)
    groups = [np.array([vectors[word] for word in group]) for group in words]
    with work.bar("projection", steps) as moved:
        learnt = _learnt_map(groups, steps, seed, moved).astype(np.float16)
    names = sorted({name for language in LANGUAGES for name in known_by_name(Bank([], {}), language)})
    vectors.prepare(names)
    tables = {"projection": learnt, "known": np.array([vectors[name] for name in names], np.float16)}
    file = work.folder / f"{Path(work.walk.recipe.encoder).name}.safetensors"
    save_file(tables, file, {"known": json.dumps(names, ensure_ascii=False)})
    return {"groups": len(groups)}


def _learnt_map(groups: Sequence[Floats], steps: int, seed: int, moved: Callable[[], None]) -> Floats:
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


class Candidates(NamedTuple):
    """The columns and tables of a database that fit a concept.

    Attributes:
        field: of the database.
        features: (columns and tables, features).
        right: which of them is meant, (columns and tables,).
    """

    field: str
    features: NDArray[np.float64]
    right: NDArray[np.bool_]


def grounding(work: Work, *, bench: SetName, weight: float = 4.0) -> Figures:
    """Fit the probability that a concept means a column, by KnowBench's training part: ``weights.json``.

    A logistic regression over the columns that fit a concept; concepts of other fields, of which the database has
    none, ground nowhere. The average precision is of a cross-validation by field.

    Args:
        weight: of a right column against a wrong one.
    """
    figures, learnt = Figures(), dict[str, dict[str, float]]()
    for home in sorted(work.knowbench(bench).iterdir()):
        found = [one for one in _candidates(work, home) if len(one.right)]
        features, right = np.concatenate([one.features for one in found]), np.concatenate([one.right for one in found])
        fields = np.repeat([one.field for one in found], [len(one.right) for one in found])
        model, weights = LogisticRegression(max_iter=2000, C=10.0), np.where(right, weight, 1.0)
        sure = np.zeros(len(right))
        for known, others in GroupKFold(2).split(features, right, fields):
            model.fit(features[known], right[known], sample_weight=weights[known])
            sure[others] = model.predict_proba(features[others])[:, 1]
        figures[home.name] = {"concepts": len(found), "average precision": average_precision_score(right, sure)}
        model.fit(features, right, sample_weight=weights)
        fitted: list[float] = np.round(np.ravel(model.coef_), 4).tolist()
        learnt[home.name] = dict(zip(FEATURES, fitted, strict=True))
        learnt[home.name]["constant"] = round(float(np.ravel(model.intercept_)[0]), 4)
    work.write("weights.json", learnt)
    return figures


def _candidates(work: Work, home: Path) -> Iterator[Candidates]:
    """Yield the concepts of the training part, each once a database, and concepts that ground nowhere."""
    bank, vectors = knowbench.bank_of(home), TextVectors(work.encoder)
    needs: dict[str, Any] = {
        concept: need for formula in bank.formulas for concept, need in formula.expression.needs.items()
    }
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
    synonyms = {c: {one.lower() for one in (*bank.aliases(c), *known_concepts().get(c, ()))} for c in others}
    others = [c for c in others if not bank.called(c) and named.isdisjoint(synonyms[c])]
    return random.Random(database).sample(others, min(ABSENT, len(others)))
