"""One schema's walks: its tables made and filled, its words, its constraint, its queries written and run."""

from __future__ import annotations

import random
import traceback
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from random_rows import random_rows
from walk_coverage import Coverage
from walk_engines import TIME_OUT, Engine, Problem, ddl, whole
from walk_one import walk
from walk_results import Tally
from walk_schemas import narrowed, schema_at
from walk_ways import WAYS
from walk_words import Question, questions, vocabulary
from walker import Walker

from querent.data.domains.domain import GROUPINGS
from querent.data.domains.examples import fill_sql
from querent.data.schema.schema import Schema
from querent.grammar import Constraint, Grammar
from querent.grammar.lr.compiled import load_tables
from querent.parser.normal_form.first_of_each import written_out

__all__ = ["DIALECTS", "Plan", "Queries"]

DIALECTS = {"sqlite": "sqlite", "mariadb": "mysql", "mariadb-loose": "mysql", "postgres": "postgres"}
"""The dialect of each engine; a loose MariaDB is one without ONLY_FULL_GROUP_BY."""

_SCRIPTS = Path(__file__).parent


@dataclass(frozen=True)
class Plan:
    """What a run is asked to do; each schema of it depends on the seed and its number alone."""

    engine: str
    seed: int
    schema: str | None = None
    data: Path | None = None
    budget: int = 120
    timeout: float = 2.0
    few: bool = False
    objects: str | None = None
    wide: bool = False
    windows: bool = False
    per: bool = False
    common: bool = False

    @property
    def dialect(self) -> str:
        """Return the dialect that the engine speaks."""
        return DIALECTS[self.engine]

    @property
    def off(self) -> tuple[str, ...]:
        """Return the rules that the engine does not need."""
        return GROUPINGS["loose" if self.engine.endswith("-loose") else "strict"]

    def rng(self, number: int, what: str) -> random.Random:
        """Return the draws of one thing of one schema."""
        return random.Random(f"{self.engine} {self.seed} {number} {what}")


def _filled_schema(engine: Engine, plan: Plan, number: int) -> tuple[Schema, Grammar]:
    """Make and fill the tables of a schema, and return it with its grammar.

    Of the engine's objects there is one database, of which each number has a few tables and views.
    """
    if plan.objects:
        every = engine.restored(_objects(plan.engine, plan.objects))
        write = Grammar.for_schema(every, dialect=plan.dialect).quoting.write
        fine = (t.name for t in every.tables if engine.problem(f"SELECT * FROM {whole(t, write)}") is None)
        every = every.only(fine)  # of views that fail on a row whoever asks `querent.connect` tells
        schema = narrowed(plan.rng(number, "few"), every, 3 if plan.few else 5)
        return schema, Grammar.for_schema(schema, dialect=plan.dialect, wide=plan.wide)
    schema = schema_at(number, plan.rng(number, "schema"), plan.dialect, schema=plan.schema, data=plan.data)
    schema = narrowed(plan.rng(number, "few"), schema) if plan.few else schema
    grammar = Grammar.for_schema(schema, dialect=plan.dialect, wide=plan.wide)
    rng = plan.rng(number, "rows")
    rows = {table.name: random_rows(rng, table, plan.dialect) for table in schema.tables}
    engine.create(schema, grammar.quoting.write, rows)
    return schema, grammar


def _objects(engine: str, folder: str) -> list[str]:
    """Return the statements of a folder that make an engine's tables, views, enumerations and the like."""
    text = (_SCRIPTS / folder / f"{engine.removesuffix('-loose')}.sql").read_text("utf-8")
    return [statement for statement in text.split(";\n") if statement.strip()]


class Queries:
    """Writes and runs queries, schema after schema; what is rarest is so over all of them.

    Args:
        plan: what is asked for.
        engine: where the queries run.
        states: how often earlier schemas' queries entered each state of the grammar; counted on.
        written: how often they used each word; counted on.
        pairs: how often they used each sort of word after another; counted on.
    """

    def __init__(
        self,
        plan: Plan,
        engine: Engine,
        states: Counter[int],
        written: Counter[str],
        pairs: Counter[tuple[str, str]],
    ) -> None:
        self.plan = plan
        self.engine = engine
        self.coverage = Coverage(load_tables(plan.dialect, wide=plan.wide), states)
        self.written = written
        self.pairs = pairs

    def on_schema(self, number: int, count: int) -> Tally:
        """Write and run ``count`` queries on the schema of a number."""
        plan, tally = self.plan, Tally(schemas=1)
        schema, grammar = _filled_schema(self.engine, plan, number)
        words = vocabulary(plan.rng(number, "words"), grammar)
        constraint = Constraint(words, without=plan.off)
        sought = {"windows": plan.windows, "per": plan.per, "common": plan.common}
        walker = Walker(words, self.coverage, self.written, self.pairs, **sought)
        asked = questions(plan.rng(number, "questions"), words, few=plan.few)
        for place in range(count):
            way, which = list(WAYS)[(number + place) % len(WAYS)], (number + place) % len(asked)
            way = "clauses" if plan.per else way
            walker.start(plan.rng(number, f"walk {place}"))
            told = {"schema": number, "place": place, "way": way, "question": which}
            problem = self._query(constraint, walker, asked[which], told, tally)
            tally.written(f"{number} {place} {told['sql']}")
            counts = tally.ways.setdefault(way, Counter())
            counts["queries"] += 1
            if problem is TIME_OUT:
                counts["time_outs"] += 1
            elif problem is not None:
                counts["errors"] += 1
                tally.kinds[problem.kind] += 1
                where = ddl(schema, grammar.quoting.write)
                tally.failures.append(told | {"kind": problem.kind, "message": problem.message, "ddl": where})
        return tally

    def _query(
        self, constraint: Constraint, walker: Walker, question: Question, told: dict[str, Any], tally: Tally
    ) -> Problem | None:
        """Write a query and run it; return what is wrong with it, and put its text into ``told``."""
        rng, most = walker.rng, self.plan.budget
        budget = min(most, rng.choice([rng.randint(8, 20), rng.randint(20, 60), most]))
        try:
            ids = walk(constraint, walker, told["way"], question, budget, strict=self.plan.few)
            slotted = written_out(constraint.vocabulary.decode(ids), constraint.grammar)
            told["sql"] = sql = fill_sql(slotted, question.values.values(), dialect=self.plan.dialect)
        except Exception as error:  # whatever is raised breaks the promise
            told["sql"] = constraint.vocabulary.decode(walker.ids)
            return _raised(error)
        problem = self.engine.problem(sql)
        try:
            self._note(constraint, walker, tally, ran=problem is None)
        except Exception as error:  # a constraint that does not know what it has let pass
            problem = problem or _raised(error)
        return problem

    def _note(self, constraint: Constraint, walker: Walker, tally: Tally, *, ran: bool) -> None:
        """Count what a query used; for what a run has covered only those count that the engine ran."""
        tally.words += len(walker.ids)
        self.written.update(constraint.vocabulary.words[i].text for i in walker.ids)
        self.pairs.update(pairwise(walker.sorts[i] for i in walker.ids))
        rules = self.coverage.note(walker.terminals[walker.ids].tolist())
        if ran:
            tally.rules |= rules


def _raised(error: Exception) -> Problem:
    """Return the problem of a query that was not even written."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return Problem(f"{type(error).__name__} in {where.name}", str(error))
