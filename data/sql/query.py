"""A query on its way from the decoder to the answer: text with slots, what fills them, and a tree that is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from ..domains.examples import Value, fill_sql
from .parsing import parse
from .slotted import readable, written, written_with

__all__ = ["Query", "Rule"]

Rule = Callable[[exp.Query], exp.Query]
"""Rewrites a tree with placeholders, in place or as a new one; returns the same tree where it has nothing to change."""


@dataclass(frozen=True)
class Query:
    """One query in one dialect.

    Attributes:
        slotted: the text, with slots in place of the values that a question names.
        dialect: sqlite, mysql or postgres.
        values: what fills the slots.
    """

    slotted: str
    dialect: str
    values: tuple[Value, ...] = ()

    @cached_property
    def sql(self) -> str:
        """Return the text that is executed.

        Raises:
            KeyError: a slot has no value.
            ValueError: a slot outside of quotes has a value that is no number.
        """
        return fill_sql(self.slotted, self.values, dialect=self.dialect)

    @cached_property
    def slotted_tree(self) -> exp.Query | None:
        """Return the tree with placeholders, None where sqlglot cannot read the text; nobody may change it."""
        return parse(readable(self.slotted, self.dialect), self.dialect)

    @cached_property
    def tree(self) -> exp.Expr | None:
        """Return the tree with the values in it, None where sqlglot cannot read the text; nobody may change it."""
        tree = self.slotted_tree
        return tree if tree is None or not self.values else written_with(self.values, tree, self.dialect)

    def rewritten(self, rules: Iterable[Rule]) -> Query:
        """Return the query after some rules, itself where they change nothing."""
        tree = self.slotted_tree
        if tree is None:
            return self
        new = tree.copy()
        for rule in rules:
            new = rule(new)
        return self if new == tree else self.of_tree(new)

    def of_tree(self, tree: exp.Query, slotted: str | None = None) -> Query:
        """Return the query of another tree, which is not read again.

        Args:
            tree: with placeholders.
            slotted: its text, if that is known.
        """
        made = Query(written(tree, self.dialect) if slotted is None else slotted, self.dialect, self.values)
        made.__dict__["slotted_tree"] = tree
        return made
