"""What a network that was trained on one domain keeps of it beside its weights: values, constants, sizes of queries.

domain.json     schema, dialect, bounds of queries
values.sqlite   values that the domain tells beside its database, as an index file
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlglot import exp

from ...data.domains.domain import GROUPINGS, Domain, Example
from ...data.errors import QuerentError, RunError, SchemaError
from ...data.hashed_folder import AGAIN, read_json, write_json
from ...data.parsing import PARSE_ERRORS, read_tree
from ...data.schema.schema import Schema
from ...data.sql.sources import sources_of
from ...data.urls import shown_url
from ...grammar import MAX_WORDS, Access, Grammar
from ...meaning.description.files import Described, read_description
from ...meaning.profile import DatabaseProfile
from ...meaning.profiling import open_profile
from ...ner.index import FoundValue, ValueIndex
from ...ner.known_values import columns_of_types, constants, write_known
from ..normal_form import NormalForm, uses_in
from ..normal_form.keys import Words
from ..normal_form.words import CONSTANTS
from .catalogue import TableCatalogue
from .context import DatabaseContext
from .output_vocabulary import USES

__all__ = ["BUDGET", "SOURCES", "Profile", "domain_profile"]

_ROOM = 1.25
"""How much longer and wider than those of the examples queries may be."""

_SHORTEST, _NARROWEST = 60, 3
"""Words and sources that every query may have."""


def domain_profile(domain: Domain, examples: Sequence[Example], values: Path) -> Profile:
    """Return the profile of a domain.

    Args:
        examples: of it, that may be known.
        values: gets the index of the values that the domain tells.
    """
    write_known(values, domain, examples, columns_of_types(domain, examples))
    grammar = Grammar.for_schema(domain.schema, dialect=domain.dialect)
    queries = list({example.slotted: example.sql for example in examples}.values())
    longest = max((_words(grammar, query) for query in queries), default=0)
    widest = max((_sources(query, domain.dialect) for query in queries), default=0)
    return Profile(
        name=domain.name,
        language=domain.language,
        dialect=domain.dialect,
        schema=domain.schema,
        database=domain.database,
        values=values,
        grouping=domain.grouping,
        now=domain.now,
        budget=min(MAX_WORDS, max(_SHORTEST, math.ceil(_ROOM * longest))),
        sources=max(_NARROWEST, math.ceil(_ROOM * widest)),
        constants=constants(domain, examples, without={str(number) for number in CONSTANTS}),
        uses=uses_in(grammar, _forms(grammar, queries), most=USES),
    )


def _forms(grammar: Grammar, queries: Iterable[str]) -> Iterator[Words]:
    """Yield the words of the normal forms of queries that have one."""
    form = NormalForm(grammar)
    for query in queries:
        with suppress(QuerentError):
            yield tuple((token.text, token.terminal) for token in grammar.tokenize(form.of(query)))


def _words(grammar: Grammar, query: str) -> int:
    try:
        return len(grammar.tokenize(query))
    except QuerentError:
        return 0


def _sources(query: str, dialect: str) -> int:
    try:
        selects = read_tree(query, dialect).find_all(exp.Select)
    except PARSE_ERRORS:
        return 0
    return max((len(sources_of(select)) for select in selects), default=0)


BUDGET = 90
"""Words of a query, its joins' conditions counted; the longest of Spider's training part has 79."""

SOURCES = 6
"""Tables that one FROM may join."""

_FILE, _VALUES = "domain.json", "values.sqlite"


@dataclass(frozen=True)
class Profile:
    """One database and how it is asked.

    Attributes:
        name: of the domain.
        language: of the questions.
        dialect: of the queries.
        schema: with descriptions and keys.
        database: where it was; None if there was none.
        values: the index file of known values, None where the database tells them all.
        grouping: one of `data.domain.GROUPINGS`.
        now: what «yesterday» is seen from.
        budget: words of the longest query.
        sources: tables that one FROM may join.
        constants: values that queries name though no question says them.
        uses: how often a query may use a table, where that is more often than its keys give reason to.
    """

    name: str
    language: str
    dialect: str
    schema: Schema
    database: str | None
    values: Path | None
    grouping: str
    now: datetime | None
    budget: int
    sources: int
    constants: tuple[FoundValue, ...]
    uses: Mapping[str, int]

    @classmethod
    def of(cls, schema: Schema, *, dialect: str, language: str, database: str | None) -> Profile:
        """Return what a schema says, with the bounds that do for most questions."""
        return cls(
            name=schema.name or "database",
            language=language,
            dialect=dialect,
            schema=schema,
            database=database,
            values=None,
            grouping="strict",
            now=None,
            budget=BUDGET,
            sources=SOURCES,
            constants=(),
            uses={},
        )

    @property
    def without(self) -> tuple[str, ...]:
        """Return the rules of the constraint that the server does not need."""
        return GROUPINGS[self.grouping]

    def catalogue(
        self,
        database: str | Path | None,
        *,
        cache: Path | None = None,
        access: Access | None = None,
        description: Path | None = None,
        wait: bool = True,
    ) -> TableCatalogue:
        """Return what a parser knows of a database, its values or those of the domain alone.

        Of cells that may not be read by ``access`` no index is made, and no constant is kept.

        Args:
            description: a file of what a person says of the database, see `read_description`.
            wait: for the index of a large database, see `ValueIndex.open`.

        Raises:
            InputError: ``access`` names what the schema does not have.
            DomainError: the description cannot be read, or names what does not exist.
        """
        readable = self.schema if access is None else access.narrowed(self.schema)
        held = None if database is None else open_profile(database, readable, narrowed=access is not None, cache=cache)
        told = Described(readable, held or DatabaseProfile())
        if description is not None:
            told = read_description(description, readable, told.profile)
        called = told.called(self.language)
        names = (name for several in called.values() for name in several)
        index = ValueIndex.open(database, told.schema, names=names, known=self.values, cache=cache, wait=wait)
        schema = self.schema
        if description is not None:
            schema = _with_declared_keys(told.schema_in(self.language), self.schema)
        unread = (f"{table}.{column}, its values: {why}" for (table, column), why in index.unread.items())
        return TableCatalogue(
            replace(schema, left_out=(*schema.left_out, *unread)),
            index,
            dialect=self.dialect,
            language=self.language,
            now=told.now or self.now,
            # one of no known column may come from any
            constants=self.constants if access is None else tuple(_held(self.constants, readable)),
            uses=self.uses,
            access=None if description is not None else access,
            profile=None if held is None else told.profile,
            fiscal_month=told.fiscal_month,
            called=called,
        )

    def context(self, database: str | Path | None, *, cache: Path | None = None) -> DatabaseContext:
        """Return what a parser works with on all tables of a database; see `catalogue`."""
        return self.catalogue(database, cache=cache).whole

    def fits(self, schema: Schema) -> bool:
        """Has a database the tables and columns that this is about?"""
        there = {(table.name.lower(), column.name.lower()) for table, column in schema.columns()}
        return {(table.name.lower(), column.name.lower()) for table, column in self.schema.columns()} <= there

    def save(self, folder: Path) -> None:
        """Write both files into a folder."""
        named = ("name", "language", "dialect", "database", "grouping", "budget", "sources")
        about: dict[str, Any] = {key: getattr(self, key) for key in named}
        about["database"] = self.database and shown_url(self.database)  # a run folder is handed on
        about |= {"uses": dict(self.uses), "now": self.now and self.now.isoformat()}
        about["constants"] = [[c.value, c.kind, c.columns] for c in self.constants]
        write_json(folder / _FILE, {**about, "schema": self.schema.to_json()})
        if self.values is not None and self.values != folder / _VALUES:
            shutil.copyfile(self.values, folder / _VALUES)

    @classmethod
    def load(cls, folder: Path) -> Profile | None:
        """Read what `save` wrote, None where a network was trained on no one domain.

        Raises:
            RunError: the files are no profile.
        """
        if not (folder / _FILE).exists():
            return None
        about: dict[str, Any] = read_json(folder / _FILE)
        try:
            schema = Schema.from_json(about.pop("schema"))
            now = datetime.fromisoformat(told) if (told := about.pop("now")) else None
            constants = tuple(
                FoundValue(0, 0, "", value, kind, "constant", tuple((t, c) for t, c in columns), 0.0)
                for value, kind, columns in about.pop("constants")
            )
            values = folder / _VALUES if (folder / _VALUES).exists() else None
            return cls(**about, schema=schema, now=now, values=values, constants=constants)
        except (KeyError, TypeError, ValueError, SchemaError) as error:
            raise RunError(f"not a domain: {error}", file=folder / _FILE, hint=AGAIN) from error

    def at(self, now: datetime) -> Profile:
        """Return the same, seen from another moment."""
        return replace(self, now=now)


def _with_declared_keys(told: Schema, declared: Schema) -> Schema:
    """Return a schema as a person tells it, with the primary keys that are declared: the constraint rests on these."""
    keys = {table.name: table.primary_key for table in declared.tables}
    return replace(told, tables=tuple(replace(table, primary_key=keys[table.name]) for table in told.tables))


def _held(constants: Iterable[FoundValue], readable: Schema) -> Iterator[FoundValue]:
    return (kept for constant in constants if (kept := constant.within(readable)))
