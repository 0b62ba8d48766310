"""Resolves the names of a query: the source of each column, and the outputs that names and numbers stand for.

It follows SQLite. A column of the SELECT itself has priority over an alias of its output, except in ORDER BY; both have
priority over columns of outer SELECTs. Another name in double quotes is a string, except on PostgreSQL.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, build_scope, find_all_in_scope

from ...data.errors import QueryError, did_you_mean
from ...data.sql.sources import enclosing_selects, is_column
from ...grammar import Grammar
from ...grammar.reading.lexer import Part
from .joins import Joined, QueryScope, QuerySource, rebuild
from .words import output_name

_JOIN_PARTS = ("side", "kind", "method")
_KINDS = {"", "INNER", "OUTER", "CROSS"}
"""The kinds of joins that the normal form has or can omit."""


class Binder:
    """Resolves the names of one query.

    Attributes:
        sources: the sources of all SELECTs, by key.
        scopes: the scopes of all SELECTs, each before those inside it.
        ranks: the position of each table in the schema.
        dialect: the dialect of the query.
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
        self._of_select: dict[int, QueryScope] = {}

    def bind(self, query: exp.Expr) -> exp.Query:
        """Replace the names of sources by keys, in FROM and before columns, and order the joins of each SELECT.

        Returns:
            The query itself, changed in place.

        Raises:
            QueryError: a name is unknown, or a clause has no normal form.
        """
        if not isinstance(query, exp.Query):
            raise QueryError(f"{query.key.upper()} is no query", hint="write one SELECT")
        if query.find(exp.With):
            raise QueryError("WITH is outside the normal form", hint="write the query where it is used")
        root = build_scope(query.unnest())
        assert root is not None  # it is a query
        # an inner SELECT before the one around it, first its sources and then all columns
        inner_first: list[exp.Expr] = [scope.expression for scope in root.traverse()]
        for select in inner_first:
            if isinstance(select, exp.Select):
                self._of_select[id(select)] = self._opened(select)
        for node in inner_first:
            if isinstance(node, exp.Select):
                self._bound(self._of_select[id(node)])
            else:
                self._sort_keys(node, self._of_select[id(_leftmost(node))])
        self.scopes = [self._of_select[id(one)] for one in _outer_first(root)]
        return query

    def _opened(self, select: exp.Select) -> QueryScope:
        """Return the scope of a SELECT with its sources, and remove the aliases of its outputs."""
        scope = QueryScope(select, columns=list(find_all_in_scope(select, exp.Column)))
        if start := select.args.get("from_"):
            self._join(scope, start.this, None)
            for join in select.args.get("joins") or []:
                self._join(scope, join.this, join)
        for output in list(select.expressions):
            if isinstance(output, exp.Alias):
                scope.named.append(self._meant(output.args["alias"]))
                scope.aliases.setdefault(scope.named[-1], len(scope.named) - 1)
                output.replace(output.this)
            else:
                scope.named.append(
                    self._meant(output.this) if isinstance(output, exp.Column) else self._key(output.name)
                )
        return scope

    def _join(self, scope: QueryScope, node: exp.Expr, join: exp.Join | None) -> None:
        """Add a source with the joins before its ON, as in ``a JOIN b JOIN c ON … ON …``."""
        inside = node.args.get("joins") or []
        if isinstance(node, exp.Subquery) and not isinstance(node.this, exp.Query):
            raise QueryError("a join in brackets has no normal form", hint="join the tables one by one")
        if inside and join is not None and (join.args.get("side") or join.args.get("using")):
            raise QueryError("an outer join before another's ON", hint="write each ON behind its table")
        node.set("joins", None)
        source = self._source(node)
        side, kind, method = (str(join.args.get(part) or "").upper() if join else "" for part in _JOIN_PARTS)
        if odd := method or (side if side in {"FULL", "RIGHT"} else "") or (kind if kind not in _KINDS else ""):
            raise QueryError(f"a {odd} JOIN has no normal form", hint="write JOIN or LEFT JOIN")
        equal = [self._common(scope, source, self._meant(one)) for one in (join and join.args.get("using")) or []]
        scope.joined.append(Joined(source, join, side == "LEFT", equal))
        for inner in inside:
            self._join(scope, inner.this, inner)

    def _common(self, scope: QueryScope, source: QuerySource, name: str) -> exp.Expr:
        """Return the equality that USING stands for, given the key of its column."""
        earlier = next((one for one in scope.sources if name in one.shows), None)
        if earlier is None or name not in source.shows:
            raise QueryError(f"USING ({name}), which not both sides have")
        scope.merged.add(name)
        one, other = (exp.column(side.shows[name], table=side.key) for side in (earlier, source))
        return exp.EQ(this=one, expression=other)

    def _source(self, node: exp.Expr) -> QuerySource:
        key = f"#{len(self.sources)}"
        if isinstance(node, exp.Table):
            parts = [Part(self._meant(name), quoted=True) for name in node.parts]
            table = self._names.table(parts)
            if table is None:
                raise QueryError(f"no table {node.name!r}", hint=did_you_mean(node.name, self._written))
            shows = {self._key(column.name): column.name for column in table.columns}
            source = QuerySource(key, self._called(node) or parts[-1].text, node, table, shows)
        elif isinstance(node, exp.Subquery):
            source = QuerySource(key, self._called(node), node, None, self._shown(_leftmost(node)))
        else:
            raise QueryError(f"{node.key.upper()} is no table")
        self.sources[key] = source
        node.set("alias", exp.TableAlias(this=exp.to_identifier(key)))
        return source

    def again(self, source: QuerySource) -> QuerySource:
        """Return another source of the same table, which is in no FROM yet."""
        made = replace(source, key=f"#{len(self.sources)}", node=source.node.copy())
        made.node.set("alias", exp.TableAlias(this=exp.to_identifier(made.key)))
        self.sources[made.key] = made
        return made

    def _meant(self, name: exp.Expr | None) -> str:
        """Return the key of a name, empty without one."""
        return self._quoting.written_key(name.name, quoted=bool(name.args.get("quoted"))) if name is not None else ""

    def _called(self, source: exp.Expr) -> str:
        """Return the key of a source's alias, empty if it has none."""
        alias = source.args.get("alias")
        return self._meant(alias.this) if alias is not None else ""

    def _shown(self, select: exp.Select) -> dict[str, str]:
        """Return the columns of a derived table by their keys, and name its outputs c1, c2, …"""
        scope, shows, finals = self._of_select[id(select)], dict[str, str](), set[str]()
        for called, output in zip(scope.named, list(select.expressions), strict=True):
            if output.is_star:
                owner = self._meant(output.args["table"]) if isinstance(output, exp.Column) else ""
                for source in scope.sources:
                    shows |= source.shows if owner in {"", source.called} else {}
                finals |= set(shows)
            elif called:
                final = output_name(1, finals | self._columns)
                output.replace(exp.alias_(output, final))
                shows.setdefault(called, final)
                finals.add(final)
        return shows

    def _bound(self, scope: QueryScope) -> None:
        """Bind the columns of a SELECT, its outputs first, and rebuild its FROM."""
        select = scope.select
        order = select.args.get("order")
        outputs, sorting = _columns_in(*select.expressions), _columns_in(order)
        for column in outputs:
            self._column(column, scope, {})  # an output cannot use the alias of another
        for column in scope.columns:
            if not any(column is one for one in (*outputs, *sorting)):
                self._column(column, scope, scope.aliases)
        self._positions(select.args.get("group"), scope)
        self._sort_keys(select, scope)
        rebuild(scope, self.ranks)

    def _sort_keys(self, query: exp.Expr, scope: QueryScope) -> None:
        """Bind ORDER BY, whose terms may be outputs by name or number."""
        order = query.args.get("order")
        alone = isinstance(query, exp.Select)
        if alone:
            self._positions(order, scope)
        for ordered in order.expressions if order is not None else ():
            term = ordered.this.unnest()
            place = scope.aliases.get(self._meant(term.this)) if is_column(term) and not term.table else None
            if place is not None:
                ordered.set("this", scope.outputs[place].copy())
            else:
                for column in _columns_in(ordered):
                    self._column(column, scope, scope.aliases)
            if not alone:
                _number(ordered, scope.outputs)

    def _positions(self, clause: exp.Expr | None, scope: QueryScope) -> None:
        """Replace the numbers of outputs by the outputs."""
        for term in clause.expressions if clause is not None else ():
            number = term.this if isinstance(term, exp.Ordered) else term
            if not (isinstance(number, exp.Literal) and number.is_int):
                continue
            position = int(number.name)
            if not 1 <= position <= len(scope.outputs) or any(one.is_star for one in scope.outputs[:position]):
                raise QueryError(f"output {position} is unknown", hint="write the column itself")
            number.replace(scope.outputs[position - 1].copy())

    def _column(self, node: exp.Column, scope: QueryScope, aliases: Mapping[str, int]) -> None:
        if node.table.startswith("#"):  # a copy of an output that is bound already
            return
        if isinstance(node.this, exp.Star):
            owner = next(iter(self._owners(node, scope.sources)), None)
            if owner is None:
                raise QueryError(f"no source {node.table!r} for {node.table}.*")
            _put(node, owner)
            return
        name = self._meant(node.this)
        for level in (self._of_select[id(select)] for select in enclosing_selects(scope.select)):
            if found := level.showing(name, self._owners(node, level.sources)):
                node.set("this", exp.to_identifier(found[0].shows[name]))
                _put(node, found[0])
                return
            if not node.table and level is scope and name in aliases:
                node.replace(exp.paren(scope.outputs[aliases[name]]))
                return
        if not node.table and node.this.quoted and not self._quoting.folds:
            node.replace(exp.Literal.string(node.name))
            return
        known = [column for source in scope.sources for column in source.shows.values()]
        raise QueryError(f"no column {node.sql()!r} here", hint=did_you_mean(node.name, known))

    def _owners(self, column: exp.Column, sources: Sequence[QuerySource]) -> list[QuerySource]:
        """Return the sources that the qualifier of a column may refer to, all without a qualifier."""
        if not column.table:
            return list(sources)
        owner, namespace = self._meant(column.args["table"]), column.args.get("db")
        if namespace is None:
            return [s for s in sources if s.called == owner]
        parts = [Part(self._meant(name), quoted=True) for name in (namespace, column.args["table"])]
        table = self._names.table(parts)
        return [s for s in sources if table is not None and s.table is table and s.called == owner]


def _put(column: exp.Column, source: QuerySource) -> None:
    """Set the source of a column or star."""
    column.set("table", exp.to_identifier(source.key))
    column.set("db", None)


def _columns_in(*parts: exp.Expr | None) -> list[exp.Column]:
    """Return the columns of some parts of a SELECT, without those of inner SELECTs."""
    return [column for part in parts if part is not None for column in find_all_in_scope(part, exp.Column)]


def _leftmost(query: exp.Expr) -> exp.Select:
    """Return the SELECT that names the outputs of a query: the first operand of its set operators."""
    while not isinstance(query, exp.Select):
        query = query.this
    return query


def _outer_first(scope: Scope) -> Iterator[exp.Select]:
    """Yield the SELECTs of a query, each before those inside it, and derived tables before other subqueries."""
    if isinstance(scope.expression, exp.Select):
        yield scope.expression
    for inner in (*scope.set_operation_scopes, *scope.table_scopes, *scope.subquery_scopes):
        yield from _outer_first(inner)


def _number(ordered: exp.Ordered, outputs: Sequence[exp.Expr]) -> None:
    """Replace an output by its number, the only form in which all engines sort the result of set operators."""
    term = ordered.this.unnest()
    for position, output in enumerate(outputs, 1):
        if output.is_star:
            return
        if output == term:
            ordered.set("this", exp.Literal.number(position))
            return
