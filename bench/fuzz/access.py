"""Write queries under an `Access` and watch what they read: is there one that reads what its role may not?

    python bench/fuzz/access.py --queries 2000 --tempted 200 --texts 200 --data ../shared/data
    .ci/engines python bench/fuzz/access.py --engine postgres --queries 100 --tempted 100

Schemas are random ones, the plant's, and with --data public ones; each has a role of its own, rows in its tables, and
a few queries: at random, in the ways of walks.py; tempted, by logits that want the names that are forbidden, stars,
NATURAL, USING and subqueries; and texts, written byte by byte in the same mood. SQLite has an authorizer, and a
second database with other cells in all that is hidden; servers have a user with rights on what may be read alone. The
last line printed is one JSON object. A query that reads or fails is printed, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from access_roles import Temptation, forbidden, random_access
from access_watch import READS, opened
from random_rows import random_rows
from walk_coverage import Coverage
from walk_engines import TIME_OUT
from walk_one import walk
from walk_results import fresh_seed
from walk_schemas import random_schema, schema_at
from walk_ways import WAYS
from walk_words import questions, vocabulary
from walker import Walker
from walking import DIALECTS, Plan
from walks import databases

from querent.data.databases.schema_readers import read_schema
from querent.data.domains.examples import fill_sql
from querent.data.schema.schema import Schema
from querent.grammar import LEVELS, Access, Constraint, Grammar
from querent.grammar.lr.compiled import load_tables
from querent.grammar.tokens.constraint import TokenConstraint
from querent.grammar.tokens.spelling.tokens import TokenSpellings
from querent.parser.normal_form.first_of_each import written_out

EACH = 10
"""Queries of a kind on one schema."""

BYTES = TokenSpellings((*(bytes([n]) for n in range(256)), None), (256,))


def main() -> int:
    """Write, run, count."""
    options = arguments()
    plan = Plan(options.engine, options.seed, data=options.data, budget=80)
    print(f"seed {plan.seed}", flush=True)
    left = {"random": options.queries, "tempted": options.tempted, "texts": options.texts}
    counts = Counter[str]({"wrong": 0, "time-outs": 0})
    with databases(plan.engine, 1, options.url) as (url,), opened(plan.engine, plan.timeout, url) as watch:
        while any(left.values()):
            case = Case.of(plan, counts["schemas"])
            counts["schemas"] += 1
            rng = plan.rng(case.number, "rows")
            rows = {table.name: random_rows(rng, table, plan.dialect) for table in case.schema.tables}
            watch.create(case.schema, case.access, case.grammar.quoting.write, rows)
            for kind, most in left.items():
                for sql in case.queries(kind, min(EACH, most)):
                    left[kind] -= 1
                    counts[kind] += 1
                    counts["characters"] += len(sql)
                    problem = watch.problem(sql)
                    if problem == TIME_OUT.kind:
                        counts["time-outs"] += 1
                    elif problem is not None and case.level != LEVELS[-1] and not problem.startswith(READS):
                        counts["refused"] += 1  # that level does not promise that a query runs
                    elif problem is not None:
                        counts["wrong"] += 1
                        print(f"schema {case.number}, {kind}: {problem}\n  {case.access}\n  {sql}", flush=True)
        print(json.dumps({"engine": plan.engine, "seed": plan.seed, **counts, "compared": watch.compared}))
    return int(counts["wrong"] > 0)


@dataclass(frozen=True)
class Case:
    """A schema and a role on it."""

    plan: Plan
    number: int
    schema: Schema
    access: Access
    grammar: Grammar

    @classmethod
    def of(cls, plan: Plan, number: int) -> Case:
        """Draw the case of a number."""
        schema = _schema(plan, number)
        access = random_access(plan.rng(number, "access"), schema)
        return cls(plan, number, schema, access, Grammar.for_schema(schema, dialect=plan.dialect, access=access))

    @property
    def level(self) -> str:
        """Return the level of the constraint: names are told apart from ``scope`` on, and watched on SQLite alone."""
        return "scope" if self.number % 4 == 3 and self.plan.engine == "sqlite" else LEVELS[-1]

    def queries(self, kind: str, count: int) -> Iterator[str]:
        """Write queries of a kind."""
        rng = self.plan.rng(self.number, kind)
        temptation = Temptation(rng, forbidden(self.schema, self.access))
        if kind == "texts" and count:
            constraint = TokenConstraint(
                self.schema, BYTES, dialect=self.plan.dialect, level=self.level, budget=30, access=self.access
            )
            yield from (temptation.text(constraint) for _ in range(count))
            return
        words = vocabulary(self.plan.rng(self.number, "words"), self.grammar)
        constraint = Constraint(words, level=self.level)
        asked = questions(self.plan.rng(self.number, "questions"), words)
        walker = Walker(words, Coverage(load_tables(self.plan.dialect), Counter()), Counter(), Counter())
        for place in range(count):
            question, budget = asked[place % len(asked)], rng.choice([12, 20, 40, self.plan.budget])
            walker.start(rng)
            if kind == "random":
                ids = walk(constraint, walker, list(WAYS)[place % len(WAYS)], question, budget)
            else:
                ids = temptation.query(constraint, budget, question.told)
            sql = written_out(words.decode(ids), self.grammar)
            yield fill_sql(sql, question.values.values(), dialect=self.plan.dialect)


def _schema(plan: Plan, number: int) -> Schema:
    """Return a schema: one in three a database of the public sets, if there are such; one in three with few tables."""
    rng = plan.rng(number, "schema")
    files = sorted((plan.data / "multi").glob("*/database/*/*.sqlite")) if plan.data else []
    if files and number % 3 == 0 and plan.dialect == "sqlite":
        return read_schema(files[rng.randrange(len(files))])
    if number % 3 == 1:
        return random_schema(rng, plan.dialect, tables=rng.choice([2, 3]))
    return schema_at(number // 3, rng, plan.dialect, schema=None, data=plan.data)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=[name for name in DIALECTS if "loose" not in name], default="sqlite")
    parser.add_argument("--queries", type=int, default=200, help="queries at random")
    parser.add_argument("--tempted", type=int, default=50, help="queries that want what is forbidden")
    parser.add_argument("--texts", type=int, default=0, help="such queries byte by byte")
    parser.add_argument("--seed", type=int, default=fresh_seed())
    parser.add_argument("--data", type=Path, help="the folder of the public sets")
    parser.add_argument("--url", help="of a server, of a user who may create databases and users")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
