"""What a constraint tells of its signatures and rules, until it does so."""

from __future__ import annotations

from collections.abc import Sequence

from querent.grammar import Constraint


def signatures(constraint: Constraint, ids: Sequence[int]) -> set[str]:
    """Return the signatures that a query uses, where the constraint tells them."""
    told = getattr(constraint, "signatures", None)
    return set() if told is None else set(told(ids))


def all_signatures(constraint: Constraint) -> set[str]:
    """Return all signatures of the dialect, where the constraint tells them."""
    told = getattr(constraint, "all_signatures", None)
    return set() if told is None else set(told())


def rules_of(dialect: str) -> dict[str, str]:
    """Return the rules that a dialect has, each with its level."""
    from querent.grammar.rules import RULES

    return {name: rule.level for name, rule in RULES.items() if not rule.dialects or dialect in rule.dialects}
