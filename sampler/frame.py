"""What questions about a database are made of: its tables, columns, keys and clock."""

from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Literal, Self, TypeAlias

from ..data.databases.database import Database
from ..data.schema.schema import Schema
from ..meaning.keys import key_profiles
from ..meaning.profile import DatabaseProfile
from ..meaning.profiling import profile_of
from .facts.facts import TableFacts
from .facts.joins import Join, joins
from .facts.profiling import profile
from .facts.self_keys import SelfKey, self_keys

Language: TypeAlias = Literal["en", "zh", "de"]
"""Languages that invented questions are written in."""

_ENDLESS = {"with", "in", "of", "to", "by", "on", "for", "at", "from"}  # ends of names that are no nouns: trained in
_FAR = "2100"


class NothingToDraw(LookupError):
    """What was drawn so far, or the schema itself, leaves nothing to go on with."""


@dataclass(frozen=True)
class SamplingFrame:
    """All that there is to draw from.

    Attributes:
        now: what «last month» is seen from; with None there are no such times.
    """

    tables: list[TableFacts]
    joins: list[Join]
    language: str
    now: datetime | None = None
    self_keys: list[SelfKey] = field(default_factory=list[SelfKey])

    @classmethod
    def of(
        cls,
        schema: Schema,
        database: Database | None,
        language: str,
        known: DatabaseProfile | None = None,
        now: datetime | None = None,
    ) -> Self:
        """Look into a database, or at its schema alone.

        Args:
            known: the database's profile, made if it is None.
            now: see the attribute.
        """
        if known is None:
            declared = DatabaseProfile(keys=key_profiles(schema, schema, {}))
            known = declared if database is None else profile_of(database, schema)
        tables = profile(schema, database, language, known)
        said = [table for table in tables if table.noun.one.split()[-1] not in _ENDLESS]
        between = [join for join in joins(tables, known.keys, language) if join.child in said and join.parent in said]
        return cls(said, between, language, now, list(self_keys(said, known.keys, language)))


def clock_of(profile: DatabaseProfile) -> datetime | None:
    """Return a clock from which «last month» says something of a database: noon of the last day that it tells.

    Years as 9999 are none; None if there are no times.
    """
    told = [column.time.last for column in profile.columns.values() if column.time is not None and column.time.last]
    days = sorted(day for day in told if day[:4] < _FAR)
    return datetime.combine(date.fromisoformat(days[-1]), time(12)) if days else None
