"""Fit the weights of the reranker and of the confidence, on every second database, and judge them on the others.

    python bench/accuracy/held_out.py --parser shipped --collections spider:… --records runs/fit/spider.jsonl
    python bench/accuracy/held_out.py … --swapped --records …          # and so for chase:…
    python bench/accuracy/held_out.py … --collections spider:…/bird-train --each 2 …
    python bench/accuracy/held_out.py … --evidence …
    python bench/accuracy/fit_weights.py spider.jsonl chase.jsonl --confidence bird.jsonl … --out … --save

Records behind ``--confidence`` teach that alone: BIRD's rows are made up, so that emptiness says little there, and of
``--swapped`` nothing is right, because there is no answer. ``--save`` writes the reranker to classifiers/reranker.json,
and the confidence into the shipped network.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from held_out import calibration_error
from result_files import ROOT, save

from querent.classifiers.calibration import Calibration, logit
from querent.classifiers.reranker import FEATURES, Reranker
from querent.parser.answering.answerer import SURE
from querent.parser.base import base_folder
from querent.parser.network.saved import load_network, save_network

Record = dict[str, Any]


def main() -> None:
    """Fit, print what comes of it, and save it."""
    options = arguments()
    files = [*options.records, *options.confidence]
    records = [one for file in files for one in read(file) if one["answers"]]
    names = sorted({(one["set"], one["database"]) for one in records})
    inside = {name for part in {name[0] for name in names} for name in [n for n in names if n[0] == part][::2]}
    learnt = [one for one in records if (one["set"], one["database"]) in inside]
    ranked = {one["set"] for file in options.records for one in read(file)}
    fitted = (one for one in learnt if one["set"] in ranked)
    reranker = Reranker.shipped() if options.keep_order else rerank(fitted)
    calibration = calibrate(learnt, reranker)
    others = [one for one in records if (one["set"], one["database"]) not in inside]
    plain = Reranker({name: float(name == "log probability") for name in FEATURES})
    result = {
        "fitted to": judged(learnt, reranker, calibration),
        "not fitted to": judged(others, reranker, calibration),
        "not fitted to, in the order of the search": judged(others, plain, calibration),
        "without one": {
            name: judged(others, rerank((one for one in learnt if one["set"] in ranked), but=name), calibration)
            for name in FEATURES
            if name != "log probability"
        },
        "reranker": dict(reranker.weights),
        "calibration": calibration.to_json(),
    }
    print(json.dumps(result, indent=1))
    if options.out:
        save(options.out, result)
    if options.save:
        keep(reranker, calibration)


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
    best = [ordered(one, reranker)[0] for one in records]
    shown = [one for one in best if not one["refused"]]
    return Calibration.fit([one["signs"] for one in shown], [one["right"] for one in shown])


def judged(records: list[Record], reranker: Reranker, calibration: Calibration) -> Mapping[str, Any]:
    """Return by set how many best answers are right, and how many of those that are sure."""
    found: dict[str, Any] = {}
    for name in sorted({one["set"] for one in records}):
        best = [ordered(one, reranker)[0] for one in records if one["set"] == name]
        sure = [one for one in best if not one["refused"] and calibration(one["signs"]) >= SURE]
        right = sum(one["right"] for one in best)
        told = [{"confidence": calibration(one["signs"]), "right": one["right"]} for one in best if not one["refused"]]
        found[name] = {"questions": len(best), "right": right, "ok": len(sure), "right where ok": share(sure)}
        found[name]["calibration error"] = round(calibration_error(told), 4)
    return found


def share(answers: list[Record]) -> float:
    """Return the share of answers that are right."""
    return round(sum(one["right"] for one in answers) / max(1, len(answers)), 4)


def keep(reranker: Reranker, calibration: Calibration) -> None:
    """Write the weights where the product reads them."""
    file = ROOT / "classifiers" / "reranker.json"
    file.write_text(json.dumps({"weights": dict(reranker.weights)}, indent=1) + "\n", encoding="utf-8")
    folder = base_folder()
    loaded, card = load_network(folder), (folder / "README.md").read_text(encoding="utf-8")
    save_network(loaded.network, folder, languages=loaded.languages, card=card, calibration=calibration)


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
