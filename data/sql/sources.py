"""The tables and derived tables of a query's FROM, their aliases in one form, and the columns and literals of a query.

    lake AS a JOIN state AS s ON a.s = s.s           lake JOIN state ON lake.s = state.s
    lake AS a JOIN lake AS b ON a.x < b.x            lake AS lake1 JOIN lake AS lake2 ON lake1.x < lake2.x
    MAX(d.n) FROM (SELECT COUNT(*) AS n …) AS d      MAX(derived1.value1) FROM (SELECT COUNT(*) AS value1 …) AS derived1

A table that is used once needs no alias and has none; derived tables and computed columns are numbered in the order in
which they are written. Names are looked up here alone, on sqlglot's scopes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlglot import TokenType, exp
from sqlglot.optimizer.scope import Scope

from ..errors import QueryError
from ..parsing import PARSE_ERRORS, parse, parse_problem, read_tree, words_of
from ..schema.schema import Schema, Table
from .query import readable, written


def sources_of(select: exp.Select) -> list[exp.Expr]:
    """Return the tables and derived tables of one SELECT, in the order in which they stand, joins in brackets, too."""
    return [_whole(node) for _, node in Scope(select).references]


def _whole(node: exp.Expr) -> exp.Expr:
    """Return a source as it stands in FROM: sqlglot gives the query within a derived table."""
    while isinstance(node.parent, exp.Subquery) and not isinstance(node, exp.Table):
        node = node.parent
    return node


def enclosing_selects(select: exp.Expr | None) -> Iterator[exp.Select]:
    """Yield the SELECTs whose sources a column of one may be of: itself, then those around it.

    A derived table reads nothing of the SELECT in whose FROM it stands, but something of those around that.
    """
    hidden = False
    while isinstance(select, exp.Select):
        if not hidden:
            yield select
        top: exp.Expr = select
        while isinstance(top.parent, exp.Subquery | exp.SetOperation):
            top = top.parent
        hidden = isinstance(top.parent, exp.From | exp.Join)
        select = top.find_ancestor(exp.Select)


def owners(column: exp.Column, owns: Callable[[exp.Expr], bool]) -> list[exp.Expr]:
    """Return the sources that own a column, of the nearest SELECT that has such; none where no SELECT has any.

    Args:
        column: where it stands in its query.
        owns: returns whether a source has the column.
    """
    for select in enclosing_selects(column.find_ancestor(exp.Select)):
        if found := [source for source in sources_of(select) if owns(source)]:
            return found
    return []


def is_column(node: exp.Expr) -> bool:
    """Return whether this is a column, no star."""
    return isinstance(node, exp.Column) and not isinstance(node.this, exp.Star)


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """Return the conditions that are joined by AND; TRUE is none. A clause such as WHERE stands for its condition."""
    if condition is None:
        return []
    inner = condition.unnest()
    if isinstance(inner, exp.Where | exp.Having):
        return conjuncts(inner.this)
    if isinstance(inner, exp.And):
        return [*conjuncts(inner.this), *conjuncts(inner.expression)]
    return [] if isinstance(inner, exp.Boolean) and inner.this else [inner]


def tables_of(sql: str, schema: Schema, dialect: str) -> tuple[str, ...]:
    """Return the stored tables that a query reads, as the schema spells them; none of a text that is no query."""
    try:
        return tables_in(read_tree(sql, dialect), schema)
    except PARSE_ERRORS:
        return ()


def tables_in(tree: exp.Expr, schema: Schema) -> tuple[str, ...]:
    """Return the stored tables that a query reads, as the schema spells them, by its syntax tree."""
    found = (_stored([_called(part) for part in one.parts], schema) for one in tree.find_all(exp.Table))
    return tuple(dict.fromkeys(table.name for table in found if table is not None))


def _stored(path: list[str], schema: Schema) -> Table | None:
    """Return the table of a dotted name; its namespace need not be written where the schema does without."""
    found = schema.by_name.get(".".join(path))
    if found is None and len(path) > 1:
        last = schema.by_name.get(path[-1])
        found = last if last is not None and last.namespace.lower() == path[-2].lower() else None
    return found


class Stored:
    """Tells which stored columns the names in queries stand for.

    Args:
        schema: of the database; what is found is spelled as it spells it.
    """

    def __init__(self, schema: Schema) -> None:
        self._tables: dict[str, tuple[str, dict[str, str]]] = {}
        for table in schema.tables:
            names = [column.name for column in table.columns]
            # if names differ in case alone, the exact one counts
            found = table.name, {name.lower(): name for name in names} | {name: name for name in names}
            within = [f"{table.namespace}.{table.own_name}"] if table.namespace else []
            for called in (table.name, *within):
                self._tables |= {called.lower(): found, called: found}

    def of(self, column: exp.Expr | None) -> list[tuple[exp.Table, str, str]]:
        """Return the use of a table that a column is of, table and column; several if a bare name may be of each."""
        if not isinstance(column, exp.Column):
            return []
        bare: Callable[[exp.Expr], bool] = lambda source: self._spelled(source, column) is not None  # noqa: E731
        return [
            (owner, *spelled)
            for owner in owners(column, _is_called(column) if column.table else bare)
            if isinstance(owner, exp.Table) and (spelled := self._spelled(owner, column)) is not None
        ]

    def _spelled(self, source: exp.Expr, column: exp.Column) -> tuple[str, str] | None:
        if not isinstance(source, exp.Table):
            return None
        called = ".".join(_called(part) for part in source.parts)
        table, columns = self._tables.get(called, self._tables.get(called.lower(), ("", {})))
        name = _called(column.this)
        spelled = columns.get(name, columns.get(name.lower()))
        return None if spelled is None else (table, spelled)


def _is_called(column: exp.Column) -> Callable[[exp.Expr], bool]:
    """Return a function that tests whether a source has the name before a column."""
    return lambda source: source.alias_or_name.lower() == column.table.lower()


def _called(name: exp.Expr) -> str:
    """Return a name, in lower case unless it is quoted."""
    return name.name if name.args.get("quoted") else name.name.lower()


def names_given(queries: Iterable[str], dialect: str, *, most: int = 24) -> tuple[str, ...]:
    """Return what queries call their tables, the most frequent names first; a query that does not parse has none."""
    counts: Counter[str] = Counter()
    for sql in dict.fromkeys(queries):
        tree = parse(readable(sql, dialect), dialect)
        counts.update(alias.name for alias in (tree.find_all(exp.TableAlias) if tree else ()) if alias.name)
    return tuple(name for name, _ in counts.most_common(most))


def with_canonical_aliases(sql: str, *, dialect: str, schema: Schema) -> str:
    """Return a query, slotted or filled, with its aliases in one form.

    Raises:
        QueryError: it does not parse.
    """
    try:
        tree = read_tree(readable(sql, dialect), dialect)
    except PARSE_ERRORS as error:
        raise QueryError(f"not {dialect}: {parse_problem(error)}") from error
    return written(canonicalise_aliases(tree, schema), dialect)


def canonicalise_aliases(tree: exp.Expr, schema: Schema) -> exp.Expr:
    """Put a tree's aliases in one form, in place; return the tree."""
    _rename_tables(tree)
    _rename_columns(tree, {column.name.lower() for _, column in schema.columns()})
    return tree


def _rename_tables(tree: exp.Expr) -> None:
    """Give every source its name; the columns it owns are looked up before anything is renamed."""
    uses = Counter(table.name.lower() for table in tree.find_all(exp.Table))
    dotted = [(column, owners(column, _is_called(column))) for column in tree.find_all(exp.Column) if column.table]
    owned = [(column, found[0]) for column, found in dotted if found]
    counts: Counter[str] = Counter()
    names: dict[int, exp.Expr] = {}
    for source in _in_order(tree):
        if isinstance(source, exp.Table) and (not source.alias or uses[source.name.lower()] == 1):
            names[id(source)] = source.this
            source.set("alias", None)
            continue
        base = source.name if isinstance(source, exp.Table) else "derived"
        counts[base] += 1
        names[id(source)] = exp.to_identifier(f"{base}{counts[base]}")
        source.set("alias", exp.TableAlias(this=names[id(source)].copy()))
    for column, owner in owned:
        column.set("table", names[id(owner)].copy())


def _in_order(tree: exp.Expr) -> Iterator[Any]:
    """Yield tables and derived tables in the order in which they are written, an outer one before those inside it."""
    for node in tree.walk(bfs=False):
        if isinstance(node, exp.Table) or (
            isinstance(node, exp.Subquery) and isinstance(node.parent, exp.From | exp.Join)
        ):
            yield node


def _rename_columns(tree: exp.Expr, known: set[str]) -> None:
    """Number the names of computed columns; a name that a schema's column has stays."""
    names: dict[str, str] = {}
    for alias in tree.find_all(exp.Alias, bfs=False):
        name = alias.alias.lower()
        if name in known:
            continue
        names.setdefault(name, f"value{len(names) + 1}")
        alias.set("alias", exp.to_identifier(names[name]))
    for column in tree.find_all(exp.Column):
        if column.name.lower() in names:
            column.set("this", exp.to_identifier(names[column.name.lower()]))


_ORDERS = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_COMPARISONS = (*_ORDERS, exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.Like, exp.ILike, exp.In)
_RANGES = (*_ORDERS, exp.Limit, exp.Offset, exp.Mul, exp.Div, exp.Neg)


@dataclass(frozen=True)
class SqlLiteral:
    """One literal of a query.

    Attributes:
        start: first character in the SQL text, the opening quote for a string.
        end: one past the last character.
        value: the text, for strings without quotes and with doubled quotes made single.
        string: it stands in quotes.
        column: bare lower-cased name of the column it is compared with; empty if none.
        likely: a place where questions put values (ranges, limits, arithmetic, strings); the rest,
            numbers behind ``=`` or in a call, are mostly flags and codes that no question mentions.
    """

    start: int
    end: int
    value: str
    string: bool
    column: str
    likely: bool


@lru_cache(maxsize=8192)
def sql_literals(sql: str, dialect: str) -> tuple[SqlLiteral, ...]:
    """Return the literals of a query, slotted or filled, from left to right.

    They have no column where sqlglot cannot parse the query; there are none where it finds no words in it.
    """
    text = readable(sql, dialect)
    tokens = words_of(text, dialect)
    # sqlglot keeps the places of most literals in its tree, and of all of them in its tokens
    tree = parse(text, dialect, tokens)
    nodes = {} if tree is None else {node.meta.get("start"): node for node in tree.find_all(exp.Literal)}
    found: list[SqlLiteral] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.token_type not in {TokenType.STRING, TokenType.NUMBER}:
            continue
        start, end, node = token.start, token.end + 1, nodes.get(token.start)
        string = token.token_type == TokenType.STRING
        value = sql[start + 1 : end - 1].replace("''", "'") if string else sql[start:end]
        column = None if node is None else _column_beside(node)
        likely = string or (_ranged(node) if node else before is not None and before.token_type == TokenType.INTERVAL)
        found.append(SqlLiteral(start, end, value, string, column.name.lower() if column else "", likely))
    return tuple(found)


def _ranged(literal: exp.Literal) -> bool:
    parent = literal.parent
    if isinstance(parent, exp.Add | exp.Sub):
        return literal is parent.expression
    return isinstance(parent, _RANGES) and not (isinstance(parent, exp.Between) and literal is parent.this)


def _column_beside(value: exp.Expr) -> exp.Column | None:
    """Return the first column of the comparison that a value stands in, not of a query within it."""
    comparison = value.find_ancestor(*_COMPARISONS, exp.Select)
    if not isinstance(comparison, _COMPARISONS):
        return None
    own = comparison.find_ancestor(exp.Select)
    return next((c for c in comparison.find_all(exp.Column) if c.find_ancestor(exp.Select) is own), None)


@lru_cache(maxsize=8192)
def compared_columns(sql: str, schema: Schema, dialect: str) -> tuple[tuple[str, str, str], ...]:
    """Return (literal or slot, table, column) for each value that a query compares with a column of a table.

    Empty where sqlglot cannot read the query.
    """
    tree = parse(readable(sql, dialect), dialect)
    found, stored = list[tuple[str, str, str]](), Stored(schema)
    for node in () if tree is None else tree.find_all(exp.Literal, exp.Placeholder):
        value = node.sql() if isinstance(node, exp.Literal) else f"{{{node.name}}}"
        found += dict.fromkeys((value, table, name) for _, table, name in stored.of(_column_beside(node)))
    return tuple(found)
