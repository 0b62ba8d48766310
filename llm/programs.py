"""Programs of thoughts: the plain steps that lead to a query, made of its syntax tree.

    part1 = name of author where country = 'Chile'
    rows = rows of book where author IN part1
    answer = title of rows, sorted by year DESC, the first 3

They stand before the query in prompts and in training (BibSQL 2025, program of thoughts). A query has one program.
Expressions stay as the query writes them, in its dialect; a subquery is a step of its own.
"""

from sqlglot import exp

from ..data.errors import QueryError
from ..data.parsing import parse

_SETS: dict[type[exp.SetOperation], str] = {
    exp.Union: "rows of {} or {}",
    exp.Intersect: "rows of {} that are in {}",
    exp.Except: "rows of {} that are not in {}",
}
_INNER = (exp.Subquery, exp.Select, exp.SetOperation)


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
    steps = _Steps(dialect)
    steps.query(tree.copy(), "answer")
    return "\n".join(steps.lines)


class _Steps:
    """The steps so far, each a name with its definition."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self.lines: list[str] = []
        self._parts = 0

    def query(self, tree: exp.Expr, name: str) -> None:
        """Add the steps of a query, the last one under a name."""
        if isinstance(clause := tree.args.get("with_"), exp.With):
            for part in clause.expressions:
                self.query(part.this, part.alias)
            tree.set("with_", None)
        while isinstance(tree, (exp.Subquery, exp.Paren)) and not any(
            tree.args.get(one) for one in ("order", "limit", "offset")
        ):
            tree = tree.this
        if isinstance(tree, exp.SetOperation):
            joined = next((text for kind, text in _SETS.items() if isinstance(tree, kind)), "{} and {}")
            once = ", each once" if tree.args.get("distinct") and isinstance(tree, exp.Union) else ""
            self._step(name, joined.format(self._part(tree.left), self._part(tree.right)) + once + self._order(tree))
        elif isinstance(tree, exp.Select):
            self._select(tree, name)
        else:
            self._step(name, self._text(tree))

    def _select(self, tree: exp.Select, name: str) -> None:
        source = ""
        if start := tree.args.get("from_"):
            joins = " ".join(self._text(join) for join in tree.args.get("joins") or ())
            source = f"{self._text(start.this)} {joins}".strip() + self._clause(" where ", tree.args.get("where"))
            source = self._step("rows", f"rows of {source}") if name == "answer" else source
        having = tree.args.get("having")
        if group := tree.args.get("group"):
            keys = ", ".join(map(self._text, group.expressions)) or self._text(group)
            grouped = f"{source} grouped by {keys}{self._clause(', those with ', having)}"
            source = self._step("groups" if name == "answer" else f"{name}_groups", grouped)
        items = "different " * bool(tree.args.get("distinct")) + ", ".join(map(self._text, tree.expressions))
        answer = f"{items} of {source}" if source else items
        self._step(name, answer + ("" if group else self._clause(", if ", having)) + self._order(tree))

    def _order(self, tree: exp.Query) -> str:
        order, limit, offset = (tree.args.get(name) for name in ("order", "limit", "offset"))
        order_text = f", sorted by {', '.join(map(self._text, order.expressions))}" if order else ""
        count = limit.args.get("expression") or limit.args.get("count") if limit else None
        order_text += f", the first {self._text(count)}" if count is not None else ""
        return order_text + (f" after {self._text(offset.expression)}" if offset else "")

    def _clause(self, words: str, clause: exp.Expr | None) -> str:
        return "" if clause is None else words + self._text(clause.this)

    def _text(self, node: exp.Expr) -> str:
        """Return an expression as the query writes it; the name of an earlier step replaces each subquery."""
        node = node.copy()
        if isinstance(node, _INNER):
            named = self._part(node.this if isinstance(node, exp.Subquery) and node.alias else node)
            return f"{named} AS {node.alias}" if node.alias else named
        while inner := next(node.find_all(*_INNER), None):
            inner.replace(exp.to_identifier(self._text(inner)))
        return " ".join(node.sql(dialect=self._dialect, comments=False).split())

    def _part(self, tree: exp.Expr) -> str:
        self._parts += 1
        name = f"part{self._parts}"
        self.query(tree, name)
        return name

    def _step(self, name: str, definition: str) -> str:
        self.lines.append(f"{name} = {definition}")
        return name
