"""The stages that ask a network, and fit to its answers how they are ordered and how sure they are."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

import dialogues
import held_out

from querent.classifiers.named_features import Calibration, Reranker, logit
from querent.data.errors import InputError
from querent.data.whole_files import write_text
from querent.parser.answering.answerer import SURE
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.network.saved import load_network

from .recipes import SetName, StageName
from .walk import Figures, Work

__all__ = ["answers", "confidence"]

Record = dict[str, Any]

FOLDS = 5
"""Parts of the databases, each of which is judged by what was fitted to the others."""


def answers(
    work: Work,
    *,
    network: StageName,
    asked: dict[SetName, int],
    way: Literal["plain", "swapped", "evidence"] = "plain",
    part: Literal["train", "held-out"] = "held-out",
    beam: int = 4,
) -> Figures:
    """Ask a network, and keep what it knows of each answer, and its queries by turn of a dialogue.

    Args:
        asked: data sets, each with n: one question in n, or one dialogue in n, is asked.
        way: ``swapped`` asks each question of another database, so that no answer is right, ``evidence`` with what
            stands beside it.
        part: the databases that are asked. Lessons are made of the queries on those of the part that is learnt.
    """
    loaded = load_network(work.of(network) / "best")
    parser = SchemaParser(loaded.network)
    how = {"calibration": None, "beam": beam, "cache": work.cache, "timeout": 5.0, "level": "runs", "values": "own"}
    how |= {"profile": "own", "knowledge": (), "swapped": way == "swapped", "evidence": way == "evidence", "way": way}
    counts = dict[str, int]()
    for name, every in asked.items():
        file = work.folder / f"{name}.jsonl"
        if not file.exists():
            records = list(_asked(work, name, parser, Namespace(**how, each=every, part=part, name=name)))
            lines = (json.dumps(one, ensure_ascii=False, default=str) for one in records)
            write_text(file, "\n".join(lines) + "\n")
        counts[name] = len(file.read_text(encoding="utf-8").splitlines())
    queries = {one["id"]: one["sql"] for name in asked for one in read(work, work.table.name, name) if one.get("sql")}
    work.write("queries.json", queries)
    return {"asked": counts}


def _asked(work: Work, name: str, parser: SchemaParser, how: Namespace) -> Iterator[Record]:
    """Yield a record of each question or turn of a data set."""
    collection = work.collection(name).part(how.part)
    if work.recipe.data[name].format == "dialogues":
        found = work.dialogues(name, collection)[:: how.each]
        records = dialogues.answered(found, collection, parser, "own", how)
        total = sum(len(one.turns) for one in found)
    else:
        asked = replace(collection, pairs=collection.pairs[:: how.each])
        asked = held_out.swapped(asked) if how.swapped else asked
        records, total = held_out.answered(asked, parser, how), len(asked.pairs)
    with work.bar(name, total) as moved:
        for record in records:
            moved()
            yield {**record, "set": name if how.way == "plain" else f"{name}, {how.way}"}


def read(work: Work, stage: str, name: str) -> list[Record]:
    """Return the records that a stage of answers kept of a data set."""
    lines = (work.of(stage) / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def confidence(
    work: Work,
    *,
    answers: list[StageName],
    order: list[SetName],
    fixed: dict[str, float] | None = None,
    swapped: float = 0.75,
) -> Figures:
    """Fit the weights of the reranker and of the confidence to answers.

    The figures are of a cross-validation: each fifth of the databases is judged by weights fitted to the others. What
    is kept is fitted to all: ``reranker.json`` and ``confidence.json``.

    Args:
        answers: stages of answers.
        order: the data sets that teach the order of the answers. Others teach the confidence alone: BIRD's rows are
            made up, so that emptiness says little there.
        fixed: weights of features that are chosen, not fitted.
        swapped: what a question put to another database counts: people ask few that have no answer.
    """
    every = [one for stage in answers for name in work.noted(stage)["asked"] for one in read(work, stage, name)]
    records = [one for one in every if one["answers"]]

    def rerank(some: Iterable[Record]) -> Reranker:
        ranked = [one["answers"] for one in some if one["set"] in order]
        pairs = [[(one["features"], one["right"]) for one in several] for several in ranked]
        pairs = [several for several in pairs if any(right for _, right in several)]
        if not any(not right for several in pairs for _, right in several):
            hint = "ask more questions, or a network that has learnt more"
            raise InputError("no question has a right and a wrong answer", field="order", hint=hint)
        fitted = Reranker.fit(pairs)
        return Reranker({**fitted.weights, **(fixed or {})})

    def calibrate(some: Iterable[Record], reranker: Reranker) -> Calibration:
        best = [one for one in (best_of(record, reranker) for record in some) if not one["refused"]]
        weights = [swapped if one["set"].endswith("swapped") else 1.0 for one in best]
        return Calibration.fit([one["signs"] for one in best], [one["right"] for one in best], weights)

    reranker = rerank(records)
    calibration = calibrate(records, reranker)
    work.write("reranker.json", {"weights": dict(reranker.weights)})
    work.write("confidence.json", calibration.to_json())
    return {"not fitted to": figures(crossed(records, rerank, calibrate))}


def crossed(
    records: list[Record],
    rerank: Callable[[list[Record]], Reranker],
    calibrate: Callable[[list[Record], Reranker], Calibration],
) -> Iterator[Record]:
    """Yield the best answer to each question, with the confidence of weights fitted to other databases."""
    names = sorted({one["database"] for one in records})
    for fold in range(FOLDS):
        left = set(names[fold::FOLDS])
        learnt = [one for one in records if one["database"] not in left]
        if left and learnt:
            reranker = rerank(learnt)
            calibration = calibrate(learnt, reranker)
            best = (best_of(one, reranker) for one in records if one["database"] in left)
            yield from ({**one, "confidence": calibration(one["signs"])} for one in best)


def best_of(record: Record, reranker: Reranker) -> Record:
    """Return the answer to a question that a reranker puts first, with its share among all."""
    weights = [reranker.weight(answer["features"]) for answer in record["answers"]]
    first = max(range(len(weights)), key=weights.__getitem__)
    answer = record["answers"][first]
    signs = {**answer["signs"], "log-odds among the answers": logit(weights[first] / sum(weights))}
    return {**answer, "signs": signs, "set": record["set"]}


def figures(found: Iterator[Record]) -> Figures:
    """Return by set how many best answers are right, and how many of those that are sure."""
    by_set: dict[str, list[Record]] = {}
    for one in found:
        by_set.setdefault(one["set"], []).append(one)
    told: Figures = {}
    for name, best in sorted(by_set.items()):
        shown = [one for one in best if not one["refused"]]
        sure = [one["right"] for one in shown if one["confidence"] >= SURE]
        told[name] = {
            "questions": len(best),
            "right": sum(one["right"] for one in best),
            "ok": len(sure),
            "right where ok": round(held_out.mean(sure), 4),
            "calibration error": round(held_out.calibration_error(shown), 4) if shown else None,
        }
    return told
