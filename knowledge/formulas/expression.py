"""Right sides of formulas: SQL expressions over concepts, parsed and typed.

    SUM(revenue - "cost of goods sold") / SUM(revenue)
    gender IN ('female', 'F', '女')
    "selling expenses", "administrative expenses"

A concept is an identifier without a table. One with a table (``sales.revenue``) is a column of one database already.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sqlglot import exp

from ...data.parsing import PARSE_ERRORS, parse_problem, read_tree

Kind = Literal["calculation", "condition", "union"]

Need = Literal["number", "text", "time", "truth", "counted", "any", "shown"]
"""What a place of an expression takes: ``counted`` stands in COUNT, where a table will do, too; ``shown`` is part of a
union, of any type."""

DAYS = "DAYS"
"""``DAYS(start, end)``: days from one date to another."""

AGGREGATES = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Count)

_MAX_DEPTH = 100
"""Nodes of an expression in one another: of more, what walks through it would run out of stack."""

_MAX_DIGITS = 40

_FUNCTIONS = "there are SUM, AVG, MIN, MAX, COUNT, ABS, ROUND, COALESCE and DAYS(start, end)"
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
_NUMBERS = (*_ARITHMETIC, exp.Neg, exp.Abs, exp.Round, exp.Sum, exp.Avg, exp.Count)
_TRUTHS = (*_COMPARISONS, exp.And, exp.Or, exp.Not, exp.Between, exp.In, exp.Like, exp.Is)
_OTHERS = (exp.Column, exp.Identifier, exp.Literal, exp.Paren, exp.Case, exp.If, exp.Distinct, exp.Star, exp.Null)
_KNOWN = (*_NUMBERS, *_TRUTHS, exp.Min, exp.Max, exp.Coalesce, *_OTHERS)


class ExpressionError(ValueError):
    """A right side is no expression of its kind; says why in a line."""


@dataclass(frozen=True)
class Expression:
    """A right side.

    Attributes:
        text: as it was written.
        kind: of the formula.
        trees: one, or of a union one for each part.
    """

    text: str
    kind: Kind
    trees: tuple[exp.Expr, ...]

    @cached_property
    def aggregate(self) -> bool:
        """Is it a value of many rows?"""
        return any(tree.find(*AGGREGATES) for tree in self.trees)

    @cached_property
    def added_up(self) -> frozenset[str]:
        """Return the concepts that stand inside an aggregate, where no other aggregate may."""
        found = (node.find_all(exp.Column) for tree in self.trees for node in tree.find_all(*AGGREGATES))
        return frozenset(concept_of(column) for several in found for column in several)

    @cached_property
    def empty(self) -> frozenset[str]:
        """Return the concepts that are asked whether they are NULL."""
        nodes = (node for tree in self.trees for node in tree.find_all(exp.Is))
        return frozenset(concept_of(column) for node in nodes for column in node.find_all(exp.Column))

    @cached_property
    def alike(self) -> tuple[frozenset[str], ...]:
        """Return the concepts that are compared with one another, which must be of one kind."""
        nodes = (node for tree in self.trees for node in tree.find_all(*_COMPARISONS, exp.Between))
        found = (frozenset(concept_of(column) for column in node.find_all(exp.Column)) for node in nodes)
        return tuple(one for one in found if len(one) > 1)

    @cached_property
    def by_row(self) -> tuple[exp.Expr, ...] | None:
        """Return what an aggregate is of one row: SUM(a) / SUM(b) is a / b. None where it counts rows, or is none."""
        if not self.aggregate or any(tree.find(exp.Count, exp.Case) for tree in self.trees):
            return None
        return tuple(tree.transform(_of_row) for tree in self.trees)

    @cached_property
    def needs(self) -> dict[str, Need]:
        """Return the concepts in it, in order, each with what its places take."""
        found: dict[str, Need] = {}
        whole: dict[Kind, Need] = {"calculation": "number", "condition": "truth", "union": "shown"}
        for tree in self.trees:
            for name, need in _needs(tree, whole[self.kind]):
                if found.get(name, "any") in ("any", "counted"):
                    found[name] = need
        return found


def _of_row(node: exp.Expr) -> exp.Expr:
    return exp.paren(node.this.copy()) if isinstance(node, AGGREGATES) else node


def concept_of(column: exp.Expr) -> str:
    """Return the name of a concept, with its table before a dot if it has one."""
    return f"{column.args['table'].name}.{column.name}" if column.args.get("table") else column.name


def parse(text: str, kind: Kind | None = None) -> Expression:
    """Read a right side.

    Args:
        kind: of the formula; told by its form if None.

    Raises:
        ExpressionError: it does not parse, has what no formula may have, or types that cannot fit.
    """
    try:
        tree = read_tree(f"SELECT {text}", "sqlite")
    except PARSE_ERRORS as error:
        raise ExpressionError(f"{text!r} is no SQL expression: {parse_problem(error)}") from None
    if not isinstance(tree, exp.Select) or {k for k, v in tree.args.items() if v} != {"expressions"}:
        raise ExpressionError(f"{text!r} is a query; write an expression over concepts")
    trees = tuple(tree.expressions)
    if _depth(tree) > _MAX_DEPTH:
        raise ExpressionError(f"{text[:60]!r} … is nested too deep")
    for one in trees:
        _check(one)
    kind = kind or _kind_of(trees)
    if kind == "union":
        if len(trees) < 2 or not all(isinstance(one, exp.Column) for one in trees):
            raise ExpressionError("a union is a list of two concepts or more; of values write a condition with IN")
    elif len(trees) != 1:
        raise ExpressionError(f"a {kind} is one expression")
    elif not isinstance(bare := trees[0].unnest(), exp.Column) and (kind == "condition") != isinstance(bare, _TRUTHS):
        found = "true or false" if kind == "calculation" else "a value"
        raise ExpressionError(f"{text!r} is no {kind}: it is {found}")
    return Expression(text, kind, trees)


def _kind_of(trees: Sequence[exp.Expr]) -> Kind:
    """Return the kind that an expression has by its form."""
    if len(trees) > 1:
        return "union"
    return "condition" if trees and isinstance(trees[0].unnest(), _TRUTHS) else "calculation"


def _depth(tree: exp.Expr) -> int:
    """Return how many nodes stand in one another."""
    depths: dict[int, int] = {}
    for node in tree.walk(bfs=False):
        depths[id(node)] = depths.get(id(node.parent), 0) + 1
    return max(depths.values())


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
                _takes_number(operand, node)


def _takes_number(operand: object, node: exp.Expr) -> None:
    bare = operand.unnest() if isinstance(operand, exp.Expr) else None
    if isinstance(bare, _TRUTHS) or (isinstance(bare, exp.Literal) and bare.is_string):
        raise ExpressionError(f"{bare.sql()!r} is no number, in {node.sql()!r}")


def _needs(tree: exp.Expr, need: Need) -> Iterator[tuple[str, Need]]:
    """Yield the concepts of a tree with what their places take."""
    if isinstance(tree, exp.Column):
        yield concept_of(tree), need
        return
    for child, taken in _children(tree, need):
        yield from _needs(child, taken)


def _children(tree: exp.Expr, need: Need) -> Iterator[tuple[exp.Expr, Need]]:
    if isinstance(tree, exp.Case):
        for branch in tree.args["ifs"]:
            yield branch.this, "truth"
            yield branch.args["true"], need
        if default := tree.args.get("default"):
            yield default, need
        return
    taken: Need = need
    if isinstance(tree, (*_COMPARISONS, exp.Between, exp.In, exp.Like, exp.Is)):
        taken = _compared(tree)
    elif isinstance(tree, exp.Count):
        taken = "counted"
    elif isinstance(tree, exp.Anonymous):
        taken = "time"
    elif isinstance(tree, (*_ARITHMETIC, exp.Neg, exp.Abs, exp.Round, exp.Sum, exp.Avg)):
        taken = "number"
    elif isinstance(tree, (exp.And, exp.Or, exp.Not)):
        taken = "truth"
    for child in tree.iter_expressions():
        yield child, taken


def _compared(tree: exp.Expr) -> Need:
    """Return what is compared here: what the literals beside it are."""
    literals = list(tree.find_all(exp.Literal))
    if any(one.is_string for one in literals):
        return "text"
    return "number" if literals or tree.find(*_ARITHMETIC) else "any"
