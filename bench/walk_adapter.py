"""The constraint with its level and rules, until `Grammar.constraint` takes them itself."""

from __future__ import annotations

from collections.abc import Sequence

from querent.grammar import Constraint, Grammar, Vocabulary


def constraint_of(grammar: Grammar, vocabulary: Vocabulary, level: str, without: Sequence[str]) -> Constraint:
    """Return the constraint of a level, where today's knows levels."""
    try:
        return grammar.constraint(vocabulary, level=level, without=without)  # pyright: ignore[reportCallIssue]
    except TypeError:
        return grammar.constraint(vocabulary)


def signatures(constraint: Constraint, ids: Sequence[int]) -> set[str]:
    """Return the signatures that a query uses, where the constraint tells them."""
    told = getattr(constraint, "signatures", None)
    return set() if told is None else set(told(ids))


def all_signatures(constraint: Constraint) -> set[str]:
    """Return all signatures of the dialect, where the constraint tells them."""
    told = getattr(constraint, "all_signatures", None)
    return set() if told is None else set(told())


def rules_of(dialect: str) -> dict[str, str]:
    """Return the rules that a dialect has, each with its level, where the grammar tells them."""
    import querent.grammar

    rules = getattr(querent.grammar, "RULES", {})
    return {name: rule.level for name, rule in rules.items() if not rule.dialects or dialect in rule.dialects}
