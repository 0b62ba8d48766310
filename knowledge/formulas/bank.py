"""Formulas by name, of one bank or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...data.errors import DomainError
from .expression import Expression, Kind

_DEEPEST = 5
"""Formulas that may stand one inside the other."""


@dataclass(frozen=True)
class Formula:
    """One thing that people of a field know.

    Attributes:
        name: as it is mostly called.
        says: what else it is called, in any language.
        kind: calculation (EBIT = revenue - costs), condition (adult: age >= 18), union (expenses = rent, wages).
        expression: the right side, over concepts.
        unit: of a calculation, as people write it.
        domain: the field.
        note: what sets it apart from another of its name.
        file, line: where it stands.
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
        """Return all that it is called."""
        return (self.name, *self.says)

    def __str__(self) -> str:
        return f"{self.name} = {self.expression.text}"

    def error(self, problem: str, field: str, hint: str | None = None) -> DomainError:
        """Return an error about this formula, to be raised."""
        return DomainError(f"{self.name!r}: {problem}", file=self.file, line=self.line, field=field, hint=hint)


class Bank:
    """Formulas, and what their concepts are called.

    Args:
        formulas: in order; several may have one name.
        concepts: what else a concept is called, by its name.
        refused: gets an error for each formula that stands inside itself or too deep, which is left out then; the
            first is raised if None.

    Raises:
        DomainError: formulas stand inside one another in a circle, or too deep.
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
        """Return several banks as one; the very same formula of two is there once."""
        formulas: dict[tuple[str, str, str], Formula] = {}
        concepts: dict[str, tuple[str, ...]] = {}
        for bank in banks:
            for formula in bank.formulas:
                formulas.setdefault((formula.name, formula.kind, formula.expression.text), formula)
            for name, says in bank.concepts.items():
                concepts[name] = tuple(dict.fromkeys((*concepts.get(name, ()), *says)))
        return cls(formulas.values(), concepts)

    def called(self, name: str) -> tuple[Formula, ...]:
        """Return the formulas that are called so: the candidates that a name may mean."""
        return tuple(self._by_name.get(name.casefold(), ()))

    def ambiguous(self) -> list[tuple[Formula, ...]]:
        """Return the formulas of one name with other right sides, together."""
        named: dict[str, list[Formula]] = {}
        for formula in self.formulas:
            named.setdefault(formula.name.casefold(), []).append(formula)
        return [tuple(several) for several in named.values() if len(several) > 1]

    def aliases(self, concept: str) -> tuple[str, ...]:
        """Return all that a concept is called, its name first."""
        return (concept, *self.concepts.get(concept, ()))

    def parts(self, formula: Formula) -> dict[str, tuple[Formula, ...]]:
        """Return the formulas of its own field that its concepts name, by concept; itself is none."""
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
    """Note what cannot be read; nobody gathers it where there is no list, and it is raised."""
    if refused is None:
        raise error
    refused.append(error)
