"""Checks a foreign query before it is sent to a server: only a query that is known to only read passes.

A read-only transaction refuses to change rows and tables. It lets a query write files, read the server's files, hold
locks, send messages, end other sessions and change settings, if the user may, in endlessly many ways. So there is no
list of forbidden things: each part of the parsed query, each function, table and type has to be known, and the query
that is sent is printed from the tree.
"""

import string
from collections.abc import Iterator

from sqlglot import Dialect, TokenType, exp

from ..errors import DatabaseError
from ..parsing import parse, words_of
from ..sql.server_dialects import SERVER_DIALECTS, written
from .catalogue import Readable

_QUERIES: set[type[exp.Expr]] = {
    *(exp.Select, exp.Union, exp.Except, exp.Intersect, exp.Subquery, exp.Values, exp.With, exp.CTE),
    *(exp.From, exp.Join, exp.Lateral, exp.Unnest, exp.Table, exp.TableAlias, exp.Where, exp.Group, exp.Having),
    *(exp.Order, exp.Ordered, exp.Limit, exp.LimitOptions, exp.Offset, exp.Fetch, exp.Distinct, exp.Alias),
    *(exp.Window, exp.WindowSpec, exp.Filter, exp.WithinGroup, exp.Rollup, exp.Cube, exp.GroupingSets),
    *(exp.IgnoreNulls, exp.RespectNulls),
}
_NAMES: set[type[exp.Expr]] = {exp.Column, exp.Identifier, exp.Star, exp.Dot, exp.Var, exp.Kwarg}
_VALUES: set[type[exp.Expr]] = {
    *(exp.Literal, exp.Null, exp.Boolean, exp.HexString, exp.BitString, exp.National, exp.Introducer, exp.RawString),
    *(exp.Interval, exp.IntervalSpan, exp.Tuple, exp.Array, exp.Paren, exp.Bracket, exp.Slice),
    *(exp.JSONPath, exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript, exp.DataType),
}
_OPERATORS: set[type[exp.Expr]] = {
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.Sqrt, exp.Cbrt, exp.Neg, exp.DPipe),
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Is, exp.In, exp.Between),
    *(exp.And, exp.Or, exp.Xor, exp.Not, exp.Exists, exp.Any, exp.All, exp.Case, exp.If),
    *(exp.Like, exp.ILike, exp.SimilarTo, exp.RegexpLike, exp.RegexpILike, exp.Escape, exp.StartsWith, exp.Collate),
    *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift),
    *(exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar, exp.JSONBContainsTopKey),
    *(exp.JSONBContainsAnyTopKeys, exp.JSONBContainsAllTopKeys, exp.JSONBPathExists, exp.ArrayContainsAll),
    exp.Lambda,  # what sqlglot takes «column -> 'key'» for, as an argument
    *(exp.ArrayContainedBy, exp.ArrayOverlaps, exp.MatchAgainst, exp.Overlaps, exp.Distance, exp.AtTimeZone),
}
_CALLS: set[type[exp.Expr]] = {
    exp.Anonymous,  # any function; its name is held against a list
    *(exp.Cast, exp.Extract, exp.Trim, exp.Substring, exp.Overlay, exp.StrPosition, exp.GroupConcat, exp.Chr),
    *(exp.Soundex, exp.Concat, exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.Localtime),
    exp.Localtimestamp,
}

PARTS = frozenset(_QUERIES | _NAMES | _VALUES | _OPERATORS | _CALLS)
"""Classes of nodes, without their subclasses."""


_SMALL = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_LONGEST = 100_000  # characters of a query
_QUOTED = {TokenType.STRING, TokenType.IDENTIFIER}
_ROLES = {
    "postgres": {"user", "current_user", "current_role", "session_user", "system_user", "current_schema"},
    "mysql": {"current_user", "current_role"},
}
"""Functions that look like columns and return the user."""

_GRAMMAR = {"coalesce", "nullif", "greatest", "least", "grouping", "row", "array", "exists", "any", "some", "all"}
"""Functions of PostgreSQL's grammar, which are in no schema."""


def as_read(sql: str, dialect: str, known: Readable) -> str:
    """Return a foreign query in the form that may be sent.

    Args:
        sql: the foreign query.
        dialect: sqlglot's name of the server's dialect, mysql or postgres.
        known: the names that the query may use.

    Raises:
        DatabaseError: it is not one query, or holds anything that is not known to only read.
    """
    language = SERVER_DIALECTS[dialect]
    if len(sql) > _LONGEST:
        raise DatabaseError(f"the query has more than {_LONGEST:,} characters", hint="write a shorter one")
    text = sql
    try:
        for _ in range(3):  # the printed text is what is checked
            problem = _odd_words(text, language)
            tree = None if problem else parse(text, language)
            if tree is None:
                raise DatabaseError(problem or "this is not one query", hint=None if problem else "write one SELECT")
            printed = written(tree, language)
            if printed == text:
                break
            text = printed
        else:
            raise DatabaseError("it cannot be read in one way alone", hint="write it plainer")
        if problem := next(_problems(tree, dialect, known), None):
            raise DatabaseError(problem)
        _call_by_full_names(tree, known.shadowed)
        return written(tree, language)
    except RecursionError as error:
        raise DatabaseError("it is nested too deeply", hint="write a flatter query") from error


def _odd_words(sql: str, language: type[Dialect]) -> str | None:
    """Return the problem of words that a server may tokenise differently, or run although they look like a comment."""
    words = words_of(sql, language)
    for word in words:
        if any(comment.startswith(("!", "M!", "+")) for comment in word.comments):
            return "a comment that a server reads is a command"
    for before, mark, name in zip(words, words[1:], words[2:], strict=False):
        escaped = before.text.upper() == "U" and mark.token_type == TokenType.AMP and name.token_type in _QUOTED
        if escaped and before.end + 1 == mark.start == name.start - 1:
            return "U& writes names in numbers"
    return None


def _problems(tree: exp.Query, dialect: str, known: Readable) -> Iterator[str]:
    """Yield the parts of a query that are not known to only read."""
    for node in tree.walk(prune=lambda node: isinstance(node, exp.DataType)):
        if type(node) not in PARTS:
            yield f"{_excerpt(node, dialect)} is not known to only read"
        elif isinstance(node, exp.Select) and node.args.get("operation_modifiers"):
            yield f"{node.args['operation_modifiers'][0].name} is a hint"
        elif isinstance(node, exp.CTE) and not isinstance(node.this, exp.Query):
            yield f"{_excerpt(node, dialect)} is no query"
        elif isinstance(node, exp.Anonymous):
            yield from _call(node, dialect, known)
        elif isinstance(node, exp.Dot) and not _is_call(node, dialect):
            yield f"{_excerpt(node, dialect)} may call a function"
        elif isinstance(node, exp.DataType) and not _is_type(node, known):
            yield f"{_excerpt(node, dialect)} is no type of plain values"
        elif isinstance(node, exp.HexString) and dialect == "postgres":
            yield f"{_excerpt(node, dialect)} is no number here"
    yield from _tables(tree, dialect, known)
    yield from _columns(tree, dialect, known)
    for word in words_of(written(tree, SERVER_DIALECTS[dialect]), SERVER_DIALECTS[dialect]) if known.operators else []:
        if word.token_type not in _QUOTED and word.text in known.operators:
            yield f"{word.text} is an operator that somebody has added"


def _excerpt(node: exp.Expr, dialect: str) -> str:
    text = written(node, SERVER_DIALECTS[dialect])
    return text if len(text) <= 40 else f"{text[:39]}…"


def _spelled(name: exp.Expr | str, dialect: str = "postgres") -> str:
    """Return a name in the form that the server looks up."""
    if isinstance(name, str):
        return _folded(name)
    return name.name if name.args.get("quoted") or dialect == "mysql" else _folded(name.name)


def _folded(name: str) -> str:
    """Return a name in small letters, those of ASCII alone: so does PostgreSQL."""
    return name.translate(_SMALL)


def _call(node: exp.Anonymous, dialect: str, known: Readable) -> Iterator[str]:
    name = _folded(node.name) if dialect == "mysql" else _spelled(node.this)
    owner = node.parent.args.get("db") if isinstance(node.parent, exp.Table) else None
    if name not in known.functions or (owner is not None and not _is_own(owner, dialect)):
        yield f"{node.name}() is not known to only read"


def _is_own(schema: exp.Expr, dialect: str) -> bool:
    return dialect == "postgres" and isinstance(schema, exp.Identifier) and _spelled(schema) == "pg_catalog"


def _is_call(node: exp.Dot, dialect: str) -> bool:
    """Is it a function of the server by its full name? Other dots may be calls: (x).pg_read_file."""
    return isinstance(node.expression, exp.Anonymous) and _is_own(node.this, dialect)


def _is_type(node: exp.DataType, known: Readable) -> bool:
    if not all(_is_type(part, known) for part in node.find_all(exp.DataType) if part is not node):
        return False
    if node.find(exp.ObjectIdentifier, exp.PseudoType):
        return False
    if node.this != exp.DType.USERDEFINED:
        return True
    kind = node.args.get("kind")
    if isinstance(kind, exp.Dot) and isinstance(kind.this, exp.Identifier):
        return (_spelled(kind.this), _spelled(kind.expression)) in known.types
    return isinstance(kind, exp.Identifier) and ("", _spelled(kind)) in known.types


def _tables(tree: exp.Query, dialect: str, known: Readable) -> Iterator[str]:
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Anonymous):
            continue
        if not isinstance(table.this, exp.Identifier) or table.args.get("catalog") or table.args.get("rows_from"):
            yield f"{_excerpt(table, dialect)} is no table"
            continue
        schema, name = table.args.get("db"), _spelled(table.this, dialect)
        place = ("" if schema is None else _spelled(schema, dialect), name)
        if known.folds:
            place = (place[0].lower(), place[1].lower())
        if place not in known.tables and not (schema is None and name in _with_names(table, dialect)):
            yield f"there is no table {'.'.join(filter(None, place))} to read here"


def _with_names(table: exp.Table, dialect: str) -> set[str]:
    """Return the names of WITH that are visible to a table; later ones are not."""
    names: set[str] = set()
    child, node = table, table.parent
    while node is not None:
        if isinstance(node, exp.With):
            place = next(n for n, part in enumerate(node.expressions) if part is child)
            names |= {_with_name(part, dialect) for part in node.expressions[: place + bool(node.recursive)]}
        elif (around := node.args.get("with_")) is not None and around is not child:
            names |= {_with_name(part, dialect) for part in around.expressions}
        child, node = node, node.parent
    return names


def _with_name(part: exp.CTE, dialect: str) -> str:
    return _spelled(part.args["alias"].this, dialect)


def _columns(tree: exp.Query, dialect: str, known: Readable) -> Iterator[str]:
    """Yield columns that are calls: PostgreSQL calls f(x) if ``x.f`` is no column, and returns roles by name."""
    values = set(_values(tree))
    for column in tree.find_all(exp.Column):
        name, table = column.this, column.args.get("table")
        if not isinstance(name, exp.Identifier):
            continue
        if table is None:
            if not name.args.get("quoted") and _folded(name.name) in _ROLES[dialect]:
                yield f"{name.name} tells who is asking"
        elif _spelled(name) in known.row_calls or (_spelled(table) in values and _spelled(name) in known.calls):
            yield f"{column.sql()} may call a function"


def _values(tree: exp.Query) -> Iterator[str]:
    """Yield the names of function results in FROM: each is a value rather than a row."""
    for source in tree.find_all(exp.Table, exp.Lateral, exp.Unnest):
        alias = source.args.get("alias")
        if not isinstance(source, exp.Unnest) and not isinstance(source.this, exp.Anonymous | exp.Dot):
            continue
        if alias is not None and alias.this is not None:
            yield _spelled(alias.this)
        else:
            yield "unnest" if isinstance(source, exp.Unnest) else _folded(source.this.name)


def _call_by_full_names(tree: exp.Query, shadowed: frozenset[str]) -> None:
    """Qualify the calls of functions of which people have defined others of the same name for other arguments."""
    for call in list(tree.find_all(exp.Anonymous)):
        if _spelled(call.this) not in shadowed - _GRAMMAR:
            continue
        if isinstance(call.parent, exp.Table):
            call.parent.set("db", exp.to_identifier("pg_catalog"))
        elif not isinstance(call.parent, exp.Dot):
            call.replace(exp.Dot(this=exp.to_identifier("pg_catalog"), expression=call.copy()))
