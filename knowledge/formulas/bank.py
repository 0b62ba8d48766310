"""A formula, and a bank: formulas that are found by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...data.errors import DomainError
from .expression import Expression, Kind

_DEEPEST = 5
"""The most formulas that may be nested in one another."""


@dataclass(frozen=True)
class Formula:
    """A formula that people of a field use.

    Attributes:
        name: its most frequent name.
        says: its other names, in any language.
        kind: calculation (EBIT = revenue - costs), condition (adult: age >= 18), union (expenses = rent, wages).
        expression: the right side, over concepts.
        unit: the unit of a calculation, as people write it.
        domain: the field.
        note: how it differs from another formula of the same name.
        file, line: the place that it was read from.
    """

    name: str
    says: tuple[str, ...]
    kind: Kind
    expression: Expression
    unit: str = ""
    domain: str = ""
    note: str = ""
    file: Path | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Return all its names."""
        return (self.name, *self.says)

    def __str__(self) -> str:
        return f"{self.name} = {self.expression.text}"

    def error(self, problem: str, field: str, hint: str | None = None) -> DomainError:
        """Return an error about this formula, to be raised."""
        return DomainError(f"{self.name!r}: {problem}", file=self.file, line=self.line, field=field, hint=hint)


class Bank:
    """Formulas, and other names of their concepts.

    Args:
        formulas: the formulas in order; several may have the same name.
        concepts: the other names of each concept.
        refused: the list that gets an error for each formula that is nested in itself or too deep, and left out; if
            None, the first error is raised.

    Raises:
        DomainError: formulas are nested in a circle, or too deep.
    """

    def __init__(
        self,
        formulas: Iterable[Formula],
        concepts: Mapping[str, tuple[str, ...]],
        refused: list[DomainError] | None = None,
    ) -> None:
        self.formulas = tuple(formulas)
        self.concepts = dict(concepts)
        self._by_name: dict[str, list[Formula]] = {}
        for formula in self.formulas:
            for name in dict.fromkeys(one.casefold() for one in formula.names):
                self._by_name.setdefault(name, []).append(formula)
        for formula in self.formulas:
            try:
                self._check_depth(formula, ())
            except DomainError as error:
                refuse(error, refused)
                self.formulas = tuple(one for one in self.formulas if one is not formula)
                for several in self._by_name.values():
                    several[:] = [one for one in several if one is not formula]

    def __len__(self) -> int:
        return len(self.formulas)

    @classmethod
    def joined(cls, banks: Iterable[Bank]) -> Bank:
        """Return several banks as one, without repeating a formula that two of them have."""
        formulas: dict[tuple[str, str, str], Formula] = {}
        concepts: dict[str, tuple[str, ...]] = {}
        for bank in banks:
            for formula in bank.formulas:
                formulas.setdefault((formula.name, formula.kind, formula.expression.text), formula)
            for name, says in bank.concepts.items():
                concepts[name] = tuple(dict.fromkeys((*concepts.get(name, ()), *says)))
        return cls(formulas.values(), concepts)

    def called(self, name: str) -> tuple[Formula, ...]:
        """Return the formulas of a name, which may be several."""
        return tuple(self._by_name.get(name.casefold(), ()))

    def ambiguous(self) -> list[tuple[Formula, ...]]:
        """Return the groups of formulas that have the same name and different right sides."""
        named: dict[str, list[Formula]] = {}
        for formula in self.formulas:
            named.setdefault(formula.name.casefold(), []).append(formula)
        return [tuple(several) for several in named.values() if len(several) > 1]

    def aliases(self, concept: str) -> tuple[str, ...]:
        """Return all names of a concept, its own first."""
        return (concept, *self.concepts.get(concept, ()))

    def parts(self, formula: Formula) -> dict[str, tuple[Formula, ...]]:
        """Return the other formulas of its field that its concepts name, by concept."""
        found = {
            concept: tuple(one for one in self.called(concept) if one.domain == formula.domain and one is not formula)
            for concept in formula.expression.needs
        }
        return {concept: several for concept, several in found.items() if several}

    def _check_depth(self, formula: Formula, above: tuple[Formula, ...]) -> None:
        path = " -> ".join(one.name for one in (*above, formula))
        if formula in above:
            raise above[0].error(f"formulas in a circle: {path}", "is", "one of them must be of concepts alone")
        if len(above) >= _DEEPEST:
            raise above[0].error(f"more than {_DEEPEST} formulas deep: {path}", "is", "write one of them out")
        for several in self.parts(formula).values():
            for part in several:
                self._check_depth(part, (*above, formula))


def refuse(error: DomainError, refused: list[DomainError] | None) -> None:
    """Append an error to a list, or raise it if there is no list."""
    if refused is None:
        raise error
    refused.append(error)
