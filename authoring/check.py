"""What a domain holds, and what is wrong with its pairs and prototypes: the report of ``querent check``."""

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
from ..data.records import PARTS
from ..data.schema.schema import Schema
from ..data.values.slots import SLOT
from ..grammar import EOS, MAX_WORDS, Constraint, Grammar, Vocabulary
from .pairs import normal
from .source import DomainSource

_ROWS = 50  # of an answer that are looked at
_ROOM = 4  # times the longest query: no query shall be refused for its length
Pairs = Sequence[Example]


@dataclass(frozen=True)
class Finding:
    """Something wrong with a gold query, a question or a prototype.

    Attributes:
        problem: what is wrong.
        text: the query or question, as far as it matters.
        lines: lines of the file it stands on, 0 where there is no telling.
        file: of a prototype; empty for what stands in the domain's source.
        position: 0-based character of ``text`` where reading stopped, -1 if that means nothing.
        pairs: how many pairs it concerns.
        engine: what the domain's database says of a query that is refused: ``runs``, or ``fails: …``; None if unasked.
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
        """Return what is wrong with some pairs."""
        return cls(problem, text, tuple(sorted({one.line for one in pairs})), position=position, pairs=len(pairs))

    @classmethod
    def of_prototype(cls, prototype: Prototype, problem: str, text: str) -> Finding:
        """Return what is wrong with a prototype."""
        return cls(problem, text, (prototype.line,), str(prototype.file))

    @classmethod
    def of_error(cls, error: DomainError) -> Finding:
        """Return what an error says of a prototype."""
        place = f"field {error.field!r}: " if error.field else ""
        return cls(f"{place}{error.problem}", error.hint or "", (error.line or 0,), str(error.file or ""))


Findings = tuple[Finding, ...]


@dataclass(frozen=True)
class Review:
    """What was found in a domain's prototypes; wrong, repeated and stale ones are errors.

    Attributes:
        prototypes: how many were read.
        wrong: cannot be read, translated, run or read back.
        repeated: have the query of another one.
        stale: the domain's pairs are not what these give.
        empty: no answer says anything, neither of the pairs nor of those made now.
        naming: have a wording that names an entity outside of its slots, which a parser takes for one more value.
    """

    prototypes: int
    wrong: Findings = ()
    repeated: Findings = ()
    stale: Findings = ()
    empty: Findings = ()
    naming: Findings = ()


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
        """Return the share of the distinct queries that the constraint lets through."""
        return self.admitted / self.queries if self.queries else 1.0

    @property
    def errors(self) -> int:
        """Count what must be mended in prototypes and in the pairs made of them; 0 where pairs are written by hand."""
        if self.review is None:
            return 0
        made = (self.review.wrong, self.review.repeated, self.review.stale)
        return sum(map(len, (*made, self.uncovered, self.failing, self.conflicts, *self.leaks.values())))

    @property
    def warnings(self) -> int:
        """Count what deserves a look: refused queries, prototypes without an answer or naming entities."""
        return 0 if self.review is None else sum(map(len, (self.refused, self.review.empty, self.review.naming)))

    def to_json(self) -> dict[str, Any]:
        """Return plain lists and dicts."""
        names = ("coverage", "admitted_share", "errors", "warnings")
        return asdict(self) | {name: getattr(self, name) for name in names}

    def summary(self) -> dict[str, Any]:
        """Return `to_json` without the domain's texts: refused queries by line and reason, all else by number."""
        kept = self.to_json()
        for kind in ("uncovered", "refused"):
            kept[kind] = [{k: v for k, v in one.items() if k not in ("text", "position")} for one in kept[kind]]
        for kind in ("failing", "conflicts"):
            kept[kind] = len(kept[kind])
        for kind in ("leaks", "review"):
            kept[kind] = {k: v if isinstance(v, int) else len(v) for k, v in (kept[kind] or {}).items()}
        return kept


def check(domain: Domain, *, progress: Callable[[int, int], object] = lambda done, total: None) -> Report:
    """Read through a domain, its prototypes included, and report on it; nothing is changed.

    Args:
        domain: what `load_domain` returned.
        progress: called with the number of queries that the constraint has seen and of all; it takes longest.

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
        sizes={split: {part: sum(_part(e, split) == part for e in examples) for part in PARTS} for split in _SPLITS},
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


_SPLITS = ("question", "query")


def _grouped(examples: Iterable[Example], key: Callable[[Example], Hashable]) -> list[Pairs]:
    """Return the pairs that have the same key, in order."""
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
    """Run each gold query once; return those that fail, and the prototypes of which an answer says something."""
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
    """Yield the questions that are asked with different queries."""
    for group in _grouped(examples, lambda e: _folded(e.question)):
        if (count := len({e.sql for e in group})) > 1:
            yield Finding.of_pairs(group, f"{count} different queries for one question", group[0].question)


def _leaks(groups: Iterable[Pairs], split: str) -> Findings:
    """Return the groups of pairs that are in several parts of a split, each once."""
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
    """Yield the slotted queries inside the grammar that the constraint refuses without the rules that are ``off``."""
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
    """Return which word of a query, its end included, is the first that may not come, and why; None if all may."""
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
        source: the domain's folder.
        domain: the domain in one language, with its pairs.
        answered: prototypes one of whose pairs has an answer.

    Raises:
        DatabaseError: the domain's database cannot be opened.
    """
    wrong, stale, empty = [Finding.of_error(error) for error in source.problems], list[Finding](), list[Finding]()
    there = source.lines(domain.language)
    for prototype, lines, speaks, problem in source.filled(domain.language):
        if problem is not None:
            wrong.append(Finding.of_error(problem))
            continue
        if not speaks and prototype.id not in answered:
            why = "no answer says anything but nulls and zeros"
            empty.append(Finding.of_prototype(prototype, why, prototype.sql))
        old = lines if there is None else there.pop(prototype.id, [])
        if old != lines:
            differ = (new for new, before in zip(lines, [*old, *[""] * len(lines)], strict=False) if new != before)
            said = f"{prototype.id!r} has {len(old)} pairs that it does not give now; it gives {len(lines)}"
            stale.append(Finding.of_prototype(prototype, said, next(differ, "")))
    if gone := sorted({*(there or ())} - {prototype.id for prototype in source.prototypes}):
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
    naming = tuple(_naming(source, domain.language))
    return Review(
        len(source.prototypes), tuple(dict.fromkeys(wrong)), tuple(repeated), tuple(stale), tuple(empty), naming
    )


def same(prototypes: Iterable[Prototype], dialect: str, schema: Schema) -> list[list[Prototype]]:
    """Return groups of prototypes with one query; those that do not parse are left out."""
    groups: dict[str, list[Prototype]] = defaultdict(list)
    for prototype in prototypes:
        try:
            groups[normal(prototype.sql, dialect=dialect, schema=schema)].append(prototype)
        except QueryError:  # one of those that are wrong
            continue
    return [group for group in groups.values() if len(group) > 1]


def _naming(source: DomainSource, language: str) -> Iterator[Finding]:
    """Yield the wordings that name an entity outside of their slots."""
    says = {say for entity in source.entities(language) for say in entity.says or (entity.sql,) if len(say) > 1}
    any_say = "|".join(re.escape(say) for say in sorted(says, key=len, reverse=True)) or r"(?!)"
    named = re.compile(rf"(?<![A-Za-z0-9])(?:{any_say})(?![A-Za-z0-9])", re.IGNORECASE)
    for prototype in source.prototypes:
        for wording in prototype.all_wordings(language):
            if found := named.search(SLOT.sub("|", wording)):
                problem = f"{prototype.id!r} names {found[0]!r} outside of its slots"
                yield Finding.of_prototype(prototype, problem, wording)
