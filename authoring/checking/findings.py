"""What can be wrong with question-SQL pairs, and which gold queries the constraint does not let through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...data.databases.database import Database
from ...data.databases.rows import says_something
from ...data.domains.domain import Example
from ...data.errors import ConstraintError, DatabaseError, QueryError
from ...data.records import PARTS
from ...data.schema.schema import Schema
from ...grammar import EOS, MAX_WORDS, Constraint, Grammar, Vocabulary

__all__ = [
    "Finding",
    "Ran",
    "conflicts",
    "folded",
    "grouped",
    "leaks",
    "objection",
    "part_of",
    "refused",
    "run",
    "uncovered",
]

_ROWS = 50  # of an answer that are looked at


@dataclass(frozen=True)
class Finding:
    """Something wrong with one gold query or question.

    Attributes:
        lines: lines of the source file it stands on, 0 where the source has none.
        text: the query, or the question, as far as it matters.
        problem: what is wrong.
        position: 0-based character of ``text`` where reading stopped, -1 if that means nothing.
        pairs: how many pairs it concerns.
        engine: what the domain's database says of a query that is refused: ``runs``, or ``fails: …``; None if unasked.
    """

    lines: tuple[int, ...]
    text: str
    problem: str
    position: int = -1
    pairs: int = 1
    engine: str | None = None


@dataclass(frozen=True)
class Ran:
    """Gold queries that do not run, and the prototypes one of whose answers is more than nulls and zeros."""

    failing: tuple[Finding, ...]
    answered: frozenset[str]


def grouped(examples: Iterable[Example], key: Callable[[Example], Hashable]) -> dict[Hashable, list[Example]]:
    """Return the pairs by key, in order."""
    groups: dict[Hashable, list[Example]] = defaultdict(list)
    for example in examples:
        groups[key(example)].append(example)
    return groups


def folded(question: str) -> str:
    """Return a question as two that read the same are the same text."""
    return " ".join(question.lower().split())


def part_of(example: Example, split: str) -> str:
    """Return the part of a pair under a split."""
    return example.question_split if split == "question" else example.query_split


def uncovered(patterns: Iterable[Sequence[Example]], tokenize: Callable[[str], object]) -> tuple[Finding, ...]:
    """Return the slotted queries that ``tokenize`` refuses; ``patterns`` are pairs of one such query each."""
    found: list[Finding] = []
    for group in patterns:
        query = group[0].slotted
        try:
            tokenize(query)
        except QueryError as error:
            found.append(Finding(lines_of(group), query, str(error), error.position, len(group)))
    return tuple(found)


def run(texts: Iterable[Sequence[Example]], path: str, schema: Schema) -> Ran:
    """Run each gold query once; ``texts`` are pairs of one filled query each, on the database of a schema.

    Raises:
        DatabaseError: the database cannot be opened, or a function does not run on it.
    """
    failing: list[Finding] = []
    answered: set[str] = set()
    with Database.open(path, max_rows=_ROWS, functions=schema.functions) as database:
        database.confine(schema)
        for group in texts:
            try:
                rows = database.query(group[0].sql).rows
            except DatabaseError as error:
                failing.append(Finding(lines_of(group), group[0].sql, error.problem, pairs=len(group)))
                continue
            if says_something(rows):
                answered |= {example.prototype for example in group}
    return Ran(tuple(failing), frozenset(answered))


def conflicts(examples: Iterable[Example]) -> tuple[Finding, ...]:
    """Return the questions that are asked with different queries."""
    groups = grouped(examples, lambda e: folded(e.question)).values()
    return tuple(
        Finding(lines_of(group), group[0].question, f"{count} different queries for one question", pairs=len(group))
        for group in groups
        if (count := len({e.sql for e in group})) > 1
    )


def leaks(groups: Iterable[Sequence[Example]], split: str, text: Callable[[Example], str]) -> tuple[Finding, ...]:
    """Return the groups of pairs that are in several parts of a split, each once."""
    found: dict[tuple[int, ...], Finding] = {}
    for group in groups:
        parts = sorted({part_of(e, split) for e in group}, key=list[str](PARTS).index)
        if len(parts) > 1:
            finding = Finding(lines_of(group), text(group[0]), f"in {' and '.join(parts)}", pairs=len(group))
            found.setdefault(finding.lines, finding)
    return tuple(found.values())


def lines_of(examples: Iterable[Example]) -> tuple[int, ...]:
    """Return the lines of the source that pairs stand on, each once."""
    return tuple(sorted({e.line for e in examples}))


_ROOM = 4  # times the longest query: no query shall be refused for its length


def refused(
    patterns: Sequence[Sequence[Example]],
    grammar: Grammar,
    *,
    without: Collection[str] = (),
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> tuple[Finding, ...]:
    """Return the slotted queries that the constraint refuses at its highest level.

    Args:
        patterns: pairs of one slotted query each, all inside the grammar.
        grammar: of the domain; the vocabulary is made of the queries.
        without: rules that are switched off.
        progress: called with the number of queries done and of all, after each.
    """
    queries = [group[0].slotted for group in patterns]
    if not queries:
        return ()
    vocabulary = Vocabulary.build(grammar, queries)
    words = [vocabulary.encode(query) for query in queries]
    budget = min(_ROOM * max(map(len, words)), MAX_WORDS)
    constraint = Constraint(vocabulary, budget=budget, without=without)
    found: list[Finding] = []
    for done, (group, ids) in enumerate(zip(patterns, words, strict=True), start=1):
        if (problem := objection(constraint, ids, _told(group))) is not None:
            place, reason = problem
            tokens = grammar.tokenize(group[0].slotted)
            position = tokens[place].start if place < len(tokens) else -1
            found.append(Finding(lines_of(group), group[0].slotted, reason, position, len(group)))
        progress(done, len(queries))
    return tuple(found)


def _told(group: Sequence[Example]) -> dict[str, str]:
    """Return what fills the slots of a query in its first pair."""
    return {value.slot: value.mention.sql for value in group[0].values}


def objection(
    constraint: Constraint, ids: Sequence[int], values: Mapping[str, str] | None = None
) -> tuple[int, str] | None:
    """Return which word of a query, its end included, is the first that may not come, and why; None if all may."""
    try:
        state = constraint.start(values=values)
    except ConstraintError as error:
        return 0, error.problem
    for place, word in enumerate([*ids, EOS]):
        if not state.allowed()[word]:
            return place, state.explain(word).replace("'<eos>'", "the end")
        state = state.advance(word)
    return None
