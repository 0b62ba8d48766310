"""Learn how sure a name makes that a column is meant, from pairs of questions and queries alone (ETA, Liu et al. 2021).

    python bench/accuracy/grounding_weights.py --each 8 --collections spider:../shared/data/multi/spider-train \\
        chase:../shared/data/multi/chase-train --bench runs/knowbench --save knowledge/grounding/weights.json

Erasing: of each question's phrases the one is taken without which the reader sees a column of the query the least.
So (phrase, column) are told apart from (phrase, any other column that fits), and a logistic regression is fitted on
what their names have in common. With --bench the concepts of KnowBench's training part come in, with the sayings of
its banks. Fields of one half are fitted on and those of the other measured: precision, recall, F1 of the best
column at .6; the weights saved are of all.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sqlglot
from numpy.typing import NDArray
from result_files import RESULTS, add, command
from rich.progress import track
from sklearn.linear_model import LogisticRegression
from sqlglot import exp

import querent
from querent.data.collection import read_collection
from querent.data.plain_names import plain_name
from querent.data.schema import Schema
from querent.encoders.functions import sigmoid
from querent.knowledge.formulas.bank import Bank
from querent.knowledge.formulas.reading import open_banks
from querent.knowledge.grounding.confidence import FEATURES
from querent.knowledge.grounding.grounder import GROUNDED
from querent.ner.index import ValueIndex
from querent.ner.units import Unit, units
from querent.parser.decoding.parsing import SchemaParser, one_thread
from querent.parser.reader.concepts import needed_formulas
from querent.parser.reader.context import DatabaseContext

_LONGEST = {"en": 3, "zh": 5}
"""Words of a phrase, characters in Chinese."""

_ABSENT = 15
"""Concepts of a database that are to ground nowhere."""

_DROP = 0.5
"""What a column's probability falls by at least where the phrase that says it is erased."""


@dataclass(frozen=True)
class Pairs:
    """One concept against the columns and tables of a database.

    Attributes:
        language: of the encoder.
        field: for the halves: of KnowBench the domain, else the database.
        features: (columns and tables that fit, features).
        right: which of them it is, (columns and tables that fit,).
    """

    language: str
    field: str
    features: NDArray[np.float64]
    right: NDArray[np.bool_]


def main() -> None:
    """Collect, fit on a half, measure on the other, and save what all of it gives."""
    options = arguments()
    found = [pairs for spec in options.collections for pairs in erased(spec, options)]
    for language in ("en", "zh") if options.bench else ():
        found += benchmark(options.bench, language)
    names = sorted({one.field for one in found})
    first, learnt = set(names[::2]), dict[str, dict[str, float]]()
    for language in dict.fromkeys(one.language for one in found):
        own = [one for one in found if one.language == language]
        scores: list[tuple[bool, bool, bool]] = []
        for half in (True, False):
            model = fitted([one for one in own if (one.field in first) == half], options.weight)
            scores += [judged(model, one) for one in own if (one.field in first) != half]
        figures = summary(scores) | {"concepts": len(own), "command": command()}
        print(language, json.dumps(figures), flush=True)
        add(options.out, language, figures)
        model = fitted(own, options.weight)
        learnt[language] = dict(zip(FEATURES, np.round(model.coef_[0], 4).tolist(), strict=True))
        learnt[language]["constant"] = round(float(model.intercept_[0]), 4)
    print(json.dumps(learnt))
    if options.save:
        options.save.write_text(json.dumps(learnt, indent=1) + "\n")


def erased(spec: str, options: argparse.Namespace) -> Iterator[Pairs]:
    """Yield what erasing tells of a collection's questions."""
    collection = read_collection(spec).part("train")
    loaded = querent.load_network(querent.parser_folder(collection.language))
    parser = SchemaParser(loaded.network)
    for name, schema in track(collection.schemas.items(), collection.name):
        pairs = [pair for pair in collection.pairs if pair.database == name][:: options.each]
        file = collection.databases.get(name)
        if not pairs or file is None:
            continue
        with ValueIndex.open(file, schema) as index:
            context = DatabaseContext.of(schema, index, dialect="sqlite", language=collection.language)
            grounder = needed_formulas(Bank([], {}), context, parser.vectors).grounder
            places = [(p.table.lower(), (p.column or "").lower()) for p in grounder.places]
            with one_thread():
                for pair in pairs:
                    for phrase, place in aligned(parser, context, pair.question, pair.sql, schema):
                        right = np.array([one == place for one in places])
                        yield Pairs(collection.language, name, grounder.features(phrase), right)


def aligned(
    parser: SchemaParser, context: DatabaseContext, question: str, sql: str, schema: Schema
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield (phrase, column): that without which the reader sees a column of the query the least."""
    wanted = columns_of(sql, schema)
    if not wanted:
        return
    whole = seen(parser, context, question)
    words = units(question)
    values = {i for v in context.values(question) for i in range(v.start, v.end)}
    phrases = list(phrases_of(words, values, _LONGEST[context.language]))
    without = [(start, end, seen(parser, context, question[:start] + question[end:])) for start, end in phrases]
    for column in wanted:
        item = context.items.find(*column)
        drops = [(whole[item] - after[item], start - end, start, end) for start, end, after in without]
        if not drops or whole[item] < _DROP:
            continue
        best = max(drops)
        if best[0] >= _DROP:
            # of phrases that weigh nearly as much the shortest one says it
            near = max((d for d in drops if d[0] >= best[0] - 0.05), key=lambda d: d[1])
            yield question[near[2] : near[3]], (column[0].lower(), column[1].lower())


def phrases_of(words: Sequence[Unit], values: set[int], longest: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of runs of words that say no value."""
    for first in range(len(words)):
        for last in range(first, min(first + longest, len(words))):
            start, end = words[first].start, words[last].end
            if words[last].text.isalnum() and values.isdisjoint(range(start, end)):
                yield start, end


def seen(parser: SchemaParser, context: DatabaseContext, question: str) -> NDArray[np.float32]:
    """Return the probability of each item to be in the query, (items,)."""
    read = parser.read(context, question)
    found = np.zeros(len(context.items), np.float32)  # of a large schema only some are read
    found[read.input.kept] = sigmoid(read.classes.used[: len(read.input.kept)])
    return found


def columns_of(sql: str, schema: Schema) -> list[tuple[str, str]]:
    """Return the columns of a query that its tables tell without doubt, keys left out."""
    tree = sqlglot.parse_one(sql, read="sqlite")
    tables = {table.name.lower() for table in tree.find_all(exp.Table)}
    keys = {(t.name.lower(), c.lower()) for t in schema.tables for key in t.foreign_keys for c in key.columns}
    found: dict[tuple[str, str], None] = {}
    for column in tree.find_all(exp.Column):
        held = [t.name for t in schema.tables if t.name.lower() in tables and has(t, column.name)]
        if len(held) == 1 and (held[0].lower(), column.name.lower()) not in keys:
            found[
                held[0], next(c.name for c in schema.table(held[0]).columns if c.name.lower() == column.name.lower())
            ] = None
    return list(found)


def has(table: Any, column: str) -> bool:
    """Has a table a column of that name?"""
    return any(one.name.lower() == column.lower() for one in table.columns)


def benchmark(root: Path, language: str) -> Iterator[Pairs]:
    """Yield the concepts of KnowBench's training part, each once a database."""
    home = root / language
    bank = open_banks(sorted((home / "knowledge").glob("*.toml")))
    loaded = querent.load_network(querent.parser_folder(language))
    parser = SchemaParser(loaded.network)
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
            grounder = needed_formulas(bank, context, parser.vectors).grounder
            needs = {concept: need for f in bank.formulas for concept, need in f.expression.needs.items()}
            field = database.partition("_")[0]
            for concept, place in grounding.items():
                right = np.array([str(one).lower() == place.lower() for one in grounder.places])
                fits = grounder.fits(needs[concept])
                yield Pairs(language, field, grounder.features(concept)[fits], right[fits])
            for concept in absent(bank, database, schema):
                fits = grounder.fits(needs[concept])
                none = np.zeros(int(fits.sum()), np.bool_)
                yield Pairs(language, field, grounder.features(concept)[fits], none)


def absent(bank: Bank, database: str, schema: Schema) -> list[str]:
    """Return concepts of other fields than the database's, of which it has no column: they are to ground nowhere."""
    own = {c for f in bank.formulas if f.domain == database.partition("_")[0] for c in f.expression.needs}
    named = {name for _, c in schema.columns() for name in (plain_name(c.name), c.description.lower())}
    others = sorted({c for f in bank.formulas for c in f.expression.needs} - own)
    others = [c for c in others if not bank.called(c) and named.isdisjoint(one.lower() for one in bank.sayings(c))]
    return random.Random(database).sample(others, min(_ABSENT, len(others)))


def fitted(found: Sequence[Pairs], weight: float) -> LogisticRegression:
    """Return a regression over all columns, a right one counted for ``weight`` wrong ones."""
    features = np.concatenate([one.features for one in found])
    right = np.concatenate([one.right for one in found])
    weights = np.where(right, weight, 1.0)
    return LogisticRegression(max_iter=2000, C=10.0).fit(features, right, sample_weight=weights)


def judged(model: LogisticRegression, one: Pairs) -> tuple[bool, bool, bool]:
    """Return whether the best column is told at all, whether it is right, and whether there is a right one."""
    if not len(one.features):
        return False, False, False
    shares = model.predict_proba(one.features)[:, 1]
    best = int(np.argmax(shares))
    return bool(shares[best] >= GROUNDED), bool(one.right[best]), bool(one.right.any())


def summary(scores: Sequence[tuple[bool, bool, bool]]) -> dict[str, float]:
    """Return precision, recall and F1 of what is told; ``best`` is the share of concepts whose best column is right."""
    told, hits = sum(one for one, _, _ in scores), sum(one and right for one, right, _ in scores)
    there = max(1, sum(there for _, _, there in scores))
    precision, recall = hits / max(1, told), hits / there
    best = sum(right for _, right, _ in scores) / there
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    nowhere = sum(one for one, _, there in scores if not there) / max(1, len(scores) - there)
    figures = {"precision": precision, "recall": recall, "f1": f1, "best": best, "told though absent": nowhere}
    return {name: round(figure, 4) for name, figure in figures.items()}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", nargs="*", default=[], help="spider:FOLDER, chase:FOLDER, dusql:FOLDER")
    parser.add_argument("--each", type=int, default=8, help="every so many questions of a database")
    parser.add_argument("--bench", type=Path, help="folder that KnowBench's generator wrote")
    parser.add_argument("--weight", type=float, default=4.0, help="what a right column counts against a wrong one")
    parser.add_argument("--save", type=Path, help="file of the weights")
    parser.add_argument("--out", type=Path, default=RESULTS / "grounding-weights.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
