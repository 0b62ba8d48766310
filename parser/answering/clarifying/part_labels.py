"""Parts of a query in a few words of the question's language: «the average amount of orders», 订单的金额."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from ....data.sql.clause_parts import ClausePart

__all__ = ["PartLabels"]

NameOf = Callable[[str, str | None], str | None]
"""(table, column, or None for the table itself) -> its name in plain words, None where there is none."""

_SAID: Mapping[str, Mapping[str, str]] = {
    "en": {
        "column": "{0} of {1}", "rows": "the number of {0}", "all": "all of {0}", "distinct": "different {0}",
        "Count": "the number of {0}", "Sum": "the sum of {0}", "Avg": "the average of {0}",
        "Min": "the lowest {0}", "Max": "the highest {0}",
        "GROUP BY": "for each {0}", "up": "{0}, lowest first", "down": "{0}, highest first", "and": ", ",
    },
    "zh": {
        "column": "{1}的{0}", "rows": "{0}的数量", "all": "{0}的全部", "distinct": "不同的{0}",
        "Count": "{0}的个数", "Sum": "{0}的总和", "Avg": "{0}的平均值", "Min": "最小的{0}", "Max": "最大的{0}",
        "GROUP BY": "每个{0}", "up": "{0}，从小到大", "down": "{0}，从大到小", "and": "、",
    },
}  # fmt: skip


class PartLabels:
    """Says parts of queries on one database.

    Args:
        language: one of `data.languages.LANGUAGES`.
        name_of: gives names in words.
    """

    def __init__(self, language: str, name_of: NameOf) -> None:
        self._said, self._name_of = _SAID[language], name_of

    def joined(self, parts: Sequence[ClausePart]) -> str:
        """Return several parts of one clause in words."""
        return self._said["and"].join(dict.fromkeys(self.label(part) for part in parts))

    def label(self, part: ClausePart) -> str:
        """Return a part in words; as it is written where there are none for it."""
        tree = part.tree
        if isinstance(tree, exp.Ordered):
            return self._fill("down" if tree.args.get("desc") else "up", self._said_of(tree.this)) or part.sql
        if part.clause in ("WHERE", "HAVING") and isinstance(tree, exp.Binary):
            return self._said_of(tree.this) or part.sql
        said = self._said_of(tree)
        if part.clause == "SELECT DISTINCT":
            return self._fill("distinct", said) or part.sql
        return (self._fill("GROUP BY", said) if part.clause == "GROUP BY" else said) or part.sql

    def _said_of(self, tree: exp.Expr) -> str | None:
        if isinstance(tree, exp.Table):
            return self._name_of(tree.name, None)
        if isinstance(tree, exp.Column):
            name, table = self._name_of(tree.table, tree.name), self._name_of(tree.table, None)
            return name if name and table and table in name else self._fill("column", name, table)
        if isinstance(tree, exp.Distinct) and len(tree.expressions) == 1:
            return self._fill("distinct", self._said_of(tree.expressions[0]))
        if isinstance(tree, exp.Count) and isinstance(tree.this, exp.Star):
            return self._fill("rows", self._rows_of(tree))
        if isinstance(tree, exp.Star):
            return self._fill("all", self._rows_of(tree))
        return self._fill(type(tree).__name__, self._said_of(tree.this)) if type(tree).__name__ in self._said else None

    def _rows_of(self, tree: exp.Expr) -> str | None:
        """Return the tables that a star stands for."""
        select = tree.find_ancestor(exp.Select)
        names = [self._name_of(table.name, None) for table in (select.find_all(exp.Table) if select else ())]
        return self._said["and"].join(dict.fromkeys(name for name in names if name)) or None

    def _fill(self, key: str, *names: str | None) -> str | None:
        return None if None in names else self._said[key].format(*names)
