"""SQL text into tokens: lexemes get their terminals from what the grammar lets come next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...data.errors import QueryError, did_you_mean
from ..lr.functions import FunctionSpec
from ..lr.tables import END, Tables
from ..stack.graph_stack import GraphStack
from ..stack.node import Node
from .identifiers import Identifiers, NameReading, QueryAliases
from .lexer import Called, Lexeme, Lexer, calls

__all__ = ["Token", "Tokenizer", "describe_terminals"]


@dataclass(frozen=True)
class Token:
    """One word of a query.

    Attributes:
        text: the word in canonical form.
        terminal: what it is to the grammar.
        start: first character in the text that was read.
        end: one past the last.
        tables: the tables that a name stands for or may belong to; empty for derived columns.
        column: the column's name without owner and quotes.
    """

    text: str
    terminal: str
    start: int
    end: int
    tables: tuple[str, ...] = ()
    column: str | None = None


@dataclass(frozen=True)
class _Path:
    """A reading of the text so far; paths share their beginnings."""

    before: _Path | None
    token: Token


class Tokenizer:
    """Reads the queries of one schema in one dialect."""

    def __init__(self, tables: Tables, functions: Mapping[str, FunctionSpec], names: Identifiers, dialect: str) -> None:
        self._tables = tables
        self._functions = functions
        self._names = names
        self._number = {name: i for i, name in enumerate(tables.terminals)}
        self._fixed = {text: name for name, text in tables.texts.items()}
        self._stack = GraphStack(tables)
        self.lexemes = Lexer(dialect, [text for text in self._fixed if not text[0].isalpha()]).lexemes

    def read(self, sql: str) -> list[Token]:
        """Return the tokens of ``sql``.

        Where a word has several readings, all are followed together; of those that end on the same
        stack the likeliest is kept.

        Raises:
            QueryError: the text is outside the grammar or uses a name that is not there.
        """
        self._stack.trim()
        lexemes = list(self.lexemes(sql))
        scope = self._names.scope(lexemes)
        alive: dict[Node, _Path | None] = {self._stack.root: None}
        for lexeme, called in zip(lexemes, calls(lexemes), strict=True):
            readings = self.fixed_readings(lexeme, called)
            if lexeme.kind == "name":
                readings += self._names.readings(lexeme, scope)
            after: dict[Node, _Path | None] = {}
            for node, path in alive.items():
                paths = self._stack.paths(node)
                for use in readings:
                    terminal = self._number[use.terminal]
                    if (way := paths.get(terminal)) is None:
                        continue
                    top = self._stack.shift(way, terminal)
                    if top not in after:
                        token = Token(use.text, use.terminal, lexeme.start, lexeme.end, use.tables, use.column)
                        after[top] = _Path(path, token)
            if not after:
                raise self._refusal(lexeme, readings, alive, scope)
            alive = after
        for node, path in alive.items():
            if self._stack.complete(node):
                return _unwind(path)
        end = lexemes[-1].end if lexemes else 0
        raise QueryError(f"the query stops at {end}", position=end, hint=self._expected(alive))

    def fixed_readings(self, lexeme: Lexeme, called: Called) -> list[NameReading]:
        """Return the ways to read a lexeme that is no name of the schema's or query's."""
        if lexeme.kind == "string":
            return [NameReading(lexeme.text, "STRING")]
        if lexeme.kind == "slot":
            return [NameReading(lexeme.text, "WHOLE")]
        if lexeme.kind == "number":
            return [NameReading(lexeme.text, "WHOLE" if lexeme.text.isdigit() else "NUMBER")]
        if lexeme.kind == "operator":
            return [NameReading(lexeme.text, self._fixed[lexeme.text])]
        readings: list[NameReading] = []
        if len(lexeme.parts) == 1 and not lexeme.parts[0].quoted:
            word = lexeme.text.upper()
            function = self._functions.get(word)
            if function is not None and function.takes_parentheses == bool(called):
                readings.append(NameReading(word, function.terminals[-1 if called == "OVER" else 0]))
            if word in self._fixed:
                readings.append(NameReading(word, self._fixed[word]))
        elif lexeme.text in self._fixed:  # COLLATE "C"
            readings.append(NameReading(lexeme.text, self._fixed[lexeme.text]))
        return readings

    def _refusal(
        self, lexeme: Lexeme, readings: list[NameReading], alive: Mapping[Node, _Path | None], scope: QueryAliases
    ) -> QueryError:
        if readings:
            problem = f"{lexeme.text!r} cannot stand at {lexeme.start}"
            return QueryError(problem, position=lexeme.start, hint=self._expected(alive))
        choices = [*self._names.all_names(scope), *self._functions, *self._fixed]
        hint = (
            did_you_mean(lexeme.text, choices) or "the schema has no such table or column, nor the query such an alias"
        )
        return QueryError(f"unknown name {lexeme.text!r} at {lexeme.start}", position=lexeme.start, hint=hint)

    def _expected(self, alive: Mapping[Node, _Path | None]) -> str:
        return "expected " + describe_terminals(self._tables, {t for n in alive for t in self._stack.paths(n)})


_SPOKEN = {
    "TABLE": "a table",
    "COLUMN": "a column",
    "QCOLUMN": "owner.column",
    "QSTAR": "owner.*",
    "ALIAS": "an alias",
    "STRING": "a string",
    "WHOLE": "a whole number",
    "NUMBER": "a number",
}


def _describe(tables: Tables, terminal: int) -> str:
    """Return how a message speaks of a terminal."""
    if terminal == END:
        return "the end"
    name = tables.terminals[terminal]
    if name in tables.texts:
        return tables.texts[name]
    return _SPOKEN.get(name, "a function")


def describe_terminals(tables: Tables, terminals: Iterable[int]) -> str:
    """Return how a message lists terminals."""
    return ", ".join(dict.fromkeys(_describe(tables, t) for t in sorted(terminals)))


def _unwind(path: _Path | None) -> list[Token]:
    tokens: list[Token] = []
    while path is not None:
        tokens.append(path.token)
        path = path.before
    return tokens[::-1]
