"""The answer to a question, whether a parser or a language model gave it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from ..data.databases.rows import plain_rows

Status = Literal["ok", "unsure", "no_answer", "error"]
"""``unsure``: the query may well be wrong; ``no_answer``: the database has no answer to the question."""


MAX_UNHEARD = 10
"""The number of questions in a row without any answer of a language model, after which it counts as gone."""


@dataclass(frozen=True)
class Alternative:
    """Another query for the same question, with other rows.

    Attributes:
        confidence: the probability that it is right, 0 to 1.
        score: the sum of the log-probabilities of its words.
    """

    sql: str
    confidence: float
    score: float


@dataclass(frozen=True)
class FormulaUse:
    """A formula that a query uses, or that was in the prompt of a language model.

    Attributes:
        name: the name of the formula.
        said: the words of the question that name it.
        formula: its right side, over concepts.
        domain: the field of its bank.
        grounded: its right side in SQL, on this database.
        confidence: the probability that its concepts were grounded correctly, 0 to 1.
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
    """The context edit between two queries of a conversation: parts of SQL that were kept, added or dropped.

    Attributes:
        kept: the parts of both queries.
        new: the parts that only the new query has.
        dropped: the parts that only the query before had.
        new_topic: whether the question was read without the earlier turns; if so, the parts are empty.
    """

    kept: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    new_topic: bool = False

    def __str__(self) -> str:
        if self.new_topic:
            return "a new topic: nothing of the query before is kept"
        parts_by_name = {"still": self.kept, "now": self.new, "no longer": self.dropped}
        return "; ".join(f"{name} {', '.join(parts)}" for name, parts in parts_by_name.items() if parts)


@dataclass(frozen=True)
class Option:
    """One reading that a clarification offers.

    Attributes:
        label: its description in the question's language: «the average of price», «Oslo».
        columns, rows: the columns and first rows of its query.
    """

    label: str
    sql: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True)
class Clarification:
    """A clarification question, asked where an answer is unsure and its likely readings have a single difference.

    Attributes:
        kind: the kind of difference: column, columns, aggregate, distinct, group, order, table, value (its column),
            near (the value does not exist).
        question: the question, in the user's language.
        options: the options; the first is the reading that was answered, unless the value does not exist.
    """

    kind: str
    question: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes:
        sql: the query, None where nothing fits the question.
        columns: the names of its columns.
        rows: its rows, up to the limit of the connection.
        truncated: whether there are more rows.
        confidence: the probability that it is right, 0 to 1.
        status: whether to rely on it.
        reason: the reason not to, in one line; None where ``status`` is ok.
        alternatives: other answers, the likeliest first.
        seconds: the time from question to answer, including that of the query.
        like: the solved question whose template the query fills, None if there is none.
        knowledge: the formulas that the query uses, or that were in the prompt of a language model.
        notes: the assumptions of the query, for instance the days of «last month».
        unread: the pieces of the question's evidence that are no formulas and were ignored, each with the reason.
        carried: the context edit from the query before it in the conversation, None if there was none.
        clarification: the clarification question, None if the answer is sure or a question would not help.
        tables: the tables that were read for it, in the schema's order: all of a small database, else the likeliest.
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
        """Return the number of tokens that a language model read and wrote for it; None if they are not counted."""
        return 0

    @property
    def unheard(self) -> bool:
        """Did a language model fail to give any reply?"""
        return False

    @property
    def tried(self) -> tuple[str, ...]:
        """Return the queries that failed before this answer."""
        return (self.sql,) if self.status == "error" and self.sql is not None else ()

    def refused(self, reason: str) -> Answer:
        """Return a copy without an answer, and with a reason."""
        return type(self)(self.question, None, status="no_answer", reason=reason, seconds=self.seconds)

    def to_json(self) -> dict[str, Any]:
        """Return the answer as dicts and lists that JSON can hold."""
        question = self.clarification
        data = asdict(replace(self, rows=(), clarification=None))  # some cells cannot be copied
        data["rows"] = plain_rows(self.rows)
        if question is not None:
            options = [asdict(replace(item, rows=())) | {"rows": plain_rows(item.rows)} for item in question.options]
            data["clarification"] = {"kind": question.kind, "question": question.question, "options": options}
        return data
