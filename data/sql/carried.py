"""What a query has of another one, part by part.

SELECT name FROM artist WHERE country = 'France' ORDER BY name
SELECT COUNT(*) FROM artist WHERE country = 'France'
    kept:    WHERE country = 'France', FROM artist
    new:     SELECT COUNT(*)
    dropped: SELECT name, ORDER BY name
"""

from __future__ import annotations

from ..answer import Carried
from .clause_parts import clause_parts

__all__ = ["carried"]


def carried(before: str, sql: str, dialect: str) -> Carried:
    """Return what of the query ``before`` stands in ``sql``; of one that does not parse nothing does."""
    earlier, now = (clause_parts(one, dialect) for one in (before, sql))
    kept = tuple(str(part) for part in now if part in earlier)
    new = tuple(str(part) for part in now if part not in earlier)
    return Carried(kept, new, tuple(str(part) for part in earlier if part not in now))
