"""Unpacks the frozen sets of bench/data; reads KnowBench: questions, formulas, and the formulas of a question."""

import json
import tarfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from result_files import ROOT

from querent.knowledge.formulas.bank import Bank, Formula
from querent.knowledge.formulas.reading import open_banks
from querent.knowledge.grounding.grounded import Grounded, GroundedConcept, Grounding, Place
from querent.knowledge.linked_formulas import FormulaLinker, LinkedFormula, Mention
from querent.ner.language.question import QuestionText

Question = Mapping[str, Any]
"""A record of the benchmark; bench/data/README.md lists its keys."""


def unpacked(name: str) -> Path:
    """Unpack ``knowbench`` or ``proxies`` into ``runs/``, and return its folder."""
    return unpacked_file(ROOT / "bench" / "data" / f"{name}.tar.xz", ROOT / "runs")


def unpacked_file(file: Path, place: Path) -> Path:
    """Unpack a frozen set into a folder, and return the set's own, which has the file's name."""
    with tarfile.open(file) as archive:
        archive.extractall(place, filter="data")
    return place / file.name.partition(".")[0]


def questions(home: Path, part: str, every: int = 1) -> dict[Path, list[Question]]:
    """Return every n-th question of a part by database.

    Args:
        home: folder of a language.
        part: ``train`` or ``test``.
    """
    found: defaultdict[Path, list[Question]] = defaultdict(list)
    for line in (home / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()[::every]:
        question = json.loads(line)
        found[home / "databases" / f"{question['db']}.sqlite"].append(question)
    return dict(found)


def bank_of(home: Path) -> Bank:
    """Return the formulas of all fields."""
    return open_banks(sorted((home / "knowledge").glob("*.toml")))


def needed(question: Question, linker: FormulaLinker, *, grounded: bool) -> list[LinkedFormula]:
    """Return the formulas that a question needs, each with the words that name it.

    Args:
        linker: of the question's database.
        grounded: with the gold columns of the benchmark; else with those that the linker finds.
    """
    known = {(one.name, one.expression.text): one for one in reversed(linker.bank.formulas)}
    formulas = [known[one["name"], one["is"]] for one in question["formulas"]]
    mentions = linker.mentions.find(QuestionText(question["question"]))
    found: list[LinkedFormula] = []
    for formula in formulas:
        if any(formula.name in other.expression.needs for other in formulas if other is not formula):
            continue  # a part of another one
        mention = next((one for one in mentions if formula in one.formulas), None)
        mention = mention or Mention(0, len(question["question"]), formula.name, (formula,), 1.0)
        gold = Grounding(formula, _gold_grounding(formula, formulas, question["grounding"], linker))
        found.append(LinkedFormula(mention, gold if grounded else linker.grounding(formula)))
    return found


def _gold_grounding(
    formula: Formula, formulas: Sequence[Formula], places: Mapping[str, Any], linker: FormulaLinker
) -> Grounded:
    concepts: list[GroundedConcept] = []
    for concept in formula.expression.needs:
        if concept in places:
            table, _, column = places[concept].partition(".")
            lists = [values for text, values in places.items() if isinstance(values, list) and concept in text]
            values = tuple((value, value) for several in lists for value in several)
            key = None if column else linker.grounder.key_of(table)
            concepts.append(GroundedConcept(concept, Place(table, column or None), 1.0, values=values, key=key))
        else:
            part = next(one for one in formulas if one.name == concept and one is not formula)
            concepts.append(GroundedConcept(concept, None, 1.0, _gold_grounding(part, formulas, places, linker)))
    return Grounded(formula, tuple(concepts))
