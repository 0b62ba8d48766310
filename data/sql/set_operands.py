"""Sides of UNION, INTERSECT and EXCEPT as SQLite reads them."""

from __future__ import annotations

from sqlglot import exp

__all__ = ["unbracketed"]


def unbracketed(tree: exp.Expr) -> exp.Expr:
    """Take the brackets off the sides of UNION, INTERSECT and EXCEPT, which SQLite does not read."""
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
