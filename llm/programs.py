"""A query said as a short program of thoughts: plain steps that lead to it, made of its syntax tree.

    part1 = name of author where country = 'Chile'
    rows = rows of book where author IN part1
    answer = title of rows, sorted by year from the largest, the first 3

They stand before the query in what a model is shown and in what it learns (BibSQL 2025, program of thoughts). The same
query has the same program. Expressions stay as the query writes them, in its dialect; a subquery is a step of its own.
"""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from ..data.errors import QueryError
from ..data.sql.parsing import parse

__all__ = ["program_of"]

_SETS: dict[type[exp.SetOperation], str] = {
    exp.Union: "rows of {left} or {right}",
    exp.Intersect: "rows of {left} that are in {right}",
    exp.Except: "rows of {left} that are not in {right}",
}
_SIDES = {"LEFT": "also without a match", "RIGHT": "with all of it", "FULL": "with all of both"}


def program_of(sql: str, dialect: str) -> str:
    """Return the steps of a query, one a line; the last one begins with ``answer =``.

    Args:
        sql: one query with its values filled in.
        dialect: sqlglot's name of its dialect.

    Raises:
        QueryError: sqlglot reads no query in it.
    """
    tree = parse(sql, dialect)
    if tree is None:
        raise QueryError(f"no query of {dialect}: {sql!r}")
    steps = _Steps(dialect, Counter(table.name.lower() for table in tree.find_all(exp.Table)))
    steps.query(tree.copy(), "answer")
    return "\n".join(steps.lines)


class _Steps:
    """The steps so far, each a name and what it is.

    Args:
        uses: how often each table stands in the whole query, by its name in lower case.
    """

    def __init__(self, dialect: str, uses: Counter[str]) -> None:
        self._dialect = dialect
        self._uses = uses
        self.lines: list[str] = []
        self._parts = 0

    def query(self, tree: exp.Expr, name: str) -> None:
        """Say a query by a name."""
        self._named_first(tree)
        tree = _bare(tree)
        if isinstance(tree, exp.SetOperation):
            self._set(tree, name)
        elif isinstance(tree, exp.Select):
            self._select(tree, name)
        else:
            self._say(name, self._text(tree))

    # ---- the parts that come first

    def _named_first(self, tree: exp.Expr) -> None:
        """Say the queries of a WITH under their own names."""
        clause = tree.args.get("with_")
        for part in clause.expressions if isinstance(clause, exp.With) else ():
            self.query(part.this, part.alias)
        if clause is not None:
            tree.set("with_", None)

    def _part(self, tree: exp.Expr) -> str:
        self._parts += 1
        name = f"part{self._parts}"
        self.query(tree, name)
        return name

    def _text(self, node: exp.Expr) -> str:
        """Return an expression as the query writes it, with a name in place of each subquery, said before."""
        node = node.copy()
        if isinstance(node, exp.Subquery | exp.Select | exp.SetOperation):
            return self._part(node)
        while (inner := next(node.find_all(exp.Subquery, exp.Select, exp.SetOperation), None)) is not None:
            inner.replace(exp.to_identifier(self._part(inner)))
        return " ".join(node.sql(dialect=self._dialect, comments=False).split())

    # ---- one SELECT

    def _select(self, tree: exp.Select, name: str) -> None:
        _resolved(tree)
        self._plain_names(tree)
        source = self._rows(tree) if tree.args.get("from_") else ""
        if name == "answer" and source:
            self._say("rows", f"rows of {source}")
            source = "rows"
        if group := tree.args.get("group"):
            groups = "groups" if name == "answer" else f"{name}_groups"
            self._say(groups, self._groups(tree, group, source))
            source = groups
        self._say(name, self._shown(tree, source))

    def _rows(self, tree: exp.Select) -> str:
        told = self._source(tree.args["from_"].this)
        for join in tree.args.get("joins") or ():
            told += self._join(join)
        where = tree.args.get("where")
        return f"{told} where {self._text(where.this)}" if where else told

    def _source(self, node: exp.Expr) -> str:
        """Return a table, or the name of a query that stands for one, said before."""
        inner = list(node.args.get("joins") or ())
        node.set("joins", None)
        alias = node.alias
        if isinstance(node, exp.Subquery):
            told = self._part(node.this)
        else:
            node.set("alias", None)
            told = self._text(node)
        told = f"{told} as {alias}" if alias else told
        return told + "".join(self._join(join) for join in inner)

    def _join(self, join: exp.Join) -> str:
        told = f" with {self._source(join.this)}"
        if condition := join.args.get("on"):
            told += f" on {self._text(condition)}"
        if shared := join.args.get("using"):
            told += f" on the same {', '.join(self._text(column) for column in shared)}"
        side = _SIDES.get(join.side.upper())
        return f"{told} ({side})" if side else told

    def _groups(self, tree: exp.Select, group: exp.Group, source: str) -> str:
        keys = ", ".join(self._text(key) for key in group.expressions) or self._text(group)
        having = tree.args.get("having")
        return f"{source} grouped by {keys}" + (f", those with {self._text(having.this)}" if having else "")

    def _shown(self, tree: exp.Select, source: str) -> str:
        shown = ", ".join(self._text(_unnamed(one)) for one in tree.expressions)
        told = f"different {shown}" if tree.args.get("distinct") else shown
        if source:
            told += f" of {source}"
        lone = tree.args.get("having") if not tree.args.get("group") else None
        return told + (f", if {self._text(lone.this)}" if lone else "") + self._order(tree)

    def _plain_names(self, tree: exp.Select) -> None:
        """Write columns by the name of a table that is used once, and alone where there is one table only."""
        sources = _sources(tree)
        tables = [s for s in sources if isinstance(s, exp.Table) and s.alias and self._uses[s.name.lower()] == 1]
        once = {table.alias.lower(): table.name for table in tables}
        within = any(inner is not tree for inner in tree.find_all(exp.Select))
        alone = sources[0].alias_or_name.lower() if len(sources) == 1 and not within else None
        for column in tree.find_all(exp.Column):
            table = column.table.lower()
            if table and table == alone:
                column.set("table", None)
            elif table in once:
                column.set("table", exp.to_identifier(once[table]))
        for table in tables:
            table.set("alias", None)

    # ---- what is common to all queries

    def _set(self, tree: exp.SetOperation, answer: str) -> None:
        left, right = (self._part(side) for side in (tree.left, tree.right))
        said = next((text for kind, text in _SETS.items() if isinstance(tree, kind)), "{left} and {right}")
        once = ", each once" if tree.args.get("distinct") and isinstance(tree, exp.Union) else ""
        self._say(answer, said.format(left=left, right=right) + once + self._order(tree))

    def _order(self, tree: exp.Query) -> str:
        order, limit, offset = (tree.args.get(name) for name in ("order", "limit", "offset"))
        told = f", sorted by {', '.join(self._key(key) for key in order.expressions)}" if order else ""
        count = limit.args.get("expression") or limit.args.get("count") if limit else None
        if count is not None:
            told += f", the first {self._text(count)}"
        return told + (f" after {self._text(offset.expression)}" if offset else "")

    def _key(self, key: exp.Expr) -> str:
        if not isinstance(key, exp.Ordered):
            return self._text(key)
        return self._text(key.this) + (" from the largest" if key.args.get("desc") else "")

    def _say(self, name: str, what: str) -> None:
        self.lines.append(f"{name} = {what}")


def _bare(tree: exp.Expr) -> exp.Expr:
    """Return a query without brackets around it, as long as they carry nothing of their own."""
    while isinstance(tree, exp.Subquery | exp.Paren) and not (
        tree.args.get("order") or tree.args.get("limit") or tree.args.get("offset")
    ):
        tree = tree.this
    return tree


def _unnamed(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Alias) else node


def _sources(tree: exp.Select) -> list[exp.Expr]:
    first = [tree.args["from_"].this] if tree.args.get("from_") else []
    return first + [join.this for join in tree.args.get("joins") or ()]


def _resolved(tree: exp.Select) -> None:
    """Put what the select list shows in place of its name, or its number, in ORDER BY, GROUP BY and HAVING."""
    shown = {one.alias.lower(): one.this for one in tree.expressions if isinstance(one, exp.Alias)}
    for clause in (tree.args.get(name) for name in ("order", "group", "having")):
        for column in list(clause.find_all(exp.Column)) if clause else ():
            if not column.table and column.name.lower() in shown:
                column.replace(shown[column.name.lower()].copy())
    for clause in (tree.args.get(name) for name in ("order", "group")):
        for key in clause.expressions if clause else ():
            number = key.this if isinstance(key, exp.Ordered) else key
            if isinstance(number, exp.Literal) and number.is_int and 0 < int(number.name) <= len(tree.expressions):
                number.replace(_unnamed(tree.expressions[int(number.name) - 1]).copy())
