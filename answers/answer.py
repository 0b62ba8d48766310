"""What comes back for a question, whoever answered it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from ..data.databases.rows import plain_rows

__all__ = ["Alternative", "Answer", "Carried", "Clarification", "FormulaUse", "Option", "Status", "Tell"]

Status = Literal["ok", "unsure", "no_answer", "error"]
"""``unsure``: a query is shown, and may well be wrong; ``no_answer``: nothing here fits the question."""

Tell: TypeAlias = Callable[[str, tuple[str, ...]], None]
"""What is told of an answer on the way: ``values`` with those that the question names, then ``queries``, the likeliest
first, before any of them runs."""


@dataclass(frozen=True)
class Alternative:
    """Another query for the same question, with other rows.

    Attributes:
        confidence: that it is right, 0 to 1.
        score: sum of the log-probabilities of its words.
    """

    sql: str
    confidence: float
    score: float


@dataclass(frozen=True)
class FormulaUse:
    """A formula that stands in a query, or that a language model was told for one.

    Attributes:
        name: of the formula.
        said: the words of the question that name it.
        formula: its right side, over concepts.
        domain: the field of its bank.
        grounded: its right side in SQL, on this database.
        confidence: that its concepts are what they were taken for, 0 to 1.
    """

    name: str
    said: str
    formula: str
    domain: str
    grounded: str
    confidence: float

    def __str__(self) -> str:
        domain = f" ({self.domain})" if self.domain else ""
        return f"{self.name} = {self.formula}{domain}, here {self.grounded}, {self.confidence:.2f}"


@dataclass(frozen=True)
class Carried:
    """What a query has of the query before it in its conversation, each part as SQL (`data.sql.carried`).

    Attributes:
        kept: what stands in both.
        new: what the query before had not.
        dropped: what it had.
        new_topic: was the question read as if it stood alone? Then nothing is told of the parts.
    """

    kept: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    new_topic: bool = False

    def __str__(self) -> str:
        if self.new_topic:
            return "a new topic: nothing of the query before is kept"
        told = {"still": self.kept, "now": self.new, "no longer": self.dropped}
        return "; ".join(f"{name} {', '.join(parts)}" for name, parts in told.items() if parts)


@dataclass(frozen=True)
class Option:
    """One reading that a clarification offers.

    Attributes:
        label: what it is, in the question's language: «the average of price», «Oslo».
        columns, rows: what its query shows first.
    """

    label: str
    sql: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True)
class Clarification:
    """A question back, where an answer is unsure and its likely readings differ in one thing.

    Attributes:
        kind: of thing: column, columns, aggregate, distinct, group, order, table, value (the column that holds it),
            near (a value that is not there).
        question: in the user's language.
        options: among which to choose; the first is the reading that was answered, but for a value not there.
    """

    kind: str
    question: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes:
        sql: the query, None where nothing fits the question.
        columns: names of what it shows.
        rows: what it returned, as many as the database was asked to fetch.
        truncated: whether there are more.
        confidence: that it is right, 0 to 1.
        status: whether to rely on it.
        reason: why not, in one line; None where ``status`` is ok.
        alternatives: other answers, the likeliest first.
        seconds: from question to answer, the query's run included.
        like: the solved question whose query this one follows, None where it follows none.
        knowledge: formulas that stand in the query; of a language model those of the question that it was told.
        notes: what was taken for granted, as which days «last month» is.
        unread: pieces of the evidence given with the question that are no formulas and were ignored, each with why.
        carried: what it has of the query before it in its conversation, None where there was none.
        clarification: what to ask back, None of an answer that is sure, or where it would not help.
        tables: that were read for it, in the schema's order: all of a small database, the likeliest of a large one.
    """

    question: str
    sql: str | None
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    truncated: bool = False
    confidence: float = 0.0
    status: Status = "ok"
    reason: str | None = None
    alternatives: tuple[Alternative, ...] = ()
    seconds: float = 0.0
    like: str | None = None
    knowledge: tuple[FormulaUse, ...] = ()
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    carried: Carried | None = None
    clarification: Clarification | None = None
    tables: tuple[str, ...] = ()

    @property
    def tokens(self) -> int | None:
        """Return how many tokens a language model read and wrote for it; None where nobody counts."""
        return 0

    @property
    def unheard(self) -> bool:
        """Was a language model asked that gave no answer at all?"""
        return False

    @property
    def tried(self) -> tuple[str, ...]:
        """Return the queries that failed on the way to it."""
        return (self.sql,) if self.status == "error" and self.sql is not None else ()

    def refused(self, reason: str) -> Answer:
        """Return that there is no answer, whatever this one was."""
        return type(self)(self.question, None, status="no_answer", reason=reason, seconds=self.seconds)

    def to_json(self) -> dict[str, Any]:
        """Return plain dicts and lists, all of it JSON."""
        asked = self.clarification
        told = asdict(replace(self, rows=(), clarification=None))  # some cells cannot be copied
        told["rows"] = plain_rows(self.rows)
        if asked is not None:
            options = [asdict(replace(one, rows=())) | {"rows": plain_rows(one.rows)} for one in asked.options]
            told["clarification"] = {"kind": asked.kind, "question": asked.question, "options": options}
        return told
