"""What KnowBench tells of a question: its formulas, each with its columns."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from formula_examples import FormulaPair

from querent.data.databases.schema_places import open_schema
from querent.encoders.text_vectors import TextVectors
from querent.knowledge.formulas.bank import Bank, Formula
from querent.knowledge.formulas.reading import open_banks
from querent.knowledge.grounding.grounded import Grounded, GroundedConcept, Grounding, Place
from querent.knowledge.linked_formulas import FormulaLinker, LinkedFormula
from querent.knowledge.mentions import Mention
from querent.ner.index import ValueIndex
from querent.parser.reader.columns.concepts import formula_linker
from querent.parser.reader.context import DatabaseContext

__all__ = ["bank_of", "needed", "pairs", "questions"]

Question = dict[str, Any]


def questions(root: Path, part: str, every: int = 1) -> dict[str, list[Question]]:
    """Return the questions of a part by database."""
    found: defaultdict[str, list[Question]] = defaultdict(list)
    lines = (root / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
    for question in map(json.loads, lines[::every]):
        found[question["db"]].append(question)
    return dict(found)


def bank_of(root: Path, *others: str) -> Bank:
    """Return the formulas of all domains of the benchmark, with other banks beside them."""
    return open_banks([*sorted((root / "knowledge").glob("*.toml")), *others])


def pairs(root: Path, language: str, vectors: TextVectors) -> Iterator[tuple[FormulaPair, DatabaseContext]]:
    """Yield the questions of the training part with their formulas, rightly grounded."""
    bank = bank_of(root)
    for name, several in questions(root, "train").items():
        path = root / "databases" / f"{name}.sqlite"
        schema, dialect = open_schema(path)
        index = ValueIndex.open(path, schema)
        context = DatabaseContext.of(schema, index, dialect=dialect, language=language)
        inner = formula_linker(bank, context, vectors)
        for question in several:
            told = tuple(needed(question, inner, grounded=True))
            yield FormulaPair(question["id"], question["question"], question["sql"], told), context


def needed(question: Question, inner: FormulaLinker, *, grounded: bool) -> list[LinkedFormula]:
    """Return the formulas that a question needs, each at the words that name it.

    Args:
        grounded: with the columns that the benchmark says; else with those that the grounder finds.
    """
    formulas = [_formula(inner.bank, told) for told in question["formulas"]]
    named = inner.mentions.find(question["question"])
    found: list[LinkedFormula] = []
    for formula in formulas:
        if any(formula.name in other.expression.needs for other in formulas if other is not formula):
            continue  # a part of another one
        mention = next((m for m in named if formula in m.formulas), None)
        mention = mention or Mention(0, len(question["question"]), formula.name, (formula,), 1.0)
        right = Grounding(formula, _rightly(formula, formulas, question["grounding"], inner))
        found.append(LinkedFormula(mention, right if grounded else inner.grounding(formula)))
    return found


def _formula(bank: Bank, told: Mapping[str, str]) -> Formula:
    return next(f for f in bank.formulas if f.name == told["name"] and f.expression.text == told["is"])


def _rightly(formula: Formula, among: Sequence[Formula], told: Mapping[str, Any], inner: FormulaLinker) -> Grounded:
    found: list[GroundedConcept] = []
    for concept in formula.expression.needs:
        part = next((one for one in among if one.name == concept and one is not formula), None)
        if concept in told:
            table, _, column = told[concept].partition(".")
            key = None if column else inner.grounder.key_of(table)
            lists = [values for text, values in told.items() if isinstance(values, list) and concept in text]
            values = tuple((value, value) for several in lists for value in several)
            found.append(GroundedConcept(concept, Place(table, column or None), 1.0, values=values, key=key))
        elif part is not None:
            found.append(GroundedConcept(concept, None, 1.0, _rightly(part, among, told, inner)))
        else:
            raise KeyError(f"{concept} of {formula.name}: neither a column nor a formula")
    return Grounded(formula, tuple(found))
