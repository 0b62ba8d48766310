"""What a text must not hold to be sent to a server that reads only: the part that no transaction forbids.

A read-only transaction refuses to change rows and tables. It lets a query write files, read the server's files, hold
locks, end other sessions and change settings, where the user may. Those are refused here, by name.
"""

from __future__ import annotations

import re
from itertools import pairwise

from sqlglot import Dialect, TokenType, exp

from .parsing import parse

__all__ = ["refusal"]

_FUNCTIONS = {
    "postgres": re.compile(r"(?!pg_typeof$|pg_sleep$)pg_\w*|lo_\w*|dblink\w*|set_config|nextval|setval|\w+_to_xml\w*"),
    "mysql": re.compile(r"load_file|\w+_lock|release_all_locks|nextval|setval|lastval|sys_\w+|master_\w+wait"),
    "sqlite": re.compile(r"load_extension|readfile|writefile|edit|fts3_tokenizer|zipfile"),
}
# MySQL runs what stands in /*! … */; OUTFILE is looked for in strings too, since modes change where they end
_MYSQL_TEXT = re.compile(r"/\*M?!|\b(?:OUTFILE|DUMPFILE)\b", re.IGNORECASE)


def refusal(sql: str, dialect: str) -> str | None:
    """Return why a text is not to be sent, or None where it is one query that only reads.

    Args:
        sql: what somebody wants to run.
        dialect: sqlglot's name of the server's dialect: sqlite, mysql or postgres.
    """
    tree = parse(sql, dialect)
    if tree is None:
        return "this is not one query"
    if tree.find(exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Into):
        return "it would write"
    if tree.find(exp.Lock):
        return "it would lock rows"
    if dialect == "mysql" and (found := _MYSQL_TEXT.search(sql)):
        return f"{found[0]} would write a file or hide a command"
    tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    for name, bracket in pairwise(tokens):
        if bracket.token_type == TokenType.L_PAREN and _FUNCTIONS[dialect].fullmatch(name.text.lower()):
            return f"{name.text}() does more than read"
    return None
