"""Makes what answers questions on some tables of a database: one network and its vectors serve them all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from ..classifiers.global_constraint import GlobalConstraint
from ..data.databases.database import Database
from ..grammar import Constraint
from ..knowledge.formulas.bank import Bank
from ..knowledge.linked_formulas import FormulaLinker
from .answering.answerer import Answerer
from .decoding.parsing import SchemaParser
from .network.saved import Loaded
from .reader.catalogue import TableCatalogue
from .reader.columns.concepts import formula_linker, formulas_on
from .reader.context import DatabaseContext
from .reader.schema.profile import Profile

__all__ = ["AnswererFactory"]


@dataclass
class AnswererFactory:
    """Makes what answers questions on some tables of a database.

    Attributes:
        loaded: the network.
        profile: the bounds of queries.
        database: None where queries are only written.
        level: what the local constraint promises; None is without it.
        global_constraint: how far the heads are followed.
        bank: of formulas that questions may name.
        now: what «last month» is seen from; None is what the description, or else the profile says.
    """

    loaded: Loaded
    profile: Profile
    database: Database | None
    level: str | None = "runs"
    global_constraint: GlobalConstraint | None = None
    bank: Bank | None = None
    now: datetime | None = None
    _like: Constraint | None = field(default=None, init=False, repr=False)

    @cached_property
    def parser(self) -> SchemaParser:
        """Return the parser, whose vectors all tables share."""
        return SchemaParser(self.loaded.network, global_constraint=self.global_constraint)

    def linker(self, catalogue: TableCatalogue) -> FormulaLinker | None:
        """Return what finds formulas on all tables of a database; None where there is no bank."""
        if self.bank is None:
            return None
        told: dict[str, Any] = {"index": catalogue.index, "now": self.now or catalogue.now}
        return formulas_on(catalogue.readable, self.bank, self.parser.vectors, language=catalogue.language, **told)

    def __call__(self, context: DatabaseContext) -> Answerer:
        """Return what answers questions on the tables of a context."""
        context = context if self.now is None else replace(context, now=self.now)
        self.parser.prepare(context)
        made = Answerer(
            self.parser,
            context,
            self.database,
            level=self.level,
            like=self._like,
            calibration=self.loaded.calibration,
            budget=self.profile.budget,
            sources=self.profile.sources,
            without=self.profile.without,
            knowledge=None if self.bank is None else formula_linker(self.bank, context, self.parser.vectors),
        )
        if made.constraint is not None and self._like is None:
            self._like = made.constraint.constraint
        return made
