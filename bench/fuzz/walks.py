"""Random walks: schemas made and filled, queries written under the constraint and run, errors counted.

Random logits stand for a network with any weights. They come in turns from nine ways (`walker.WAYS`): uniform over the
mask, peaked at random, and adversarial ones that take the rarest production or pair of words, the deepest nesting, the
shortest and the longest way. Each query is executed with a time limit on the real engine, on random rows, read only. A
time-out is no error, but is counted.
"""

import hashlib
import random
import sys
import traceback
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.progress import track

from querent.data.domains.domain import GROUPINGS
from querent.data.schema.schema import Schema
from querent.data.sql.query import Query
from querent.grammar import Constraint, Grammar
from querent.grammar.lr.tables import Tables, load_functions, load_tables
from querent.grammar.semantics.rules import RULES
from querent.parser.normal_form.top_k_per_group import for_engines

from .engines import DIALECTS, TIME_OUT, Engine, Problem, databases, ddl, open_engine, whole
from .schemas import Question, narrowed, questions, random_rows, schema_at, vocabulary
from .walker import WAYS, Coverage, Walker, walk

SCHEMAS = 60  # the least number of schemas of a run, if there are so many queries
A_SCHEMA = 100  # the greatest number of queries on one schema
PRINTED = 20  # failing queries that are printed, and one of every other kind
_NAMES = {"TABLE", "COLUMN", "QCOLUMN", "QSTAR", "ALIAS", "STRING", "WHOLE", "NUMBER"}
"""Terminals whose words belong to the schema and the questions."""


@dataclass(frozen=True)
class Plan:
    """The options of a run; each schema of it depends on the seed and its number alone."""

    engine: str
    seed: int
    few: bool = False
    objects: bool = False
    wide: bool = False
    windows: bool = False
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

    def rng(self, number: int, what: str) -> random.Random:
        """Return the draws of one thing of one schema."""
        return random.Random(f"{self.engine} {self.seed} {number} {what}")


def run(plan: Plan, queries: int, url: str | None) -> dict[str, Any]:
    """Walk, print what fails, and return the figures."""
    most = max(1, min(A_SCHEMA, queries // SCHEMAS))
    with databases(plan.engine, 1, url) as (own,), open_engine(plan.engine, own, timeout=plan.timeout) as engine:
        walks = Walks(plan, engine)
        begins = range(0, queries, most)
        for number, begun in enumerate(track(begins, "walking", disable=not sys.stderr.isatty())):
            walks.on_schema(number, min(most, queries - begun))
        entry = {"seeds": [plan.seed], "version": engine.version}
    return entry | walks.tally.result(plan.dialect, plan.off, wide=plan.wide)


def writable(dialect: str, off: Collection[str] = (), *, wide: bool = False) -> set[int]:
    """Return the rules that some query uses: not those of functions that a dialect has not, nor Lark's own start.

    Where grouping binds and is not ``off``, no query has a star beside GROUP BY, which would have to name all columns.
    """
    tables, functions = load_tables(dialect, wide=wide), load_functions(dialect, wide=wide)
    classes = {spec.terminal for spec in functions.values()}
    able = {i for i, name in enumerate(tables.terminals) if name in tables.texts or name in classes | _NAMES}
    found, before = set[int](), -1
    while len(found) != before:
        before = len(found)
        found = {n for n, rule in enumerate(tables.productions) if able.issuperset(rule.body)}
        able |= {~tables.productions[n].head for n in found}
    binds = dialect in (RULES["grouping"].dialects or ()) and "grouping" not in off
    apart = {n for n in found if binds and {"starred", "group_by"} <= set(tables.bodies[n])}
    return {n for n in found - apart if not tables.nonterminals[tables.productions[n].head].startswith("$")}


def describe(tables: Tables, rule: int) -> str:
    """Return a rule as text: ``where: WHERE expr``; words stand for themselves, Lark's own helpers begin with __."""

    def name(symbol: int) -> str:
        if symbol < 0:
            return tables.nonterminals[~symbol]
        return tables.texts.get(tables.terminals[symbol], tables.terminals[symbol])

    head, body = tables.productions[rule].head, tables.productions[rule].body
    return f"{tables.nonterminals[head]}: {' '.join(map(name, body)) or '(nothing)'}"


@dataclass
class Tally:
    """The counts of a run.

    Attributes:
        kinds: errors by kind.
        ways: queries, errors and time-outs by way.
        words: how many words were written.
        rules: the numbers of the rules that queries without an error used.
        digest: of all queries, whatever their order: two constraints that write the same ones have the same.
    """

    schemas: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    ways: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    words: int = 0
    rules: set[int] = field(default_factory=set[int])
    digest: int = 0

    def written(self, query: str) -> None:
        """Take a query into the digest."""
        self.digest = (self.digest + int.from_bytes(hashlib.sha256(query.encode()).digest()[:8])) % 2**64

    def total(self, what: str) -> int:
        """Return a count over all ways: ``queries``, ``errors`` or ``time_outs``."""
        return sum(counts[what] for counts in self.ways.values())

    def result(self, dialect: str, off: Collection[str] = (), *, wide: bool = False) -> dict[str, Any]:
        """Return the figures of a run under the rules that are not ``off``."""
        able = writable(dialect, off, wide=wide)
        unused = [describe(load_tables(dialect, wide=wide), rule) for rule in sorted(able - self.rules)]
        return {
            "schemas": self.schemas,
            **{what: self.total(what) for what in ("queries", "errors", "time_outs")},
            "words": self.words,
            "by_kind": dict(self.kinds.most_common()),
            "by_way": {way: dict(counts) for way, counts in self.ways.items()},
            "productions": {"of": len(able), "never": unused},
            "digest": f"{self.digest:016x}",
        }


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
        walker = Walker(words, self._coverage, self._written, self._pairs, windows=plan.windows)
        drawn = questions(plan.rng(number, "questions"), words, few=plan.few)
        self.tally.schemas += 1
        for place in range(count):
            way = WAYS[(number + place) % len(WAYS)]
            walker.start(plan.rng(number, f"walk {place}"))
            sql, problem = self._query(constraint, walker, way, drawn[(number + place) % len(drawn)])
            self.tally.written(f"{number} {place} {sql}")
            counts = self.tally.ways.setdefault(way, Counter())
            counts["queries"] += 1
            if problem is TIME_OUT:
                counts["time_outs"] += 1
            elif problem is not None:
                if self.tally.total("errors") < PRINTED or problem.kind not in self.tally.kinds:
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
            script = Path(__file__).parent / "objects" / f"{plan.engine.removesuffix('-loose')}.sql"
            every = self._engine.restored([one for one in script.read_text("utf-8").split(";\n") if one.strip()])
            write = Grammar.for_schema(every, dialect=plan.dialect).quoting.write
            fine = (t.name for t in every.tables if self._engine.problem(f"SELECT * FROM {whole(t, write)}") is None)
            every = every.only(fine)  # `querent.connect` leaves out views that fail on a row, too
            schema = narrowed(plan.rng(number, "few"), every, 3 if plan.few else 5)
            return schema, Grammar.for_schema(schema, dialect=plan.dialect, wide=plan.wide)
        schema = schema_at(number, plan.rng(number, "schema"), plan.dialect)
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
        except Exception as error:  # a constraint that cannot read its own query
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
