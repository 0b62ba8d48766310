"""Names and values as SQL writes them."""

import re
from typing import Any

_RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
    ADD ALL ALTER ANALYZE AND AS ASC AUTOINCREMENT BETWEEN BOTH BY CASE CAST CHECK COLLATE COLUMN COMMIT CONDITION
    CONSTRAINT CREATE CROSS CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DELETE DESC DESCRIBE
    DISTINCT DROP ELSE END ESCAPE EXCEPT EXISTS EXPLAIN FETCH FOR FOREIGN FROM FULL FUNCTION GLOB GRANT GROUP GROUPS
    HAVING IF IN INDEX INNER INSERT INTERSECT INTERVAL INTO IS ISNULL JOIN KEY KEYS LEADING LEFT LIKE LIMIT LOCK MATCH
    NATURAL NOT NOTHING NOTNULL NULL OF OFFSET ON OPTION OR ORDER OUTER OVER PARTITION PRAGMA PRIMARY PROCEDURE RANGE
    RANK READ RECURSIVE REFERENCES REGEXP RELEASE RENAME REPLACE RETURNING RIGHT ROLLBACK ROW ROWS SELECT SET SHOW
    SYSTEM TABLE THEN TO TRAILING TRANSACTION TRIGGER UNION UNIQUE UPDATE USAGE USE USER USING VALUES VIEW VIRTUAL WHEN
    WHERE WINDOW WITH WRITE XOR
    """,
    )
)


def quoted(name: str) -> str:
    """Return a name, in double quotes where it is no plain word or a word of SQL."""
    if re.fullmatch(r"[^\W\d]\w*", name) and name.upper() not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """Return a value as SQL writes it: numbers bare, texts in quotes."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
