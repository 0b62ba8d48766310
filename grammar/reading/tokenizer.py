"""SQL text into tokens: what each name means, and the terminals that the grammar lets come next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...data.errors import QueryError, did_you_mean
from ...data.schema.schema import Schema, Table
from ..lr.tables import FunctionSpec, Tables
from ..stack.graph_stack import GraphStack, Node
from .lexer import Called, Lexeme, Lexer, Part, Quoting, calls


@dataclass(frozen=True)
class NameReading:
    """One way to read a name: its word, its terminal, and the tables and column it means."""

    text: str
    terminal: str
    tables: tuple[str, ...] = ()
    column: str | None = None


@dataclass
class QueryAliases:
    """What a query calls its sources and outputs, by the keys of these names.

    Attributes:
        names: each alias that it declares.
        spelling: the same as they are written.
        tables: the tables that an alias stands for.
        derived: aliases of something else.
        common: those of queries of WITH.
        written: the tables in it of those that stand behind their namespaces, by their own names.
    """

    names: dict[str, str] = field(default_factory=dict[str, str])
    spelling: dict[str, str] = field(default_factory=dict[str, str])
    tables: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    derived: set[str] = field(default_factory=set[str])
    common: set[str] = field(default_factory=set[str])
    written: dict[str, dict[str, None]] = field(default_factory=dict[str, "dict[str, None]"])


class Identifiers:
    """Reads names against one schema."""

    def __init__(self, schema: Schema, quoting: Quoting) -> None:
        self.quoting = quoting
        key = quoting.key
        self.tables = {key(t.name): t for t in schema.tables if t.own_name == t.name}
        """Those that are found by their names alone, by key."""
        self._within = {(key(t.namespace), key(t.own_name)): t for t in schema.tables if t.namespace}
        self._named = {t.name: t for t in schema.tables}
        self._owners: dict[str, list[tuple[str, str]]] = {}
        for table, column in schema.columns():
            self._owners.setdefault(key(column.name), []).append((table.name, column.name))

    def table(self, parts: Sequence[Part]) -> Table | None:
        """Return the table that a name in one part or two means."""
        match parts:
            case (part,):
                return self.tables.get(self.quoting.key(part.text))
            case (namespace, part):
                return self._within.get((self.quoting.key(namespace.text), self.quoting.key(part.text)))
            case _:
                return None

    def scope(self, lexemes: Sequence[Lexeme]) -> QueryAliases:
        """Find the aliases that a query declares: names after AS, right after a name, value or parenthesis, in WITH."""
        scope = QueryAliases()
        for i, lexeme in enumerate(lexemes):
            if (table := self.table(lexeme.parts)) and table.qualified:
                scope.written.setdefault(self.quoting.key(table.own_name), {})[table.name] = None
            if i == 0 or len(lexeme.parts) != 1:
                continue
            before = i - 1
            defined = [one.text.upper() for one in lexemes[i + 1 : i + 3]] == ["AS", "("]
            explicit = lexemes[before].text.upper() == "AS"
            if not (self._plain_name(lexeme) or (explicit and self.quoting.refused.takes(lexeme, output=True))):
                continue
            before -= explicit
            if before < 0 or not (explicit or defined or self.ends_operand(lexemes[before])):
                continue
            if before and lexemes[before - 1].text.upper() in {"LIMIT", "OFFSET"}:  # PER stands behind
                continue
            name = lexeme.parts[0].text
            key = self.quoting.key(name)
            scope.names.setdefault(key, name)
            scope.spelling.setdefault(key, self.quoting.write(name) if lexeme.parts[0].quoted else lexeme.text)
            table = None if defined else self.table(lexemes[before].parts)
            if table is not None:
                scope.tables.setdefault(key, []).append(table.name)
            else:
                scope.derived.add(key)
            if defined:
                scope.common.add(key)
        return scope

    def _plain_name(self, lexeme: Lexeme) -> bool:
        return len(lexeme.parts) == 1 and (lexeme.parts[0].quoted or lexeme.text.upper() not in self.quoting.reserved)

    def ends_operand(self, lexeme: Lexeme) -> bool:
        """Say whether an alias without AS may follow."""
        if lexeme.kind == "operator":
            return lexeme.text == ")"
        if lexeme.kind != "name" or len(lexeme.parts) > 1 or self._plain_name(lexeme):
            return True
        return lexeme.text.upper() in {"END", "NULL", "TRUE", "FALSE"}

    def readings(self, lexeme: Lexeme, scope: QueryAliases) -> list[NameReading]:
        """Return every way to read a name, the likeliest first."""
        match lexeme.parts:
            case (part,):
                return self._plain(part.text, scope)
            case (owner, part):
                return [*self._tables(self.table(lexeme.parts)), *self._dotted(owner.text, part, scope)]
            case (namespace, owner, part):
                table = self.table((namespace, owner))
                return [] if table is None else self._of(self.quoting.write(table), part, [table.name])
            case _:
                return []

    def _tables(self, table: Table | None) -> list[NameReading]:
        return [] if table is None else [NameReading(self.quoting.write(table), "TABLE", (table.name,))]

    def _plain(self, name: str, scope: QueryAliases) -> list[NameReading]:
        key = self.quoting.key(name)
        found = self._tables(self.tables.get(key))
        owners = self._owners.get(key)
        if owners:
            spelled = self.spelling(name)
            found.append(NameReading(self.quoting.write(spelled), "COLUMN", tuple(t for t, _ in owners), spelled))
        if key in scope.spelling:
            tables = tuple(dict.fromkeys(scope.tables.get(key, ())))
            found.append(NameReading(scope.spelling[key], "ALIAS", tables))
        if key in scope.spelling and scope.common:
            found.append(NameReading(scope.spelling[key], "COLUMN", (), scope.names[key]))
        return found

    def _dotted(self, owner: str, part: Part, scope: QueryAliases) -> list[NameReading]:
        key = self.quoting.key(owner)
        tables = list(dict.fromkeys(scope.tables.get(key, ())))
        if key in scope.spelling:
            spelled = scope.spelling[key]
            if key in self.tables and self.tables[key].name not in tables:
                tables.append(self.tables[key].name)
            return self._of(spelled, part, tables) or self._derived(spelled, part, key, scope)
        table = self._own(key, scope)
        return [] if table is None else self._of(self.quoting.write(table), part, [table.name])

    def _own(self, key: str, scope: QueryAliases) -> Table | None:
        """Return the table that is called by its own name: ``orders.id`` behind ``FROM "Sales".orders``."""
        written = [self._named[name] for name in scope.written.get(key, ())]
        return written[0] if len(written) == 1 else None if written else self.tables.get(key)

    def _of(self, owner: str, part: Part, tables: Sequence[str]) -> list[NameReading]:
        """Return the column of these tables, or their star, behind an owner as it is written."""
        if part.text == "*" and not part.quoted:
            return [NameReading(f"{owner}.*", "QSTAR", tuple(tables), "*")]
        found = [(t, c) for t, c in self._owners.get(self.quoting.key(part.text), ()) if t in tables]
        if not found:
            return []
        spelled = found[0][1]
        text = f"{owner}.{self.quoting.write(spelled)}"
        return [NameReading(text, "QCOLUMN", tuple(t for t, _ in found), spelled)]

    def _derived(self, owner: str, part: Part, key: str, scope: QueryAliases) -> list[NameReading]:
        """Return a column of a derived table, which shows columns of the schema and the aliases of its own output."""
        if key not in scope.derived:
            return []
        column = self.quoting.key(part.text)
        known = [c for _, c in self._owners.get(column, ())]
        if known:
            return [NameReading(f"{owner}.{self.quoting.write(known[0])}", "QCOLUMN", (), known[0])]
        output = scope.spelling.get(column)
        return [] if output is None else [NameReading(f"{owner}.{output}", "QCOLUMN", (), scope.names[column])]

    def spelling(self, column: str) -> str:
        """Return how a bare column is written: as the first table has it that has one called so."""
        return self._owners[self.quoting.key(column)][0][1]

    def all_names(self, scope: QueryAliases) -> Iterable[str]:
        """Yield the names that a misspelt one may stand for, as they are written."""
        write = self.quoting.write
        for table in self._named.values():
            yield write(table)
            for column in table.columns:
                yield write(column.name)
                yield f"{write(table)}.{write(column.name)}"
        for key, alias in scope.spelling.items():
            yield alias
            for table in scope.tables.get(key, ()):
                yield from (f"{alias}.{write(c.name)}" for c in self._named[table].columns)


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


_DESCRIBED = {
    "TABLE": "a table",
    "COLUMN": "a column",
    "QCOLUMN": "owner.column",
    "QSTAR": "owner.*",
    "ALIAS": "an alias",
    "STRING": "a string",
    "WHOLE": "a whole number",
    "NUMBER": "a number",
}


def describe_terminals(tables: Tables, terminals: Iterable[int]) -> str:
    """Return how a message lists terminals."""
    described = {"$END": "the end", **_DESCRIBED, **tables.texts}
    return ", ".join(dict.fromkeys(described.get(tables.terminals[t], "a function") for t in sorted(terminals)))


def _unwind(path: _Path | None) -> list[Token]:
    tokens: list[Token] = []
    while path is not None:
        tokens.append(path.token)
        path = path.before
    return tokens[::-1]
