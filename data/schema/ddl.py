"""Schemas out of CREATE scripts: tables, enumerations, views, parts of tables, virtual tables."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from sqlglot import Dialect, TokenType, exp
from sqlglot.errors import ErrorLevel, ParseError, TokenError

from ..errors import SchemaError, did_you_mean
from ..parsing import parse_problem
from .schema import Column, ForeignKey, Schema, Table, enumeration
from .views import with_origins

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_PUBLIC = "public"  # the schema of PostgreSQL in which names without a schema are
_READ = {"CREATE", "ALTER", "COMMENT"}
_UNKNOWN = {
    *("point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection"),
    *("geomcollection", "inet4", "inet6"),
}
"""Types of MySQL and MariaDB that sqlglot does not know."""

_ATTACHED = re.compile(r"ALTER TABLE .+ ATTACH PARTITION (\S+)", re.IGNORECASE)
_RULE = re.compile(r"[\W_]*|(?:Table structure for|Dumping data for)\b.*", re.IGNORECASE)
"""Comment lines that tools write and that say nothing."""


def from_ddl(sql: str, dialect: str, *, name: str = "", file: Path | str | None = None) -> Schema:
    """Read the tables and views that a script creates; its other statements (SET, INSERT, …) are passed over.

    Descriptions come from COMMENT clauses and statements, and from ``--`` comments: behind a column,
    or above a CREATE TABLE (the last line counts). Names are those that the engine makes of them: PostgreSQL folds what
    stands without quotes to lower case, and has tables in several schemas (`Table.namespace`).

    Args:
        sql: the script.
        dialect: sqlite, mysql or postgres.
        name: name of the schema.
        file: where the script stands, for messages.

    Raises:
        SchemaError: a statement cannot be read, a table has no columns, or there is no table.
    """
    script = _Script(dialect, file)
    for statement in _statements(sql, dialect, file):
        script.take(statement)
    return script.schema(name)


def _statements(sql: str, dialect: str, file: Path | str | None) -> Iterator[exp.Expr]:
    """Parse the statements that matter; those of a dump's data would take minutes."""
    reader = Dialect.get_or_raise(dialect)
    reader.SUPPORTS_USER_DEFINED_TYPES = True  # `_check_types` refuses those that a dialect has not
    try:
        tokens = reader.tokenize(sql)
        for ended, several in groupby(tokens, lambda token: token.token_type == TokenType.SEMICOLON):
            if not ended and (chunk := [*several])[0].text.upper() in _READ:
                for statement in reader.parser(error_level=ErrorLevel.IMMEDIATE).parse(chunk, sql):
                    if statement is not None:
                        yield _as_named(statement, dialect)
    except ParseError as error:
        where = error.errors[0] if error.errors else {}
        problem = f"cannot read the DDL as {dialect}: {where.get('description', error)}"
        near = where.get("highlight")
        hint = f"look at {near!r}" if near else None
        raise SchemaError(problem, file=file, line=where.get("line"), hint=hint) from error
    except (TokenError, RecursionError) as error:
        raise SchemaError(f"cannot read the DDL as {dialect}: {parse_problem(error)}", file=file) from error


def _as_named(statement: exp.Expr, dialect: str) -> exp.Expr:
    """Return a statement with its names as the engine makes them of those that stand there.

    PostgreSQL folds those without quotes, in UTF-8 the letters of ASCII alone. Elsewhere what stands before a table is
    its database, and a schema is all of one.
    """
    if dialect == "postgres":
        for name in statement.find_all(exp.Identifier):
            if not name.quoted:
                name.set("this", name.name.translate(_LOWER))
    else:
        for table in statement.find_all(exp.Table):
            table.set("db", None)
    return statement


def _name_of(table: exp.Expr) -> str:
    """Return the unique name of a table: ``Sales.orders``, ``orders`` of ``public.orders``."""
    return table.name if table.text("db") in {"", _PUBLIC} else f"{table.text('db')}.{table.name}"


def _table_at(where: exp.Expr, columns: tuple[Column, ...]) -> Table:
    """Return a table of columns, with the names that a statement has for it."""
    name = _name_of(where)
    return Table(name, columns, namespace=where.text("db"), qualified=name != where.name)


class _Script:
    """What a script creates; on PostgreSQL names that differ in case alone are two."""

    def __init__(self, dialect: str, file: Path | str | None) -> None:
        self._dialect, self._file = dialect, file
        self._tables: dict[str, Table] = {}
        self._types: dict[str, str] = {}
        self._views: dict[str, str] = {}
        self._left_out: list[str] = []

    def take(self, statement: exp.Expr) -> None:
        """Apply a statement.

        Raises:
            SchemaError: it creates a table without columns, or of types that the dialect does not have, or it is about
                a table that is not created before it.
        """
        match statement:
            case exp.Create(kind="TYPE"):
                self._enumerated(statement)
            case exp.Create(kind="TABLE") if statement.find(exp.PartitionedOfProperty) or _adds_nothing(statement):
                pass  # its rows are its parent's
            case exp.Create(kind="TABLE") if statement.find(exp.VirtualProperty):
                self._left_out.append(f"{_called(statement)}: a script does not tell what a virtual table holds")
            case exp.Create(kind="TABLE"):
                self._put(self._created(statement))
            case exp.Create(kind="VIEW"):
                self._viewed(statement)
            case exp.Create(kind="INDEX") if statement.args.get("unique"):
                table = self._tables.get(self._key(_name_of(statement.this.args["table"])))
                if table is not None:  # an index may be of what is no table, as a view that is kept
                    self._put(_with_unique(table, _indexed(statement.this)))
            case exp.Alter(kind="TABLE"):
                self._put(_with_keys(self._named(statement.this), _keys(statement)))
            case exp.Comment():
                self._described(statement)
            case exp.Command() if attached := _ATTACHED.match(statement.sql(dialect=self._dialect)):
                self._tables.pop(self._key(_folded(attached[1])), None)
            case _:
                pass

    def schema(self, name: str) -> Schema:
        """Return all tables and views; of those that are called the same in several schemas, each has its own with it.

        A script has no types of computed columns of views, and MySQL has no type that fits any value.

        Raises:
            SchemaError: there is no table.
        """
        if not self._tables:
            raise SchemaError("no CREATE TABLE in the script", file=self._file, hint="give the DDL of the database")
        times = Counter(self._key(table.own_name) for table in self._tables.values())
        apart = (
            replace(table, namespace=table.namespace or _PUBLIC, qualified=True)
            if times[self._key(table.own_name)] > 1
            else table
            for table in self._tables.values()
        )
        read = with_origins([self._resolved(table) for table in apart], self._views, self._dialect)
        untyped = {t.name: c.name for t in read for c in t.columns if not c.type and self._dialect == "mysql"}
        left_out = [*self._left_out, *(f"{view}: nothing tells the type of {of}" for view, of in untyped.items())]
        return Schema(tuple(table for table in read if table.name not in untyped), name, left_out=tuple(left_out))

    def _key(self, name: str) -> str:
        return name if self._dialect == "postgres" else name.lower()

    def _put(self, table: Table) -> None:
        self._tables[self._key(table.name)] = table

    def _named(self, table: exp.Expr) -> Table:
        name = _name_of(table)
        found = self._tables.get(self._key(name))
        if found is None:
            hint = did_you_mean(name, [t.name for t in self._tables.values()])
            raise SchemaError(f"table {name!r} is named before it is created", file=self._file, hint=hint)
        return found

    def _created(self, create: exp.Create) -> Table:
        schema = create.this
        if not isinstance(schema, exp.Schema):
            problem = f"table {schema.name!r} is created without columns"
            raise SchemaError(problem, file=self._file, hint="list its columns")
        if self._dialect == "mysql":
            _check_types(create, self._file)
        definitions = [d for d in schema.expressions if isinstance(d, exp.ColumnDef)]
        columns = tuple(self._column(definition) for definition in definitions)
        if not columns:
            raise SchemaError(f"table {schema.this.name!r} has no columns", file=self._file)
        comment = create.find(exp.SchemaCommentProperty)
        table = replace(
            _table_at(schema.this, columns),
            primary_key=tuple(d.name for d in definitions if _has(d, exp.PrimaryKeyColumnConstraint)),
            foreign_keys=tuple(
                ForeignKey((d.name,), *_target(c.kind))
                for d in definitions
                for c in d.constraints
                if isinstance(c.kind, exp.Reference)
            ),
            description=comment.this.name if comment else _description(create.comments or (), last=True),
            unique=tuple(d.name for d in definitions if _has(d, exp.UniqueColumnConstraint)),
        )
        outer = (e for d in schema.expressions if not isinstance(d, exp.ColumnDef) for e in _keys(d))
        return _with_keys(table, outer)

    def _column(self, definition: exp.ColumnDef) -> Column:
        comment = definition.find(exp.CommentColumnConstraint)
        # sqlglot hangs a trailing comment on the last node before it, a leading one on the first behind it
        comments = (text for node in definition.walk() for text in node.comments or ())
        description = comment.this.name if comment else _description(comments)
        kind = _type(definition, self._dialect)
        return Column(definition.name, self._types.get(_folded(kind), kind), description)

    def _resolved(self, table: Table) -> Table:
        """Fill in the columns of references that name a table only: they mean its primary key."""
        keys = (
            replace(key, references=other.primary_key)
            if not key.references and (other := self._tables.get(self._key(key.table))) is not None
            else key
            for key in table.foreign_keys
        )
        return replace(table, foreign_keys=tuple(keys))

    def _enumerated(self, create: exp.Create) -> None:
        listed = create.expression
        if isinstance(listed, exp.DataType) and listed.this == exp.DType.ENUM:
            name = create.this.sql(dialect=self._dialect)
            self._types[_folded(name)] = enumeration(name, [label.name for label in listed.expressions])

    def _viewed(self, create: exp.Create) -> None:
        """Take a view in, if its columns are listed: by itself, or by its query without a star."""
        name, query = _called(create), create.expression
        listed = create.this.expressions if isinstance(create.this, exp.Schema) else []
        selected = query.selects if isinstance(query, exp.Query) else []
        names = [column.alias_or_name for column in listed or selected]
        if not names or "*" in names or not all(names):
            self._left_out.append(f"{name}: its columns are not listed")
            return
        self._put(_table_at(_where(create), tuple(Column(column, "") for column in names)))
        self._views[name] = query.sql(dialect=self._dialect)

    def _described(self, comment: exp.Comment) -> None:
        target, text = comment.this, comment.expression.name
        if isinstance(target, exp.Column):
            table = self._named(exp.Table(this=target.args.get("table"), db=target.args.get("db")))
            known = table.column(target.name)
            self._put(
                replace(table, columns=tuple(replace(c, description=text) if c is known else c for c in table.columns))
            )
        elif comment.args.get("kind") == "TABLE":
            self._put(replace(self._named(target), description=text))


def _called(create: exp.Create) -> str:
    return _name_of(_where(create))


def _where(create: exp.Create) -> exp.Expr:
    """Return the name in a statement that creates something of columns."""
    schema = create.this
    return schema.this if isinstance(schema, exp.Schema) else schema


def _adds_nothing(create: exp.Create) -> bool:
    """Return whether a table has its parents' columns alone, as parts had before there were partitions."""
    own = create.this.expressions if isinstance(create.this, exp.Schema) else []
    return create.find(exp.InheritsProperty) is not None and not any(isinstance(d, exp.ColumnDef) for d in own)


def _folded(name: str) -> str:
    """Return a type's name as PostgreSQL knows it: lower case unless quoted, in ``public`` unless qualified."""
    parts = re.findall(r'"((?:[^"]|"")*)"|([^."]+)', name)
    return ".".join(quoted or bare.lower() for quoted, bare in parts).removeprefix("public.")


def _check_types(create: exp.Create, file: Path | str | None) -> None:
    """Refuse types that MySQL does not have."""
    for column in create.find_all(exp.ColumnDef):
        kind = column.kind
        written = "" if kind is None else kind.sql(comments=False)
        word = written.partition("(")[0].lower()
        if kind is not None and kind.this == exp.DType.USERDEFINED and word not in _UNKNOWN:
            hint = did_you_mean(word, [*_UNKNOWN, *(str(t.value).lower() for t in exp.DType)])
            problem = f"column {column.name!r} of table {create.this.this.name!r} is of no type of MySQL: {written}"
            raise SchemaError(problem, file=file, hint=hint)


def _keys(definition: exp.Expr) -> Iterator[exp.Expr]:
    yield from definition.find_all(exp.PrimaryKey, exp.ForeignKey, exp.UniqueColumnConstraint)


def _type(definition: exp.ColumnDef, dialect: str) -> str:
    """Return a column's type as its dialect writes it: what is UNSIGNED, or a REAL, must stay so."""
    if definition.kind is None:
        return "text"
    # SQLite takes any name, of which sqlglot would write its own choice
    written = definition.kind.sql(dialect=None if dialect == "sqlite" else dialect, comments=False)
    if _has(definition, exp.ZeroFillColumnConstraint):
        written += " zerofill"
    quoted = definition.kind.this == exp.DType.USERDEFINED and '"' in written
    return written if "'" in written or quoted else written.lower()


def _has(definition: exp.ColumnDef, kind: type[exp.Expr]) -> bool:
    return any(isinstance(c.kind, kind) for c in definition.constraints)


def _with_keys(table: Table, keys: Iterable[Any]) -> Table:
    for key in keys:
        if isinstance(key, exp.UniqueColumnConstraint):
            table = _with_unique(table, key.this.expressions if isinstance(key.this, exp.Schema) else [])
            continue
        columns = tuple(_name(e) for e in key.expressions)
        if isinstance(key, exp.PrimaryKey):
            table = replace(table, primary_key=columns)
        else:
            foreign = ForeignKey(columns, *_target(key.args["reference"]))
            table = replace(table, foreign_keys=(*table.foreign_keys, foreign))
    return table


def _with_unique(table: Table, columns: list[exp.Expr]) -> Table:
    """Return the table with a unique key, if that is of one column."""
    more = () if len(columns) != 1 or _name(columns[0]) in table.unique else (_name(columns[0]),)
    return replace(table, unique=(*table.unique, *more))


def _indexed(index: exp.Expr) -> list[exp.Expr]:
    """Return the columns of an index, none if it is of expressions or of some rows only."""
    params = index.args["params"]
    columns = [ordered.this for ordered in params.args.get("columns") or ()]
    plain = all(isinstance(column, exp.Column) for column in columns)
    return columns if plain and not params.args.get("where") else []


def _name(node: exp.Expr) -> str:
    """Return a key column's name; ``name(10)`` and ``name ASC`` wrap it."""
    identifier = node if isinstance(node, exp.Identifier) else node.find(exp.Identifier)
    return node.name if identifier is None else identifier.name


def _target(reference: exp.Expr) -> tuple[str, tuple[str, ...]]:
    target = reference.this
    if isinstance(target, exp.Schema):
        return _name_of(target.this), tuple(_name(e) for e in target.expressions)
    return _name_of(target), ()


def _description(comments: Iterable[str], *, last: bool = False) -> str:
    # sqlglot may hang one comment on several nodes
    lines = dict.fromkeys(line.strip() for comment in comments for line in comment.splitlines())
    lines_kept = [line for line in lines if not _RULE.fullmatch(line)]
    return " ".join(lines_kept[-1:] if last else lines_kept)
