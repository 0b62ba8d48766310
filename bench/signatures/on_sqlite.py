"""Every line of types/sqlite.toml, held against SQLite with stored values that are out to break it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial

from stored_values import Case, Check, broken, cases, constants, sources, spec, tables

from querent.grammar.lr.functions import load_functions
from querent.grammar.types.dialect import load_types
from querent.grammar.types.signatures import Signature

TYPES = load_types("sqlite")
FUNCTIONS = load_functions("sqlite")
LONGEST = 10_000_000  # what data/databases/sqlite_session.py allows

TEXTS = """'' ; '%_\\' ; 'it''s "' ; '9e999' ; '-9223372036854775808' ; '99999999999999999999' ; '2024-02-30 25:61:61'
 ; 'now' ; '(?[*' ; '水' ; ' 12abc' ; '-'"""
LONG = "replace(hex(zeroblob(1450)), '00', 'a_')"

SPECS = (
    spec("null", "", "NULL", ""),
    spec("bool:1", "BOOLEAN", "0 ; 1"),
    spec("int:1", "INTEGER", "0 ; 9 ; -9"),
    spec("int:1+", "INTEGER", "0 ; 9"),
    spec("int:12", "INTEGER", "0 ; 999999999999 ; -999999999999 ; 1"),
    spec("int:12+", "INTEGER", "0 ; 999999999999"),
    spec("int:18", "INTEGER", "0 ; 999999999999999999 ; -999999999999999999"),
    spec("int:19", "INTEGER", "0 ; 9223372036854775807 ; -9223372036854775808"),
    spec("dec:12", "", "0.0 ; 999999999999.0 ; -0.5 ; 0.123456789012345"),
    spec("float:11", "REAL", "0.0 ; 99999999999.9 ; -99999999999.9"),
    spec("float:16", "REAL", "9999999999999998.0 ; -0.1"),
    spec("float:30", "REAL", "0.0 ; 9e29 ; -9e29 ; 1e-30"),
    spec("float:30+", "REAL", "0.0 ; 9e29 ; 1e-30"),
    spec("float:300", "REAL", "0.0 ; 9e299 ; -9e299 ; 1e-300"),
    spec("float:999", "REAL", "1.7e308 ; -1.7e308 ; 9e999 ; -9e999"),
    spec("date:14", "DATE", "'9999-12-31' ; '2024-02-30' ; 99999999999999 ; -99999999999999"),
    spec("date:5", "DATE", "'9999-12-31' ; '-4713-11-24'"),
    spec("time:14", "TIME", "'25:61:61' ; '' ; 99999999999999"),
    spec("stamp:14", "TIMESTAMP", "'9999-12-31 23:59:59' ; '' ; 1e13"),
    spec("stamp:5", "TIMESTAMP", "'9999-12-31T23:59:59.999Z' ; 'x'"),
    spec("span:999", "", TEXTS),
    spec("text:999", "TEXT", TEXTS),
    spec("text:998", "TEXT", LONG),
    spec("text:12", "TEXT", "'' ; '999999999999' ; '-12:' ; '59.999'"),
    spec("blob:999", "BLOB", "x'' ; x'00ff' ; x'2d39323233333732303336383534373735383038'"),
    spec("any:12", "", "0 ; 1.5 ; 999999999999 ; -99999999999.5 ; 'x' ; x'31'"),
    spec("any:12+", "", "0 ; 1.5 ; 999999999999"),
    spec("any:999", "", f"{TEXTS} ; -9223372036854775808 ; 9e999 ; x'ff'"),
    spec("other:999", "TEXT", f"replace({LONG}, 'a', 'b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b%b')"),
    *(spec("text:12", "", f"'{field}'", "field") for field in ("%s", "%J", "%f", "%Y", "%%", "%q")),
)
SPECS = tuple({s.name: s for s in SPECS}.values())


@contextmanager
def opened(_: str | None) -> Generator[sqlite3.Connection]:
    """Open a database that holds the values."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        for statement in tables(SPECS):
            connection.execute(statement)
        yield connection


def check(engine: sqlite3.Connection, signatures: tuple[Signature, ...], form: str, operator: str = "") -> list[str]:
    return [problem for case in cases(TYPES, signatures, SPECS, operator) for problem in ask(engine, case, form)]


def ask(engine: sqlite3.Connection, case: Case, form: str) -> Iterator[str]:
    texts, source = sources(case.specs)
    filled = [fill(form, texts)] + [fill(form, constant) for constant in constants(case)]
    queries = [f"SELECT {filled[0]} FROM {source}" if source else f"SELECT {filled[0]}"]
    queries += [f"SELECT {expression}" for expression in filled[1:]]
    for query in queries:
        try:
            rows = engine.execute(query).fetchall()
        except sqlite3.Error as error:
            yield f"{case.signature.text}: {query:.300}: {error}"
            continue
        for (cell,) in rows:
            if problem := broken(cell, case.result):
                yield f"{case.signature.text}: {query:.300}: {problem}"
            if case.result.type in ("dec", "float") and not isinstance(cell, float | None):
                yield f"{case.signature.text}: {query:.300}: {cell!r} is no real"


def fill(form: str, texts: Sequence[str]) -> str:
    return form.format(*texts) if form.count("{}") == len(texts) > 1 else form.format(", ".join(texts))


HAZARDS = [
    ("SELECT SUM(a.v) FROM v_int_19_ AS a, v_int_19_ AS b WHERE a.v > 0", "integer overflow"),
    ("SELECT SUM(v) FROM (SELECT '9223372036854775807' AS v UNION ALL SELECT 1)", "integer overflow"),
    ("SELECT ABS(v) FROM v_int_19_", "integer overflow"),
    ("SELECT ABS(CAST('-9e99' AS NUMERIC)), ABS(CAST('-99999999999999999999' AS INTEGER))", "integer overflow"),
    ("SELECT REPLACE(v, 'b', v) FROM v_other_999_", "string or blob too big"),
    ("SELECT 1 FROM v_other_999_ WHERE 'b' LIKE v", "LIKE or GLOB pattern too complex"),
    ("SELECT COALESCE(1)", "wrong number of arguments"),
    ("SELECT 'a' REGEXP 'b'", "no such function"),
    ("SELECT CONCAT('a', 'b')", "no such function"),
    (f"SELECT {'HEX(' * 13}v{')' * 13} FROM v_text_998_", "string or blob too big"),
]
"""What the table leaves out, and why."""


def fails(engine: sqlite3.Connection, query: str, message: str) -> list[str]:
    try:
        engine.execute(query).fetchall()
    except sqlite3.Error as error:
        return [] if re.search(message, str(error)) else [str(error)]
    return ["it runs"]


LINES: dict[str, Check] = {
    **{
        f"operator {name}": partial(
            check, signatures=found, form="-({})" if name == "neg" else f"({{}}) {name} ({{}})", operator=name
        )
        for name, found in sorted(TYPES.operators.items())
    },
    **{
        f"function {name}": partial(
            check, signatures=found, form=name if FUNCTIONS[name].terminal == "NILADIC" else f"{name}({{}})"
        )
        for name, found in sorted(TYPES.functions.items())
    },
    **{
        f"cast {name}": partial(check, signatures=found, form=f"CAST({{}} AS {name})")
        for name, found in sorted(TYPES.casts.items())
    },
    **{f"left out: {query:.60}": partial(fails, query=query, message=message) for query, message in HAZARDS},
}
"""By name, what tells an engine's breaches of the promise."""
