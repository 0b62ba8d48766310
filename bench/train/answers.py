"""The stages that collect a network's answers, and fit the reranker and the confidence to them."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Literal

import dialogues
from held_out import Setup
from scores import Record, calibration_error, grouped, share

from querent.classifiers.named_features import Calibration, Reranker, logit
from querent.data.domains.collection import Collection
from querent.data.errors import InputError
from querent.data.whole_files import write_text
from querent.parser.answering.answerer import SURE
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.network.saved import load_network

from .recipes import SetName, StageName
from .walk import Figures, Work

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
    """Answer questions by a network, and keep the features of each candidate, and the queries by turn of a dialogue.

    Args:
        asked: data sets, each with n: every n-th question, or dialogue, is taken.
        way: ``swapped`` puts each question to another database, so that no answer is right; ``evidence`` adds the
            evidence beside it.
        part: the part of the databases. Lessons are made of the queries on databases that are learnt.
    """
    parser = SchemaParser(load_network(work.of(network) / "best").network)
    setup = Setup(parser, beam=beam, cache=work.of("indexes"), evidence=way == "evidence", judged=way != "swapped")
    counts, queries = dict[str, int](), dict[str, str]()
    for name, every in asked.items():
        file, collection = work.folder / f"{name}.jsonl", work.collection(name).part(part)
        if not file.exists():
            if work.walk.recipe.data[name].format == "dialogues":
                found = work.dialogues(name, collection)[::every]
                records, total = dialogues.answered(found, collection, setup, "own"), sum(len(d.turns) for d in found)
            else:
                some = replace(collection, pairs=collection.pairs[::every])
                records, total = setup.answered(of_next_database(some) if way == "swapped" else some), len(some.pairs)
            title = name if way == "plain" else f"{name}, {way}"
            with work.bar(name, total) as moved:
                lines = [json.dumps({**one, "set": title}, default=str) for one in records if moved() is None]
            write_text(file, "".join(f"{line}\n" for line in lines))
        records = read(work, work.table.name, name)
        counts[name] = len(records)
        queries |= {one["id"]: one["sql"] for one in records if one.get("sql")}
    work.write("queries.json", queries)
    return {"asked": counts}


def of_next_database(collection: Collection) -> Collection:
    """Return a collection whose questions are put to the next database that has a file, where no answer is right."""
    names = sorted(collection.databases)
    after = dict(zip(names, (*names[1:], names[0]), strict=True))
    pairs = (replace(p, database=after[p.database], evidence="") for p in collection.pairs if p.database in after)
    return replace(collection, name=f"{collection.name}, swapped", pairs=tuple(pairs))


def read(work: Work, stage: str, name: str) -> list[Record]:
    """Return the records of a data set that a stage of answers kept."""
    return [json.loads(line) for line in (work.of(stage) / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


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
        order: the data sets for the reranker. Others are for the confidence alone: BIRD's rows are made up, so that an
            empty result means little there.
        fixed: weights of features that are chosen, not fitted.
        swapped: the weight of a question put to another database: people ask few that have no answer.
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


def figures(found: Iterable[Record]) -> Figures:
    """Return the figures of the best answers by set."""
    scores: Figures = {}
    for name, best in grouped(found, "set").items():
        given = [one for one in best if not one["refused"]]
        sure = [one["right"] for one in given if one["confidence"] >= SURE]
        scores[name] = {
            "questions": len(best),
            "right": sum(one["right"] for one in best),
            "ok": len(sure),
            "right where ok": share(sure),
            "calibration error": calibration_error(given) if given else None,
        }
    return scores
