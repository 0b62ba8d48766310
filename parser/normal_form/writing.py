"""Writes queries in normal form, the canonical form that networks learn.

    SELECT T2.name, count(*) AS n FROM         SELECT Artist.Name, COUNT(*) FROM Artist JOIN Album
    album AS T1, artist AS T2                  ON Artist.ArtistId = Album.ArtistId
    WHERE T1.artistid = T2.artistid            GROUP BY Artist.Name
    GROUP BY 1 ORDER BY n DESC LIMIT 0, 3      ORDER BY COUNT(*) DESC LIMIT 3

`binding` resolves names and `joins` orders joins; sources get their names and expressions are tidied here. If a table
has several keys into itself, the number in the name of a use says which of them refers to it: see `later_uses`.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from sqlglot import exp

from ...data.errors import QueryError
from ...data.parsing import PARSE_ERRORS, parse_problem, read_tree, tidy
from ...data.schema.later_uses import later_uses, names_in, referred_uses
from ...data.schema.schema import Schema, Table
from ...data.sql.query import Query, readable, unbracketed, written
from ...grammar import Grammar
from ...grammar.reading.lexer import Quoting
from .binding import Binder
from .joins import QueryScope, QuerySource, own_keys, referred_by, self_links
from .top_k_per_group import with_limit_by
from .words import derived_name

_PREDICATES = (
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.In, exp.Between, exp.Like, exp.Glob, exp.Escape,
)  # fmt: skip
_BINDING: dict[type[exp.Expr], int] = {
    exp.Or: 1,
    exp.And: 2,
    exp.Not: 3,
    **dict.fromkeys(_PREDICATES, 4),
    exp.Add: 5,
    exp.Sub: 5,
    exp.Mul: 6,
    exp.Div: 6,
    exp.Mod: 6,
    exp.Neg: 7,
    exp.DPipe: 8,
}
"""The precedence of operators; other nodes need no brackets."""

_SUMS = range(5, 8)
_LEFT = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
_ASSOCIATIVE = (exp.And, exp.Or)
_SAFE = (
    exp.Func, exp.Where, exp.Having, exp.Select, exp.Ordered, exp.Group, exp.Join, exp.If, exp.Case, exp.Paren,
    exp.Tuple, exp.Distinct,
)  # fmt: skip
"""The nodes whose parts are separated by commas, keywords or brackets."""


def tidied(tree: exp.Query) -> exp.Query:
    """Return a query with its expressions in normal form."""
    for node in reversed(list(tree.walk())):
        if isinstance(node, exp.Count) and isinstance(node.this, exp.Literal):
            node.set("this", exp.Star())  # no literal is NULL
        elif isinstance(node, exp.Literal) and not node.is_string:
            node.set("this", _number(node.name))
        elif isinstance(node, exp.Ordered) and not node.args.get("desc"):
            node.set("desc", None)
        elif isinstance(node, exp.Offset) and node.expression.name == "0" and node.parent:
            node.parent.set("offset", None)
            if node.expressions:  # of PER
                node.parent.args["limit"].set("expressions", node.expressions)
    for node in list(tree.find_all(exp.Paren)):
        if _needless(node):
            node.replace(node.this)
    return tree


def _number(text: str) -> str:
    """Return a number without needless zeros; ``3.0`` differs from ``3``, since division by it differs."""
    if text.isdigit():
        return text.lstrip("0") or "0"
    whole, dot, part = text.partition(".")
    if not dot or not (whole + part).isdigit():
        return text
    return f"{whole.lstrip('0') or '0'}.{part.rstrip('0') or '0'}"


def _needless(paren: exp.Paren) -> bool:
    inner, parent = paren.this, paren.parent
    mine = _BINDING.get(type(inner), 0 if isinstance(inner, exp.Binary) else 9)
    if isinstance(inner, exp.Subquery | exp.Paren) or parent is None:
        return True
    around = _BINDING.get(type(parent))
    if around is None:
        safe = isinstance(parent, _SAFE) and not isinstance(parent, exp.Binary)  # REGEXP is a function to sqlglot
        return safe and not isinstance(inner, exp.Query | exp.Tuple)
    if isinstance(inner, exp.DPipe) and around in _SUMS:  # dialects differ in which binds faster
        return False
    if isinstance(parent, exp.In) and paren is not parent.this:
        return True
    if isinstance(parent, _ASSOCIATIVE) and isinstance(inner, type(parent)):
        return True
    first = paren is parent.this and isinstance(parent, _LEFT)
    return mine > around or (mine == around and first)


class Namer:
    """Names the sources of queries, and replaces their keys by the names."""

    def __init__(self, schema: Schema, quoting: Quoting, *, aliased: bool) -> None:
        self._quoting = quoting
        self._aliased = aliased  # the dialect requires names of derived tables
        self._known = names_in(schema)
        self._keys = {table.name: len(referred_uses(table, self._known)) for table in schema.tables}

    def write(self, tree: exp.Query, binder: Binder) -> exp.Query:
        """Name all sources of a query, and write the names into its tree; return the tree."""
        derived = 0
        used = set(own_keys(tree))
        referred = referred_by(self_links(tree.find_all(exp.EQ), binder.sources))
        for scope in binder.scopes:
            self._name(scope, self._reached(scope, binder), referred)
            for source in scope.sources:
                if source.table is not None:
                    continue
                if source.key not in used:  # nothing refers to its outputs
                    for output in [one for one in source.node.this.selects if isinstance(one, exp.Alias)]:
                        output.replace(output.this)
                if source.key in used or self._aliased:
                    derived += 1
                    source.name = derived_name(derived, self._known)
        for node in tree.find_all(exp.Table, exp.Subquery):
            if node.alias in binder.sources:
                self._put(node, binder.sources[node.alias])
        for column in tree.find_all(exp.Column):
            if column.table in binder.sources:
                self._own(column, binder.sources[column.table])
            if isinstance(column.this, exp.Identifier):
                column.set("this", self._identifier(column.name))
        return tree

    def _reached(self, scope: QueryScope, binder: Binder) -> set[str]:
        """Return the names of outer sources that a SELECT or a SELECT inside it refers to."""
        inside = {id(node) for node in scope.select.find_all(exp.Select)}
        own = {source.key for other in binder.scopes if id(other.select) in inside for source in other.sources}
        reached = (binder.sources[key].name for key in own_keys(scope.select) if key not in own)
        return set(map(self._quoting.key, reached))

    def _name(self, scope: QueryScope, taken: set[str], referred: Mapping[str, int]) -> None:
        """Name the tables of one FROM: first uses, then uses that one of several keys refers to, then the others."""
        for choice in range(3):
            for source in scope.sources:
                if source.table is None or source.name:
                    continue
                names = self._names(source.table, referred.get(source.key))[choice]
                source.name = next((name for name in names if self._quoting.key(name) not in taken), "")
                taken.add(self._quoting.key(source.name))

    def _names(self, table: Table, number: int | None) -> tuple[Iterable[str], Iterable[str], Iterable[str]]:
        """Return the possible names of a use: that of the table, those of its key, those of all later uses."""
        keys, later = self._keys[table.name], later_uses(table.name, self._known)
        several = number is not None and number < keys > 1
        return (table.name,), islice(later, number, None, keys) if several else (), later

    def _put(self, node: exp.Expr, source: QuerySource) -> None:
        alias = bool(source.name)
        if source.table is not None:
            node.set("this", self._identifier(source.table.own_name))
            node.set("db", self._identifier(source.table.namespace) if source.table.qualified else None)
            alias = source.name != source.table.name
        node.set("alias", exp.TableAlias(this=self._identifier(source.name)) if alias else None)

    def _own(self, column: exp.Column, source: QuerySource) -> None:
        """Write the source of a column, with the namespace of a table that has its own name."""
        table = source.table if source.table is not None and source.name == source.table.name else None
        column.set("table", self._identifier(source.name if table is None else table.own_name))
        column.set("db", self._identifier(table.namespace) if table is not None and table.qualified else None)

    def _identifier(self, name: str) -> exp.Identifier:
        return exp.to_identifier(name, quoted=self._quoting.write(name) != name)


Rewriting = Callable[[Binder], bool]
"""Changes the SELECTs of a query, whose sources have keys, and returns whether it did; new SELECTs have scopes."""


class NormalForm:
    """Writes queries of one grammar in normal form."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self._names = grammar.schema.names
        self._namer = Namer(grammar.schema, grammar.quoting, aliased=grammar.dialect != "sqlite")

    def of(self, sql: str) -> str:
        """Return the normal form of a query, slotted or filled.

        It returns the same rows, except where ORDER BY or GROUP BY leaves the choice of rows to the engine.

        Raises:
            QueryError: the query does not parse, has an unknown name, or has no normal form.
        """
        dialect = self.grammar.dialect
        try:
            tree = read_tree(readable(tidy(sql, dialect=dialect, names=self._names), dialect), dialect)
            return self._written(self._named(tree)[0])
        except PARSE_ERRORS as error:
            raise QueryError(f"not {dialect}: {parse_problem(error)}") from error

    def rewritten(self, query: Query, rewriting: Rewriting) -> Query:
        """Return a query in normal form after a rewriting; the same query if that changes nothing.

        Raises:
            QueryError: the result has no normal form.
        """
        if query.slotted_tree is None:
            return query
        tree, changed = self._named(query.slotted_tree.copy(), rewriting)
        return query.with_tree(tree, self._written(tree)) if changed else query

    def _named(self, tree: exp.Expr, rewriting: Rewriting = lambda binder: False) -> tuple[exp.Query, bool]:
        """Bring a tree into normal form, in place; return it, and whether a rewriting has changed it."""
        binder = Binder(self.grammar)
        bound = binder.bind(with_limit_by(unbracketed(tree)))
        changed = rewriting(binder)
        return tidied(self._namer.write(bound, binder)), changed

    def _written(self, tree: exp.Query) -> str:
        return self.grammar.canonical(written(tree, self.grammar.dialect, comments=False))
