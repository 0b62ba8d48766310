"""Calls and sums of the queries that templates write: also such as fail on some rows, by overflow or a wrong text.

Braces stand for a term of a kind; semicolons part the forms.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CALLS", "RISKY"]

RISKY = {
    "int": ("0", "- 1", "7", "1000000", "2147483647", "NULL"),
    "part": ("0.0", "- 2.5", "1e300", "123456.789", "NULL"),
    "text": ("''", "'12'", "'abc'", "'%_'", "'12:30'", "NULL"),
    "day": ("'2024-02-30'", "'9999-12-31'", "'0001-01-01'", "''", "NULL"),
}
"""Constants at which a call may fail."""

_CORE = {
    "int": """
        {int} + 1; {int} - {int}; - {int}; {int} * {int}; {int} / {int}; {int} % {int}; ABS({int}); LENGTH({text})""",
    "part": """
        {part} * 2; {part} - {part}; {part} / 3; {part} * {part}; {part} / {part}; {part} + {int}; {int} / {part};
        ROUND({part}); ROUND({part}, {int}); SQRT({part}); LN({part}); EXP({part}); POWER({part}, {int});
        POWER({int}, {int}); CEIL({part}); FLOOR({part}); SIGN({part})""",
    "text": """
        UPPER({text}); TRIM({text}); SUBSTR({text}, {int}, {int}); SUBSTR({text}, 2); REPLACE({text}, {text}, {text});
        COALESCE({text}, {text}); CASE {int} WHEN {int} THEN {text} ELSE {text} END""",
    "day": """COALESCE({day}, {day}); NULLIF({day}, {day}); CASE WHEN {int} > 1 THEN {day} END; CURRENT_DATE""",
}
_OWN = {
    "sqlite": {
        "int": """
            CAST({text} AS INTEGER); INSTR({text}, {text}); UNICODE({text}); CAST({int} AS INTEGER);
            CAST({part} AS INTEGER)""",
        "part": """TOTAL({int}); CAST({text} AS REAL); JULIANDAY({day}); LOG10({part}); MOD({part}, {int})""",
        "text": """{text} || {int}; HEX({text}); STRFTIME('%Y', {day}); TYPEOF({day}); IIF({int}, {text}, 'n')""",
        "day": """DATE({day}, '+1 day'); DATE({day}, '+1 month'); DATE({text}); DATETIME({day})""",
    },
    "mysql": {
        "int": """
            {int} DIV {int}; MOD({int}, {int}); CAST({text} AS SIGNED); CAST({int} AS SIGNED);
            CAST({part} AS UNSIGNED); DATEDIFF({day}, {day}); TIMESTAMPDIFF(DAY, {day}, {day}); YEAR({day});
            LOCATE({text}, {text}); FIELD({text}, {text}, 'x'); IF({int} > {int}, {int}, {int});
            GREATEST({int}, {int}); TO_DAYS({day}); {text} + 1""",
        "part": """
            TRUNCATE({part}, {int}); LOG({int}, {part}); CAST({part} AS DECIMAL(10, 2)); CAST({part} AS DOUBLE);
            POW({part}, {part})""",
        "text": """
            CONCAT({text}, {int}); CONCAT_WS('-', {text}, {text}); LPAD({text}, {int}, {text}); REPEAT({text}, {int});
            LEFT({text}, {int}); DATE_FORMAT({day}, '%Y-%m'); FORMAT({part}, {int}); CAST({day} AS CHAR);
            IFNULL({text}, {int})""",
        "day": """
            {day} + INTERVAL 1 DAY; {day} + INTERVAL {int} MONTH; DATE_SUB({day}, INTERVAL {int} DAY);
            LAST_DAY({day}); STR_TO_DATE({text}, '%Y-%m-%d'); CAST({text} AS DATE); FROM_UNIXTIME({int})""",
    },
    "postgres": {
        "int": """
            CAST({text} AS INTEGER); CAST({part} AS INTEGER); MOD({int}, {int}); {day} - {day};
            POSITION({text} IN {text}); GREATEST({int}, {int}); STRPOS({text}, {text}); EXTRACT(YEAR FROM {day});
            EXTRACT(DAY FROM {day}); CAST({int} AS BIGINT); {part}::INTEGER""",
        "part": """
            TRUNC({part}); LOG({part}); CAST({text} AS REAL); CAST({part} AS REAL); AVG({int});
            CAST({part} AS NUMERIC(6, 2))""",
        "text": """
            {text} || {text}; {text} || {int}; LPAD({text}, {int}, {text}); REPEAT({text}, {int});
            LEFT({text}, {int}); SPLIT_PART({text}, {text}, {int}); TO_CHAR({day}, 'YYYY-MM'); CAST({day} AS TEXT);
            CONCAT({text}, {int}, {day}); INITCAP({text})""",
        "day": """
            {day} + {int}; {day} - INTERVAL '1 month'; CAST({day} + INTERVAL '1 day' AS DATE); CAST({text} AS DATE);
            DATE_TRUNC('month', {day}); TO_DATE({text}, 'YYYY-MM-DD'); GREATEST({day}, {day})""",
    },
}


def _read(texts: Mapping[str, str]) -> dict[str, list[str]]:
    return {kind: [" ".join(one.split()) for one in text.split(";")] for kind, text in texts.items()}


CALLS = {d: {kind: [*core, *_read(own)[kind]] for kind, core in _read(_CORE).items()} for d, own in _OWN.items()}
"""By dialect and kind."""
