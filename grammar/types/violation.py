"""How a rule refuses."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RuleViolation", "Rules"]


@dataclass
class RuleViolation(Exception):
    """A query breaks ``rule``; ``problem`` says how."""

    rule: str
    problem: str


class Rules:
    """What holds queries to the rules that are ``on``."""

    on: frozenset[str]

    def check(self, rule: str, holds: bool, problem: str) -> None:
        """Refuse if ``rule`` is on and does not hold."""
        if not holds and rule in self.on:
            raise RuleViolation(rule, problem)
