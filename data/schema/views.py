"""The origins of views' columns, by their definitions, and the keys that follow."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, build_scope

from ..parsing import PARSE_ERRORS, read_tree
from .schema import Column, ForeignKey, Table

_UNKNOWN = 8  # the number of tables that is assumed behind a view without a definition
_MULTIPLYING = (exp.Join, exp.Lateral, exp.UDTF, exp.Explode, exp.Anonymous, exp.AggFunc)
"""What may give a view more rows than its table has, or fewer in one row each."""

_AGGREGATES = (exp.AggFunc, exp.JSONArrayAgg, exp.Anonymous)
"""What makes one value of many rows; a function that sqlglot does not know may."""


@dataclass(frozen=True)
class _Origin:
    """A column of a table, by the name that the view's query has for the table."""

    source: str
    table: Table
    column: Column


def with_origins(tables: Sequence[Table], definitions: Mapping[str, str], dialect: str) -> tuple[Table, ...]:
    """Return tables and views, in order, with the facts about views that follow from their definitions.

    A column that a view shows as it is keeps its table's foreign keys, refers to that table where it is its key, and
    has its size; others are `Column.computed`. A view is unique by what its table is where each row is one of the
    table's: one table, no DISTINCT, no GROUP BY.

    Args:
        tables: the tables and views as the database describes them, with the types that it knows.
        definitions: of views by name, SELECT or CREATE VIEW; empty if they may not be read.
        dialect: of the definitions.
    """
    key = _key(dialect)
    known = {key(t.name): t for t in tables if t.name not in definitions}
    waiting = {key(t.name): (t, _scope(definitions[t.name], dialect)) for t in tables if t.name in definitions}
    while waiting:
        # none waits for itself, but for what a reader could not parse
        ready = [n for n, (_, scope) in waiting.items() if waiting.keys().isdisjoint(_all_read(scope))] or [*waiting]
        for name in ready:
            table, scope = waiting.pop(name)
            known[name] = _with_keys(_sized(table, scope, known), scope, known)
    return tuple(known[key(t.name)] for t in tables)


def _key(dialect: str) -> Callable[[str], str]:
    """Return the function that normalises names: the definitions of PostgreSQL have exact names, others any case."""
    return str if dialect == "postgres" else str.lower


def _called(table: exp.Table) -> str:
    """Return a table's name in the form of `Table.name`: with its schema if the definition has that."""
    return f"{table.db}.{table.name}" if table.db else table.name


def _scope(definition: str, dialect: str) -> Scope | None:
    """Return a view's query with its sources; None if sqlglot cannot read it."""
    try:
        tree = read_tree(definition, dialect)
        for name in tree.find_all(exp.Identifier):
            name.set("this", _key(dialect)(name.name))
        return build_scope(tree.expression if isinstance(tree, exp.Create) else tree)
    except PARSE_ERRORS:
        return None


def _sized(view: Table, scope: Scope | None, known: Mapping[str, Table]) -> Table:
    """Return a view with its computed columns, the number of tables behind it, and whether it has aggregates."""
    origins = [_origins(one, known, len(view.columns)) for one in _selects(scope)]
    columns = tuple(
        _column(column, [several[place] for several in origins]) for place, column in enumerate(view.columns)
    )
    behind = sum(max(1, known[n].behind) if n in known else 1 for n in _all_read(scope)) or _UNKNOWN
    aggregated = any(n in known and known[n].aggregated for n in _all_read(scope)) or _aggregates(scope)
    return replace(view, columns=columns, behind=behind, aggregated=aggregated)


def _aggregates(scope: Scope | None) -> bool:
    """Return whether the SELECTs whose rows are a view's hold aggregates; what they have in brackets is apart."""
    selects = [*_selects(scope)]
    found = (one for select in selects for one in select.find_all(*_AGGREGATES))
    return not selects or any(not isinstance(one.parent, exp.Window) for one in found)


def _all_read(scope: Scope | None) -> list[str]:
    """Return the names of all tables that a query reads, wherever they stand, as often as they do."""
    return [] if scope is None else [_called(table) for table in scope.expression.find_all(exp.Table)]


def _column(column: Column, origins: Sequence[_Origin | exp.Expr | None]) -> Column:
    """Return a view's column, which each SELECT takes as it is from a table, counts or computes."""
    known = [isinstance(o, exp.Count) or (isinstance(o, _Origin) and not o.column.computed) for o in origins]
    one = origins[0] if len(origins) == 1 else None
    source = one.column if isinstance(one, _Origin) else None
    own_type = "" if source and source.type == "json" else column.type  # MariaDB declares a text
    kind = own_type or (source.type if source else "")
    description = column.description or (source.description if source else "")
    return replace(column, type=kind, computed=not (known and all(known)), description=description)


def _selects(scope: Scope | None) -> Iterator[Scope]:
    """Yield the SELECTs whose rows are a query's: itself, or those that set operators put together."""
    if scope is None:
        return
    if scope.set_operation_scopes:
        for each in scope.set_operation_scopes:
            yield from _selects(each)
    elif isinstance(scope.expression, exp.Select):
        yield scope


def _origins(scope: Scope, known: Mapping[str, Table], count: int) -> list[_Origin | exp.Expr | None]:
    """Return the origin of each column of a SELECT: a table's column, another expression, None if unknown."""
    sources = {
        name: known.get(_called(source)) if isinstance(source, exp.Table) else None
        for name, source in scope.sources.items()
    }
    found: list[_Origin | exp.Expr | None] = []
    for written in scope.expression.selects if isinstance(scope.expression, exp.Select) else ():
        expression = written.unalias()
        if not isinstance(expression, exp.Column | exp.Star):
            found.append(expression)
            continue
        owner = expression.text("table").lower()
        able = {name: table for name, table in sources.items() if name.lower() == owner or not owner}
        if None in able.values():
            found += [None] * (count + 1 if expression.is_star else 1)  # the number of columns of a star is unknown
            continue
        columns = [_Origin(name, table, c) for name, table in able.items() if table for c in table.columns]
        same = [origin for origin in columns if origin.column.name.lower() == expression.name.lower()]
        found += columns if expression.is_star else same if len(same) == 1 else [None]
    return found if len(found) == count else [None] * count


def _with_keys(view: Table, scope: Scope | None, known: Mapping[str, Table]) -> Table:
    """Return a view with the keys of the tables whose columns it shows."""
    selects = [*_selects(scope)]
    if len(selects) != 1:
        return view
    origins: dict[str, tuple[Table, dict[str, str]]] = {}
    for column, origin in zip(view.columns, _origins(selects[0], known, len(view.columns)), strict=True):
        if isinstance(origin, _Origin):
            _, names = origins.setdefault(origin.source, (origin.table, {}))
            names.setdefault(origin.column.name, column.name)
    foreign = [key for table, names in origins.values() for key in _foreign(table, names)]
    primary, unique = _unique(selects[0], *next(iter(origins.values()))) if len(origins) == 1 else ((), ())
    return replace(
        view,
        foreign_keys=tuple(dict.fromkeys((*view.foreign_keys, *foreign))),
        primary_key=view.primary_key or primary,
        unique=tuple(dict.fromkeys((*view.unique, *unique))),
    )


def _foreign(table: Table, names: Mapping[str, str]) -> Iterator[ForeignKey]:
    """Yield the keys of a table whose columns have other ``names`` in a view, and the key to the table itself."""
    own = () if not table.primary_key else (ForeignKey(table.primary_key, table.name, table.primary_key),)
    for key in (*table.foreign_keys, *own):
        columns = [names[column] for column in key.columns if column in names]
        if len(columns) == len(key.columns):
            yield replace(key, columns=tuple(columns))


def _unique(scope: Scope, table: Table, names: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the primary key and the unique columns of a view of one table, where each row is one of the table's."""
    select = scope.expression
    if len(scope.sources) != 1 or any(select.args.get(part) for part in ("distinct", "group", "having", "laterals")):
        return (), ()
    if any(select.find_all(*_MULTIPLYING)):
        return (), ()
    primary = [names[column] for column in table.primary_key if column in names]
    whole = tuple(primary) if len(primary) == len(table.primary_key) else ()
    return whole, tuple(names[column] for column in table.unique if column in names)
