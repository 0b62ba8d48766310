"""Neighbour databases for a domain's gold queries, and the few of them that tell the queries from their mutants."""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from ...data.domains.domain import Domain
from ...data.domains.examples import Example
from ...data.errors import QueryError
from ...data.sql.parsing import PARSE_ERRORS, read_tree, told_error
from ..metrics import is_ordered
from .engine import Content, Engine, Result, in_sqlite, same, tree_in_sqlite
from .facts import Facts, facts
from .mutate import KINDS, mutants
from .names import NameResolver
from .neighbours import Value
from .originals import sample, stored_values
from .rows import Filler, Pools, RowStore
from .shape import Place, Shape

__all__ = ["Case", "Distilled", "Progress", "cases", "distill"]

Progress = Callable[[str, int, int], None]
"""Told the stage, what is done and what there is to do."""

_MIXED = 12  # databases with rows of many queries
_TRIES = 160  # databases drawn for one query whose mutants live on
_IDLE = 50  # tries without success after which a query is left alone
_MERGED = (60, 20, 6, 2, 1)  # so many databases of single queries are put into one


@dataclass
class Change:
    """One mutant as it runs, with what became of it."""

    kind: str
    sql: str
    told: bool = False


@dataclass
class Case:
    """One distinct slotted gold query with the values of one of its examples."""

    example: Example
    sql: str
    ordered: bool
    tree: exp.Expr
    facts: Facts = field(default_factory=Facts)
    changes: list[Change] = field(default_factory=list[Change])

    @property
    def alive(self) -> list[Change]:
        """The mutants that no database has told apart."""
        return [c for c in self.changes if not c.told]


@dataclass
class Distilled:
    """What `distill` made.

    Attributes:
        databases: the rows of each kept database; the first is empty.
        cases: the queries that run.
        left_out: slotted query and reason of those that do not.
        invalid: by kind, mutants that SQLite does not take.
        seconds: it took.
    """

    databases: list[Content]
    cases: list[Case]
    left_out: list[tuple[str, str]]
    invalid: Counter[str]
    seconds: float = 0.0

    def figures(self) -> dict[str, dict[str, int]]:
        """Return, by kind and in ``all``, mutants, those told apart and the invalid ones."""
        table: dict[str, dict[str, int]] = {kind: {"mutants": 0, "told": 0, "invalid": 0} for kind in (*KINDS, "all")}
        for change in (c for case in self.cases for c in case.changes):
            for row in (table[change.kind], table["all"]):
                row["mutants"] += 1
                row["told"] += change.told
        for kind, count in self.invalid.items():
            table[kind]["invalid"] += count
            table["all"]["invalid"] += count
        return table


def cases(domain: Domain) -> tuple[list[Case], list[tuple[str, str]]]:
    """Return the distinct slotted gold queries that run on SQLite, and the others with the reason."""
    engine = Engine(Shape.of(domain))
    by_query: defaultdict[str, list[Example]] = defaultdict(list)
    for example in domain.examples:
        by_query[example.slotted].append(example)
    found: list[Case] = []
    left: list[tuple[str, str]] = []
    for slotted, examples in by_query.items():
        example = next((e for e in examples if _apart(e)), examples[0])
        try:
            tree = read_tree(example.sql, domain.dialect)
            sql = in_sqlite(example.sql, domain.dialect)
        except (*PARSE_ERRORS, QueryError) as error:
            left.append((slotted, told_error(error)))
            continue
        problem = engine.problem(sql)
        if problem is not None:
            left.append((slotted, problem))
        else:
            found.append(Case(example, sql, is_ordered(example.sql, domain.dialect), tree))
    return found, left


def _apart(example: Example) -> bool:
    values = [v.mention.sql for v in example.values]
    return len(values) == len(set(values))


def distill(domain: Domain, *, seed: int = 0, databases: int = 200, progress: Progress | None = None) -> Distilled:
    """Fill neighbour databases and keep those that tell gold queries from mutants.

    Args:
        domain: whose gold queries are taken.
        seed: of all chance; the same seed makes the same databases.
        databases: how many are kept at most, the empty one included.
        progress: is told how far it is.

    Raises:
        DatabaseError: the domain's own database cannot be read.
    """
    started = time.perf_counter()
    work = _Work(domain, seed, progress or (lambda stage, done, total: None))
    work.change()
    kept = [*work.mixed(), *work.directed()]
    kept = work.cover(kept, databases)
    done = Distilled(kept, work.cases, work.left_out, work.invalid)
    done.seconds = round(time.perf_counter() - started, 1)
    return done


class _Work:
    def __init__(self, domain: Domain, seed: int, progress: Progress) -> None:
        self._domain, self._seed, self._progress = domain, seed, progress
        self.shape = Shape.of(domain)
        self.names = NameResolver(self.shape)
        self.engine = Engine(self.shape)
        self.cases, self.left_out = cases(domain)
        self.invalid: Counter[str] = Counter()
        self._stored = stored_values(domain, self.shape)
        self._pools: dict[int, Pools] = {}

    def change(self) -> None:
        """Make the mutants of every query."""
        known: defaultdict[Place, list[Value]] = defaultdict(list)
        for case in self.cases:
            case.facts = facts(case.tree, dialect=self._domain.dialect, names=self.names)
            for place, values in case.facts.constants.items():
                known[place] += [v for v in values if v not in known[place]]
        for number, case in enumerate(self.cases):
            self._progress("mutants", number, len(self.cases))
            for mutant in mutants(
                case.tree, dialect=self._domain.dialect, names=self.names, known=known, seed=self._seed
            ):
                try:
                    sql = tree_in_sqlite(mutant.tree, self._domain.dialect)
                except QueryError:
                    self.invalid[mutant.kind] += 1
                    continue
                if self.engine.problem(sql) is not None:
                    self.invalid[mutant.kind] += 1
                    continue
                case.changes.append(Change(mutant.kind, sql))
            self._pools[id(case)] = Pools(self.shape, case.facts, self._stored)

    def mixed(self) -> Iterator[Content]:
        """Yield the empty database, a sample of the own one, and databases with rows of many queries."""
        yield self._tried({})
        own = sample(self._domain, self.shape, self._stored, random.Random(self._seed))
        if own:
            yield self._tried(own)
        for number in range(_MIXED):
            self._progress("mixed databases", number, _MIXED)
            draw = random.Random(f"{self._seed} mixed {number}")
            chosen = [c for c in self.cases if draw.random() < draw.choice((0.05, 0.15, 0.4))]
            yield self._tried(self._filled(chosen, draw))

    def _filled(self, chosen: Sequence[Case], draw: random.Random) -> Content:
        store = RowStore(self.shape)
        rows = draw.choice((1, 2, 3, 4, 6, 10)) if len(chosen) < 3 else draw.choice((2, 3))
        for case in chosen:
            empty = draw.choice(case.facts.tables) if case.facts.tables and draw.random() < 0.04 else None
            Filler(self._pools[id(case)], store, draw, rows=rows).fill(leave_empty=empty)
        return store.rows

    def _tried(self, content: Content) -> Content:
        self._run(content, self.cases)
        return content

    def _run(self, content: Content, wanted: Iterable[Case]) -> list[Change]:
        """Return the mutants still alive that a database tells apart, and mark them."""
        listed = list(wanted)
        self.engine.load(content)
        golds = self.engine.settled((c.sql, c.ordered) for c in listed)
        found: list[Change] = []
        for case, gold in zip(listed, golds, strict=True):
            if gold is not None:
                found += [c for c in case.alive if self._differs(c, gold, case.ordered)]
        for change in found:
            change.told = True
        return found

    def _differs(self, change: Change, gold: Result, ordered: bool) -> bool:
        rows = self.engine.run(change.sql)
        return rows is not None and not same(rows, gold, ordered)

    def directed(self) -> list[Content]:
        """Return databases for the queries whose mutants are left, rows of many queries in one where that works."""
        singles: list[tuple[Case, Content, list[Change]]] = []
        for number, case in enumerate(self.cases):
            self._progress("directed databases", number, len(self.cases))
            idle = 0
            for turn in range(_TRIES):
                if not case.alive or idle > _IDLE:
                    break
                content = self._filled([case], random.Random(f"{self._seed} {case.example.slotted} {turn}"))
                found = self._run(content, [case])
                idle = 0 if found else idle + 1
                if found:
                    singles.append((case, content, found))
        for change in (c for _, _, found in singles for c in found):
            change.told = False
        return self._merged(singles)

    def _merged(self, singles: list[tuple[Case, Content, list[Change]]]) -> list[Content]:
        kept: list[Content] = []
        left = sorted(singles, key=lambda s: -len(s[2]))
        for most in _MERGED:
            waiting, left = left, []
            for start in range(0, len(waiting), most):
                self._progress("merged databases", start, len(waiting))
                group = [s for s in waiting[start : start + most] if any(not c.told for c in s[2])]
                if not group:
                    continue
                store = RowStore(self.shape)
                for _, content, _ in group:
                    store.merge(content)
                wanted = [c for c in self.cases if c.alive]
                if self._run(store.rows, wanted):
                    kept.append(store.rows)
                left += [s for s in group if any(not c.told for c in s[2])]
        return kept

    def cover(self, candidates: Sequence[Content], most: int) -> list[Content]:
        """Keep what is needed: the databases with the most rows first, each for what those before it left.

        The empty database always stays.
        """
        for change in (c for case in self.cases for c in case.changes):
            change.told = False
        empty, *others = candidates
        self._run(empty, self.cases)
        gains: list[tuple[Content, list[Change]]] = []
        others.sort(key=lambda rows: -sum(map(len, rows.values())))
        for number, content in enumerate(others):
            self._progress("cover", number, len(others))
            found = self._run(content, [c for c in self.cases if c.alive])
            if found:
                gains.append((content, found))
        gains.sort(key=lambda g: -len(g[1]))
        for _, lost in gains[most - 1 :]:
            for change in lost:
                change.told = False
        return [empty, *(content for content, _ in gains[: most - 1])]
