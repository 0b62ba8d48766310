"""Fit the weights of the reranker and of the confidence, and judge them on databases that they were not fitted to.

    python bench/accuracy/held_out.py --parser shipped --collections spider:… --records runs/fit/spider.jsonl
    python bench/accuracy/held_out.py … --swapped --records …          # and so for chase:…
    python bench/accuracy/held_out.py … --collections spider:…/bird-train --each 2 …
    python bench/accuracy/held_out.py … --evidence …
    python bench/accuracy/dialogues.py … --before own --records …
    python bench/accuracy/fit_weights.py spider.jsonl chase.jsonl --confidence bird.jsonl … --out … --save

The figures are of a cross-validation: each fifth of the databases is judged by weights fitted to the others. What is
saved is fitted to all. Records behind ``--confidence`` teach that alone: BIRD's rows are made up, so that emptiness
says little there, and of ``--swapped`` nothing is right, because there is no answer. ``--save`` writes the reranker to
classifiers/reranker.json, and the confidence into the shipped network.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Container, Iterable
from pathlib import Path
from typing import Any

from held_out import calibration_error
from result_files import ROOT, save

from querent.classifiers.calibration import Calibration, logit
from querent.classifiers.reranker import FEATURES, Reranker
from querent.parser.answering.answerer import SURE
from querent.parser.base import base_folder
from querent.parser.network.saved import keep_confidence

Record = dict[str, Any]

FOLDS = 5

SWAPPED = 0.75
"""How much a question put to another database counts: people ask few that have no answer, about one in ten."""


def main() -> None:
    """Fit, print what comes of it, and save it."""
    options = arguments()
    files = [*options.records, *options.confidence]
    records = [one for file in files for one in read(file) if one["answers"]]
    ranked = {one["set"] for file in options.records for one in read(file)}
    keep_order = options.keep_order
    plain = Reranker({name: float(name == "log probability") for name in FEATURES})
    result: dict[str, Any] = {
        "not fitted to": figures(crossed(records, lambda some: order_of(some, ranked, keep=keep_order))),
        "not fitted to, in the order of the search": figures(crossed(records, lambda _: plain)),
        "without one": {} if keep_order else {
            name: figures(crossed(records, lambda some, name=name: order_of(some, ranked, but=name)))
            for name in FEATURES
            if name != "log probability"
        },
    }  # fmt: skip
    reranker = order_of(records, ranked, keep=keep_order)
    calibration = calibrate(records, reranker)
    result |= {"reranker": dict(reranker.weights), "calibration": calibration.to_json()}
    print(json.dumps(result, indent=1))
    if options.out:
        save(options.out, result)
    if options.save:
        keep(reranker, calibration)


def crossed(records: list[Record], order: Callable[[list[Record]], Reranker]) -> list[Record]:
    """Return the best answer to each question, with the confidence of weights fitted to other databases.

    Args:
        order: returns the reranker that is fitted to some records.
    """
    names = sorted({one["database"] for one in records})
    found: list[Record] = []
    for fold in range(FOLDS):
        left = set(names[fold::FOLDS])
        learnt = [one for one in records if one["database"] not in left]
        reranker = order(learnt)
        calibration = calibrate(learnt, reranker)
        for one in records:
            if one["database"] in left:
                best = ordered(one, reranker)[0]
                found.append({**best, "set": one["set"], "confidence": calibration(best["signs"])})
    return found


def order_of(records: list[Record], ranked: Container[str], *, keep: bool = False, but: str = "") -> Reranker:
    """Return the reranker that ships, or one that is fitted to the records of some sets with all features but one."""
    return Reranker.shipped() if keep else rerank((one for one in records if one["set"] in ranked), but)


def read(file: Path) -> list[Record]:
    """Read a file of records."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def rerank(records: Iterable[Record], but: str = "") -> Reranker:
    """Fit the reranker to questions that have an answer, with all features but one."""
    return Reranker.fit(
        [
            [({**answer["features"], but: 0.0}, answer["right"]) for answer in one["answers"]]
            for one in records
            if any(answer["right"] for answer in one["answers"])
        ]
    )


def ordered(record: Record, reranker: Reranker) -> list[Record]:
    """Return the answers to a question, the best first, with their shares."""
    weights = [reranker.weight(answer["features"]) for answer in record["answers"]]
    total = sum(weights)
    places = sorted(range(len(weights)), key=lambda place: -weights[place])
    share = "log-odds among the answers"
    return [
        {**(answer := record["answers"][i]), "signs": {**answer["signs"], share: logit(weights[i] / total)}}
        for i in places
    ]


def calibrate(records: Iterable[Record], reranker: Reranker) -> Calibration:
    """Fit the confidence to the best answers, those that are not shown left out."""
    best = [{**ordered(one, reranker)[0], "set": one["set"]} for one in records]
    shown = [one for one in best if not one["refused"]]
    weights = [SWAPPED if one["set"].endswith("swapped") else 1.0 for one in shown]
    return Calibration.fit([one["signs"] for one in shown], [one["right"] for one in shown], weights)


def figures(told: list[Record]) -> dict[str, Any]:
    """Return by set how many best answers are right, and how many of those that are sure."""
    found: dict[str, Any] = {}
    for name in sorted({one["set"] for one in told}):
        best = [one for one in told if one["set"] == name]
        shown = [one for one in best if not one["refused"]]
        sure = [one for one in shown if one["confidence"] >= SURE]
        right = sum(one["right"] for one in best)
        found[name] = {"questions": len(best), "right": right, "ok": len(sure), "right where ok": share(sure)}
        found[name]["calibration error"] = round(calibration_error(shown), 4)
    return found


def share(answers: list[Record]) -> float:
    """Return the share of answers that are right."""
    return round(sum(one["right"] for one in answers) / max(1, len(answers)), 4)


def keep(reranker: Reranker, calibration: Calibration) -> None:
    """Write the weights where the product reads them."""
    file = ROOT / "classifiers" / "reranker.json"
    file.write_text(json.dumps({"weights": dict(reranker.weights)}, indent=1) + "\n", encoding="utf-8")
    keep_confidence(base_folder(), calibration)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", type=Path, help="files that held_out.py --records wrote")
    parser.add_argument("--confidence", nargs="+", type=Path, default=[], help="those that teach the confidence alone")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures and weights")
    parser.add_argument("--keep-order", action="store_true", help="keep the reranker that ships, fit the confidence")
    parser.add_argument("--save", action="store_true", help="write the weights into the product")
    return parser.parse_args()


if __name__ == "__main__":
    main()
