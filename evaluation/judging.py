"""Compares one query with the gold query of its example: words, rows, and the labels of the heads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..classifiers.heads import GlobalConstraint, Labels, hits
from ..data.databases.database import Database
from ..data.databases.rows import Rows
from ..data.domains.domain import Domain, Example
from ..data.errors import DatabaseError, QueryError, TimeLimitError
from ..data.sql.dialects import translate
from ..meaning.profile import DatabaseProfile
from ..parser.decoding.parsing import EncodedQuestion
from ..parser.learning.training_examples import TrainingExample, canonical_words, places_in
from ..parser.normal_form import NormalForm
from ..parser.reader.context import DatabaseContext
from ..parser.reader.output_vocabulary import ROLES, UNKNOWN, fixed_words, function_words
from . import metrics
from .scores import Judgement


def labels_of(
    read: EncodedQuestion, example: TrainingExample, context: DatabaseContext, *, seen: NDArray[np.bool_]
) -> Labels:
    """Compare the heads with a gold query.

    Args:
        read: the question.
        example: the same question with its gold words.
        seen: the fixed words that the network learnt, (fixed words,).
    """
    gold = places_in(example, read.input, read.states.items)
    fixed = len(fixed_words())
    nodes = np.unique((gold[gold >= fixed] - fixed) // ROLES)
    needed = np.zeros(len(read.classes.used), np.bool_)
    needed[nodes] = True
    tables = (context.items.owner[read.input.kept] == read.input.kept).nonzero()[0]
    columns = (context.items.owner[read.input.kept] != read.input.kept).nonzero()[0]
    called, used = function_words() & seen, read.classes.used
    written = np.zeros(fixed, np.bool_)
    written[gold[(gold >= 0) & (gold < fixed)]] = True
    compared = {
        "table": hits(used[tables], needed[tables]),
        "column": hits(used[columns], needed[columns]),
        "function": hits(read.classes.fixed[called], written[called]),
    }
    bias = GlobalConstraint("hard").bias(read.classes, function_words(), ROLES)
    assert bias is not None
    open_ = np.append(~np.isneginf(bias), False)
    # all that the network could write, whatever constraint the question was read under
    writable = read.readable[np.append(seen, True)[np.clip(read.readable, 0, fixed)] & (read.readable >= 0)]
    known = gold[gold != UNKNOWN]
    left = float(open_[writable].sum() / max(1, len(writable)))
    inside = bool((known >= 0).all() and open_[np.minimum(known, len(open_) - 1)].all())
    return Labels(compared, bool((gold != UNKNOWN).all()), inside, left)


def judge(
    example: Example,
    sql: str,
    form: NormalForm,
    *,
    refused: bool,
    runner: Runner | None = None,
    profile: DatabaseProfile | None = None,
) -> Judgement:
    """Compare a query with the gold one, refused or not; words are canonical.

    Args:
        example: has the gold query.
        sql: empty where there is none.
        form: of the domain's grammar.
        refused: whether the query is refused, or there is none.
        runner: on the domain's database; without one the rows are not compared.
        profile: of the domain's database; with it queries of one meaning have the same words.
    """
    dialect = form.grammar.dialect
    gold, words = (canonical_words(one, form, profile) for one in (example.sql, sql))
    valid = metrics.is_valid(sql, dialect)
    ran: dict[str, Any] = {} if runner is None else runner.compare(example.sql, sql if valid else None)
    return Judgement(
        id=example.id,
        question=example.question,
        gold=example.sql,
        got=sql,
        query=example.slotted,
        em=metrics.exact_match(words, gold),
        jaccard=metrics.jaccard(words, gold),
        validity=valid,
        refused=refused,
        **ran,
    )


class Runner:
    """Runs gold queries and answers on a domain's database, each distinct text once."""

    def __init__(self, database: Database, domain: Domain) -> None:
        self._database, self._dialect = database, domain.dialect
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
        return {**ran, "execution": same, "empty_gold": not wanted.rows}

    def _rows(self, sql: str) -> Rows | None:
        if sql not in self._seen:
            try:
                self._seen[sql] = self._database.query(translate(sql, read=self._dialect, write=self._database.dialect))
            except (DatabaseError, QueryError) as error:  # queries that do not run are counted
                self._seen[sql] = None
                if isinstance(error, TimeLimitError):
                    self._late.add(sql)
        return self._seen[sql]
