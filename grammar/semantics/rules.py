"""The rules of the constraint by name: at which level each begins to hold, and what it says.

A rule lives where it is checked: those on conditions in condition_actions.py, those on expressions in
expression_actions.py, those on clauses in query_actions.py and clause_actions.py, those on names in grammar/scope/,
what only steers a search in repeats.py. rules.toml lists them, so that each can be switched off alone (`active`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from ...data.errors import ConstraintError, did_you_mean

__all__ = ["LEVELS", "RULES", "TYPED", "Rule", "active"]

LEVELS = ("grammar", "scope", "types", "runs")
"""What is promised, each with all before it: it parses and ends in time; names resolve; types fit; it executes."""


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        level: where it begins to hold.
        says: what must be.
        example: a query that it refuses.
        instead: the nearest query that it admits, where that tells more.
        dialects: those that it holds in, empty if in all.
        elsewhere: examples for dialects that run the first one, types being others there.
        guards: it holds only where some tables may not be read whole.
        steers: a search keeps to it as long as it has another way; no mask does, since what breaks it runs.
    """

    level: str
    says: str
    example: str
    instead: str = ""
    dialects: tuple[str, ...] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict[str, str])
    guards: bool = False
    steers: bool = False


TYPED = frozenset({"conditions", "comparisons"})
"""Rules that MySQL needs only where a column is of a type that few others compare with."""


def _read() -> dict[str, Rule]:
    text = (resources.files(__package__ or __name__) / "rules.toml").read_text("utf-8")
    return {name: _rule(told) for name, told in tomllib.loads(text).items()}


def _rule(told: dict[str, Any]) -> Rule:
    fields: dict[str, Any] = {**told, "dialects": tuple(told.get("dialects", ()))}
    return Rule(**fields)


RULES: Mapping[str, Rule] = _read()
"""Those of rules.toml, in its order."""


def active(
    level: str, dialect: str, without: Collection[str] = (), *, guarded: bool = False, partial: bool = False
) -> frozenset[str]:
    """Return the names of the rules that hold.

    Args:
        guarded: whether an `Access` says what may be read.
        partial: whether the server lets some columns of a table be read alone.

    Raises:
        ConstraintError: no such level, or no such rule to leave out; or names would not be held to what may be read.
    """
    if level not in LEVELS:
        raise ConstraintError(f"no level {level!r}", hint=did_you_mean(level, LEVELS) or f"use {', '.join(LEVELS)}")
    for name in without:
        if name not in RULES:
            raise ConstraintError(f"no rule {name!r}", hint=did_you_mean(name, RULES) or "see querent.grammar.RULES")
    reached = LEVELS[: LEVELS.index(level) + 1]
    if guarded and "scope" not in reached:
        raise ConstraintError(f"access at level {level!r}", hint="names are held to what may be read from scope on")
    names = (name for name in without if RULES[name].level == "scope" and not RULES[name].steers)
    if guarded and (left := next(names, None)):
        raise ConstraintError(f"access without the rule {left!r}", hint="leave no rule on names out")
    return frozenset(
        name
        for name, rule in RULES.items()
        if rule.level in reached
        and name not in without
        and (not rule.dialects or dialect in rule.dialects)
        and (guarded or partial or not rule.guards)
    )
