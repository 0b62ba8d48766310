"""sqlglot's dialects of the servers, so that what is parsed and printed again is the same query.

sqlglot translates: it parses functions and operators by their meaning and prints them in another dialect. Here one
dialect is parsed and printed, so each function keeps its name and place, and the name can be looked up in a list.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import Dialect, TokenType, exp
from sqlglot.dialects.mysql import MySQL
from sqlglot.dialects.postgres import Postgres
from sqlglot.generator import Generator

_SYNTAX = {"CAST", "CHAR", "CONVERT", "EXTRACT", "GROUP_CONCAT", "MATCH", "OVERLAY", "POSITION", "SUBSTRING", "TRIM"}
"""What has a syntax of its own in the parentheses; all else is a name and arguments."""

_UNITS = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}
"""What may stand behind PostgreSQL's INTERVAL '…' and belong to it."""

_TAKE_NOT = (exp.In, exp.Between, exp.Like, exp.ILike, exp.SimilarTo, exp.RegexpLike, exp.RegexpILike, exp.Is)
_Printers = dict[type[exp.Expr], Callable[..., str]]


def _binary(operator: str) -> Callable[[Generator, Any], str]:
    return lambda self, node: self.binary(node, operator)


def _unary(operator: str) -> Callable[[Generator, Any], str]:
    return lambda self, node: f"{operator} {self.sql(node, 'this')}"


def _not(self: Generator, node: exp.Not) -> str:
    """``a NOT IN (b)``, where sqlglot has ``NOT a IN (b)``: behind an operator that binds closer that is an error."""
    found = node.this.this if isinstance(node.this, exp.Escape) else node.this
    if not isinstance(found, _TAKE_NOT) or found.args.get("negate"):
        return f"NOT {self.sql(node, 'this')}"
    left, whole = self.sql(found, "this"), self.sql(node, "this")
    rest = whole.removeprefix(left).lstrip()
    if rest.startswith("~"):
        return f"{left} !{rest}"
    return f"{left} IS NOT {rest.removeprefix('IS ')}" if rest.startswith("IS ") else f"{left} NOT {rest}"


def _cast(self: Generator, node: exp.Cast) -> str:
    """A cast of a cast stands behind it, as it was written: in brackets, a long row of them is too deep to parse."""
    if isinstance(node.this, exp.Cast) and not isinstance(node.parent, exp.Bracket | exp.Dot):
        return f"{self.sql(node, 'this')} :: {self.sql(node, 'to')}"
    return self.cast_sql(node)


def _interval(self: Generator, node: exp.Interval) -> str:
    unit = self.sql(node, "unit")
    return f"INTERVAL {self.sql(node, 'this')}{unit and ' '}{unit}"


def _typed_literal(_: object, this: exp.Expr, kind: exp.DataType) -> exp.Expr:
    """``DATE '2024-01-01' :: TEXT``: the type belongs to the text, before what stands behind it."""
    literal = this.find(exp.Literal, bfs=False)
    if literal is None or literal is this:
        return exp.Cast(this=this, to=kind)
    literal.replace(exp.Cast(this=literal.copy(), to=kind))
    return this


class ServerPostgres(Postgres):
    """PostgreSQL, its functions as they are called."""

    class Parser(Postgres.Parser):
        FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {
            name: parse for name, parse in Postgres.Parser.FUNCTION_PARSERS.items() if name in _SYNTAX - {"CHAR"}
        }
        TYPE_LITERAL_PARSERS: ClassVar[dict[exp.DType, Callable[..., exp.Expr]]] = dict.fromkeys(
            exp.DType, _typed_literal
        )

        def _parse_interval(self, *args: Any, **options: Any) -> exp.Add | exp.Interval | None:
            """A text and no unit, or one of the few words that are."""
            index = self._index
            if not self._match(TokenType.INTERVAL):
                return None
            if (this := self._parse_string()) is None:
                self._retreat(index)
                return None
            unit = self._unit()
            if unit is not None and self._match_text_seq("TO"):
                unit = exp.IntervalSpan(this=unit, expression=self._unit())
            return exp.Interval(this=this, unit=unit)

        def _unit(self) -> exp.Expr | None:
            return self._parse_var(any_token=True, upper=True) if self._match_texts(_UNITS, advance=False) else None

    class Generator(Postgres.Generator):
        MULTI_ARG_DISTINCT = True  # string_agg(DISTINCT a, ', ') is an aggregate of two arguments
        TRANSFORMS: ClassVar[_Printers] = {
            **Postgres.Generator.TRANSFORMS,
            exp.Cast: _cast,
            exp.CurrentTime: lambda self, node: "CURRENT_TIME",
            exp.Interval: _interval,
            exp.Not: _not,
            exp.Pow: _binary("^"),
            exp.Sqrt: _unary("|/"),
            exp.Cbrt: _unary("||/"),
            exp.StartsWith: _binary("^@"),
        }


class ServerMySQL(MySQL):
    """MariaDB and MySQL, their functions as they are called."""

    class Parser(MySQL.Parser):
        FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {
            name: parse for name, parse in MySQL.Parser.FUNCTION_PARSERS.items() if name in _SYNTAX
        }
        TYPE_LITERAL_PARSERS: ClassVar[dict[exp.DType, Callable[..., exp.Expr]]] = {}

        def _parse_join(self, *args: Any, **options: Any) -> exp.Join | None:
            """A JOIN without ON is no comma, which binds less."""
            comma = self._match(TokenType.COMMA, advance=False)
            join = super()._parse_join(*args, **options)
            if (
                join is not None
                and not comma
                and not any(join.args.get(part) for part in ("kind", "side", "method", "on", "using"))
            ):
                join.set("kind", "INNER")
            return join

        def _parse_interval(self, *args: Any, **options: Any) -> exp.Add | exp.Interval | None:
            """Any expression and one unit."""
            index = self._index
            if not self._match(TokenType.INTERVAL):
                return None
            this, unit = self._parse_bitwise(), self._parse_var(any_token=True, upper=True)
            if this is not None and unit is not None:
                return exp.Interval(this=this, unit=unit)
            self._retreat(index)
            return None

    class Generator(MySQL.Generator):
        TRANSFORMS: ClassVar[_Printers] = {
            **MySQL.Generator.TRANSFORMS,
            exp.RegexpLike: _binary("REGEXP"),  # MariaDB has no REGEXP_LIKE
            exp.Not: _not,
            exp.Interval: _interval,
        }


SERVER_DIALECTS: dict[str, type[Dialect]] = {"postgres": ServerPostgres, "mysql": ServerMySQL}
"""By sqlglot's name of the dialect."""


def written(tree: exp.Expr, dialect: type[Dialect]) -> str:
    """Return the text of a tree: no comments, no hints in them, names as they are spelled."""
    return tree.sql(dialect=dialect, comments=False, normalize_functions=False)
