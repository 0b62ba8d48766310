"""Definitions of a semantic layer, gathered first and read then, since one may use another that stands below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from ...data.errors import DomainError, did_you_mean
from ...data.formats.files import Record
from ...data.schema.plain_names import plain_name
from ..formulas.bank import Bank, Formula, refuse
from ..formulas.expression import ExpressionError, parse
from ..formulas.sql import counted, named, text_of

__all__ = ["Definition", "SymbolTable"]


@dataclass
class Definition:
    """What may become a formula.

    Attributes:
        key: what others call it, in lower case.
        entry, field: where it stands.
        make: reads its right side.
        name: as people call it; the words of its key where it is empty.
        rows: what COUNT(*) counts in it: a table, or its key as table.column.
        shown: is it a formula itself, or only used by others, in which it is written out?
    """

    key: str
    entry: Record
    make: Callable[[], exp.Expr]
    name: str = ""
    says: Sequence[str] = ()
    field: str = "expr"
    note: str = ""
    unit: str = ""
    rows: str = ""
    shown: bool = True

    def __post_init__(self) -> None:
        self.key = self.key.lower()
        told = plain_name(self.key.rpartition(".")[2])
        self.name = self.name or told
        self.says = tuple(dict.fromkeys(one for one in (*self.says, told) if one.casefold() != self.name.casefold()))


@dataclass
class SymbolTable:
    """All definitions of a file.

    Attributes:
        refused: gets what cannot be read; None raises the first.
    """

    refused: list[DomainError] | None = None
    _known: dict[str, Definition] = field(default_factory=dict[str, Definition])
    _trees: dict[str, exp.Expr | DomainError] = field(default_factory=dict[str, "exp.Expr | DomainError"])
    _reading: list[str] = field(default_factory=list[str])

    def define(self, told: Definition) -> None:
        """Note a definition.

        Raises:
            DomainError: its key is there already.
        """
        if told.key in self._known:
            raise told.entry.error(f"{told.key!r} is there twice", "name")
        self._known[told.key] = told

    def tree(self, key: str) -> exp.Expr:
        """Return the right side of a definition.

        Raises:
            DomainError: there is none, it cannot be read, or it uses itself.
        """
        definition = self._known.get(key.lower())
        if definition is None:
            hint = did_you_mean(key, self._known)
            raise ExpressionError(f"no {key!r} here" + (f"; {hint}" if hint else ""))
        if key.lower() in self._reading:
            raise ExpressionError(f"{' -> '.join((*self._reading, key.lower()))} go in a circle")
        if key.lower() not in self._trees:
            self._reading.append(key.lower())
            self._trees[key.lower()] = self._made(definition)
            self._reading.pop()
        found = self._trees[key.lower()]
        if isinstance(found, DomainError):
            raise found
        return found

    def reference(self, key: str) -> exp.Expr:
        """Return the name by which a formula uses another one.

        Raises:
            ExpressionError: that one cannot be read.
        """
        try:
            self.tree(key)
        except DomainError as error:
            raise ExpressionError(f"it uses {key!r}, which cannot be read: {error.problem}") from None
        return named(self._known[key.lower()].name)

    def written_out(self, tree: exp.Expr) -> exp.Expr:
        """Return an expression with the definitions that it names written out in it."""
        keys = {one.name.casefold(): one.key for one in self._known.values() if one.shown}

        def replaced(node: exp.Expr) -> exp.Expr:
            bare = isinstance(node, exp.Column) and not node.table and node.name.casefold() in keys
            return exp.paren(self.written_out(self.tree(keys[node.name.casefold()]))) if bare else node

        return tree.copy().transform(replaced)

    def bank(self) -> Bank:
        """Return the formulas.

        Raises:
            DomainError: one cannot be read and nobody gathers what is refused, or they stand in a circle.
        """
        formulas: list[Formula] = []
        for definition in self._known.values():
            if definition.shown:
                try:
                    formulas.append(self._formula(definition))
                except DomainError as error:
                    refuse(error, self.refused)
        return Bank(formulas, {})

    def _made(self, definition: Definition) -> exp.Expr | DomainError:
        try:
            tree = counted(definition.make(), definition.rows)
            parse(text_of(tree))
        except ExpressionError as error:
            return definition.entry.error(f"{definition.name!r}: {error}", definition.field)
        except DomainError as error:
            return error
        return tree

    def _formula(self, definition: Definition) -> Formula:
        tree, entry = self.tree(definition.key), definition.entry
        expression = parse(text_of(tree))
        return Formula(
            definition.name, tuple(definition.says), expression.kind, expression,
            definition.unit, "", definition.note, entry.file, entry.line or None,
        )  # fmt: skip
