"""Figures of records: shares, groups, and the calibration error of the confidence."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from querent.data.databases.rows import Rows
from querent.evaluation.metrics import rows_match

Record = Mapping[str, Any]


def is_right(rows: Rows | None, gold: Rows | None, sql: str, *, any_columns: bool = True) -> bool:
    """Return whether an answer has the rows of the gold query ``sql``."""
    return rows is not None and gold is not None and rows_match(rows, gold, sql, any_columns=any_columns)


def mean(values: Iterable[Any]) -> float:
    """Return the mean, 0 of no values."""
    some = list(values)
    return sum(some) / len(some) if some else 0.0


def share(verdicts: Iterable[Any]) -> float:
    """Return the share that is true, to four digits."""
    return round(mean(verdicts), 4)


def grouped(records: Iterable[Record], key: str) -> dict[Any, list[Record]]:
    """Return the records by the value of a key, in order."""
    groups: dict[Any, list[Record]] = {}
    for one in records:
        groups.setdefault(one[key], []).append(one)
    return dict(sorted(groups.items()))


def where_ok(records: Iterable[Record]) -> float:
    """Return the share of right answers among those that are called ok."""
    return share(one["right"] for one in records if one["status"] == "ok")


def calibration_error(records: Sequence[Record], bins: int = 10) -> float:
    """Return the expected calibration error (Naeini et al. 2015) over bins of equal width."""
    total = 0.0
    for low in range(bins):
        inside = [one for one in records if min(int(one["confidence"] * bins), bins - 1) == low]
        gap = abs(mean(one["right"] for one in inside) - mean(one["confidence"] for one in inside))
        total += gap * len(inside) / len(records)
    return round(total, 4)
