"""What the words of evidence texts make together: arithmetic, aggregates of some rows, ranges of days."""

from __future__ import annotations

from sqlglot import exp

from ..formulas.expression import AGGREGATES, DAYS, ExpressionError
from ..formulas.sql import case_of, filtered

__all__ = [
    "ARITHMETIC",
    "alike",
    "compared",
    "days",
    "held",
    "in_years",
    "is_text",
    "is_truth",
    "made",
    "reckoned",
    "truth",
]

ARITHMETIC: dict[str, type[exp.Binary]] = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div}
_COMPARED: dict[str, type[exp.Binary]] = {
    "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE, "=": exp.EQ, "<>": exp.NEQ
}  # fmt: skip
_AGGREGATES: dict[str, type[exp.Func]] = {
    "SUM": exp.Sum, "COUNT": exp.Count, "AVG": exp.Avg, "MAX": exp.Max, "MIN": exp.Min
}  # fmt: skip
_TRUTHS = (exp.Predicate, exp.Connector, exp.Not)
_DAY, _YEAR, _START = "JULIANDAY", "YEAR", "START"
_FORMATS = {"%J": _DAY, "%Y": _YEAR}
_PART = "a part of a date or text has no place in a formula"


def made(name: str, found: list[exp.Expr], conditions: list[tuple[int, exp.Expr]], *, distinct: bool) -> exp.Expr:
    """Return what a call is.

    Args:
        found: its arguments.
        conditions: of the rows that an aggregate takes, each with the place of the argument before it.

    Raises:
        ExpressionError: it has no place in a formula, or too few arguments or too many.
    """
    if not found:
        raise ExpressionError("CASE without a value")
    if name in ARITHMETIC:
        return _of_some(name, found, conditions) if conditions else _of_arguments(name, found)
    if name in _AGGREGATES:
        return _aggregate(name, found, [one for _, one in conditions], distinct=distinct)
    return _converted(name, found)


def _converted(name: str, found: list[exp.Expr]) -> exp.Expr:
    """Return what a call makes of one value."""
    if name == "CONCAT" and all(map(is_text, found[1:])):  # CONCAT(…, '%')
        return found[0]
    if name == "TIME" and len(found) == 2 and found[0].name.upper() in _FORMATS:
        return exp.Anonymous(this=_FORMATS[found[0].name.upper()], expressions=found[1:])
    if name == _START and len(found) == 3 and found[1].sql() in ("0", "1") and found[2].is_int:
        letters = int(found[2].name) - (found[1].sql() == "0")
        return exp.Anonymous(this=_START, expressions=[found[0], exp.Literal.number(letters)])
    if len(found) != 1 or name in ("CONCAT", "TIME", _START):
        raise ExpressionError(_PART if name in ("TIME", _START) else f"{name} of {len(found)} values")
    if name == "ABS":
        return exp.Abs(this=found[0])
    return found[0] if name == "CAST" else exp.Anonymous(this=name, expressions=found)


def compared(sign: str, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Return a comparison; of a day's year it is one of the day, of a text's beginning LIKE."""
    if isinstance(left, exp.Anonymous) and isinstance(right, exp.Literal):
        if _is_year(left, right):
            return _of_year(sign, left.expressions[0], int(right.name))
        if left.name == _START and sign == "=" and left.expressions[1].name == str(len(right.name)):
            return exp.Like(this=left.expressions[0], expression=exp.Literal.string(f"{right.name}%"))
    return _COMPARED[sign](this=left, expression=right)


def in_years(tree: exp.Between) -> exp.Expr:
    """Return BETWEEN; of a day's year it is one of the day."""
    left, low, high = tree.this, tree.args["low"], tree.args["high"]
    if not isinstance(left, exp.Anonymous) or not (_is_year(left, low) and _is_year(left, high)):
        return tree
    both = (_of_year(sign, left.expressions[0], int(one.name)) for sign, one in ((">=", low), ("<=", high)))
    return exp.and_(*both, copy=False)


def _is_year(left: exp.Anonymous, right: exp.Expr) -> bool:
    dated = left.name == _YEAR or (left.name == _START and left.expressions[1].name == "4")
    return dated and isinstance(right, exp.Literal) and len(right.name) == 4 and right.name.isdecimal()


def _of_year(sign: str, day: exp.Expr, year: int) -> exp.Expr:
    """Return what days of such years satisfy."""
    if sign in ("=", "<>"):
        both = exp.and_(_of_year(">=", day, year), _of_year("<=", day, year), copy=False)
        return both if sign == "=" else exp.not_(exp.paren(both))
    first = exp.Literal.string(f"{year + (sign in ('>', '<=')):04}-01-01")
    return (exp.GTE if ">" in sign else exp.LT)(this=day.copy(), expression=first)


def _of_some(sign: str, found: list[exp.Expr], conditions: list[tuple[int, exp.Expr]]) -> exp.Expr:
    """Return arithmetic of some rows; a condition at the end, where no other has its own, is of all."""
    places = [place for place, _ in conditions]
    if places == [len(found) - 1]:
        places = list(range(len(found)))
        conditions = [(place, conditions[0][1]) for place in places]
    if any(not found[place].find(*AGGREGATES) for place in places):
        raise ExpressionError("values of different rows, which need a query of their own")
    told = dict(conditions)
    return _of_arguments(sign, [filtered(one, told[i]) if i in told else one for i, one in enumerate(found)])


def _of_arguments(sign: str, found: list[exp.Expr]) -> exp.Expr:
    """Return what DIVIDE(a, b) and the like are, in brackets."""
    first, *rest = found
    if not rest:
        if isinstance(first.unnest(), tuple(ARITHMETIC.values())):  # DIVIDE(a / b)
            return first
        raise ExpressionError("arithmetic of one value, where two are needed")
    counted = any(one.find(*AGGREGATES) for one in found)
    first, *rest = (_aggregate("COUNT", [one], []) if counted and is_truth(one) else one for one in found)
    if sign in "/-" and len(rest) > 1:
        if sign == "-" or len(rest) > 2 or not isinstance(rest[1], exp.Literal) or rest[1].is_string:
            raise ExpressionError(f"{'DIVIDE' if sign == '/' else 'SUBTRACT'} of {len(found)} values")
        return exp.paren(reckoned("*", _of_arguments(sign, found[:2]), rest[1]))  # DIVIDE(a, b, 1.0)
    tree = first
    for other in rest:
        tree = reckoned(sign, _bracketed(tree), _bracketed(other))
    return exp.paren(tree)


def _aggregate(name: str, found: list[exp.Expr], conditions: list[exp.Expr], *, distinct: bool = False) -> exp.Expr:
    """Return an aggregate of the rows that satisfy; what is no value is a condition, and satisfied is counted."""
    truths = [one for one in found if is_truth(one)]
    values = [one for one in found if not is_truth(one)]
    if name == "SUM" and len(values) > 1 and not truths:
        return _of_arguments("+", values)
    if len(values) > 1:
        raise ExpressionError(f"{name} is of one value, here are {len(values)}")
    conditions = [*truths, *conditions]
    if not values:
        if name not in ("SUM", "COUNT"):
            raise ExpressionError(f"{name} of a condition")
        name, values = "COUNT", [exp.Literal.number(1)]
    (value,) = values
    if is_text(value):
        raise ExpressionError(f"{name} of a text")
    if conditions:
        whole = exp.and_(*(held(one) for one in conditions), copy=False)
        value = case_of(whole, exp.Literal.number(1) if isinstance(value, exp.Star) else value)
    return _AGGREGATES[name](this=exp.Distinct(expressions=[value]) if distinct else value)


def alike(tree: exp.Expr, other: exp.Expr) -> exp.Expr:
    """Return what OR joins to a comparison: gender = 'F' OR 'X' compares the same again."""
    last = tree
    while isinstance(last, exp.Connector):
        last = last.expression
    if isinstance(other, exp.Literal):
        if not isinstance(last, (exp.EQ, exp.Like)):
            raise ExpressionError(f"{other.sql()} is neither true nor false")
        return type(last)(this=last.this.copy(), expression=other)
    return other


def truth(tree: exp.Expr) -> exp.Expr:
    """Return what is true or false; a name may be.

    Raises:
        ExpressionError: it is neither.
    """
    if not isinstance(tree.unnest(), (*_TRUTHS, exp.Column)):
        raise ExpressionError(f"{tree.sql()} is neither true nor false")
    return tree


def days(node: exp.Expr) -> exp.Expr:
    """Write the difference of two days as days from one to the other.

    Raises:
        ExpressionError: another part of a date or text is left.
    """
    both = (node.this, node.expression) if isinstance(node, exp.Sub) else ()
    inner = [one.unnest() for one in both]
    if inner and all(isinstance(one, exp.Anonymous) and one.name == _DAY for one in inner):
        later, sooner = (one.expressions[0] for one in inner)
        return exp.Anonymous(this=DAYS, expressions=[sooner.copy(), later.copy()])
    if isinstance(node, exp.Anonymous) and node.name in (_DAY, _YEAR, _START):
        raise ExpressionError(_PART)
    return node


def reckoned(sign: str, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Return arithmetic of two values."""
    if sign == "*" and right.sql() == "1.0":  # to have decimals, which division here has
        return left
    tree = ARITHMETIC[sign](this=left, expression=right)
    if isinstance(tree, exp.Div):
        tree.set("typed", True)
        tree.set("safe", True)
    return tree


def is_truth(tree: exp.Expr) -> bool:
    """Is this a comparison, or several?"""
    return isinstance(tree.unnest(), _TRUTHS)


def is_text(tree: exp.Expr) -> bool:
    """Is this a text in quotes?"""
    return isinstance(tree, exp.Literal) and tree.is_string


def held(tree: exp.Expr) -> exp.Expr:
    """Return a condition as AND may join it."""
    return exp.paren(tree) if isinstance(tree, exp.Or) else tree


def _bracketed(tree: exp.Expr) -> exp.Expr:
    return exp.paren(tree) if isinstance(tree, (exp.Add, exp.Sub, exp.Mul, exp.Div)) else tree
