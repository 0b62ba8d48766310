"""What a domain holds, its lengths and contents, and what is wrong with it: the report of ``querent check``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from ...data.domains.domain import GROUPINGS, Domain, Example
from ...data.records import PARTS
from ...grammar import Grammar
from ..filling.writing import DomainSource
from .findings import Finding, Ran, conflicts, folded, grouped, leaks, part_of, refused, run, uncovered
from .review import Review, review

__all__ = ["Finding", "Report", "check"]


@dataclass(frozen=True)
class Report:
    """The outcome of `check`; counts are of pairs unless they say otherwise.

    Attributes:
        sizes: pairs by split (``question``, ``query``) and part.
        queries: distinct slotted queries; ``covered`` of them are inside the grammar.
        covered_pairs: pairs whose query is.
        admitted: distinct slotted queries that the constraint lets through word by word at its highest level, with
            the domain's ``grouping``.
        ran: distinct gold queries that ran, None without a database.
        repeated: pairs that repeat the question and query of an earlier one.
        uncovered: gold queries outside the grammar; likewise the other lists of findings.
        refused: gold queries inside the grammar that break a rule of the constraint.
        conflicts: one question with different queries.
        leaks: by split, what two parts share: question and query, or the query pattern or prototype.
        review: what was found in the domain's prototypes; None if it has none.
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
    grouping: str
    admitted: int
    ran: int | None
    repeated: int
    uncovered: tuple[Finding, ...] = ()
    refused: tuple[Finding, ...] = ()
    failing: tuple[Finding, ...] = ()
    conflicts: tuple[Finding, ...] = ()
    leaks: dict[str, tuple[Finding, ...]] | None = None
    review: Review | None = None

    @property
    def coverage(self) -> float:
        """Share of pairs whose gold query is inside the grammar."""
        return self.covered_pairs / self.pairs if self.pairs else 1.0

    @property
    def admitted_share(self) -> float:
        """Share of the distinct queries that the constraint lets through."""
        return self.admitted / self.queries if self.queries else 1.0

    @property
    def errors(self) -> int:
        """What must be mended in prototypes and in the pairs made of them; 0 where pairs are written by hand."""
        if self.review is None:
            return 0
        made = (self.review.wrong, self.review.repeated, self.review.stale)
        pairs = (self.uncovered, self.failing, self.conflicts, *(self.leaks or {}).values())
        return sum(map(len, (*made, *pairs)))

    @property
    def warnings(self) -> int:
        """What deserves a look: refused queries, prototypes without an answer or naming entities."""
        if self.review is None:
            return 0
        return sum(map(len, (self.refused, self.review.empty, self.review.naming)))

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dicts."""
        shares = {"coverage": self.coverage, "admitted_share": self.admitted_share}
        return asdict(self) | shares | {"errors": self.errors, "warnings": self.warnings}

    def summary(self) -> dict[str, Any]:
        """Return `to_json` without the domain's texts: refused queries by line and reason, all else by number."""
        told = self.to_json()
        for kind in ("uncovered", "refused"):
            told[kind] = [{k: v for k, v in one.items() if k not in ("text", "position")} for one in told[kind]]
        for kind in ("failing", "conflicts"):
            told[kind] = len(told[kind])
        for kind in ("leaks", "review"):
            told[kind] = {k: v if isinstance(v, int) else len(v) for k, v in (told[kind] or {}).items()}
        return told


def check(domain: Domain, *, progress: Callable[[int, int], object] = lambda done, total: None) -> Report:
    """Read through a domain, its prototypes included, and report on it; nothing is changed.

    Args:
        domain: what `load_domain` returned.
        progress: called with the number of queries that the constraint has seen and of all; it takes longest.

    Raises:
        DatabaseError: the domain names a database that cannot be opened.
    """
    examples = domain.examples
    patterns = grouped(examples, lambda e: e.slotted)
    grammar = Grammar.for_schema(domain.schema, dialect=domain.dialect)
    outside = uncovered(patterns.values(), grammar.tokenize)
    unread = {finding.text for finding in outside}
    covered = [group for query, group in patterns.items() if query not in unread]
    against = refused(covered, grammar, without=GROUPINGS[domain.grouping], progress=progress)
    texts = grouped(examples, lambda e: e.sql)
    ran = None if domain.database is None else run(texts.values(), domain.database, domain.schema)
    pairs = grouped(examples, lambda e: (folded(e.question), e.sql))
    queries = [*patterns.values(), *grouped(examples, lambda e: e.prototype).values()]
    source = DomainSource.of(domain.source)
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
            split: {part: sum(part_of(e, split) == part for e in examples) for part in PARTS}
            for split in ("question", "query")
        },
        covered=len(covered),
        covered_pairs=len(examples) - sum(f.pairs for f in outside),
        grouping=domain.grouping,
        admitted=len(covered) - len(against),
        ran=None if ran is None else len(texts) - len(ran.failing),
        repeated=len(examples) - len(pairs),
        uncovered=_judged(outside, examples, ran),
        refused=_judged(against, examples, ran),
        failing=() if ran is None else ran.failing,
        conflicts=conflicts(examples),
        leaks={
            "question": leaks(pairs.values(), "question", lambda e: e.question),
            "query": leaks(queries, "query", lambda e: e.slotted),
        },
        review=None if source is None else review(source, domain, answered=ran.answered if ran else ()),
    )


def _judged(findings: Iterable[Finding], examples: Iterable[Example], ran: Ran | None) -> tuple[Finding, ...]:
    """Say of slotted queries whether the database runs them, filled as in each of their pairs."""
    if ran is None:
        return tuple(findings)
    failing, said = {finding.text: finding.problem for finding in ran.failing}, dict[str, str]()
    for example in examples:
        if example.sql in failing:
            said.setdefault(example.slotted, f"fails: {failing[example.sql]}")
    return tuple(replace(finding, engine=said.get(finding.text, "runs")) for finding in findings)
