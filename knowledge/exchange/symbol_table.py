"""Definitions of a semantic layer, gathered first and read then, since one may use another that stands below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from ...data.errors import DomainError, did_you_mean
from ...data.formats.files import Record
from ...data.schema.plain_names import plain_name
from ..formulas.bank import Bank, Formula, refuse
from ..formulas.expression import AGGREGATES, ExpressionError, Kind, parse
from ..formulas.sql import Resolve, column, counted, named, text_of

__all__ = ["Definition", "SymbolTable"]


@dataclass
class Definition:
    """What may become a formula.

    Attributes:
        key: what others call it, in lower case.
        entry, field: where it stands.
        make: reads its right side.
        name: as people call it; the words of its key where it is empty.
        owner: the table, said before a name that several have. What has one is written out where it is used, and no
            formula, rather than an error, where it cannot be read.
        rows: what COUNT(*) counts in it: a table, or its key as table.column.
        kind: of the formula; None is what its right side says.
        shown: is it a formula itself, or only used by others, in which it is written out?
    """

    key: str
    entry: Record
    make: Callable[[], exp.Expr]
    name: str = ""
    says: Sequence[str] = ()
    owner: str = ""
    field: str = "expr"
    note: str = ""
    unit: str = ""
    rows: str = ""
    kind: Kind | None = None
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
        domain: the field of its formulas.
        refused: gets what cannot be read; None raises the first.
    """

    domain: str = ""
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
        return named(self._name(self._known[key.lower()]))

    def written_out(self, tree: exp.Expr) -> exp.Expr:
        """Return an expression with the definitions that it names written out in it."""
        keys = {self._name(one).casefold(): one.key for one in self._known.values() if one.shown}

        def replaced(node: exp.Expr) -> exp.Expr:
            bare = isinstance(node, exp.Column) and not node.table and node.name.casefold() in keys
            return exp.paren(self.written_out(self.tree(keys[node.name.casefold()]))) if bare else node

        return tree.copy().transform(replaced)

    def resolver(self, tables: Mapping[str, str | None], own: str = "", current: str = "") -> Resolve:
        """Return what finds the names of an expression.

        Args:
            tables: of each name in lower case the table of the database, None where it is a query.
            own: whose names stand without a qualifier.
            current: the key of what is read, which does not name itself.
        """

        def resolve(qualifier: str, name: str, summed: bool) -> exp.Expr:
            owner = qualifier or own
            if name == "*":
                return named(_table(owner, tables))
            for key in (f"{owner}.{name}".lower(), *(() if qualifier else (name.lower(),))):
                if key in self._known and key != current.lower() and not (summed and self._sums(key)):
                    known = self._known[key]
                    return self.tree(key) if known.owner or not known.shown else self.reference(key)
            if not owner:
                owners = [one for one in tables if f"{one}.{name}".lower() in self._known] or list(tables)
                if len(owners) != 1:
                    raise ExpressionError(f"{name!r} may be of several tables; write table.{name}")
                return resolve(owners[0], name, summed)
            return column(_table(owner, tables), name)

        return resolve

    def _sums(self, key: str) -> bool:
        """Is a definition a value of many rows? Then its name within an aggregate is that of a column."""
        return bool(self.written_out(self.tree(key)).find(*AGGREGATES))

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
                    if not definition.owner:
                        refuse(error, self.refused)
        return Bank(formulas, {})

    def _made(self, definition: Definition) -> exp.Expr | DomainError:
        try:
            tree = counted(definition.make(), definition.rows)
            parse(text_of(tree), definition.kind)
            if definition.owner and any(branch.is_string for branch in _results(tree)):
                raise ExpressionError("a text")
        except ExpressionError as error:
            return definition.entry.error(f"{definition.name!r}: {error}", definition.field)
        except DomainError as error:
            return error
        return tree

    def _formula(self, definition: Definition) -> Formula:
        tree, entry = self.tree(definition.key), definition.entry
        expression = parse(text_of(tree), definition.kind)
        return Formula(
            self._name(definition), tuple(definition.says), expression.kind, expression,
            definition.unit, self.domain, definition.note, entry.file, entry.line or None,
        )  # fmt: skip

    def _name(self, definition: Definition) -> str:
        """Return a name; where several have it, with the table before."""
        times = Counter(one.name.casefold() for one in self._known.values() if one.shown)
        several = times[definition.name.casefold()] > 1 and definition.owner
        return f"{plain_name(definition.owner)} {definition.name}" if several else definition.name


def _results(tree: exp.Expr) -> list[exp.Expr]:
    """Return what a CASE may give."""
    if not isinstance(tree, exp.Case):
        return []
    return [one for one in (*(branch.args["true"] for branch in tree.args["ifs"]), tree.args.get("default")) if one]


def _table(owner: str, tables: Mapping[str, str | None]) -> str:
    """Return the table of the database that a name of the file stands for."""
    if owner.lower() in tables:
        table = tables[owner.lower()]
        if table is None:
            raise ExpressionError(f"{owner!r} is a query, no table of the database")
        return table
    if owner.lower() in {one.lower() for one in tables.values() if one}:
        return owner
    raise ExpressionError(f"no table {owner!r} here" + (f"; {hint}" if (hint := did_you_mean(owner, tables)) else ""))
