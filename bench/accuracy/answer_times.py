"""Measure how long an answer takes, and which part of it: the network, the constraint, the values, the database.

    python bench/accuracy/answer_times.py --collections spider:../shared/data/multi/spider-train \\
        --out bench/results/answer-times-en.json

Questions of held-out databases are asked as a user asks them, one after another, greedy and with a beam in turn, in one
thread, once the database has been asked something. Milliseconds are medians over questions; a part's share is of the
sum over all questions.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from result_files import made_by, save
from rich.progress import track

import querent
from querent.data.databases.database import Database
from querent.data.domains.collection import read_collection
from querent.ner.index import ValueIndex
from querent.parser.network.network import Network
from querent.parser.normal_form import ShortConstraint, ShortState
from querent.parser.reader.vectors import TextVectors

PARTS: dict[str, list[tuple[Any, str]]] = {
    "network": [(Network, name) for name in ("encode", "classify", "start", "write", "score")],
    "names": [(TextVectors, "prepare")],
    "constraint": [(ShortConstraint, "start"), (ShortState, "allowed"), (ShortState, "advance")],
    "values": [(ValueIndex, "find")],
    "database": [(Database, "query")],
}


@dataclass
class Clock:
    """Seconds of each part since the last look."""

    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))

    def timed(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that adds its seconds to a part."""

        def measured(*args: Any, **given: Any) -> Any:
            begun = time.perf_counter()
            try:
                return call(*args, **given)
            finally:
                self.spent[part] += time.perf_counter() - begun

        return measured

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure while inside."""
        with ExitStack() as stack:
            for part, calls in PARTS.items():
                for owner, name in calls:
                    stack.enter_context(patch.object(owner, name, self.timed(part, getattr(owner, name))))
            yield


def main() -> None:
    """Ask, print the figures, and save them."""
    options = arguments()
    rows: dict[int, list[dict[str, float]]] = {width: [] for width in options.beams}
    for spec in options.collections:
        collection = read_collection(spec).part("held-out")
        names = [name for name in collection.schemas if name in collection.databases]
        for name in track(names, collection.name):
            asked = [pair.question for pair in collection.pairs if pair.database == name][: options.most]
            with querent.connect(collection.databases[name], parser=options.parser) as connection:
                connection.ask(asked[0])
                for question in asked:
                    for width in options.beams:
                        rows[width].append(measured(connection, question, width))
    found = {"greedy" if width == 1 else f"beam {width}": figures(found) for width, found in rows.items()}
    print(json.dumps(found, indent=1))
    if options.out:
        save(options.out, made_by("numpy") | {"figures": found})


def measured(connection: querent.Connection, question: str, width: int) -> dict[str, float]:
    """Return the seconds of one answer, and of its parts."""
    clock = Clock()
    with clock.running():
        begun = time.perf_counter()
        connection.ask(question, beam=width)
        return {"whole": time.perf_counter() - begun, **clock.spent}


def figures(rows: list[dict[str, float]]) -> dict[str, Any]:
    """Return what the answers took."""
    whole = sum(row["whole"] for row in rows)
    ordered = sorted(row["whole"] for row in rows)
    return {
        "questions": len(rows),
        "ms, median": round(1000 * statistics.median(ordered), 1),
        "ms, 95 of 100": round(1000 * ordered[int(0.95 * (len(ordered) - 1))], 1),
        "shares": {part: round(sum(row[part] for row in rows) / whole, 3) for part in PARTS},
    }


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parser", default="en", help="a shipped one by its language, or a folder (default: en)")
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER, cspider:FOLDER or chase:FOLDER")
    parser.add_argument("--beams", type=int, nargs="+", default=[1, 4], help="hypotheses followed")
    parser.add_argument("--most", type=int, default=10, help="questions of each database")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
