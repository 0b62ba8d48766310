"""What formulas are for the formats of others: written out over the columns of tables, and what is lost is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from ...data.schema.plain_names import plain_name
from ..formulas.bank import Bank, Formula
from ..formulas.expression import AGGREGATES, DAYS, concept_of

__all__ = ["Exported", "aggregate", "ansi", "bare", "identifier_of", "tables_in"]


@dataclass
class Exported:
    """A bank on its way out.

    Attributes:
        format: where to.
        lost: lines of what the format cannot say.
    """

    bank: Bank
    format: str
    lost: list[str] = field(default_factory=list[str])

    def tell(self, formula: Formula, what: str) -> None:
        """Note that something of a formula is lost."""
        self.lost.append(f"{formula.name}: {what}")

    def left_out(self, formula: Formula, why: str) -> None:
        """Note that a formula is not written."""
        self.tell(formula, f"left out; {why}")

    def grounded(self) -> Iterator[tuple[Formula, tuple[str, ...]]]:
        """Yield the formulas over columns alone, each with all its tables; the others are told as left out."""
        written: set[str] = set()
        for formula in self.bank.formulas:
            if formula.kind == "union":
                self.left_out(formula, f"a union has no place in {self.format}")
                continue
            if formula.name.casefold() in written:
                self.left_out(formula, "another one of its name is written already")
                continue
            try:
                tables = tables_in(self.written_out(formula))
            except LookupError as error:
                self.left_out(formula, str(error))
                continue
            if not tables:
                self.left_out(formula, "it names no table")
                continue
            written.add(formula.name.casefold())
            yield formula, tables

    def written_out(self, formula: Formula) -> exp.Expr:
        """Return a formula over columns, with those that it names written out in it.

        Raises:
            LookupError: a concept is no column.
        """

        return self.named(formula, lambda _: None)

    def not_said(self, formula: Formula, *fields: str) -> None:
        """Note which of a formula's fields the format does not have."""
        for one in fields:
            if value := getattr(formula, one):
                self.tell(
                    formula, f"{one} {', '.join(map(repr, value)) if one == 'says' else repr(value)} is not written"
                )

    def named(self, formula: Formula, say: Callable[[Formula], exp.Expr | None]) -> exp.Expr:
        """Return a formula's expression with what ``say`` has for those in it; where that is None, these written out.

        Raises:
            LookupError: a concept is no column.
        """

        def replaced(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Anonymous) and node.name.upper() == DAYS:
                raise LookupError(f"{DAYS} has no place in {self.format}")
            if not isinstance(node, exp.Column) or node.table:
                return node
            if parts := self.bank.parts(formula).get(concept_of(node)):
                found = say(parts[0])
                return exp.paren(self.written_out(parts[0])) if found is None else found
            if isinstance(node.parent, exp.Count):  # of a table's rows
                return exp.Column(this=exp.Star(), table=node.this.copy())
            raise LookupError(f"{concept_of(node)!r} is no column of a table; write it as table.column")

        return formula.expression.trees[0].copy().transform(replaced)


def ansi(tree: exp.Expr) -> str:
    """Return an expression in plain SQL; a division by zero is NULL."""
    return tree.sql(comments=False)


def bare(tree: exp.Expr) -> exp.Expr:
    """Return an expression without the tables before its columns."""

    def replaced(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        return node.this.copy() if isinstance(node.this, exp.Star) else exp.column(node.this.copy())

    return tree.copy().transform(replaced)


def aggregate(tree: exp.Expr) -> bool:
    """Is an expression a value of many rows?"""
    return bool(tree.find(*AGGREGATES))


def tables_in(tree: exp.Expr) -> tuple[str, ...]:
    """Return the tables of an expression's columns, in order."""
    return tuple(dict.fromkeys(one.table for one in tree.find_all(exp.Column) if one.table))


def identifier_of(formula: Formula, taken: set[str]) -> str:
    """Return a new identifier for a formula, which reads as one of its names where it can; it is taken then."""
    spelled = [re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower() for name in formula.names]
    good = [one for one in spelled if re.match(r"[a-z]\w*", one, re.ASCII)]
    said = {name.casefold() for name in formula.names}
    first = next((one for one in good if plain_name(one) in said), good[0] if good else "formula")
    found, n = first, 2
    while found in taken:
        found, n = f"{first}_{n}", n + 1
    taken.add(found)
    return found
