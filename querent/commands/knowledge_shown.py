"""How formulas are shown: what a bank holds, which a question names, what they are on a database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import querent

__all__ = ["BankReport", "GroundedFormula", "number", "show_grounded", "show_mentions", "show_report"]


@dataclass
class GroundedFormula:
    """What came of grounding a formula; holds without the database.

    Attributes:
        formula: that is grounded.
        grounding: the likeliest places of its concepts, sure or not.
        missing: the concepts that are not here, each with the nearest place and its confidence.
    """

    formula: querent.Formula
    grounding: querent.Grounding
    missing: dict[str, tuple[str, float] | None]

    @classmethod
    def of(
        cls, found: querent.FormulaLinker, formula: querent.Formula, threshold: float | None = None
    ) -> GroundedFormula:
        """Ground a formula; concepts below the threshold are missing, the grounder's own if None."""
        least = found.grounder.threshold if threshold is None else threshold
        grounding = found.grounding(formula)
        nearest = {name: near and (str(near[0]), near[1]) for name, near in grounding.missing.items()}
        if grounding.best is not None:
            weak = [one for one in grounding.best.concepts if one.confidence < least]
            return cls(formula, grounding, {one.concept: (str(one), one.confidence) for one in weak})

        def here(concept: str) -> bool:
            near, parts = nearest[concept], found.bank.parts(formula).get(concept, ())
            return (near is not None and near[1] >= least) or any(not cls.of(found, p, least).missing for p in parts)

        # where one has no place, none is chosen: those that have one are not missing
        return cls(formula, grounding, {name: near for name, near in nearest.items() if not here(name)})

    @property
    def concepts(self) -> tuple[querent.GroundedConcept, ...]:
        """Return its concepts and what they are here; none where one has no place at all."""
        return () if self.grounding.best is None else self.grounding.best.concepts

    def sql(self, dialect: str) -> str | None:
        """Return it as SQL, None where a concept is missing, or a join would make it wrong."""
        best = self.grounding.best
        return None if best is None or not self.here else ", ".join(best.sql(dialect))

    @property
    def here(self) -> bool:
        """Can it be written on this database?"""
        return not self.missing and self.grounding.problem is None

    def to_json(self, dialect: str) -> dict[str, Any]:
        """Return it for scripts."""
        best, sql = self.grounding.best, self.sql(dialect)
        return {
            "name": self.formula.name,
            "is": self.formula.expression.text,
            "sql": sql,
            "confidence": None if best is None or sql is None else round(best.confidence, 4),
            "concepts": {one.concept: [str(one), round(one.confidence, 4)] for one in self.concepts},
            "missing": {name: near and [near[0], round(near[1], 4)] for name, near in self.missing.items()},
            "problem": self.grounding.problem,
        }


@dataclass
class BankReport:
    """What `querent knowledge check` has found.

    Attributes:
        refused: formulas that cannot be read.
        grounded: each formula on a database; None where there is none.
    """

    source: str
    bank: querent.Bank
    refused: Sequence[querent.QuerentError]
    grounded: list[GroundedFormula] | None = None

    @property
    def kinds(self) -> Counter[str]:
        """Return how many formulas there are of each kind; a calculation is one of a row or of a group."""
        ways = {True: "calculation of a group", False: "calculation of a row"}
        return Counter(
            ways[one.expression.aggregate] if one.kind == "calculation" else one.kind for one in self.bank.formulas
        )

    @cached_property
    def nowhere(self) -> dict[str, tuple[tuple[str, float] | None, list[str]]]:
        """Return the concepts that are nowhere in the database: the nearest place, and the formulas that need them."""
        found: dict[str, tuple[tuple[str, float] | None, list[str]]] = {}
        grounded = self.grounded or []
        somewhere = {c.concept for one in grounded for c in one.concepts if c.concept not in one.missing}
        for one in grounded:
            for concept, near in one.missing.items():
                # of one that is a formula the concepts are told instead, and what others have taken here is not nowhere
                if not self.bank.called(concept) and concept not in somewhere:
                    found.setdefault(concept, (near, []))[1].append(one.formula.name)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return it for scripts."""
        told: dict[str, Any] = {"formulas": len(self.bank), "kinds": dict(self.kinds)}
        told["twice"] = {several[0].name: [one.expression.text for one in several] for several in self.bank.ambiguous()}
        told["refused"] = [str(one) for one in self.refused]
        if self.grounded is not None:
            told["grounded"] = sum(one.here for one in self.grounded)
            told["nowhere"] = {name: {"nearest": near, "needed_by": by} for name, (near, by) in self.nowhere.items()}
        return told


def number(bank: querent.Bank) -> str:
    """Return how many formulas there are, in words."""
    return f"{len(bank)} formula{'s' * (len(bank) != 1)}"


def show_report(report: BankReport, console: Console) -> None:
    """Print what a bank holds, and what is to be known of it."""
    console.print(Text(f"{report.source}: {number(report.bank)}", style="bold"), soft_wrap=True)
    table = Table(show_edge=False)
    table.add_column("kind")
    table.add_column("formulas", justify="right")
    for kind, times in sorted(report.kinds.items()):
        table.add_row(kind, str(times))
    console.print(table)
    for several in report.bank.ambiguous():
        console.print(Text(f"{several[0].name}: there {len(several)} times, which is allowed", style="bold"))
        for one in several:
            line = f"    = {one.expression.text}" + (f"  ({one.note})" if one.note else "")
            console.print(Text(line, style="dim"), soft_wrap=True)
    for error in report.refused:
        console.print(Text.assemble(("cannot be read: ", "red"), str(error)), soft_wrap=True)
    if report.grounded is not None:
        here = sum(one.here for one in report.grounded)
        console.print(Text(f"{here} of {len(report.grounded)} formulas can be written on this database", style="bold"))
        for concept, (near, by) in report.nowhere.items():
            line = Text(f"{concept}: {_nowhere(near)}")
            console.print(line.append(f"  (of {', '.join(dict.fromkeys(by))})", style="dim"), soft_wrap=True)


def show_mentions(found: Sequence[querent.Mention], console: Console) -> None:
    """Print the formulas that a question names."""
    if not found:
        console.print("the question names no formula", style="dim")
    for mention in found:
        for formula in mention.formulas:
            line = Text.assemble((f"{mention.score:.2f}  ", "bold"), str(formula))
            line.append(f"  («{mention.text}»{', ' + formula.domain if formula.domain else ''})", style="dim")
            console.print(line, soft_wrap=True)


def show_grounded(shown: GroundedFormula, dialect: str, console: Console) -> None:
    """Print a formula on a database: its SQL, its concepts with how sure they are, and what is missing."""
    sql, best = shown.sql(dialect), shown.grounding.best
    if sql is None or best is None:
        label = "missing  " if shown.missing else "refused  "
        console.print(Text.assemble((label, "red"), str(shown.formula)), soft_wrap=True)
    else:
        console.print(Text.assemble((f"{best.confidence:.2f}  ", "bold"), str(shown.formula)), soft_wrap=True)
        console.print(Text(f"    {sql}", style="cyan"), soft_wrap=True)
    for one in shown.concepts:
        if one.concept not in shown.missing:
            console.print(Text(f"    {one.concept}: {one} {one.confidence:.2f}", style="dim"), soft_wrap=True)
    for concept, near in shown.missing.items():
        console.print(Text(f"    {concept}: {_nowhere(near)}"), soft_wrap=True)
    if shown.grounding.problem:
        console.print(Text(f"    {shown.grounding.problem}"), soft_wrap=True)


def _nowhere(near: tuple[str, float] | None) -> str:
    return "nothing here" + (f"; nearest {near[0]} {near[1]:.2f}" if near else "")
