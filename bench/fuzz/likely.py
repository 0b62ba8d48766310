"""Write queries as people do and run them: whatever an engine refuses, the constraint must refuse, too.

    python bench/fuzz/likely.py --engine sqlite --queries 20000 --seed 1
    .ci/engines python bench/fuzz/likely.py --engine postgres --queries 5000

`walks.py` follows the constraint, and seldom writes what people often do. Here templates write the queries, without
the constraint; those that fail on the real engine are shown to it, word by word. One that it admits is an error. Of
those that run, a sample is shown to it, too, to tell how many of them it admits. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass, field

from likely_queries import SCHEMA, Writer
from rich.progress import track
from walk_engines import TIME_OUT, open_engine
from walk_results import fresh_seed
from walking import DIALECTS, Plan, filled
from walks import databases

from querent.authoring.checking.rules import objection
from querent.data.errors import QuerentError
from querent.grammar import Constraint, Grammar, Vocabulary

BUDGET = 500
"""Words of a query at most; no query shall be refused for its length."""


@dataclass
class Verdicts:
    """What the constraint says of queries.

    Attributes:
        plan: what is asked for.
        grammar: of the schema.
        unread: how many lie outside the grammar.
    """

    plan: Plan
    grammar: Grammar
    unread: int = 0

    def admits(self, sql: str) -> bool:
        """Say whether the constraint lets a query through, whose own words are the vocabulary."""
        try:
            vocabulary = Vocabulary.build(self.grammar, [sql])
            ids = vocabulary.encode(sql)
        except QuerentError:
            self.unread += 1
            return False
        constraint = Constraint(vocabulary, budget=BUDGET, without=self.plan.off)
        return objection(constraint, ids) is None


@dataclass
class Count:
    """What came of the queries.

    Attributes:
        refused: by the engine, by kind of message.
        errors: refused by the engine and admitted, by kind.
        shown: of those that run, how many were shown to the constraint.
        admitted: how many of these it admits.
    """

    refused: Counter[str] = field(default_factory=Counter[str])
    errors: Counter[str] = field(default_factory=Counter[str])
    time_outs: int = 0
    shown: int = 0
    admitted: int = 0


def main() -> None:
    """Write, run, ask."""
    options = arguments()
    plan = Plan(options.engine, options.seed)
    print(f"seed {plan.seed}", flush=True)
    with databases(options.engine, 1, options.url) as urls, open_engine(options.engine, urls[0], timeout=2) as engine:
        verdicts, count = Verdicts(plan, filled(engine, plan, 0, SCHEMA)), Count()
        for number in track(range(options.queries), "writing", disable=not sys.stderr.isatty()):
            rng = plan.rng(number, "query")
            sql = Writer(rng, plan.dialect).query()
            problem = engine.problem(sql)
            if problem is TIME_OUT:
                count.time_outs += 1
            elif problem is not None:
                count.refused[problem.kind] += 1
                if verdicts.admits(sql):
                    count.errors[problem.kind] += 1
                    print(f"{problem.kind}\n    {problem.message[:200]}\n    {sql}", flush=True)
            elif rng.random() < options.sample:
                count.shown += 1
                count.admitted += verdicts.admits(sql)
        version = engine.version
    result = {
        "engine": options.engine, "seed": options.seed, "version": version, "queries": options.queries,
        "refused": count.refused.total(), "errors": count.errors.total(), "by_kind": dict(count.errors),
        "time_outs": count.time_outs, "running_shown": count.shown, "running_admitted": count.admitted,
        "unread": verdicts.unread,
    }  # fmt: skip
    print(json.dumps(result, ensure_ascii=False))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=list(DIALECTS), default="sqlite")
    parser.add_argument("--url", help="of a server, whose user may create databases")
    parser.add_argument("--queries", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=fresh_seed(), help="of all chance (default: a fresh one)")
    parser.add_argument("--sample", type=float, default=0.02, help="share of the running queries that is judged, too")
    return parser.parse_args()


if __name__ == "__main__":
    main()
