"""Run the queries again that walks found wrong: does the engine still refuse them, and does the constraint now?

    python bench/fuzz/walks.py --queries 10000 --failures runs/failures.jsonl
    python bench/fuzz/walk_replay.py runs/failures.jsonl

Give --data, --level and --without as they were given to the walks; schemas and rows come from the seed again. The last
line printed is one JSON object: how many fail still, how many of those the constraint admits still.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from walk_engines import open_engine
from walk_words import Question, questions, vocabulary
from walking import Plan, filled_schema
from walks import LEVELS, databases

from querent.data.errors import QuerentError
from querent.grammar import Constraint


def main() -> None:
    """Replay all, or those of one kind."""
    options = arguments()
    lines = options.failures.read_text(encoding="utf-8").splitlines()
    failures = [failure for line in lines if options.kind in (failure := json.loads(line))["kind"]]
    fail = admitted = 0
    for failure, message, refusal in replayed(failures[: options.most], options):
        fail += message is not None
        admitted += message is not None and refusal is None
        if message is not None and (refusal is None or options.all):
            print(f"schema {failure['schema']}, {failure['way']}, {failure['place']}: {message}")
            print(f"    {failure['sql']}\n    {refusal or 'admitted'}")
    print(json.dumps({"queries": min(len(failures), options.most), "fail": fail, "fail_and_admitted": admitted}))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("failures", type=Path, help="what walks.py --failures wrote")
    parser.add_argument("--kind", default="", help="only errors whose kind holds this text")
    parser.add_argument("--most", type=int, default=1000, help="queries at most")
    parser.add_argument(
        "--all", action="store_true", help="show those that the constraint refuses, too, with its reason"
    )
    parser.add_argument("--url", help="of a server, whose user may create databases")
    parser.add_argument("--schema", help="as given to the walks")
    parser.add_argument("--data", type=Path, help="as given to the walks")
    parser.add_argument("--level", choices=LEVELS, default="runs")
    parser.add_argument("--without", nargs="+", default=[], metavar="RULE")
    parser.add_argument("--wide", action="store_true", help="as given to the walks")
    parser.add_argument("--few", action="store_true", help="as given to the walks")
    parser.add_argument("--objects", action="store_true", help="as given to the walks")
    parser.add_argument("--timeout", type=float, default=2.0)
    return parser.parse_args()


def replayed(
    failures: list[dict[str, Any]], options: argparse.Namespace
) -> Iterator[tuple[dict[str, Any], str | None, str | None]]:
    """Yield each failure with the engine's message and the constraint's reason, None where it has none."""
    if not failures:
        return
    name, seed = failures[0]["engine"], failures[0]["seed"]
    how = {"few": options.few, "objects": options.objects, "wide": options.wide}
    plan = Plan(name, seed, options.schema, options.data, options.level, tuple(options.without), 10_000, **how)
    with (
        databases(name, 1, options.url) as (url,),
        open_engine(name, url, timeout=options.timeout) as engine,
    ):
        for number, group in groupby(sorted(failures, key=lambda f: f["schema"]), key=lambda f: f["schema"]):
            _, grammar = filled_schema(engine, plan, number)
            words = vocabulary(plan.rng(number, "words"), grammar)
            constraint = Constraint(words, level=plan.level, without=plan.off)
            asked = questions(plan.rng(number, "questions"), words, few=plan.few)
            for failure in group:
                question = asked[failure["question"]]
                if "Error in" in failure["kind"]:
                    yield failure, *dead_end(constraint, failure, question)
                else:
                    problem = engine.problem(failure["sql"])
                    yield failure, problem and problem.message, refused(constraint, failure, question)


def refused(constraint: Constraint, failure: dict[str, Any], question: Question) -> str | None:
    """Return what the constraint says against a query, or None if it admits it word by word."""
    ids, slotted = failure["ids"], failure["slotted"]
    try:
        if max(ids, default=-1) >= len(constraint.vocabulary) or constraint.vocabulary.decode(ids) != slotted:
            ids = constraint.vocabulary.encode(slotted)  # the words have changed since
    except QuerentError as error:
        return f"cannot be read: {error}"
    state = constraint.start(budget=len(ids) + 1, values=question.told)
    for place, word in enumerate(ids):
        if not state.allowed()[word]:
            return f"word {place}: {state.explain(word)}"
        state = state.advance(word)
    return None if state.complete else "may not end here"


def dead_end(constraint: Constraint, failure: dict[str, Any], question: Question) -> tuple[str | None, str | None]:
    """Return what is raised where a walk could not go on, None if it can now, and why it does not come there."""
    try:
        words = question.words if failure["masked"] else None
        state = constraint.start(words, failure["budget"], question.told)
        for place, word in enumerate(failure["ids"]):
            if not state.allowed()[word]:
                return failure["message"], f"word {place}: {state.explain(word)}"
            state = state.advance(word)
        return (None, None) if state.allowed().any() else (failure["message"], None)
    except Exception as error:  # whatever is raised breaks the promise
        return f"{type(error).__name__}: {error}", None


if __name__ == "__main__":
    main()
