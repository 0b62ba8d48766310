"""How names are written in a dialect, in quotes or without, and which words an engine takes for none."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from ...data.schema.schema import Table
from ..types.dialect import load_types
from ..types.name_keys import NameKeys
from .lexer import BARE_NAME, Lexeme

__all__ = ["ANY_SYSTEM_COLUMN", "SYSTEM_COLUMNS", "Quoting", "ReservedNames", "quoting"]

_DATA = tomllib.loads((resources.files(__package__ or __name__) / "names.toml").read_text("utf-8"))

SYSTEM_COLUMNS: Mapping[str, frozenset[str]] = {
    dialect: frozenset[str](columns) for dialect, columns in _DATA["system"].items()
}
"""Columns that an engine's tables have though no schema names them, by dialect."""

ANY_SYSTEM_COLUMN = frozenset[str]().union(*SYSTEM_COLUMNS.values())


@dataclass(frozen=True)
class ReservedNames:
    """What an engine does not take for a name without quotes, in upper case.

    Attributes:
        names: as a column, a table or an alias.
        labels: as an alias without AS.
        values: those of them that are values of their own, such as ``user`` on PostgreSQL.
        dotted: whether behind a point neither.
        shown: whether behind AS an output may be called by any word.
        unspaced: functions that are called only where the bracket stands right behind their name.
    """

    names: frozenset[str]
    labels: frozenset[str]
    values: frozenset[str]
    dotted: bool
    shown: bool
    unspaced: frozenset[str]

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
class Quoting(NameKeys):
    """How names are written: in quotes if they are reserved, no plain word, or what the engine would fold."""

    mark: str
    reserved: frozenset[str]
    refused: ReservedNames

    def bare(self, name: str) -> bool:
        """Say whether a name may stand without quotes."""
        plain = BARE_NAME.fullmatch(name) and name.upper() not in self.reserved
        return bool(plain) and not (self.folds and name != name.lower())

    def write(self, name: str | Table) -> str:
        """Return a name, or a table's whole name, as it stands in SQL: ``"Sales".orders``."""
        if isinstance(name, Table):
            return ".".join(map(self.write, name.path))
        return name if self.bare(name) else self.quoted(name)

    def quoted(self, name: str) -> str:
        """Return a name in quotes."""
        return self.mark + name.replace(self.mark, self.mark * 2) + self.mark


@lru_cache
def quoting(dialect: str, keywords: frozenset[str]) -> Quoting:
    """Return the quoting of a dialect whose grammar has ``keywords``, in upper case."""
    told = _DATA["refused"][dialect]
    names, labels, values = (frozenset[str](told[key]) for key in ("names", "labels", "values"))
    refused = ReservedNames(
        names, labels, values, told["dotted"], told["shown"], frozenset[str](told.get("unspaced", ()))
    )
    reserved = (
        (keywords - set(_DATA["soft"])) | set(_DATA["reserved"]["core"]) | set(_DATA["reserved"].get(dialect, ()))
    )
    mark = "`" if dialect == "mysql" else '"'
    keys = load_types(dialect).names
    return Quoting(keys.folds, keys.cased, keys.longest, mark, reserved | names | labels, refused)
