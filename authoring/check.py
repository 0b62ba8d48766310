"""The report of ``querent check``: the contents of a domain, and the mistakes in its pairs and prototypes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..data.databases.database import Database
from ..data.databases.rows import says_something
from ..data.domains.domain import GROUPINGS, Domain, Example
from ..data.domains.prototypes import Prototype
from ..data.errors import ConstraintError, DatabaseError, DomainError, QueryError
from ..data.records import PARTS, SPLITS
from ..data.schema.schema import Schema
from ..data.values.slots import SLOT
from ..grammar import EOS, MAX_WORDS, Constraint, Grammar, Vocabulary
from .pairs import normal
from .source import DomainSource

_ROWS = 50  # the rows of an answer that are read
_ROOM = 4  # the budget in lengths of the longest query, so that no query is refused for its length
Pairs = Sequence[Example]


@dataclass(frozen=True)
class Finding:
    """A mistake in a gold query, a question or a prototype.

    Attributes:
        problem: a description of the mistake.
        text: the query or question that has it.
        lines: the lines of the file, 0 for an unknown one.
        file: the file of a prototype; empty for the source of the domain.
        position: the 0-based character of ``text`` at which reading stopped, or -1.
        pairs: the number of pairs that have it.
        engine: the result of a refused query on the domain's database, ``runs`` or ``fails: …``, or None.
    """

    problem: str
    text: str = ""
    lines: tuple[int, ...] = ()
    file: str = ""
    position: int = -1
    pairs: int = 1
    engine: str | None = None

    @classmethod
    def of_pairs(cls, pairs: Pairs, problem: str, text: str, position: int = -1) -> Finding:
        """Return a mistake in some pairs."""
        return cls(problem, text, tuple(sorted({one.line for one in pairs})), position=position, pairs=len(pairs))

    @classmethod
    def of_prototype(cls, prototype: Prototype, problem: str, text: str) -> Finding:
        """Return a mistake in a prototype."""
        return cls(problem, text, (prototype.line,), str(prototype.file))

    @classmethod
    def of_error(cls, error: DomainError) -> Finding:
        """Return the mistake in a prototype that an error describes."""
        place = f"field {error.field!r}: " if error.field else ""
        return cls(f"{place}{error.problem}", error.hint or "", (error.line or 0,), str(error.file or ""))


Findings = tuple[Finding, ...]


@dataclass(frozen=True)
class Review:
    """The mistakes in a domain's prototypes; wrong, repeated and stale ones are errors.

    Attributes:
        prototypes: the number of prototypes.
        wrong: those that cannot be read, translated, run or read back.
        repeated: those that have the query of another one.
        stale: those whose pairs in the domain differ from the pairs that they give now.
        empty: those whose answers are all empty, nulls or zeros.
        naming: those with a wording that names an entity outside of its slots, which a parser would take for a value.
    """

    prototypes: int
    wrong: Findings = ()
    repeated: Findings = ()
    stale: Findings = ()
    empty: Findings = ()
    naming: Findings = ()


@dataclass(frozen=True)
class Report:
    """The result of `check`.

    Attributes:
        sizes: the number of pairs by split (``question``, ``query``) and part.
        queries: the number of distinct slotted queries; ``covered`` of them are inside the grammar.
        covered_pairs: the number of pairs whose query is inside the grammar.
        admitted: the number of distinct slotted queries that the constraint allows word by word at its highest level,
            with the domain's ``grouping``.
        ran: the number of distinct gold queries that ran, None without a database.
        repeated: the number of pairs that repeat the question and query of an earlier one.
        uncovered: the gold queries outside the grammar.
        refused: the gold queries inside the grammar that break a rule of the constraint.
        failing: the gold queries that do not run.
        conflicts: the questions with different queries.
        leaks: by split, the questions with queries, or the query patterns and prototypes, that two parts share.
        review: the mistakes in the domain's prototypes; None if it has none.
    """

    name: str
    source: str
    language: str
    dialect: str
    grouping: str
    tables: int
    columns: int
    entities: int
    pairs: int
    prototypes: int
    queries: int
    sizes: dict[str, dict[str, int]]
    covered: int
    covered_pairs: int
    admitted: int
    ran: int | None
    repeated: int
    uncovered: Findings
    refused: Findings
    failing: Findings
    conflicts: Findings
    leaks: dict[str, Findings]
    review: Review | None

    @property
    def coverage(self) -> float:
        """Return the share of pairs whose gold query is inside the grammar."""
        return self.covered_pairs / self.pairs if self.pairs else 1.0

    @property
    def admitted_share(self) -> float:
        """Return the share of the distinct queries that the constraint allows."""
        return self.admitted / self.queries if self.queries else 1.0

    @property
    def errors(self) -> int:
        """Return the number of errors in prototypes and in pairs made of them; 0 if pairs are written by hand."""
        if self.review is None:
            return 0
        made = (self.review.wrong, self.review.repeated, self.review.stale)
        return sum(map(len, (*made, self.uncovered, self.failing, self.conflicts, *self.leaks.values())))

    @property
    def warnings(self) -> int:
        """Return the number of refused queries, and of prototypes without an answer or with entities in wordings."""
        return 0 if self.review is None else sum(map(len, (self.refused, self.review.empty, self.review.naming)))

    def to_json(self) -> dict[str, Any]:
        """Return the report as dicts and lists."""
        names = ("coverage", "admitted_share", "errors", "warnings")
        return asdict(self) | {name: getattr(self, name) for name in names}

    def summary(self) -> dict[str, Any]:
        """Return `to_json` without the domain's texts: refused queries have lines and reasons, other lists a number."""
        kept = self.to_json()
        for kind in ("uncovered", "refused"):
            kept[kind] = [{k: v for k, v in one.items() if k not in ("text", "position")} for one in kept[kind]]
        for kind in ("failing", "conflicts"):
            kept[kind] = len(kept[kind])
        for kind in ("leaks", "review"):
            kept[kind] = {k: v if isinstance(v, int) else len(v) for k, v in (kept[kind] or {}).items()}
        return kept


def check(domain: Domain, *, progress: Callable[[int, int], object] = lambda done, total: None) -> Report:
    """Return a report on a domain and its prototypes; nothing is changed.

    Args:
        domain: the domain, from `load_domain`.
        progress: a callback for the number of queries that the constraint has judged, and of all.

    Raises:
        DatabaseError: the domain names a database that cannot be opened.
    """
    examples = domain.examples
    patterns, texts = _grouped(examples, lambda e: e.slotted), _grouped(examples, lambda e: e.sql)
    grammar = Grammar.for_schema(domain.schema, dialect=domain.dialect)
    uncovered = tuple(_uncovered(patterns, grammar))
    unread = {finding.text for finding in uncovered}
    covered = [group for group in patterns if group[0].slotted not in unread]
    refused = tuple(_refused(covered, grammar, GROUPINGS[domain.grouping], progress))
    failing, answered = (), frozenset[str]()
    if domain.database is not None:
        failing, answered = _run(texts, domain.database, domain.schema)
        engine = {e.slotted: "runs" for e in examples}
        problems = {finding.text: finding.problem for finding in failing}
        engine |= {e.slotted: f"fails: {problems[e.sql]}" for e in reversed(examples) if e.sql in problems}
        uncovered, refused = (tuple(replace(f, engine=engine[f.text]) for f in some) for some in (uncovered, refused))
    source = DomainSource.of(domain.source)
    repeats = _grouped(examples, lambda e: (_folded(e.question), e.sql))
    prototypes = _grouped(examples, lambda e: e.prototype)
    return Report(
        name=domain.name,
        source=str(domain.source),
        language=domain.language,
        dialect=domain.dialect,
        grouping=domain.grouping,
        tables=len(domain.schema.tables),
        columns=sum(1 for _ in domain.schema.columns()),
        entities=len(domain.entities),
        pairs=len(examples),
        prototypes=len(prototypes),
        queries=len(patterns),
        sizes={split: {part: sum(_part(e, split) == part for e in examples) for part in PARTS} for split in SPLITS},
        covered=len(covered),
        covered_pairs=len(examples) - sum(finding.pairs for finding in uncovered),
        admitted=len(covered) - len(refused),
        ran=None if domain.database is None else len(texts) - len(failing),
        repeated=len(examples) - len(repeats),
        uncovered=uncovered,
        refused=refused,
        failing=failing,
        conflicts=tuple(_conflicts(examples)),
        leaks={"question": _leaks(repeats, "question"), "query": _leaks([*patterns, *prototypes], "query")},
        review=None if source is None else review(source, domain, answered=answered),
    )


def _grouped(examples: Iterable[Example], key: Callable[[Example], Hashable]) -> list[Pairs]:
    """Return the pairs grouped by their key, in order."""
    groups: dict[Hashable, list[Example]] = defaultdict(list)
    for example in examples:
        groups[key(example)].append(example)
    return list(groups.values())


def _folded(question: str) -> str:
    return " ".join(question.lower().split())


def _part(example: Example, split: str) -> str:
    return example.question_split if split == "question" else example.query_split


def _uncovered(patterns: Iterable[Pairs], grammar: Grammar) -> Iterator[Finding]:
    """Yield the slotted queries that are outside the grammar."""
    for group in patterns:
        try:
            grammar.tokenize(group[0].slotted)
        except QueryError as error:
            yield Finding.of_pairs(group, str(error), group[0].slotted, error.position)


def _run(texts: Iterable[Pairs], path: str, schema: Schema) -> tuple[Findings, frozenset[str]]:
    """Run each gold query once, and return the failing ones and the prototypes with an answer that is not empty."""
    failing, answered = list[Finding](), set[str]()
    with Database.open(path, max_rows=_ROWS, functions=schema.functions) as database:
        database.confine(schema)
        for group in texts:
            try:
                if says_something(database.query(group[0].sql).rows):
                    answered |= {example.prototype for example in group}
            except DatabaseError as error:
                failing.append(Finding.of_pairs(group, error.problem, group[0].sql))
    return tuple(failing), frozenset(answered)


def _conflicts(examples: Iterable[Example]) -> Iterator[Finding]:
    """Yield the questions that have different queries."""
    for group in _grouped(examples, lambda e: _folded(e.question)):
        if (count := len({e.sql for e in group})) > 1:
            yield Finding.of_pairs(group, f"{count} different queries for one question", group[0].question)


def _leaks(groups: Iterable[Pairs], split: str) -> Findings:
    """Return the groups of pairs that are in several parts of a split."""
    found: dict[tuple[int, ...], Finding] = {}
    for group in groups:
        parts = sorted({_part(e, split) for e in group}, key=list[str](PARTS).index)
        if len(parts) > 1:
            text = group[0].question if split == "question" else group[0].slotted
            finding = Finding.of_pairs(group, f"in {' and '.join(parts)}", text)
            found.setdefault(finding.lines, finding)
    return tuple(found.values())


def _refused(
    patterns: Sequence[Pairs], grammar: Grammar, off: Collection[str], progress: Callable[[int, int], object]
) -> Iterator[Finding]:
    """Yield the slotted queries inside the grammar that the constraint refuses, without its rules ``off``."""
    if not patterns:
        return
    queries = [group[0].slotted for group in patterns]
    vocabulary = Vocabulary.build(grammar, queries)
    words = [vocabulary.encode(query) for query in queries]
    constraint = Constraint(vocabulary, budget=min(_ROOM * max(map(len, words)), MAX_WORDS), without=off)
    for done, (group, query, ids) in enumerate(zip(patterns, queries, words, strict=True), start=1):
        values = {value.slot: value.mention.sql for value in group[0].values}
        if (problem := objection(constraint, ids, values)) is not None:
            place, reason = problem
            tokens = grammar.tokenize(query)
            yield Finding.of_pairs(group, reason, query, tokens[place].start if place < len(tokens) else -1)
        progress(done, len(queries))


def objection(
    constraint: Constraint, ids: Sequence[int], values: Mapping[str, str] | None = None
) -> tuple[int, str] | None:
    """Return the place of the first word of a query that is not allowed, and the reason; None if all are allowed."""
    done = 0
    try:
        state = constraint.start(values=values)
        for word in (*ids, EOS):
            state = state.advance(word)
            done += 1
    except ConstraintError as error:
        return done, error.problem.replace("'<eos>'", "the end")
    return None


def review(source: DomainSource, domain: Domain, *, answered: Collection[str]) -> Review:
    """Fill the prototypes of a domain in its language, and compare the pairs with those that it has.

    Args:
        source: the folder of the domain.
        domain: the domain in one language, with its pairs.
        answered: the prototypes with an answer that is not empty.

    Raises:
        DatabaseError: the domain's database cannot be opened.
    """
    wrong, stale, empty = [Finding.of_error(error) for error in source.problems], list[Finding](), list[Finding]()
    existing = source.lines(domain.language)
    for prototype, lines, answers, problem in source.filled(domain.language):
        if problem is not None:
            wrong.append(Finding.of_error(problem))
            continue
        if not answers and prototype.id not in answered:
            empty.append(Finding.of_prototype(prototype, "no answer says anything but nulls and zeros", prototype.sql))
        old = lines if existing is None else existing.pop(prototype.id, [])
        if old != lines:
            differ = (new for new, before in zip(lines, [*old, *[""] * len(lines)], strict=False) if new != before)
            why = f"{prototype.id!r} has {len(old)} pairs that it does not give now; it gives {len(lines)}"
            stale.append(Finding.of_prototype(prototype, why, next(differ, "")))
    if gone := sorted({*(existing or ())} - {prototype.id for prototype in source.prototypes}):
        text = ", ".join(gone[:5]) + (", …" if len(gone) > 5 else "")
        problem = f"pairs of {len(gone)} prototypes that are not there"
        stale.append(Finding(problem, text, file=str(source.folder)))
    repeated = [
        Finding.of_prototype(
            other, f"{other.id!r} has the query of {first.id!r} ({first.file.name}:{first.line})", other.sql
        )
        for first, *others in same(source.prototypes, source.manifest.dialect, source.schema)
        for other in others
    ]
    lists = (dict.fromkeys(wrong), repeated, stale, empty, _naming(source, domain.language))
    return Review(len(source.prototypes), *map(tuple, lists))


def same(prototypes: Iterable[Prototype], dialect: str, schema: Schema) -> list[list[Prototype]]:
    """Return the groups of prototypes that have the same query; those that do not parse are left out."""
    groups: dict[str, list[Prototype]] = defaultdict(list)
    for prototype in prototypes:
        try:
            groups[normal(prototype.sql, dialect=dialect, schema=schema)].append(prototype)
        except QueryError:  # reported as wrong
            continue
    return [group for group in groups.values() if len(group) > 1]


def _naming(source: DomainSource, language: str) -> Iterator[Finding]:
    """Yield the wordings that name an entity outside of their slots."""
    names = {name for entity in source.entities(language) for name in entity.says or (entity.sql,) if len(name) > 1}
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or r"(?!)"
    named = re.compile(rf"(?<![A-Za-z0-9])(?:{any_name})(?![A-Za-z0-9])", re.IGNORECASE)
    for prototype in source.prototypes:
        for wording in prototype.all_wordings(language):
            if found := named.search(SLOT.sub("|", wording)):
                problem = f"{prototype.id!r} names {found[0]!r} outside of its slots"
                yield Finding.of_prototype(prototype, problem, wording)
