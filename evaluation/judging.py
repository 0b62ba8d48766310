"""One query held against the gold query of its example: by its words, by its rows, by a suite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..data.databases.database import Database
from ..data.databases.rows import Rows
from ..data.domains.domain import Domain
from ..data.domains.examples import Example, Value
from ..data.errors import DatabaseError, QueryError, TimeLimitError
from ..data.profiles.database_profile import DatabaseProfile
from ..parser.learning.exact_match import canonical_words
from ..parser.normal_form import NormalForm
from . import metrics
from .scores import Judgement
from .suite import Suite, in_sqlite, sqlite_file

__all__ = ["Runner", "judge"]


def judge(
    example: Example,
    sql: str,
    form: NormalForm,
    *,
    refused: bool,
    slotted: str = "",
    values: Iterable[Value] = (),
    runner: Runner | None = None,
    suite: Suite | None = None,
    profile: DatabaseProfile | None = None,
) -> Judgement:
    """Compare a query with the gold one, whether or not it would be shown; words are canonical.

    Args:
        example: has the gold query.
        sql: empty where there is none.
        form: of the domain's grammar.
        refused: whether the query would rather not be shown, or there is none.
        slotted: the query with slots in place of values, for a suite.
        values: what the slots stand for.
        runner: on the domain's database; without one nothing is said of rows.
        suite: exchanges the values of queries with slots; without one nothing is said of other databases.
        profile: of the domain's database: what queries mean is compared, whatever way it is said in.
    """
    dialect = form.grammar.dialect
    gold, words = (canonical_words(one, form, profile) for one in (example.sql, sql))
    valid = metrics.is_valid(sql, dialect)
    ran: dict[str, Any] = {} if runner is None else runner.compare(example.sql, sql if valid else None)
    if suite is not None:
        passed = suite.judge(example.slotted, example.values, slotted, values) if valid else False
        # right on the suite and wrong on the own database is wrong
        ran["suite"] = None if not suite.knows(example.slotted) else passed and ran.get("execution") is not False
    return Judgement(
        id=example.id,
        question=example.question,
        gold=example.sql,
        got=sql,
        query=example.slotted,
        length=len(gold),
        features=frozenset(metrics.features(example.sql, dialect)),
        exact=metrics.exact_match(words, gold),
        jaccard=metrics.jaccard(words, gold),
        valid=valid,
        refused=refused,
        **ran,
    )


class Runner:
    """Runs gold queries and answers on a domain's database, each distinct text once."""

    def __init__(self, database: Database, domain: Domain) -> None:
        self._database, self._dialect = database, domain.dialect
        self._in_sqlite = domain.dialect != "sqlite" and sqlite_file(domain) is not None
        self._seen: dict[str, Rows | None] = {}
        self._late: set[str] = set()

    def compare(self, gold: str, got: str | None) -> dict[str, Any]:
        """Return the fields of `Judgement` that need a database."""
        wanted, found = self._rows(gold), None if got is None else self._rows(got)
        ran = {"runs": found is not None, "late": got in self._late}
        if wanted is None:
            return ran
        same = found is not None and metrics.execution_match(
            found.rows, wanted.rows, metrics.is_ordered(gold, self._dialect)
        )
        return {**ran, "execution": same, "empty": not wanted.rows}

    def _rows(self, sql: str) -> Rows | None:
        if sql not in self._seen:
            try:
                self._seen[sql] = self._database.query(in_sqlite(sql, self._dialect) if self._in_sqlite else sql)
            except (DatabaseError, QueryError) as error:  # «does not run» is what is being counted
                self._seen[sql] = None
                if isinstance(error, TimeLimitError):
                    self._late.add(sql)
        return self._seen[sql]
