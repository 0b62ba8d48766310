"""The right sides of formulas: SQL expressions over concepts, parsed and typed.

    SUM(revenue - "cost of goods sold") / SUM(revenue)
    gender IN ('female', 'F', '女')
    "selling expenses", "administrative expenses"

A concept is an identifier without a table. With a table (``sales.revenue``) it is a column of a database.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sqlglot import exp

from ...data.parsing import PARSE_ERRORS, parse_problem, read_tree

Kind = Literal["calculation", "condition", "union"]

Need = Literal["number", "text", "time", "truth", "counted", "any", "shown"]
"""The type that a place of an expression takes: ``counted`` is for COUNT, which also takes a table; ``shown`` is for a
union, which takes any type."""

DAYS = "DAYS"
"""``DAYS(start, end)``: the days from one date to another."""

AGGREGATES = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Count)

_MAX_DEPTH = 100
"""The greatest depth of an expression: functions that walk through a deeper one would run out of stack."""

_MAX_DIGITS = 40

_FUNCTIONS = "there are SUM, AVG, MIN, MAX, COUNT, ABS, ROUND, COALESCE and DAYS(start, end)"
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_NUMBERS = (*_ARITHMETIC, exp.Neg, exp.Abs, exp.Round, exp.Sum, exp.Avg, exp.Count)
_TRUTHS = (*_COMPARISONS, exp.And, exp.Or, exp.Not, exp.Between, exp.In, exp.Like, exp.Is)
_OTHERS = (exp.Column, exp.Identifier, exp.Literal, exp.Paren, exp.Case, exp.If, exp.Distinct, exp.Star, exp.Null)
_KNOWN = (*_NUMBERS, *_TRUTHS, exp.Min, exp.Max, exp.Coalesce, *_OTHERS)


class ExpressionError(ValueError):
    """A right side is no expression of its kind; the message is one line."""


@dataclass(frozen=True)
class Expression:
    """The right side of a formula.

    Attributes:
        text: the text that was read.
        kind: the kind of the formula.
        trees: the expression, or those of the parts of a union.
    """

    text: str
    kind: Kind
    trees: tuple[exp.Expr, ...]

    @cached_property
    def aggregate(self) -> bool:
        """Does it aggregate rows?"""
        return any(tree.find(*AGGREGATES) for tree in self.trees)

    @cached_property
    def added_up(self) -> frozenset[str]:
        """Return the concepts inside an aggregate, which cannot be aggregates themselves."""
        found = (node.find_all(exp.Column) for tree in self.trees for node in tree.find_all(*AGGREGATES))
        return frozenset(concept_of(column) for several in found for column in several)

    @cached_property
    def empty(self) -> frozenset[str]:
        """Return the concepts that are compared with NULL."""
        nodes = (node for tree in self.trees for node in tree.find_all(exp.Is))
        return frozenset(concept_of(column) for node in nodes for column in node.find_all(exp.Column))

    @cached_property
    def alike(self) -> tuple[frozenset[str], ...]:
        """Return the groups of concepts that are compared with one another, which must have the same type."""
        nodes = (node for tree in self.trees for node in tree.find_all(*_COMPARISONS, exp.Between))
        found = (frozenset(concept_of(column) for column in node.find_all(exp.Column)) for node in nodes)
        return tuple(one for one in found if len(one) > 1)

    @cached_property
    def by_row(self) -> tuple[exp.Expr, ...] | None:
        """Return the value of an aggregate for one row, for instance a / b of SUM(a) / SUM(b).

        It is None if the expression counts rows or aggregates nothing.
        """
        if not self.aggregate or any(tree.find(exp.Count, exp.Case) for tree in self.trees):
            return None

        def without_aggregate(node: exp.Expr) -> exp.Expr:
            return exp.paren(node.this.copy()) if isinstance(node, AGGREGATES) else node

        return tuple(tree.transform(without_aggregate) for tree in self.trees)

    @cached_property
    def needs(self) -> dict[str, Need]:
        """Return its concepts in order, each with the type that its places take."""
        found: dict[str, Need] = {}
        whole: dict[Kind, Need] = {"calculation": "number", "condition": "truth", "union": "shown"}
        for tree in self.trees:
            for name, need in _needs(tree, whole[self.kind]):
                if found.get(name, "any") in ("any", "counted"):
                    found[name] = need
        return found


def concept_of(column: exp.Expr) -> str:
    """Return the name of a concept, after its table and a dot if it has a table."""
    return f"{column.args['table'].name}.{column.name}" if column.args.get("table") else column.name


def select_of(text: str, dialect: str) -> exp.Select:
    """Return SELECT with a text as its only clause.

    Raises:
        ExpressionError: the text does not parse, or is more than a list of expressions.
    """
    try:
        tree = read_tree(f"SELECT {text}", dialect)
    except PARSE_ERRORS as error:
        raise ExpressionError(f"{text!r} is no SQL expression: {parse_problem(error)}") from None
    if not isinstance(tree, exp.Select) or {k for k, v in tree.args.items() if v} != {"expressions"}:
        raise ExpressionError(f"{text!r} is a query; write an expression over concepts")
    return tree


def parse(text: str, kind: Kind | None = None) -> Expression:
    """Read the right side of a formula.

    Args:
        kind: the kind of the formula; None to infer it from the expression.

    Raises:
        ExpressionError: it does not parse, contains something that formulas cannot, or its types do not fit.
    """
    tree = select_of(text, "sqlite")
    trees = tuple(tree.expressions)
    if any(node.depth >= _MAX_DEPTH for node in tree.walk()):
        raise ExpressionError(f"{text[:60]!r} … is nested too deep")
    for one in trees:
        _check(one)
    is_truth = isinstance(trees[0].unnest(), _TRUTHS)
    kind = kind or ("union" if len(trees) > 1 else "condition" if is_truth else "calculation")
    if kind == "union":
        if len(trees) < 2 or not all(isinstance(one, exp.Column) for one in trees):
            raise ExpressionError("a union is a list of two concepts or more; of values write a condition with IN")
    elif len(trees) != 1:
        raise ExpressionError(f"a {kind} is one expression")
    elif not isinstance(trees[0].unnest(), exp.Column) and (kind == "condition") != is_truth:
        found = "true or false" if kind == "calculation" else "a value"
        raise ExpressionError(f"{text!r} is no {kind}: it is {found}")
    return Expression(text, kind, trees)


def _check(tree: exp.Expr) -> None:
    for node in tree.walk():
        if isinstance(node, exp.Anonymous) and node.name.upper() == DAYS and len(node.expressions) == 2:
            continue
        if isinstance(node, exp.Func) and not isinstance(node, _KNOWN):
            name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
            raise ExpressionError(f"no function {name!r} here; {_FUNCTIONS}")
        if not isinstance(node, _KNOWN):
            raise ExpressionError(f"{node.sql()!r} has no place in a formula")
        if isinstance(node, AGGREGATES) and node.find_ancestor(*AGGREGATES):
            raise ExpressionError(f"{node.sql()!r} stands inside another aggregate")
        if isinstance(node, exp.Literal) and not node.is_string and len(node.name) > _MAX_DIGITS:
            raise ExpressionError(f"{node.name[:20]}… has more digits than any number here")
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
            raise ExpressionError("* stands in COUNT alone")
        if isinstance(node, (*_ARITHMETIC, exp.Sum, exp.Avg, exp.Abs)):
            for operand in (node.this, node.args.get("expression")):
                bare = operand.unnest() if isinstance(operand, exp.Expr) else None
                if isinstance(bare, _TRUTHS) or (isinstance(bare, exp.Literal) and bare.is_string):
                    raise ExpressionError(f"{bare.sql()!r} is no number, in {node.sql()!r}")


def _needs(tree: exp.Expr, need: Need) -> Iterator[tuple[str, Need]]:
    """Yield the concepts of a tree with the type that each place takes, ``need`` for the whole tree."""
    if isinstance(tree, exp.Column):
        yield concept_of(tree), need
    elif isinstance(tree, exp.Case):
        for branch in tree.args["ifs"]:
            yield from _needs(branch.this, "truth")
            yield from _needs(branch.args["true"], need)
        if default := tree.args.get("default"):
            yield from _needs(default, need)
    else:
        taken: Need = need
        if isinstance(tree, (*_COMPARISONS, exp.Between, exp.In, exp.Like, exp.Is)):
            literals = list(tree.find_all(exp.Literal))
            number = bool(literals) or tree.find(*_ARITHMETIC) is not None
            taken = "text" if any(one.is_string for one in literals) else "number" if number else "any"
        elif isinstance(tree, exp.Count):
            taken = "counted"
        elif isinstance(tree, exp.Anonymous):
            taken = "time"
        elif isinstance(tree, (*_ARITHMETIC, exp.Neg, exp.Abs, exp.Round, exp.Sum, exp.Avg)):
            taken = "number"
        elif isinstance(tree, (exp.And, exp.Or, exp.Not)):
            taken = "truth"
        for child in tree.iter_expressions():
            yield from _needs(child, taken)
