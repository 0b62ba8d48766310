"""What a domain holds, and what is wrong with it: the report of ``querent check``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .database import Database
from .errors import DatabaseError, QueryError
from .examples import SLOT, Example
from .figures import figures
from .sql_literals import sql_literals

if TYPE_CHECKING:
    from .domain import Domain

__all__ = ["Finding", "Report", "check"]

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Finding:
    """Something wrong with one gold query or question.

    Attributes:
        lines: lines of the source file it stands on, 0 where the source has none.
        text: the query, or the question, as far as it matters.
        problem: what is wrong.
        position: 0-based character of ``text`` where reading stopped, -1 if that means nothing.
        pairs: how many pairs it concerns.
    """

    lines: tuple[int, ...]
    text: str
    problem: str
    position: int = -1
    pairs: int = 1


@dataclass(frozen=True)
class Report:
    """The outcome of `check`; counts are of pairs unless they say otherwise.

    Attributes:
        sizes: pairs by split (``question``, ``query``) and part.
        queries: distinct slotted queries; ``covered`` of them are inside the grammar.
        covered_pairs: pairs whose query is.
        ran: distinct gold queries that ran, None without a database.
        repeated: pairs that repeat the question and query of an earlier one.
        constants: pairs whose query holds a string that the question does not say.
        statistics: see `figures.figures`.
        uncovered: gold queries outside the grammar; likewise the other lists of findings.
        conflicts: one question with different queries.
        leaks: by split, what two parts share: question and query, or the query pattern.
    """

    name: str
    source: str
    language: str
    dialect: str
    tables: int
    columns: int
    entities: int
    pairs: int
    prototypes: int
    queries: int
    sizes: dict[str, dict[str, int]]
    covered: int
    covered_pairs: int
    ran: int | None
    repeated: int
    constants: int
    statistics: dict[str, float]
    uncovered: tuple[Finding, ...] = ()
    failing: tuple[Finding, ...] = ()
    conflicts: tuple[Finding, ...] = ()
    leaks: dict[str, tuple[Finding, ...]] | None = None

    @property
    def coverage(self) -> float:
        """Share of pairs whose gold query is inside the grammar."""
        return self.covered_pairs / self.pairs if self.pairs else 1.0

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dicts."""
        return asdict(self) | {"coverage": self.coverage}


def check(
    domain: Domain,
    *,
    tokenize: Callable[[str], object] | None = None,
    timeout: float = 5.0,
) -> Report:
    """Read through a domain and report on it; nothing is changed.

    Args:
        domain: what `load_domain` returned.
        tokenize: reads a slotted query, or raises QueryError; None takes the grammar of the domain's
            dialect over its schema.
        timeout: seconds one gold query may run.

    Raises:
        DatabaseError: the domain names a database that cannot be opened.
    """
    examples = domain.examples
    patterns = _grouped(examples, lambda e: e.slotted)
    uncovered = _uncovered(patterns.values(), tokenize or _grammar_of(domain))
    texts = _grouped(examples, lambda e: e.sql)
    failing = None if domain.database is None else _failing(texts.values(), domain.database, timeout)
    pairs = _grouped(examples, lambda e: (_folded(e.question), e.sql))
    return Report(
        name=domain.name,
        source=str(domain.source),
        language=domain.language,
        dialect=domain.dialect,
        tables=len(domain.schema.tables),
        columns=sum(1 for _ in domain.schema.columns()),
        entities=len(domain.entities),
        pairs=len(examples),
        prototypes=len({e.prototype for e in examples}),
        queries=len(patterns),
        sizes={
            split: {part: sum(_part(e, split) == part for e in examples) for part in PARTS}
            for split in ("question", "query")
        },
        covered=len(patterns) - len(uncovered),
        covered_pairs=len(examples) - sum(f.pairs for f in uncovered),
        ran=None if failing is None else len(texts) - len(failing),
        repeated=len(examples) - len(pairs),
        constants=sum(_holds_string(e) for e in examples),
        statistics=figures(examples, domain.schema, domain.dialect),
        uncovered=uncovered,
        failing=failing or (),
        conflicts=_conflicts(examples),
        leaks={
            "question": _leaks(pairs.values(), "question", lambda e: e.question),
            "query": _leaks(patterns.values(), "query", lambda e: e.slotted),
        },
    )


def _grammar_of(domain: Domain) -> Callable[[str], object]:
    # The grammar room stands above this one (it needs data.schema), so it is fetched only here, when asked.
    from ..grammar import Grammar

    return Grammar.for_schema(domain.schema, dialect=domain.dialect).tokenize


def _grouped(examples: Iterable[Example], key: Callable[[Example], Hashable]) -> dict[Hashable, list[Example]]:
    groups: dict[Hashable, list[Example]] = defaultdict(list)
    for example in examples:
        groups[key(example)].append(example)
    return groups


def _folded(question: str) -> str:
    return " ".join(question.lower().split())


def _part(example: Example, split: str) -> str:
    return example.question_split if split == "question" else example.query_split


def _lines(examples: Iterable[Example]) -> tuple[int, ...]:
    return tuple(sorted({e.line for e in examples}))


def _uncovered(patterns: Iterable[Sequence[Example]], tokenize: Callable[[str], object]) -> tuple[Finding, ...]:
    found: list[Finding] = []
    for group in patterns:
        query = group[0].slotted
        try:
            tokenize(query)
        except QueryError as error:
            found.append(Finding(_lines(group), query, str(error), error.position, len(group)))
    return tuple(found)


def _failing(texts: Iterable[Sequence[Example]], path: str, timeout: float) -> tuple[Finding, ...]:
    found: list[Finding] = []
    with Database.open(path, timeout=timeout, max_rows=1) as database:
        for group in texts:
            try:
                database.query(group[0].sql)
            except DatabaseError as error:
                found.append(Finding(_lines(group), group[0].sql, error.problem, pairs=len(group)))
    return tuple(found)


def _conflicts(examples: Iterable[Example]) -> tuple[Finding, ...]:
    groups = _grouped(examples, lambda e: _folded(e.question)).values()
    return tuple(
        Finding(_lines(group), group[0].question, f"{count} different queries for one question", pairs=len(group))
        for group in groups
        if (count := len({e.sql for e in group})) > 1
    )


def _leaks(groups: Iterable[Sequence[Example]], split: str, text: Callable[[Example], str]) -> tuple[Finding, ...]:
    found: list[Finding] = []
    for group in groups:
        parts = sorted({_part(e, split) for e in group}, key=PARTS.index)
        if len(parts) > 1:
            found.append(Finding(_lines(group), text(group[0]), f"in {' and '.join(parts)}", pairs=len(group)))
    return tuple(found)


def _holds_string(example: Example) -> bool:
    return any(x.string and not SLOT.search(x.value) for x in sql_literals(example.slotted))
