"""Rewrites queries so that their joins count each row once: SUM and AVG over a fan-out, NULL in NOT IN.

WHERE artist.id NOT IN                      WHERE artist.id NOT IN
  (SELECT song.artist_id FROM song)           (SELECT song.artist_id FROM song WHERE song.artist_id IS NOT NULL)

SELECT AVG(hotel.stars) FROM hotel          SELECT AVG(hotel.stars) FROM hotel WHERE hotel.id IN (SELECT hotel.id
JOIN review ON hotel.id = review.hotel_id     FROM hotel JOIN review ON hotel.id = review.hotel_id
WHERE review.score > 8                        WHERE review.score > 8)

The rules depend on keys and data, not on the words of a question. A query is unchanged if its joins repeat no row and
no cell is missing.
"""

from collections.abc import Collection, Mapping

from sqlglot import exp

from ...data.errors import QueryError
from ...data.schema.schema import Schema, Table
from ...data.sql.query import Query
from ...data.sql.sources import conjuncts, is_column
from ...grammar import Grammar
from ...meaning.profile import DatabaseProfile
from .binding import Binder
from .joins import Joined, QueryScope, QuerySource, linked, own_keys, rebuild
from .writing import NormalForm


class RowCounts:
    """The declared keys of a schema, and those found in its data.

    Args:
        schema: the schema, whose foreign keys may be guesses.
        profile: the profile of the data, None if there is none.
    """

    def __init__(self, schema: Schema, profile: DatabaseProfile | None = None) -> None:
        self._profile = profile
        self._tables = {table.name: table for table in schema.tables}
        found = profile.keys if profile is not None else ()
        self._met_once = [(key.table, set(key.columns)) for key in found if not key.many]
        self._referred = {(key.other, frozenset(key.references)) for key in found}
        for key in (key for table in schema.tables for key in table.foreign_keys):
            if (other := schema.by_name.get(key.table)) is not None:
                self._referred.add((other.name, frozenset(_names(other, key.references or other.primary_key))))

    def one(self, table: str, columns: Collection[str]) -> bool:
        """Is each combination of cells in these columns unique in a table?"""
        declared, some = self._tables[table], frozenset(columns)
        if declared.primary_key and _names(declared, declared.primary_key) <= some:
            return True
        if some.intersection(declared.unique) or any(key == table and names <= some for key, names in self._met_once):
            return True
        profiles = [self._profile.column(table, name) for name in some] if self._profile else []
        looked = [profile.unique for profile in profiles if profile is not None]
        return (table, some) in self._referred and (len(some) > 1 or not looked or looked[0])

    def nullable(self, table: str, column: str) -> bool:
        """May a column hold NULL?"""
        declared = self._tables[table]
        if column in _names(declared, declared.primary_key):
            return False
        profile = self._profile.column(table, column) if self._profile is not None else None
        return profile is None or profile.nulls > 0

    def row_key(self, table: str) -> str | None:
        """Return a unique column of a table that is never NULL, None if there is none.

        An undeclared column counts only if it is a key, since others may be unique by chance.
        """
        declared = self._tables[table]
        if len(declared.primary_key) == 1:
            return declared.column(declared.primary_key[0]).name
        for column in declared.columns:
            profile = self._profile.column(table, column.name) if self._profile is not None else None
            key = column.name in declared.unique or (profile is not None and profile.kind == "key" and profile.unique)
            if key and not self.nullable(table, column.name):
                return column.name
        return None


def _names(table: Table, columns: Collection[str]) -> set[str]:
    """Return columns in the spelling of the schema."""
    found = (table.by_name.get(name) for name in columns)
    return {column.name for column in found if column is not None}


def _remove_fan_out(scope: QueryScope, counts: RowCounts, binder: Binder) -> bool:
    """Count each row once in a sum or mean over inner joins that repeat rows; say whether the query was changed.

    The rule applies if the SELECT outputs, groups and sorts by columns of the aggregated table alone.
    """
    select = scope.select
    clauses = (select.args.get(clause) for clause in ("group", "having", "order"))
    parts = [*select.expressions, *(part for part in clauses if part is not None)]
    read = {key for part in parts for key in own_keys(part)}
    aggregates = [node for part in parts for node in part.find_all(exp.AggFunc)]
    plain = all(source.table is not None for source in scope.sources) and not any(one.left for one in scope.joined)
    adds = [node for node in aggregates if not isinstance(node, exp.Min | exp.Max)]
    if len(read) != 1 or not plain or not adds or select.args.get("distinct") or select.find(exp.Star):
        return False
    if not all(isinstance(one, exp.Sum | exp.Avg) and not one.find(exp.Case, exp.If, exp.Distinct) for one in adds):
        return False
    thing = next((source for source in scope.sources if source.key in read), None)
    key = counts.row_key(thing.table.name) if thing is not None and thing.table is not None else None
    if thing is None or key is None or not _repeats(scope, thing, counts):
        return False
    inner = QueryScope(exp.Select(expressions=[exp.column(key, table=thing.key)]), scope.joined)
    for clause in ("from_", "joins", "where"):
        inner.select.set(clause, select.args.get(clause))
        select.set(clause, None)
    own = binder.again(thing)
    for column in (column for part in parts for column in part.find_all(exp.Column) if column.table == thing.key):
        column.set("table", exp.to_identifier(own.key))
    within = exp.In(this=exp.column(key, table=own.key), query=exp.Subquery(this=inner.select))
    select.set("where", exp.Where(this=within))
    scope.joined = [Joined(own)]
    binder.scopes.insert(binder.scopes.index(scope) + 1, inner)
    for one in (inner, scope):
        rebuild(one, binder.ranks)
    return True


def _repeats(scope: QueryScope, thing: QuerySource, counts: RowCounts) -> bool:
    """May a join repeat a row of a source, because another source is not reached from it by unique columns?"""
    where = scope.select.args.get("where")
    conditions = [*(condition for one in scope.joined for condition in one.conditions()), *conjuncts(where)]
    links = [sides for link in filter(None, map(linked, conditions)) for sides in (link, link[::-1])]
    reached, waiting = {thing.key}, [source for source in scope.sources if source is not thing]
    while waiting:
        for source in waiting:
            equal = [mine.name for mine, other in links if mine.table == source.key and other.table in reached]
            if source.table is not None and counts.one(source.table.name, equal):
                reached.add(source.key)
                waiting.remove(source)
                break
        else:
            return True
    return False


def _null_safe_not_in(scope: QueryScope, sources: Mapping[str, QuerySource], counts: RowCounts) -> bool:
    """Exclude NULL from the subquery of NOT IN; say whether the query was changed."""
    select = scope.select
    output = select.expressions[0] if len(select.expressions) == 1 else None
    denied = isinstance(within := _around(select), exp.In) and isinstance(_around(within), exp.Not)
    if not denied or not isinstance(output, exp.Column) or not is_column(output):
        return False
    table, outer = sources[output.table].table, any(joined.left for joined in scope.joined)
    if table is None or any(select.args.get(clause) for clause in ("limit", "offset")):
        return False
    conditions = conjuncts(select.args.get("where"))
    present = exp.Not(this=exp.Is(this=output.copy(), expression=exp.Null()))
    if present in conditions or not (outer or counts.nullable(table.name, output.name)):
        return False
    select.set("where", exp.Where(this=exp.and_(*conditions, present, copy=False)))
    return True


def _around(node: exp.Expr) -> exp.Expr | None:
    """Return the parent of a node, ignoring brackets."""
    around = node.parent
    while isinstance(around, exp.Subquery | exp.Paren):
        around = around.parent
    return around


class JoinRewriter:
    """Rewrites the joins of queries on one database.

    Args:
        grammar: the grammar of the queries.
        profile: the profile of the database, None if there is none.
    """

    def __init__(self, grammar: Grammar, profile: DatabaseProfile | None = None) -> None:
        self._normal = NormalForm(grammar)
        self._counts = RowCounts(grammar.schema, profile)

    def of(self, query: Query) -> Query:
        """Return a query in normal form with its joins rewritten; the same query if no rule applies."""
        if not any(word in query.slotted for word in ("JOIN", "NOT IN")):
            return query
        try:
            return self._normal.rewritten(query, self._rewritten)
        except QueryError:  # the result has no normal form
            return query

    def _rewritten(self, binder: Binder) -> bool:
        """Rewrite all SELECTs; say whether anything was changed."""
        changed = False
        for scope in list(binder.scopes):
            changed |= _null_safe_not_in(scope, binder.sources, self._counts)
            changed |= len(scope.joined) > 1 and _remove_fan_out(scope, self._counts, binder)
        return changed
