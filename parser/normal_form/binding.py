"""Which source each column of a query belongs to, and what outputs' names and numbers stand for.

As SQLite reads them: a column of the SELECT itself goes before an alias of its output, but not in ORDER BY; both go
before columns of SELECTs around it; a name in double quotes that is none of these is a string, but on PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ...data.errors import QueryError, did_you_mean
from ...grammar import Grammar
from ...grammar.reading.lexer import Part
from .joins import rebuild
from .sources import QueryScope, QuerySource, plain, read_from
from .words import output_name

__all__ = ["Binder"]


class Binder:
    """Reads the names of one query.

    Attributes:
        sources: those of all SELECTs, by key.
        scopes: an outer SELECT before those in it.
        ranks: where tables stand in the schema.
        dialect: of the query.
    """

    def __init__(self, grammar: Grammar) -> None:
        self.sources: dict[str, QuerySource] = {}
        self.scopes: list[QueryScope] = []
        self.dialect = grammar.dialect
        self._names = grammar.names
        self._key, self._quoting = grammar.quoting.key, grammar.quoting
        self._written = [grammar.quoting.write(table) for table in grammar.schema.tables]
        self.ranks = {table.name: rank for rank, table in enumerate(grammar.schema.tables)}
        self._columns = {column.name.lower() for _, column in grammar.schema.columns()}

    def query(self, node: exp.Expr, outer: QueryScope | None = None) -> QueryScope:
        """Put keys in place of owners, and return the scope of the left-most SELECT.

        Raises:
            QueryError: a name means nothing, or there is a clause that has no normal form.
        """
        if node.args.get("with_"):
            raise QueryError("WITH is outside the normal form", hint="write the query where it is used")
        if isinstance(node, exp.Subquery):
            return self.query(node.this, outer)
        if isinstance(node, exp.SetOperation):
            first = self.query(node.this, outer)
            self.query(node.expression, outer)
            self._sort_keys(node, first)
            return first
        if not isinstance(node, exp.Select):
            raise QueryError(f"{node.key.upper()} is no query", hint="write one SELECT")
        return self._select(node, outer)

    def _select(self, select: exp.Select, outer: QueryScope | None) -> QueryScope:
        scope = QueryScope(select, outer)
        self.scopes.append(scope)
        read_from(scope, lambda node: self._source(node, scope), self._meant)
        for joined in scope.joined:
            if joined.join is not None and joined.join.args.get("on"):
                self._visit(joined.join.args["on"], scope)
        for output in list(select.expressions):
            own = self._meant(output.this) if isinstance(output, exp.Column) else self._key(output.name)
            self._visit(output, scope)  # which may call a column by another name
            if isinstance(output, exp.Alias):
                scope.named.append(self._meant(output.args["alias"]))
                scope.aliases.setdefault(scope.named[-1], output.this)
                output.replace(output.this)
            else:
                scope.named.append(own)
        for clause in ("where", "group", "having"):
            if select.args.get(clause):
                self._positions(select.args[clause], scope)
                self._visit(select.args[clause], scope)
        self._sort_keys(select, scope)
        limit = select.args.get("limit")
        for key in limit.expressions if limit is not None else ():
            self._visit(key, scope)
        rebuild(scope, self.ranks)  # before an output, a subquery maybe, is copied to where its name stands
        return scope

    def _source(self, node: exp.Expr, scope: QueryScope) -> QuerySource:
        key = f"#{len(self.sources)}"
        if isinstance(node, exp.Table):
            parts = [Part(self._meant(name), quoted=True) for name in node.parts]
            table = self._names.table(parts)
            if table is None:
                raise QueryError(f"no table {node.name!r}", hint=did_you_mean(node.name, self._written))
            shows = {self._key(column.name): column.name for column in table.columns}
            source = QuerySource(key, self._called(node) or parts[-1].text, node, table, shows)
        elif isinstance(node, exp.Subquery):
            source = QuerySource(key, self._called(node), node, None, {})
        else:
            raise QueryError(f"{node.key.upper()} is no table")
        self.sources[key] = source
        node.set("alias", exp.TableAlias(this=exp.to_identifier(key)))
        if source.table is None:
            source.shows = self._shown(self.query(node.this, scope.outer))
        return source

    def _meant(self, name: exp.Expr | None) -> str:
        """Return the key of the name that a query means, empty for none."""
        return self._quoting.meant(name.name, quoted=bool(name.args.get("quoted"))) if name is not None else ""

    def _called(self, source: exp.Expr) -> str:
        """Return the key of a source's alias, empty if it has none."""
        alias = source.args.get("alias")
        return self._meant(alias.this) if alias is not None else ""

    def _shown(self, scope: QueryScope) -> dict[str, str]:
        """Return what a derived table shows; its outputs are named c1, c2, …"""
        shows: dict[str, str] = {}
        finals: set[str] = set()
        for called, output in zip(scope.named, list(scope.select.expressions), strict=True):
            if output.is_star:
                owner = output.table if isinstance(output, exp.Column) else ""
                for source in scope.sources:
                    shows |= source.shows if owner in {"", source.key} else {}
                finals |= set(shows)
                continue
            if called:
                final = output_name(1, finals | self._columns)
                output.replace(exp.alias_(output, final))
                shows.setdefault(called, final)
                finals.add(final)
        return shows

    def _sort_keys(self, query: exp.Expr, scope: QueryScope) -> None:
        """Bind ORDER BY, whose terms may be outputs by name or number."""
        order = query.args.get("order")
        if order is None:
            return
        alone = isinstance(query, exp.Select)
        if alone:
            self._positions(order, scope)
        for ordered in order.expressions:
            term = plain(ordered.this)
            named = isinstance(term, exp.Column) and not term.table and scope.aliases.get(self._meant(term.this))
            if named:
                ordered.set("this", named.copy())
            else:
                self._visit(ordered, scope)
            if not alone:
                _number(ordered, scope.select.expressions)

    def _positions(self, clause: exp.Expr, scope: QueryScope) -> None:
        """Put outputs in place of their numbers."""
        terms = clause.expressions if isinstance(clause, exp.Group | exp.Order) else []
        for term in terms:
            number = term.this if isinstance(term, exp.Ordered) else term
            if not (isinstance(number, exp.Literal) and number.is_int):
                continue
            outputs = scope.select.expressions
            position = int(number.name)
            if not 1 <= position <= len(outputs) or any(o.is_star for o in outputs[:position]):
                raise QueryError(f"output {position} cannot be told", hint="write the column itself")
            number.replace(outputs[position - 1].copy())

    def _visit(self, node: exp.Expr, scope: QueryScope) -> None:
        if isinstance(node, exp.Column):
            self._column(node, scope)
        elif isinstance(node, exp.Query):
            self.query(node, scope)
        else:
            for child in list(node.iter_expressions()):
                self._visit(child, scope)

    def _column(self, node: exp.Column, scope: QueryScope) -> None:
        if node.table.startswith("#"):  # a copy of an output that is bound already
            return
        if isinstance(node.this, exp.Star):
            owner = next(iter(self._owners(node, scope.sources)), None)
            if owner is None:
                raise QueryError(f"no source {node.table!r} for {node.table}.*")
            _put(node, owner)
            return
        name = self._meant(node.this)
        level: QueryScope | None = scope
        while level is not None:
            if found := level.showing(name, self._owners(node, level.sources)):
                node.set("this", exp.to_identifier(found[0].shows[name]))
                _put(node, found[0])
                return
            if not node.table and level is scope and name in scope.aliases:
                node.replace(exp.paren(scope.aliases[name]))
                return
            level = level.outer
        if not node.table and node.this.quoted and not self._quoting.folds:
            node.replace(exp.Literal.string(node.name))
            return
        known = [column for source in scope.sources for column in source.shows.values()]
        raise QueryError(f"no column {node.sql()!r} here", hint=did_you_mean(node.name, known))

    def _owners(self, column: exp.Column, sources: Sequence[QuerySource]) -> list[QuerySource]:
        """Return the sources that may be meant by what stands before a column's point, all if nothing does."""
        if not column.table:
            return list(sources)
        owner, namespace = self._meant(column.args["table"]), column.args.get("db")
        if namespace is None:
            return [s for s in sources if s.called == owner]
        parts = [Part(self._meant(name), quoted=True) for name in (namespace, column.args["table"])]
        table = self._names.table(parts)
        return [s for s in sources if table is not None and s.table is table and s.called == owner]


def _put(column: exp.Column, source: QuerySource) -> None:
    """Make a column, or a star, one of a source."""
    column.set("table", exp.to_identifier(source.key))
    column.set("db", None)


def _number(ordered: exp.Ordered, outputs: Sequence[exp.Expr]) -> None:
    """Put an output's number in place of itself: the only way that all engines sort what set operators make."""
    term = plain(ordered.this)
    for position, output in enumerate(outputs, 1):
        if output.is_star:
            return
        if output == term:
            ordered.set("this", exp.Literal.number(position))
            return
