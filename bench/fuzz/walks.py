"""Random walks: schemas made and filled, queries written under the constraint and run, errors counted.

Random logits stand for a network with any weights. They come in turns from nine ways (`walker.WAYS`): uniform over the
mask, peaked at random, and adversarial ones that take the rarest production or pair of words, the deepest nesting, the
shortest and the longest way. Each query is executed with a time limit on the real engine, on random rows, read only. A
time-out is no error, but is counted.
"""

from __future__ import annotations

import argparse
import random
import sys
import traceback
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.progress import track

from querent.data.databases.schema_readers import read_schema
from querent.data.domains.domain import GROUPINGS
from querent.data.schema.schema import Schema
from querent.data.sql.query import Query
from querent.grammar import Constraint, Grammar
from querent.grammar.lr.tables import load_tables
from querent.parser.normal_form.top_k_per_group import for_engines

from .engines import DIALECTS, TIME_OUT, Engine, Problem, databases, ddl, open_engine, whole
from .schemas import Question, narrowed, questions, random_rows, schema_at, vocabulary
from .tally import Coverage, Tally
from .walker import WAYS, Walker, walk

SCHEMAS = 60  # the least number of schemas of a run, if there are so many queries
A_SCHEMA = 100  # the greatest number of queries on one schema
SHOWN = 20  # failing queries that are printed, and one of every other kind
SEEKS = ("windows", "common")


@dataclass(frozen=True)
class Plan:
    """The options of a run; each schema of it depends on the seed and its number alone."""

    engine: str
    seed: int
    schema: str | None = None
    few: bool = False
    objects: str | None = None
    wide: bool = False
    seeks: tuple[str, ...] = ()
    budget: int = 120
    timeout: float = 2.0

    @property
    def dialect(self) -> str:
        """Return the dialect that the engine speaks."""
        return DIALECTS[self.engine]

    @property
    def off(self) -> tuple[str, ...]:
        """Return the rules that the engine does not need."""
        return GROUPINGS["loose" if self.engine.endswith("-loose") else "strict"]

    def schema_at(self, number: int, rng: random.Random) -> Schema:
        """Return the schema of a number: the one of the file, if there is one."""
        return schema_at(number, rng, self.dialect) if self.schema is None else read_schema(self.schema, self.dialect)

    def rng(self, number: int, what: str) -> random.Random:
        """Return the draws of one thing of one schema."""
        return random.Random(f"{self.engine} {self.seed} {number} {what}")


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Walk, print what fails, and return the figures."""
    told = {name: getattr(options, name) for name in ("engine", "seed", "schema", "few", "objects")}
    seeks = tuple(name for name in SEEKS if getattr(options, name))
    plan = Plan(**told, wide=options.wide or options.windows or options.common, seeks=seeks)
    most = A_SCHEMA if plan.schema is not None else max(1, min(A_SCHEMA, options.queries // SCHEMAS))
    with (
        databases(plan.engine, 1, options.url) as (url,),
        open_engine(plan.engine, url, timeout=plan.timeout) as engine,
    ):
        walks = Walks(plan, engine)
        begins = range(0, options.queries, most)
        for number, begun in enumerate(track(begins, "walking", disable=not sys.stderr.isatty())):
            walks.on_schema(number, min(most, options.queries - begun))
        entry = {"seeds": [plan.seed], "version": engine.version}
    entry |= walks.tally.result(plan.dialect, plan.off, wide=plan.wide)
    return entry


class Walks:
    """Writes and runs queries, schema after schema; what is rarest is so over all of them."""

    def __init__(self, plan: Plan, engine: Engine) -> None:
        self.plan = plan
        self.tally = Tally()
        self._engine = engine
        self._coverage = Coverage(load_tables(plan.dialect, wide=plan.wide), Counter())
        self._written, self._pairs = Counter[str](), Counter[tuple[str, str]]()

    def on_schema(self, number: int, count: int) -> None:
        """Write and run ``count`` queries on the schema of a number."""
        plan = self.plan
        schema, grammar = self._filled_schema(number)
        words = vocabulary(plan.rng(number, "words"), grammar)
        constraint = Constraint(words, without=plan.off)
        walker = Walker(words, self._coverage, self._written, self._pairs, seeks=plan.seeks)
        asked = questions(plan.rng(number, "questions"), words, few=plan.few)
        self.tally.schemas += 1
        for place in range(count):
            way = WAYS[(number + place) % len(WAYS)]
            walker.start(plan.rng(number, f"walk {place}"))
            sql, problem = self._query(constraint, walker, way, asked[(number + place) % len(asked)])
            self.tally.written(f"{number} {place} {sql}")
            counts = self.tally.ways.setdefault(way, Counter())
            counts["queries"] += 1
            if problem is TIME_OUT:
                counts["time_outs"] += 1
            elif problem is not None:
                if self.tally.total("errors") < SHOWN or problem.kind not in self.tally.kinds:
                    print(f"{problem.kind} (schema {number}, {way}, {place})\n    {problem.message[:200]}\n    {sql}")
                    print(ddl(schema, grammar.quoting.write), flush=True)
                counts["errors"] += 1
                self.tally.kinds[problem.kind] += 1

    def _filled_schema(self, number: int) -> tuple[Schema, Grammar]:
        """Make and fill the tables of a schema, and return it with its grammar.

        Of the engine's objects there is one database, of which each number has a few tables and views.
        """
        plan = self.plan
        if plan.objects:
            script = Path(__file__).parent / plan.objects / f"{plan.engine.removesuffix('-loose')}.sql"
            every = self._engine.restored([one for one in script.read_text("utf-8").split(";\n") if one.strip()])
            write = Grammar.for_schema(every, dialect=plan.dialect).quoting.write
            fine = (t.name for t in every.tables if self._engine.problem(f"SELECT * FROM {whole(t, write)}") is None)
            every = every.only(fine)  # `querent.connect` leaves out views that fail on a row, too
            schema = narrowed(plan.rng(number, "few"), every, 3 if plan.few else 5)
            return schema, Grammar.for_schema(schema, dialect=plan.dialect, wide=plan.wide)
        schema = plan.schema_at(number, plan.rng(number, "schema"))
        schema = narrowed(plan.rng(number, "few"), schema) if plan.few else schema
        grammar = Grammar.for_schema(schema, dialect=plan.dialect, wide=plan.wide)
        rng = plan.rng(number, "rows")
        rows = {table.name: random_rows(rng, table, plan.dialect) for table in schema.tables}
        self._engine.create(schema, grammar.quoting.write, rows)
        return schema, grammar

    def _query(
        self, constraint: Constraint, walker: Walker, way: str, question: Question
    ) -> tuple[str, Problem | None]:
        """Write a query and run it; return it, and what is wrong with it."""
        rng, most = walker.rng, self.plan.budget
        budget = min(most, rng.choice([rng.randint(8, 20), rng.randint(20, 60), most]))
        try:
            ids = walk(constraint, walker, way, question, budget, strict=self.plan.few)
            query = Query(constraint.vocabulary.decode(ids), self.plan.dialect, tuple(question.values.values()))
            sql = for_engines(query, constraint.grammar.schema).sql
        except Exception as error:  # whatever is raised breaks the promise
            return constraint.vocabulary.decode(walker.ids), _raised(error)
        problem = self._engine.problem(sql)
        try:
            self._note(constraint, walker, ran=problem is None)
        except Exception as error:  # a constraint that does not know what it has let pass
            problem = problem or _raised(error)
        return sql, problem

    def _note(self, constraint: Constraint, walker: Walker, *, ran: bool) -> None:
        """Count what a query used; as covered counts only what the engine ran."""
        self.tally.words += len(walker.ids)
        self._written.update(constraint.vocabulary.words[i].text for i in walker.ids)
        self._pairs.update(pairwise(walker.sorts[i] for i in walker.ids))
        rules = self._coverage.note(walker.terminals[walker.ids].tolist())
        if ran:
            self.tally.rules |= rules


def _raised(error: Exception) -> Problem:
    """Return the problem of a query that was not even written."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return Problem(f"{type(error).__name__} in {where.name}", str(error))
