"""The names of a query: which table, column or alias a name means, and how it is written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources

from ...data.schema import Schema
from .lexer import BARE_NAME, Lexeme

__all__ = ["SYSTEM_COLUMNS", "Aliases", "Identifiers", "Quoting", "Reading", "Refused", "quoting"]

SYSTEM_COLUMNS = frozenset({"rowid", "oid", "_rowid_", "_rowid", "tableoid", "xmin", "xmax", "cmin", "cmax", "ctid"})
"""Columns that tables of one engine or another have beside their own."""


@dataclass(frozen=True)
class Refused:
    """What an engine does not take for a name without quotes, in upper case.

    Attributes:
        names: as a column, a table or an alias.
        labels: as an alias without AS.
        values: those of them that are values of their own, such as ``user`` on PostgreSQL.
        dotted: whether behind a point neither.
        shown: whether behind AS an output may be called by any word.
    """

    names: frozenset[str]
    labels: frozenset[str]
    values: frozenset[str]
    dotted: bool
    shown: bool

    def takes(self, lexeme: Lexeme, *, shown: bool = False) -> bool:
        """Say whether a word may be a name; ``shown`` behind AS in a select list."""
        owner, *others = lexeme.parts
        if not owner.quoted and owner.text.upper() in self.names and not (self.shown and shown):
            return False
        return not self.dotted or all(part.quoted or part.text.upper() not in self.names for part in others)

    def labels_bare(self, lexeme: Lexeme) -> bool:
        """Say whether a word may be an alias without AS."""
        part = lexeme.parts[0]
        return part.quoted or part.text.upper() not in self.labels


@dataclass(frozen=True)
class Quoting:
    """How names are written: in quotes if they are reserved or no plain word."""

    mark: str
    reserved: frozenset[str]
    refused: Refused

    def write(self, name: str) -> str:
        """Return ``name`` as it stands in SQL."""
        if BARE_NAME.fullmatch(name) and name.upper() not in self.reserved:
            return name
        return self.mark + name.replace(self.mark, self.mark * 2) + self.mark


@lru_cache
def quoting(dialect: str, keywords: frozenset[str]) -> Quoting:
    """Return the quoting of a dialect whose grammar has ``keywords``, in upper case."""
    text = (resources.files(__package__ or __name__) / "names.toml").read_text("utf-8")
    data = tomllib.loads(text)
    told = data["refused"][dialect]
    names, labels, values = (frozenset[str](told[key]) for key in ("names", "labels", "values"))
    refused = Refused(names, labels, values, told["dotted"], told["shown"])
    reserved = (keywords - set(data["soft"])) | set(data["reserved"]["core"]) | set(data["reserved"].get(dialect, ()))
    return Quoting("`" if dialect == "mysql" else '"', reserved | names | labels, refused)


@dataclass(frozen=True)
class Reading:
    """One way to read a name: its word, its terminal, and the tables and column it means."""

    text: str
    terminal: str
    tables: tuple[str, ...] = ()
    column: str | None = None


@dataclass
class Aliases:
    """The aliases that a query declares: lower-cased name to its spelling and the tables it stands for."""

    spelling: dict[str, str] = field(default_factory=dict[str, str])
    tables: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    derived: set[str] = field(default_factory=set[str])


class Identifiers:
    """Reads names against one schema."""

    def __init__(self, schema: Schema, quoting: Quoting) -> None:
        self.quoting = quoting
        self.tables = {t.name.lower(): t for t in schema.tables}
        self._owners: dict[str, list[tuple[str, str]]] = {}
        for table, column in schema.columns():
            self._owners.setdefault(column.name.lower(), []).append((table.name, column.name))

    def scope(self, lexemes: Sequence[Lexeme]) -> Aliases:
        """Find the aliases that a query declares: names after AS, or right after a name, value or parenthesis."""
        scope = Aliases()
        for i, lexeme in enumerate(lexemes):
            if i == 0 or len(lexeme.parts) != 1:
                continue
            before = i - 1
            explicit = lexemes[before].text.upper() == "AS"
            if not (self._plain_name(lexeme) or (explicit and self.quoting.refused.shown)):
                continue
            before -= explicit
            if before < 0 or not (explicit or self.ends_operand(lexemes[before])):
                continue
            name = lexeme.parts[0].text
            scope.spelling.setdefault(name.lower(), name)
            owner = lexemes[before]
            table = self.tables.get(owner.parts[0].text.lower()) if len(owner.parts) == 1 else None
            if table is not None:
                scope.tables.setdefault(name.lower(), []).append(table.name)
            else:
                scope.derived.add(name.lower())
        return scope

    def _plain_name(self, lexeme: Lexeme) -> bool:
        return len(lexeme.parts) == 1 and (lexeme.parts[0].quoted or lexeme.text.upper() not in self.quoting.reserved)

    def ends_operand(self, lexeme: Lexeme) -> bool:
        """Say whether an alias without AS may follow."""
        if lexeme.kind == "operator":
            return lexeme.text == ")"
        if lexeme.kind != "name" or len(lexeme.parts) > 1 or self._plain_name(lexeme):
            return True
        return lexeme.text.upper() in {"END", "NULL", "TRUE", "FALSE"}

    def readings(self, lexeme: Lexeme, scope: Aliases) -> list[Reading]:
        """Return every way to read a name, the likeliest first."""
        match lexeme.parts:
            case (part,):
                return self._plain(part.text, scope)
            case (owner, part):
                return self._dotted(owner.text, part.text, part.quoted, scope)
            case _:
                return []

    def _plain(self, name: str, scope: Aliases) -> list[Reading]:
        found: list[Reading] = []
        table = self.tables.get(name.lower())
        if table is not None:
            found.append(Reading(self.quoting.write(table.name), "TABLE", (table.name,)))
        owners = self._owners.get(name.lower())
        if owners:
            spelled = self.spelling(name)
            found.append(Reading(self.quoting.write(spelled), "COLUMN", tuple(t for t, _ in owners), spelled))
        if name.lower() in scope.spelling:
            tables = tuple(dict.fromkeys(scope.tables.get(name.lower(), ())))
            found.append(Reading(self.quoting.write(scope.spelling[name.lower()]), "ALIAS", tables))
        return found

    def _dotted(self, owner: str, column: str, quoted: bool, scope: Aliases) -> list[Reading]:
        key = owner.lower()
        tables = list(dict.fromkeys(scope.tables.get(key, ())))
        spelled = scope.spelling.get(key)
        if not tables and key not in scope.derived and key in self.tables:
            spelled = self.tables[key].name
            tables = [spelled]
        elif key in self.tables and self.tables[key].name not in tables:
            tables.append(self.tables[key].name)
        if spelled is None:
            return []
        prefix = self.quoting.write(spelled) + "."
        if column == "*" and not quoted:
            return [Reading(prefix + "*", "QSTAR", tuple(tables), "*")]
        owners = [(t, c) for t, c in self._owners.get(column.lower(), ()) if t in tables]
        if owners:
            return [
                Reading(prefix + self.quoting.write(owners[0][1]), "QCOLUMN", tuple(t for t, _ in owners), owners[0][1])
            ]
        if key not in scope.derived:
            return []
        # a derived table shows schema columns and the aliases of its own output
        known = [c for _, c in self._owners.get(column.lower(), ())]
        name = known[0] if known else scope.spelling.get(column.lower())
        return [] if name is None else [Reading(prefix + self.quoting.write(name), "QCOLUMN", (), name)]

    def spelling(self, column: str) -> str:
        """Return how a bare column is written: as the first table has it that has one called so, in any case."""
        return self._owners[column.lower()][0][1]

    def all_names(self, scope: Aliases) -> Iterable[str]:
        """Yield what a misspelt name may have meant."""
        for table in self.tables.values():
            yield table.name
            for column in table.columns:
                yield column.name
                yield f"{table.name}.{column.name}"
        for alias in scope.spelling.values():
            yield alias
            for table in scope.tables.get(alias.lower(), ()):
                yield from (f"{alias}.{c.name}" for c in self.tables[table.lower()].columns)
