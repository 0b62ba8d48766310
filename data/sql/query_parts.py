"""The parts of a syntax tree that do nothing but read, as sqlglot calls them: what is not here is refused."""

from __future__ import annotations

from sqlglot import exp

__all__ = ["PARTS"]

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
"""Classes of nodes, each alone: what derives from one of them is another thing."""
