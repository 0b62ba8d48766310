"""Learn how sure a name makes that a column is meant, from the concepts of KnowBench's training part.

    python bench/accuracy/grounding_weights.py --bench runs/knowbench --save knowledge/grounding/weights.json

Each concept is told from every other column that fits, a concept of another field, of which the database has none,
from all of them, and a logistic regression is fitted on what their names have in common. Fields of one half are fitted
on and those of the other measured: precision, recall, F1 of the best column at .6, and which share of the columns is
found under each way of naming; the weights saved are of all.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from result_files import RESULTS, add
from sklearn.linear_model import LogisticRegression

import querent
from querent.data.languages import LANGUAGES
from querent.data.schema.plain_names import plain_name
from querent.data.schema.schema import Schema
from querent.encoders import load_encoder
from querent.encoders.text_vectors import TextVectors
from querent.knowledge.formulas.bank import Bank
from querent.knowledge.formulas.reading import open_banks
from querent.knowledge.grounding.features import FEATURES
from querent.knowledge.grounding.grounder import Grounder
from querent.knowledge.grounding.synonyms import known_concepts
from querent.ner.index import ValueIndex
from querent.parser.decoding.encoded_question import one_thread
from querent.parser.reader.columns.concepts import formula_linker
from querent.parser.reader.context import DatabaseContext

_ABSENT = 15
"""Concepts of a database that are to ground nowhere."""


@dataclass(frozen=True)
class Pairs:
    """One concept against the columns and tables of a database.

    Attributes:
        language: of its names.
        field: of the database, for the halves.
        naming: its way of naming.
        features: (columns and tables that fit, features).
        right: which of them it is, (columns and tables that fit,).
    """

    language: str
    field: str
    naming: str
    features: NDArray[np.float64]
    right: NDArray[np.bool_]


def main() -> None:
    """Collect, fit on a half, measure on the other, and save what all of it gives."""
    options = arguments()
    found = [pairs for language in LANGUAGES for pairs in benchmark(options.bench, language)]
    names = sorted({one.field for one in found})
    first, learnt = set(names[::2]), dict[str, dict[str, float]]()
    for language in dict.fromkeys(one.language for one in found):
        own = [one for one in found if one.language == language]
        models = {half: fitted([one for one in own if (one.field in first) == half], options.weight) for half in (0, 1)}
        scores = [judged(shares(models[one.field not in first], one), one) for one in own]
        figures = summary(scores, own) | {"concepts": len(own)}
        print(language, json.dumps(figures), flush=True)
        add(options.out, language, figures)
        model = fitted(own, options.weight)
        learnt[language] = dict(zip(FEATURES, np.round(model.coef_[0], 4).tolist(), strict=True))
        learnt[language]["constant"] = round(float(model.intercept_[0]), 4)
    print(json.dumps(learnt))
    if options.save:
        options.save.write_text(json.dumps(learnt, indent=1) + "\n")


def benchmark(root: Path, language: str) -> Iterator[Pairs]:
    """Yield the concepts of KnowBench's training part, each once a database."""
    home = root / language
    bank = open_banks(sorted((home / "knowledge").glob("*.toml")))
    vectors = TextVectors(load_encoder("e5"))
    told: dict[str, dict[str, str]] = {}
    for line in (home / "train.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        told.setdefault(question["db"], {}).update(
            {c: p for c, p in question["grounding"].items() if isinstance(p, str)}
        )
    for database, grounding in told.items():
        path = str(home / "databases" / f"{database}.sqlite")
        schema = querent.open_schema(path)[0]
        with ValueIndex.open(path, schema) as index, one_thread():
            context = DatabaseContext.of(schema, index, dialect="sqlite", language=language)
            grounder = formula_linker(bank, context, vectors).grounder
            needs = {concept: need for f in bank.formulas for concept, need in f.expression.needs.items()}
            field, naming = database.partition("_")[0], database.rpartition("_")[2]
            for concept, place in grounding.items():
                right = np.array([str(one.place).lower() == place.lower() for one in grounder.items])
                fits = grounder.fits(needs[concept])
                yield Pairs(language, field, naming, grounder.features.of(concept)[fits], right[fits])
            for concept in absent(bank, database, schema):
                features = grounder.features.of(concept)[grounder.fits(needs[concept])]
                yield Pairs(language, field, naming, features, np.zeros(len(features), np.bool_))


def absent(bank: Bank, database: str, schema: Schema) -> list[str]:
    """Return concepts of other fields than the database's, of which it has no column: they are to ground nowhere."""
    own = {c for f in bank.formulas if f.domain == database.partition("_")[0] for c in f.expression.needs}
    named = {name for _, c in schema.columns() for name in (plain_name(c.name), c.description.lower())}
    others = sorted({c for f in bank.formulas for c in f.expression.needs} - own)
    said = {c: {one.lower() for one in (*bank.aliases(c), *known_concepts().get(c, ()))} for c in others}
    others = [c for c in others if not bank.called(c) and named.isdisjoint(said[c])]
    return random.Random(database).sample(others, min(_ABSENT, len(others)))


def fitted(found: Sequence[Pairs], weight: float) -> LogisticRegression:
    """Return a regression over all columns, a right one counted for ``weight`` wrong ones."""
    features = np.concatenate([one.features for one in found])
    right = np.concatenate([one.right for one in found])
    weights = np.where(right, weight, 1.0)
    return LogisticRegression(max_iter=2000, C=10.0).fit(features, right, sample_weight=weights)


def shares(model: LogisticRegression, one: Pairs) -> NDArray[np.float64]:
    """Return how sure each column is, (columns and tables that fit,)."""
    return model.predict_proba(one.features)[:, 1] if len(one.features) else np.zeros(0)


def judged(sure: NDArray[np.float64], one: Pairs) -> tuple[bool, bool, bool]:
    """Return whether the best column is told at all, whether it is right, and whether there is a right one."""
    if not len(sure):
        return False, False, False
    best = int(np.argmax(sure))
    return bool(sure[best] >= Grounder.threshold), bool(one.right[best]), bool(one.right.any())


def summary(scores: Sequence[tuple[bool, bool, bool]], own: Sequence[Pairs]) -> dict[str, float]:
    """Return precision, recall and F1 of what is told; ``best`` is the share of concepts whose best column is right."""
    told, hits = sum(one for one, _, _ in scores), sum(one and right for one, right, _ in scores)
    there = max(1, sum(there for _, _, there in scores))
    precision, recall = hits / max(1, told), hits / there
    best = sum(right for _, right, _ in scores) / there
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    nowhere = sum(one for one, _, there in scores if not there) / max(1, len(scores) - there)
    figures = {"precision": precision, "recall": recall, "f1": f1, "best": best, "told though absent": nowhere}
    for naming in sorted({one.naming for one in own}):
        due = [
            told and right
            for (told, right, there), one in zip(scores, own, strict=True)
            if there and one.naming == naming
        ]
        figures[f"recall {naming}"] = sum(due) / max(1, len(due))
    return {name: round(figure, 4) for name, figure in figures.items()}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, required=True, help="folder of KnowBench, as bench/data has it unpacked")
    parser.add_argument("--weight", type=float, default=4.0, help="what a right column counts against a wrong one")
    parser.add_argument("--save", type=Path, help="file of the weights")
    parser.add_argument("--out", type=Path, default=RESULTS / "grounding-weights.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
