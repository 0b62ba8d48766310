"""Which gold queries the constraint does not let through word by word, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from ...data.domains.examples import Example
from ...data.errors import ConstraintError
from ...grammar import EOS, MAX_WORDS, Constraint, Grammar, Vocabulary
from .findings import Finding, lines_of

__all__ = ["objection", "refused"]

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
