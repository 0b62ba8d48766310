"""Queries outside of the grammar, written with what it has: where the rewritten query runs, the query does.

sqlglot parses a query once. Each of `RULES` takes the tree and returns one without some construct, as the rules of
sqlglot's own optimizer do; the last one moves derived tables to WITH, so that their columns are known before the SELECT
that reads them. Then the tree is written out, and the constraint walks the text. Nothing is executed.

sqlglot reads more than an engine does, and passes over what it does not expect. So a query is rewritten only if its
tree, written out as it is, has the words of the query in their order. Names keep the places where the query has them:
a problem of a rewritten query is reported at a word of the query.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any
from zoneinfo import available_timezones

from sqlglot import exp
from sqlglot.errors import ErrorLevel
from sqlglot.helper import find_new_name
from sqlglot.optimizer.scope import Scope, traverse_scope

from ..data.errors import QueryError
from ..data.parsing import PARSE_ERRORS, parse
from ..data.sql.query import generator
from ..grammar import MAX_WORDS, Grammar
from ..grammar.reading.lexer import Lexeme
from ..grammar.types.quirks import QUIRKS


class UnableError(Exception):
    """There is no way to say something with what the grammar has."""


def rewritten(grammar: Grammar, sql: str, lexemes: Sequence[Lexeme]) -> list[Lexeme] | None:
    """Return the lexemes of a query without what can be written by other means, None if it is the same or cannot be.

    Args:
        grammar: of the schema.
        sql: the query.
        lexemes: of the query.
    """
    unspaced = grammar.quoting.refused.unspaced  # functions that are none where the bracket stands apart
    apart = any(b.text == "(" and b.start > a.end and a.text.upper() in unspaced for a, b in pairwise(lexemes))
    tree = parse(sql, grammar.dialect) if len(lexemes) <= MAX_WORDS and not apart else None
    before = _spelling(grammar, lexemes)
    try:
        if tree is None or _spelling(grammar, _written(grammar, tree)) != before:
            return None
        for rule in RULES:
            tree = rule(grammar, tree)
        found = _written(grammar, tree)
    except (UnableError, QueryError, *PARSE_ERRORS):
        return None
    old, new = (sum(lexeme.text == "(" for lexeme in several) for several in (lexemes, found))
    return None if _spelling(grammar, found) == before and new >= old else found


# ---- trees as lexemes

_MARK = re.compile("\x01(\\d+),(\\d+)\x02")
_OPTIONAL = {"AS", "INNER", "OUTER", "ASC", "CAST", "::", "(", ")", "NULLS", "FIRST", "LAST"}
"""Words that a query may have or leave out, or have elsewhere."""

_SAME = {"!=": "<>", "==": "=", "SUBSTR": "SUBSTRING", "INTEGER": "INT", "NUMERIC": "DECIMAL", "BOOL": "BOOLEAN"}
_TYPED = re.compile(r"\b(DATE|TIMESTAMP|TIME) ('[^']*')")


def _written(grammar: Grammar, tree: exp.Query) -> list[Lexeme]:
    """Return the lexemes of a tree, each at the place in the query of the name that it is, or of the one before it."""
    text, places = "", dict[int, tuple[int, int]]()
    options = {"dialect": grammar.dialect, "comments": False, "unsupported_level": ErrorLevel.IGNORE}
    try:
        pieces = _MARK.split(_generator(grammar.dialect)(**options).generate(tree))
    except (TypeError, AttributeError) as error:  # what sqlglot raises of a tree that a dialect cannot say
        raise UnableError from error
    for before, start, end in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=False):
        text += before
        places[len(text)] = (int(start), int(end))
    found, at = list[Lexeme](), (0, 0)
    for lexeme in grammar.tokenizer.lexemes(text + pieces[-1]):
        named = [places[i] for i in range(lexeme.start + 1, lexeme.end + 1) if i in places]
        at = (named[0][0], named[-1][1]) if named else at
        found.append(replace(lexeme, start=at[0], end=at[1]))
    return found


@cache
def _generator(dialect: str) -> Any:
    """Return the class by which a tree is written, with the place of each identifier behind it."""

    class PlacedGenerator(generator(dialect)):
        def identifier_sql(self, expression: exp.Identifier) -> str:
            written, place = super().identifier_sql(expression), expression.meta
            return f"{written}\x01{place['start']},{place['end'] + 1}\x02" if "start" in place else written

    return PlacedGenerator


def _spelling(grammar: Grammar, lexemes: Iterable[Lexeme]) -> str:
    """Return the words of a query in one spelling."""
    words = (".".join(f'"{p.text}"' if p.quoted else p.text for p in x.parts) or x.text for x in lexemes)
    upper = (_SAME.get(word, word) for word in map(str.upper, words) if word not in _OPTIONAL)
    text = _TYPED.sub(r"\2 \1", " ".join(upper))
    return text.replace("CROSS JOIN", ",").replace(" ON TRUE", "") if grammar.dialect == "sqlite" else text


# ---- rules


def _without_rows(grammar: Grammar, tree: exp.Query) -> exp.Query:
    """``(a, b) IN ((1, 2))``: ``(a = 1 AND b = 2)``."""
    for node in list(tree.find_all(exp.EQ, exp.In)):
        row, others = node.this, [node.expression] if isinstance(node, exp.EQ) else node.expressions
        if not isinstance(row, exp.Tuple) or not others:
            continue
        alike = all(isinstance(one, exp.Tuple) and len(one.expressions) == len(row.expressions) for one in others)
        if not alike or row.find(exp.Query):
            raise UnableError
        pairs = [zip(row.expressions, one.expressions, strict=True) for one in others]
        node.replace(exp.paren(exp.or_(*(exp.and_(*(a.eq(b) for a, b in several)) for several in pairs))))
    return tree


def _without_brackets(grammar: Grammar, tree: exp.Query) -> exp.Query:
    """``FROM (a JOIN b ON c) JOIN d ON e``: ``FROM a JOIN b ON c JOIN d ON e``."""
    for select in tree.find_all(exp.Select):
        first = select.args["from_"].this if select.args.get("from_") else None
        if isinstance(first, exp.Subquery) and isinstance(first.this, exp.Table) and not first.alias:
            joins = first.this.args.pop("joins", None) or []
            if not joins and grammar.types.strict:  # a table alone stands in no brackets there
                raise UnableError
            select.set("joins", [*joins, *(select.args.get("joins") or [])])
            first.replace(first.this)
    return tree


def _without_using(grammar: Grammar, tree: exp.Query) -> exp.Query:
    """``a JOIN b USING (c)``: ``a JOIN b ON a.c = b.c``; c alone is the left side's from then on."""
    key = grammar.quoting.key
    for scope in traverse_scope(tree):
        joins: list[exp.Join] = scope.expression.args.get("joins") or []
        if not any(join.args.get("using") or join.method == "NATURAL" for join in joins):
            continue
        if (scope.expression.is_star and not scope.is_root) or any(join.side in {"RIGHT", "FULL"} for join in joins):
            raise UnableError
        first = scope.expression.args["from_"].this
        owners, merged = _columns_of(grammar, scope, first), dict[str, exp.Identifier]()
        for join in joins:
            columns, conditions = _columns_of(grammar, scope, join.this), list[exp.Expr]()
            natural = [name for name in columns if name in owners] if join.method == "NATURAL" else []
            for column in join.args.get("using") or map(exp.to_identifier, natural):
                if len(owners.get(key(column.name), [])) != 1:
                    raise UnableError
                left = merged.setdefault(key(column.name), owners[key(column.name)][0])
                conditions.append(exp.column(column, left).eq(exp.column(column, join.this.alias_or_name)))
            if conditions:
                join.set("on", exp.and_(*conditions))
                join.set("using", None)
                join.set("method", None)
            for name, others in columns.items():
                owners[name] = [*owners.get(name, []), *([] if name in merged else others)]
        for column in scope.columns:
            if not column.table and key(column.name) in merged:
                column.set("table", merged[key(column.name)].copy())
    return tree


def _columns_of(grammar: Grammar, scope: Scope, source: exp.Expr) -> dict[str, list[exp.Identifier]]:
    """Return the keys of the columns that a source shows, each with the source's name."""
    derived = scope.sources.get(source.alias_or_name)
    table = grammar.names.tables.get(grammar.quoting.key(source.name)) if isinstance(source, exp.Table) else None
    if isinstance(derived, Scope) and isinstance(derived.expression, exp.Query) and not derived.expression.is_star:
        names = derived.expression.named_selects
    elif table is not None and not isinstance(derived, Scope):
        names = [column.name for column in table.columns]
    else:
        raise UnableError
    return {grammar.quoting.key(name): [exp.to_identifier(source.alias_or_name)] for name in names}


def _label(query: exp.Expr, names: Sequence[exp.Identifier]) -> None:
    """Call the columns of a query by some names."""
    while isinstance(query, exp.SetOperation):
        query = query.left
    select = query.unnest()
    if not isinstance(select, exp.Select) or select.is_star or len(select.expressions) != len(names):
        raise UnableError
    labelled = zip(select.expressions, names, strict=True)
    select.set("expressions", [exp.alias_(one.unalias(), name, copy=False) for one, name in labelled])


def _keys_by_position(grammar: Grammar, tree: exp.Query) -> exp.Query:
    """``SELECT MONTH(d) FROM t GROUP BY MONTH(d) ORDER BY MONTH(d)``: ``GROUP BY 1 ORDER BY 1``.

    MariaDB knows no expression again in which conditions are joined.
    """
    for select in tree.find_all(exp.Select):
        if grammar.dialect == "sqlite" or select.is_star:
            continue
        places = {item.unalias(): place for place, item in reversed([*enumerate(select.expressions, 1)])}
        named = {item.alias.lower() for item in select.expressions}  # which MariaDB takes a name in ORDER BY for
        clauses = (select.args.get(clause) or exp.Group() for clause in ("group", "order"))
        for key in [
            term.this if isinstance(term, exp.Ordered) else term for one in clauses for term in one.expressions
        ]:
            columns = {column.name.lower() for column in key.find_all(exp.Column)}
            joined = grammar.dialect == "mysql" and (key.find(exp.Connector, exp.Nullif, exp.Query) or columns & named)
            if key in places and columns and not isinstance(key, exp.Column) and not joined:
                key.replace(exp.Literal.number(places[key]))
    return tree


def _plain_terms(grammar: Grammar, tree: exp.Query) -> exp.Query:
    """Return a query of PostgreSQL with terms of the same types that fail where its own fail: ``MAX(a)`` for MODE."""
    changed = tree.transform(_plain_term) if grammar.dialect == "postgres" else tree
    assert isinstance(changed, exp.Query)
    return changed


def _plain_term(node: exp.Expr) -> exp.Expr:
    match node:
        case exp.EQ(this=found, expression=exp.Any(this=array)):
            element = exp.Bracket(this=exp.paren(array.unnest()), expressions=[exp.Literal.number(1)])
            return exp.EQ(this=found, expression=element)
        case exp.AtTimeZone(this=time) if node.args["zone"].name in available_timezones():
            return exp.cast(time, "TIMESTAMPTZ")
        case exp.WithinGroup(
            this=exp.Mode() | exp.PercentileCont() | exp.PercentileDisc() as called,
            expression=exp.Order(expressions=[exp.Ordered(this=term)]),
        ):
            share = called.this
            able = isinstance(called, exp.Mode) or (
                isinstance(share, exp.Literal) and share.is_number and float(share.name) <= 1
            )
            if able and not isinstance(node.parent, exp.Window) and not isinstance(term, (exp.Literal, exp.Null)):
                continuous = isinstance(called, exp.PercentileCont)
                return exp.Avg(this=exp.cast(term, "DOUBLE PRECISION")) if continuous else exp.Max(this=term)
        case _:
            pass
    return node


def _named_sources(grammar: Grammar, tree: exp.Query) -> exp.Query:
    """``FROM (SELECT a FROM t)``: ``FROM (SELECT a FROM t) AS q0``."""
    for number, derived in enumerate(tree.find_all(exp.Subquery)):
        if isinstance(derived.parent, (exp.From, exp.Join)) and isinstance(derived.this, exp.Query):
            if not derived.alias and not QUIRKS[grammar.dialect].optional_alias:
                raise UnableError
            derived.set("alias", derived.args.get("alias") or exp.TableAlias(this=exp.to_identifier(f"q{number}")))
    return tree


def _common_sources(grammar: Grammar, tree: exp.Query) -> exp.Query:
    """``SELECT t.n FROM (SELECT COUNT(*) AS n FROM s) AS t``: ``WITH t AS (SELECT …) SELECT t.n FROM t``.

    Each use of a query of WITH under another name becomes a query of its own, too.
    """
    key, common = grammar.quoting.key, list[exp.CTE]()
    withs = list(tree.find_all(exp.With))
    defined = [key(cte.alias) for with_ in withs for cte in with_.expressions]
    read = {key(table.alias_or_name) for table in tree.find_all(exp.Table) if key(table.name) not in defined}
    taken = {*grammar.names.tables, *read}
    if len(taken | {*defined}) < len(taken) + len(defined) or any(with_.recursive for with_ in withs):
        raise UnableError
    taken |= {*defined}
    for scope in traverse_scope(tree):
        for alias, (selected, source) in scope.selected_sources.items():
            node = selected if isinstance(selected, exp.Table) else selected.parent
            called: exp.TableAlias | None = node.args.get("alias") if node else None
            if node is None or called is None or not isinstance(source, Scope):
                continue
            listed = called.columns and grammar.dialect != "postgres"
            if listed or isinstance(node, exp.Lateral) or any(column.table for column in source.external_columns):
                raise UnableError
            name = called.this if key(alias) not in taken else _called(called.this, find_new_name(taken, key(alias)))
            taken.add(key(name.name))
            common.append(_defined(source.expression.copy(), name, called.columns))
            node.replace(exp.Table(this=name.copy()))
            for column in (*scope.columns, *scope.stars):
                if isinstance(column, exp.Column) and column.table == alias != name.name:
                    column.set("table", _called(column.args["table"], name.name))
        if isinstance(cte := scope.expression.parent, exp.CTE):
            common.append(_defined(scope.expression, cte.args["alias"].this, cte.args["alias"].columns))
    for with_ in withs:
        with_.pop()
    if common:
        tree.set("with_", exp.With(expressions=common))
    return tree


def _defined(query: exp.Expr, name: exp.Identifier, columns: Sequence[exp.Identifier]) -> exp.CTE:
    """Return a query of WITH, its columns called by some names if there are any."""
    if columns:
        _label(query, columns)
    return exp.CTE(this=query, alias=exp.TableAlias(this=name.copy()))


def _called(old: exp.Identifier, name: str) -> exp.Identifier:
    """Return another name at the place of an identifier."""
    new = exp.to_identifier(name)
    new.meta.update(old.meta)
    return new


RULES: tuple[Callable[[Grammar, exp.Query], exp.Query], ...] = (
    _without_rows,
    _without_brackets,
    _plain_terms,
    _without_using,
    _keys_by_position,
    _named_sources,
    _common_sources,
)
