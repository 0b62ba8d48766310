"""One follow-up after the other, each of a query that runs and tells something else than the one before."""

import random
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from ...data.databases.database import Database
from ...data.errors import DatabaseError
from ..parts.draws import Draw, NothingToDraw, SamplingFrame
from ..parts.phrases import Templates
from .changed_query import ChangedQuery
from .conditions import CONDITIONS, Change
from .corrections import CORRECTIONS
from .groups import GROUPS
from .nested import NESTED
from .shown import SHOWN

CHANGES: dict[str, Change] = {**CONDITIONS, **CORRECTIONS, **SHOWN, **GROUPS, **NESTED}
"""What follow-ups change, by what that is called."""

_OFTEN = {
    "other value": 4, "a condition fewer": 4, "a condition more": 4, "a condition against": 3,
    "a condition of another table": 4, "list": 3, "a column more": 2, "another column": 2, "a count more": 2,
    "groups": 3, "every group": 4, "groups of a size": 3, "leading group": 6, "order": 2, "top": 3, "children": 2,
    "the other column": 6, "the other figure": 4,
    "the other side": 5, "every row": 6, "children of the best": 6, "rows of the best group": 6,
}  # fmt: skip
_DRAWS = 30  # for one follow-up


@dataclass(frozen=True)
class FollowUp:
    """What is asked next, and the query that it means.

    Attributes:
        change: of `CHANGES`.
    """

    utterance: str
    sql: str
    change: str


def follow_ups(sql: str, frame: SamplingFrame, database: Database, *, count: int, seed: int | str) -> list[FollowUp]:
    """Return what people may ask after a query, one follow-up leaning on the other, each change once.

    Args:
        sql: of the first question; one that cannot be taken apart has none.
        frame: of the database.
        count: of them, at most.
        seed: the same seed gives the same ones.
    """
    rng = random.Random(f"{seed}:{frame.language}")
    try:
        query, rows = ChangedQuery.of(sql, frame), database.query(sql).rows
    except (NothingToDraw, DatabaseError):
        return []
    found, seen = list[FollowUp](), [rows]
    left = [name for name in CHANGES for _ in range(_OFTEN.get(name, 1))]
    for _ in range(_DRAWS * count):
        if len(found) == count or (found and found[-1].change in NESTED):
            break
        change = rng.choice(left)
        try:
            new, said = CHANGES[change](Draw(frame, rng), query)
            rows = _told(new, database)
        except (NothingToDraw, DatabaseError):
            continue
        if rows in seen:
            continue
        query, left = new, [name for name in left if name != change]
        seen.append(rows)
        found.append(FollowUp(Templates.of(frame.language).say(said, rng), new.sql, change))
    return found


def _told(query: ChangedQuery, database: Database) -> list[tuple[Any, ...]]:
    """Return what a query tells.

    Raises:
        NothingToDraw: that is nothing, zero, or hangs on chance.
    """
    rows = database.query(query.sql).rows
    if not any(cell not in (None, 0) for row in rows for cell in row) or _tied(query, database):
        raise NothingToDraw
    return rows


def _tied(query: ChangedQuery, database: Database) -> bool:
    """Could the last row that LIMIT leaves as well be the next one?"""
    order, limit = query.tree.args.get("order"), query.tree.args.get("limit")
    if order is None or limit is None:
        return False
    most = int(limit.expression.this)
    keys = query.showing(order.expressions[0].this, limit=exp.Limit(expression=exp.Literal.number(most + 1)))
    rows = database.query(keys.sql).rows
    return len(rows) <= most or rows[-1] == rows[-2]
