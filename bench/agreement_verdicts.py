"""What Querent's grammar and sqlglot's parser say of one query."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Set
from dataclasses import dataclass

import sqlglot
from agreement_mutants import Query, Word
from sqlglot import exp
from sqlglot.errors import SqlglotError

from querent.data.errors import QueryError
from querent.grammar import Grammar

CELLS = ("both accept", "both refuse", "sqlglot alone accepts", "grammar alone accepts")

_NAMES = {"TABLE": "table", "ALIAS": "alias", "COLUMN": "column", "QCOLUMN": "column", "QSTAR": "column"}
_KINDS = {**_NAMES, "STRING": "string", "WHOLE": "number", "NUMBER": "number"}


@dataclass(frozen=True)
class Verdict:
    """What both parsers say of a query.

    Attributes:
        query: its words.
        sql: its text, slots filled.
        refusal: what the grammar said; None if it accepts.
        at: the number of the word refused; past the last if the query stops too early.
        expected: what the grammar expected there, in the words of its message.
        tree: what sqlglot read; None if it refused.
        complaint: what sqlglot said.
    """

    query: Query
    sql: str
    refusal: QueryError | None
    at: int
    expected: Set[str]
    tree: exp.Expr | None
    complaint: str

    @property
    def cell(self) -> str:
        """Return which of `CELLS` it is counted in."""
        if self.tree is None:
            return "both refuse" if self.refusal else "grammar alone accepts"
        return "sqlglot alone accepts" if self.refusal else "both accept"

    @property
    def own(self) -> str:
        """Return the grammar's reason: an early end, an unknown name, or the kind of word that cannot stand there."""
        if self.refusal is None:
            return ""
        if self.at == len(self.query):
            return "early end"
        return "unknown name" if self.refusal.problem.startswith("unknown name") else f"unexpected {self.kind}"

    @property
    def kind(self) -> str:
        """Return what the word refused is; empty at the end."""
        if self.at == len(self.query):
            return ""
        word = self.query[self.at]
        return _KINDS.get(word.terminal, "keyword or function" if word.text[0].isalpha() else "sign")

    @property
    def word(self) -> str:
        """Return the text of the word refused; empty at the end."""
        return self.near(0)

    def near(self, offset: int) -> str:
        """Return the text of a neighbour of the word refused; empty outside of the query."""
        place = self.at + offset
        return self.query[place].text if 0 <= place < len(self.query) else ""

    def expects(self, *spoken: str) -> bool:
        """Say whether the grammar expected one of these."""
        return not self.expected.isdisjoint(spoken)

    def shown(self, *, names: bool) -> str:
        """Return the words around the one refused; without ``names``, terminals stand for names and values."""

        def text(word: Word) -> str:
            return word.text if names or word.terminal not in _KINDS else word.terminal

        around = [text(word) for word in self.query[max(0, self.at - 4) : self.at + 4]]
        place = min(self.at, 4)
        around[place : place + 1] = [f"⟨{around[place]}⟩" if place < len(around) else "⟨end⟩"]
        return " ".join(around)


def judge(grammar: Grammar, query: Query) -> Verdict:
    """Ask both parsers."""
    sql = grammar.spell((word.filled, word.terminal) for word in query)
    tree, complaint = None, ""
    try:
        tree = sqlglot.parse_one(sql, dialect=grammar.dialect, error_level=sqlglot.ErrorLevel.RAISE)
    except SqlglotError as error:
        complaint = str(error).splitlines()[0]
    except Exception as error:  # sqlglot trips over some texts
        complaint = f"crash, {type(error).__name__}: {error}"
    try:
        grammar.tokenize(grammar.spell((word.text, word.terminal) for word in query))
    except QueryError as error:
        at = _place(grammar, query, error.position)
        expected = frozenset((error.hint or "").removeprefix("expected ").split(", "))
        return Verdict(query, sql, error, at, expected, tree, complaint)
    return Verdict(query, sql, None, len(query), frozenset(), tree, complaint)


def _place(grammar: Grammar, query: Query, position: int) -> int:
    """Return the number of the word that stands at a position of the spelled query."""

    def spelled(count: int) -> int:
        return len(grammar.spell((word.text, word.terminal) for word in query[:count]))

    return bisect_right(range(len(query) + 1), position, key=spelled) - 1
