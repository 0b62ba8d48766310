"""A query on its way from the decoder to the answer: text with slots, what fills them, and a tree that is read once.

    WHERE age > {number0} AND name = '{text0}' ORDER BY age LIMIT 3 PER town
    WHERE age > :number0  AND name = '{text0}' ORDER BY age LIMIT 3 BY  town

PER, which the normal form has for the first rows of each group, is LIMIT BY to sqlglot. Both lines are equally long,
so a place in one is the same place in the other. `readable` makes the second of the first, `written` the first of the
tree of the second.

`clause_parts` takes a query apart: each projection, condition, group, order, limit and table, as it is written.

    SELECT name FROM artist WHERE country = 'France' AND age > 30 ORDER BY name
        SELECT name, WHERE country = 'France', WHERE age > 30, ORDER BY name, FROM artist
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from sqlglot import Dialect, exp

from ..errors import QueryError
from ..parsing import parse, words_of
from ..values.slots import STRING_OR_SLOT, Value, fill_sql, quoted

_PER = re.compile(r"\bPER\b", re.IGNORECASE)
_LIMITS = {"LIMIT", "OFFSET"}
_NEGATABLE = (exp.In, exp.Between, exp.Like, exp.Glob, exp.Is)


def readable(sql: str, dialect: str) -> str:
    """Return a query, slotted or filled, as sqlglot reads it."""
    text = STRING_OR_SLOT.sub(lambda found: found[0] if found[1] is None else f":{found[1]}{found[2]} ", sql)
    tokens = words_of(text, dialect) if _PER.search(text) else []
    for i in range(len(tokens) - 2, 1, -1):  # behind a number, or behind the two tokens of a placeholder
        if tokens[i].text.upper() == "PER" and {tokens[i - 2].text.upper(), tokens[i - 3].text.upper()} & _LIMITS:
            return f"{text[: tokens[i].start]}BY {text[tokens[i].end + 1 :]}"
    return text


@cache
def generator(dialect: str) -> Any:
    """Return the class by which sqlglot writes a dialect: slots in braces, PER, NOT beside IN, LIKE, BETWEEN and IS.

    It is kept, since sqlglot searches each new class for its methods.
    """
    base: Any = Dialect.get_or_raise(dialect).generator_class

    class SlottedGenerator(base):
        def placeholder_sql(self, expression: exp.Placeholder) -> str:
            return f"{{{expression.name}}}" if expression.this else super().placeholder_sql(expression)

        def limit_sql(self, expression: exp.Limit, top: bool = False) -> str:
            return super().limit_sql(expression, top).replace(" BY ", " PER ", 1)

        def offset_sql(self, expression: exp.Offset) -> str:
            return super().offset_sql(expression).replace(" BY ", " PER ", 1)

        def not_sql(self, expression: exp.Not) -> str:
            inner = expression.this.unnest()
            if not isinstance(inner, _NEGATABLE) or (
                isinstance(inner, exp.Is) and not isinstance(inner.expression, exp.Null)
            ):
                return super().not_sql(expression)
            left, whole = self.sql(inner.this), self.sql(inner)
            if not whole.startswith(left):
                raise QueryError(f"cannot be spelled: {whole}")
            return f"{left} IS NOT NULL" if isinstance(inner, exp.Is) else f"{left} NOT{whole[len(left) :]}"

    return SlottedGenerator


def written(tree: exp.Expr, dialect: str, **options: Any) -> str:
    """Return the text of a tree, slots in braces; options are those of sqlglot's generators.

    Raises:
        SqlglotError: the dialect cannot say it.
        QueryError: NOT has no place in it.
    """
    return generator(dialect)(dialect=dialect, **options).generate(tree)


def unbracketed(tree: exp.Expr) -> exp.Expr:
    """Remove the brackets around the sides of UNION, INTERSECT and EXCEPT, which SQLite cannot parse."""
    for node in reversed(list(tree.find_all(exp.SetOperation))):
        for side in ("this", "expression"):
            inner = node.args[side]
            if not isinstance(inner, exp.Subquery) or inner.alias:
                continue
            query = inner.unnest()
            plain = isinstance(query, exp.Select) and not any(query.args.get(k) for k in ("order", "limit", "offset"))
            if plain or (side == "this" and isinstance(query, exp.SetOperation) and not query.args.get("limit")):
                node.set(side, query)
            else:
                node.set(side, exp.select("*").from_(exp.alias_(exp.Subquery(this=query), "side", table=True)))
    for node in list(tree.find_all(exp.In, exp.Subquery)):
        if isinstance(node, exp.In) and isinstance(node.args.get("query"), exp.Subquery):
            inner = node.args["query"]
            while isinstance(inner.this, exp.Subquery) and not inner.this.alias:
                inner.set("this", inner.this.this)
    return tree.unnest() if isinstance(tree, exp.Subquery) and not tree.args.get("order") else tree


def _written_with(values: Collection[Value], tree: exp.Expr, dialect: str) -> exp.Expr:
    """Return a copy of a tree with values in place of slots."""
    filled = tree.copy()
    for node in list(filled.find_all(exp.Placeholder, exp.Literal)):
        if isinstance(node, exp.Placeholder):
            number = fill_sql(f"{{{node.name}}}", values, dialect=dialect)
            literal = exp.Literal.number(number.removeprefix("-"))
            node.replace(exp.Neg(this=literal) if number.startswith("-") else literal)
        elif node.is_string and "{" in node.name:
            node.set("this", _filled(node.name, values))
    return filled


def _filled(text: str, values: Collection[Value]) -> str:
    return fill_sql(quoted(text), values)[1:-1].replace("''", "'")


Rule = Callable[[exp.Query], exp.Query]
"""Rewrites a tree with placeholders, in place or as a new one; returns the same tree where it has nothing to change."""


@dataclass(frozen=True)
class Query:
    """One query in one dialect.

    Attributes:
        slotted: the text, with slots in place of the values that a question names.
        dialect: sqlite, mysql or postgres.
        values: what fills the slots.
    """

    slotted: str
    dialect: str
    values: tuple[Value, ...] = ()

    @cached_property
    def sql(self) -> str:
        """Return the text that is executed.

        Raises:
            KeyError: a slot has no value.
            ValueError: a slot outside of quotes has a value that is no number.
        """
        return fill_sql(self.slotted, self.values, dialect=self.dialect)

    @cached_property
    def slotted_tree(self) -> exp.Query | None:
        """Return the tree with placeholders, None if sqlglot cannot parse it; it must not be changed."""
        return parse(readable(self.slotted, self.dialect), self.dialect)

    @cached_property
    def tree(self) -> exp.Expr | None:
        """Return the tree with the values in it, None if sqlglot cannot parse it; it must not be changed."""
        tree = self.slotted_tree
        return tree if tree is None or not self.values else _written_with(self.values, tree, self.dialect)

    def rewritten(self, rules: Iterable[Rule]) -> Query:
        """Return the query after some rules, itself where they change nothing."""
        tree = self.slotted_tree
        if tree is None:
            return self
        new = tree.copy()
        for rule in rules:
            new = rule(new)
        return self if new == tree else self.with_tree(new, written(new, self.dialect))

    def with_tree(self, tree: exp.Query, slotted: str) -> Query:
        """Return a query of the same values from its tree and the text of that, which is not read again."""
        made = replace(self, slotted=slotted)
        made.__dict__["slotted_tree"] = tree
        return made


_CLAUSES = {
    "where": "WHERE",
    "having": "HAVING",
    "group": "GROUP BY",
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
}


@dataclass(frozen=True)
class ClausePart:
    """A part of a query; two of one clause are the same where their trees are.

    Attributes:
        clause: that it stands in (``SELECT``, ``SELECT DISTINCT``, ``WHERE``, ``GROUP BY``, ``UNION``, …).
        tree: of sqlglot.
        dialect: that it is written in.
    """

    clause: str
    tree: exp.Expr
    dialect: str

    @cached_property
    def sql(self) -> str:
        """Return it as it is written, without the clause."""
        text = self.tree.sql(dialect=self.dialect)
        return f"({text})" if isinstance(self.tree.parent, exp.SetOperation) else text

    def __str__(self) -> str:
        return f"{self.clause} {self.sql}"


def clause_parts(tree: exp.Expr | None, dialect: str) -> tuple[ClausePart, ...]:
    """Return the different parts of a query; those of one that does not parse, or is nested too deep, are none."""
    try:
        return tuple(dict.fromkeys(parts_of(tree, dialect)))
    except RecursionError:  # thousand queries joined by UNION parse, and are a tree as deep
        return ()


def parts_of(tree: exp.Expr | None, dialect: str) -> Iterator[ClausePart]:
    """Yield the parts of a query in the order in which they are written; of two joined by UNION those of both.

    The tables come last: they follow from the rest, but where all rows are counted.
    """
    if isinstance(tree, exp.SetOperation):
        yield from parts_of(tree.left, dialect)
        yield ClausePart(tree.key.upper(), tree.right, dialect)
    if not isinstance(tree, exp.Select):
        return
    clauses = [("SELECT DISTINCT" if tree.args.get("distinct") else "SELECT", tree.expressions)]
    for name, clause in _CLAUSES.items():
        found = tree.args.get(name)
        if isinstance(found, exp.Where | exp.Having):
            clauses.append((clause, [*found.this.flatten()] if isinstance(found.this, exp.And) else [found.this]))
        elif isinstance(found, exp.Limit | exp.Offset):
            clauses.append((clause, [found.expression]))
        elif found is not None:
            clauses.append((clause, found.expressions))
    sources = [tree.args.get("from_"), *(tree.args.get("joins") or ())]
    clauses.append(("FROM", [one.this for one in sources if one]))
    yield from (ClausePart(clause, one, dialect) for clause, nodes in clauses for one in nodes)
