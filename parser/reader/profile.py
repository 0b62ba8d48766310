"""The profile of the domain that a network was trained on, stored with its weights.

domain.json     schema, dialect, bounds of queries
values.sqlite   an index file of the domain's values that are not in its database
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlglot import exp

from ...data.domains.domain import GROUPINGS, Domain, Example
from ...data.errors import QuerentError, RunError, SchemaError
from ...data.hashed_folder import AGAIN, read_json, write_json
from ...data.parsing import parse
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
from ..normal_form.words import CONSTANTS, Words
from .catalogue import TableCatalogue
from .output_vocabulary import USES

_ROOM = 1.25
"""The factor by which queries may be longer and wider than those of the examples."""

_SHORTEST, _NARROWEST = 60, 3
"""The numbers of words and sources that every query may have."""


def domain_profile(domain: Domain, examples: Sequence[Example], values: Path) -> Profile:
    """Return the profile of a domain.

    Args:
        examples: the examples of the domain that the profile may use.
        values: the file that the index of the domain's values is written to.
    """
    write_known(values, domain, examples, columns_of_types(domain, examples))
    grammar = Grammar.for_schema(domain.schema, dialect=domain.dialect)
    form, forms, longest, widest = NormalForm(grammar), list[Words](), 0, 0
    for query in {example.slotted: example.sql for example in examples}.values():
        with suppress(QuerentError):
            longest = max(longest, len(grammar.tokenize(query)))
            forms.append(tuple([(token.text, token.terminal) for token in grammar.tokenize(form.of(query))]))
        tree = parse(query, domain.dialect)
        selects = tree.find_all(exp.Select) if tree is not None else ()
        widest = max([widest, *(len(sources_of(select)) for select in selects)])
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
        uses=uses_in(grammar, forms, most=USES),
    )


BUDGET = 90
"""The budget of words of a query, including join conditions; the longest of Spider's training part has 79."""

SOURCES = 6
"""The largest number of tables that one FROM may join."""

_FILE, _VALUES = "domain.json", "values.sqlite"


@dataclass(frozen=True)
class Profile:
    """A database, its questions' language, and the bounds of its queries.

    Attributes:
        name: the name of the domain.
        language: the language of the questions.
        dialect: the dialect of the queries.
        schema: the schema, with descriptions and keys.
        database: the place of the database; None if there was none.
        values: the index file of known values, None if the database holds them all.
        grouping: one of `data.domain.GROUPINGS`.
        now: the time that «yesterday» is relative to.
        budget: the number of words of the longest query.
        sources: the largest number of tables that one FROM may join.
        constants: values of queries that no question names.
        uses: the number of times that a query may use a table, where that is more than its keys suggest.
    """

    name: str
    language: str
    dialect: str
    schema: Schema
    database: str | None
    values: Path | None = None
    grouping: str = "strict"
    now: datetime | None = None
    budget: int = BUDGET
    sources: int = SOURCES
    constants: tuple[FoundValue, ...] = ()
    uses: Mapping[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, schema: Schema, *, dialect: str, language: str, database: str | None) -> Profile:
        """Return the profile of a schema, with bounds that suit most questions."""
        return cls(schema.name or "database", language, dialect, schema, database)

    @property
    def bounds(self) -> dict[str, Any]:
        """Return the arguments of a `Constraint` on its queries, among them the rules that the server does not need."""
        return {"budget": self.budget, "sources": self.sources, "without": GROUPINGS[self.grouping]}

    def catalogue(
        self,
        database: str | Path | None,
        *,
        cache: Path | None = None,
        access: Access | None = None,
        description: Path | None = None,
        wait: bool = True,
    ) -> TableCatalogue:
        """Return the catalogue of a database, with its values or those of the domain alone.

        Cells that ``access`` forbids are not indexed, and constants from them are dropped.

        Args:
            description: a data dictionary, see `read_description`.
            wait: whether to wait for the index of a large database, see `ValueIndex.open`.

        Raises:
            InputError: ``access`` names a table or column that the schema lacks.
            DomainError: the description cannot be read, or names a table or column that does not exist.
        """
        readable = self.schema if access is None else access.narrowed(self.schema)
        held = None if database is None else open_profile(database, readable, narrowed=access is not None, cache=cache)
        described = Described(readable, held or DatabaseProfile())
        if description is not None:
            described = read_description(description, readable, described.profile)
        called = described.called(self.language)
        names = (name for synonyms in called.values() for name in synonyms)
        index = ValueIndex.open(database, described.schema, names=names, known=self.values, cache=cache, wait=wait)
        schema = self.schema
        if description is not None:
            schema = _with_declared_keys(described.schema_in(self.language), self.schema)
        unread = (f"{table}.{column}, its values: {why}" for (table, column), why in index.unread.items())
        return TableCatalogue(
            replace(schema, left_out=(*schema.left_out, *unread)),
            index,
            dialect=self.dialect,
            language=self.language,
            now=described.now or self.now,
            # a constant without a known column may come from any column
            constants=self.constants if access is None else tuple(_held(self.constants, readable)),
            uses=self.uses,
            access=None if description is not None else access,
            profile=None if held is None else described.profile,
            fiscal_month=described.fiscal_month,
            called=called,
        )

    def fits(self, schema: Schema) -> bool:
        """Does a schema have all tables and columns of this profile?"""
        there = {(table.name.lower(), column.name.lower()) for table, column in schema.columns()}
        return {(table.name.lower(), column.name.lower()) for table, column in self.schema.columns()} <= there

    def save(self, folder: Path) -> None:
        """Write both files into a folder."""
        named = ("name", "language", "dialect", "database", "grouping", "budget", "sources")
        about: dict[str, Any] = {key: getattr(self, key) for key in named}
        about["database"] = self.database and shown_url(self.database)  # a run folder is passed on
        about |= {"uses": dict(self.uses), "now": self.now and self.now.isoformat()}
        about["constants"] = [[c.value, c.kind, c.columns] for c in self.constants]
        write_json(folder / _FILE, {**about, "schema": self.schema.to_json()})
        if self.values is not None and self.values != folder / _VALUES:
            shutil.copyfile(self.values, folder / _VALUES)

    @classmethod
    def load(cls, folder: Path) -> Profile | None:
        """Read the profile that `save` wrote, None if a network was not trained on a single domain.

        Raises:
            RunError: the files are no profile.
        """
        if not (folder / _FILE).exists():
            return None
        about: dict[str, Any] = read_json(folder / _FILE)
        try:
            schema = Schema.from_json(about.pop("schema"))
            now = datetime.fromisoformat(moment) if (moment := about.pop("now")) else None
            constants = tuple(
                FoundValue(0, 0, "", value, kind, "constant", tuple((t, c) for t, c in columns), 0.0)
                for value, kind, columns in about.pop("constants")
            )
            values = folder / _VALUES if (folder / _VALUES).exists() else None
            return cls(**about, schema=schema, now=now, values=values, constants=constants)
        except (KeyError, TypeError, ValueError, SchemaError) as error:
            raise RunError(f"not a domain: {error}", file=folder / _FILE, hint=AGAIN) from error


def _with_declared_keys(described: Schema, declared: Schema) -> Schema:
    """Return a described schema with the declared primary keys, on which the constraint relies."""
    keys = {table.name: table.primary_key for table in declared.tables}
    return replace(described, tables=tuple(replace(table, primary_key=keys[table.name]) for table in described.tables))


def _held(constants: Iterable[FoundValue], readable: Schema) -> Iterator[FoundValue]:
    return (kept for constant in constants if (kept := constant.within(readable)))
