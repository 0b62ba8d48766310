"""Every line of types/mysql.toml, held against MariaDB with stored values that are out to break it."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

import sqlalchemy
from pymysql.constants import FIELD_TYPE
from stored_values import Case, Check, broken, cases, constants, sources, spec, tables

from querent.grammar.lr.functions import load_functions
from querent.grammar.types.dialect import load_types
from querent.grammar.types.signatures import Signature

TYPES = load_types("mysql")
FUNCTIONS = load_functions("mysql")
UNITS = ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")

TEXTS = r"""'' ; '%_\\' ; 'it''s "' ; '9e999' ; '-1e308' ; '99999999999999999999' ; '2024-02-30 25:61:61'
 ; '9999-12-31' ; '(?[*' ; '水' ; ' 12abc' ; '-' ; '0000-00-00' ; '[]'"""

SPECS = (
    spec("null", "", "NULL", ""),
    spec("bool:1", "BOOLEAN", "0 ; 1"),
    spec("bool:3", "TINYINT", "0 ; 127 ; -128"),
    spec("int:1", "BIGINT", "0 ; 9 ; -9"),
    spec("int:1+", "BIGINT", "0 ; 9"),
    spec("int:2", "INT", "99 ; -99 ; 0"),
    spec("int:9", "INT", "0 ; 999999999 ; -999999999"),
    spec("int:10", "INT", "0 ; 2147483647 ; -2147483648"),
    spec("int:12+", "BIGINT", "0 ; 999999999999"),
    spec("int:18", "BIGINT", "0 ; 999999999999999999 ; -999999999999999999"),
    spec("int:19", "BIGINT", "0 ; 9223372036854775807 ; -9223372036854775808"),
    spec("other:1+", "TINYINT UNSIGNED", "0 ; 9"),
    spec("other:4+", "YEAR", "1901 ; 2155"),
    spec("other:10+", "INT UNSIGNED", "0 ; 4294967295"),
    spec("other:18+", "BIGINT UNSIGNED", "0 ; 999999999999999999"),
    spec("other:20+", "BIGINT UNSIGNED", "0 ; 18446744073709551615"),
    # as a double it is below zero, as MAX, MIN and a subquery of BIGINT UNSIGNED may be
    spec("other:20", "BIT(64)", "0 ; 18446744073709551615"),
    spec("dec:1", "DECIMAL(3,2)", "0.0 ; 9.99 ; -9.99"),
    spec("dec:8", "DECIMAL(10,2)", "0.0 ; 99999999.99 ; -99999999.99 ; 0.01"),
    spec("dec:8+", "DECIMAL(10,2)", "0.0 ; 99999999.99"),
    spec("udec:3+", "DECIMAL(5,2) UNSIGNED", "0.0 ; 0.5 ; 999.99"),
    spec("udec:5", "DECIMAL(7,2) UNSIGNED", "0.0 ; 0.01 ; 99999.99"),
    spec("udec:12+", "DECIMAL(14,2) UNSIGNED", "0.0 ; 0.01 ; 999999999999.99"),
    spec("udec:28+", "DECIMAL(30,2) UNSIGNED", "0.0 ; 0.01 ; 9999999999999999999999999999.99"),
    spec("udec:47", "DECIMAL(49,2) UNSIGNED", f"0.0 ; {'9' * 47}"),
    spec("udec:30+", "DOUBLE UNSIGNED", "0e0 ; 9e29 ; 1e-30"),
    spec("dec:20", "DECIMAL(40,20)", "0.0 ; 99999999999999999999.9 ; -99999999999999999999.9 ; 0.00000000000000000001"),
    spec("dec:29", "DECIMAL(58,29)", "99999999999999999999999999999 ; -99999999999999999999999999999 ; 0.001"),
    spec("dec:48", "DECIMAL(48,0)", f"{'9' * 48} ; -{'9' * 48}"),
    spec("dec:60", "DECIMAL(60,0)", f"{'9' * 60} ; -{'9' * 60}"),
    spec("float:1", "DOUBLE", "0e0 ; 9.99e0 ; -9.99e0 ; 1e-1"),
    spec("float:11", "DOUBLE", "0e0 ; 9e10 ; -9e10 ; 1e-11"),
    spec("float:30", "DOUBLE", "0e0 ; 9e29 ; -9e29 ; 1e-30"),
    spec("float:30+", "DOUBLE", "0e0 ; 9e29 ; 1e-30"),
    spec("float:61", "DOUBLE", "0e0 ; 9e60 ; -9e60 ; 1e-60"),
    spec("float:100", "DOUBLE", "0e0 ; 9e99 ; -9e99 ; 1e-99"),
    spec("float:150", "DOUBLE", "0e0 ; 9e149 ; -9e149 ; 1e-149"),
    spec("float:200", "DOUBLE", "0e0 ; 9e199 ; -9e199 ; 1e-199"),
    spec("float:300", "DOUBLE", "0e0 ; 9e299 ; -9e299 ; 1e-300"),
    spec("float:309", "DOUBLE", "1.7e308 ; -1.7e308 ; 0e0 ; 1e-308"),
    spec("date:8+", "DATE", "'9999-12-31' ; '1000-01-01' ; '2024-02-29'"),
    spec("time:7", "TIME", "'838:59:59' ; '-838:59:59' ; '00:00:00'"),
    spec("stamp:14+", "DATETIME(6)", "'9999-12-31 23:59:59.999999' ; '1000-01-01' ; '2024-02-29 12:00:00'"),
    spec("stamp:15+", "TIMESTAMP NULL", "'2037-12-31 23:59:59' ; '1970-01-01 00:00:01'"),
    spec("text:309", "TEXT", TEXTS),
    spec("text:308", "VARCHAR(200)", TEXTS),
    spec("text:2", "VARCHAR(200)", "'' ; '99' ; '-99' ; ' 12abc'"),
    spec("blob:309", "BLOB", "'' ; x'00ff' ; x'28' ; '-1e308'"),
    spec("uuid", "UUID", "'00000000-0000-0000-0000-000000000001'"),
    spec("closed", "INET4", "'10.0.0.1' ; '255.255.255.255'"),
    spec("any:309", "TEXT", TEXTS),
    spec("any:309", "SET('x','y')", "'x' ; 'x,y' ; ''"),
    spec("any:309", "BIGINT", "0 ; 9223372036854775807 ; -9223372036854775808"),
    spec("span", "JSON", """'{"a": 1}' ; '[]'"""),
    *(spec("text:309", "", f"'{text}'", "regex") for text in ("a", "^水.*b$", "[0-9]+|x?", "-", "[^a-z ]*", "%", ".")),
)


WIDE = ("dec", "udec", "float", "text", "blob")
INTEGERS = {FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG, FIELD_TYPE.INT24, FIELD_TYPE.YEAR}
"""Types of results that are computed as integers, whatever they were made of; what is WIDE may be none."""


@contextmanager
def opened(url: str | None) -> Generator[Any]:
    """Open a cursor on a fresh database, and store the values there."""
    database = sqlalchemy.create_engine(url or "")
    with closing(database.raw_connection()) as connection:
        cursor: Any = connection.cursor()
        for statement in tables(SPECS):
            cursor.execute(statement)
        connection.commit()
        yield cursor
    database.dispose()


FORMS = {
    "neg": ["-({})"],
    "EXTRACT": [f"EXTRACT({unit} FROM {{}})" for unit in UNITS],
    "DATE_SHIFT": [f"{{name}}({{}}, INTERVAL ({{}}) {unit})" for unit in UNITS],
    "UNIT_SHIFT": [f"{{name}}({unit}, {{}}, {{}})" for unit in UNITS],
    "POSITION": ["POSITION({} IN {})"],
    "NILADIC": ["{name}"],
}
CASTS = {"CHAR": ("CHAR", "CHAR(0)", "CHAR(5)"), "DECIMAL": ("DECIMAL(65)", "DECIMAL(65, 30)")}


def check(engine: Any, signatures: tuple[Signature, ...], forms: list[str], operator: str = "") -> list[str]:
    # ten megabytes a row for '1000-01-01' take their time
    specs = [s for s in SPECS if s.value.type not in ("date", "time") or not forms[0].startswith("REPEAT")]
    found = cases(TYPES, signatures, specs, operator)
    return [problem for case in found for form in forms for problem in ask(engine, case, form)]


def ask(engine: Any, case: Case, form: str) -> Iterator[str]:
    texts, source = sources(case.specs)
    behind = f" FROM {source}" if source else ""
    queries = [f"SELECT {fill(form, texts)}{behind}"]
    queries += [f"SELECT {fill(form, constant)}" for constant in constants(case)]
    queries += [f"SELECT {probe.format(fill(form, texts))}{behind}" for probe in probes(case)]
    for number, query in enumerate(queries):
        try:
            engine.execute(query)
            rows = engine.fetchall()
        except Exception as error:
            yield f"{case.signature.text}: {query:.300}: {error}"
            continue
        probing = number > len(constants(case))
        problems = [problem for (cell,) in rows if not probing and (problem := broken(cell, case.result))]
        if case.result.type in WIDE and number == 0 and (code := engine.description[0][1]) in INTEGERS:
            problems.append(f"{case.result.type} is an integer, of type {code}")
        yield from (f"{case.signature.text}: {query:.300}: {problem}" for problem in problems)


def probes(case: Case) -> Iterator[str]:
    """Yield what a result of its type bears: an unsigned number would refuse the first, BIGINT the second."""
    type_, magnitude = case.result.type, case.result.magnitude
    if type_ in ("bool", "int", "date", "time", "stamp") and magnitude <= 17:
        yield "({}) - 900000000000000000"
    if (type_ in ("int", "dec") and magnitude <= 15) or (type_ in ("float", "text") and magnitude <= 17):
        yield "FLOOR({}) - 900000000000000000"
        yield "({}) DIV -1 - 1"
    if (type_ == "dec" and magnitude <= 24) or (type_ in ("float", "text") and magnitude <= 264):
        yield "({}) * 900000000000000000 * 900000000000000000 - 1"


def fill(form: str, texts: Any) -> str:
    if form.startswith("COUNT(") and len(texts) > 1:
        form = form.replace("(", "(DISTINCT ")
    return form.replace("ARGUMENTS", ", ".join(texts)) if "ARGUMENTS" in form else form.format(*texts)


HAZARDS = [
    ("SELECT v + 1 FROM v_int_19_", "BIGINT value is out of range"),
    ("SELECT -v FROM v_int_19_", "BIGINT value is out of range"),
    ("SELECT ABS(v) FROM v_int_19_", "BIGINT value is out of range"),
    ("SELECT v DIV -1 FROM v_int_19_", "BIGINT value is out of range"),
    ("SELECT CEIL(v) * CEIL(v) * CEIL(v) FROM v_dec_8_", "BIGINT value is out of range"),
    ("SELECT v - 1 FROM v_other_1p_", "BIGINT UNSIGNED value is out of range"),
    ("SELECT v * -1 FROM v_other_1p_", "BIGINT UNSIGNED value is out of range"),
    ("SELECT MIN(v) - 1 FROM v_other_1p_", "BIGINT UNSIGNED value is out of range"),
    ("SELECT v - 2156 FROM v_other_4p_", "BIGINT UNSIGNED value is out of range"),
    ("SELECT v * v FROM v_stamp_15p_", "BIGINT UNSIGNED value is out of range"),
    ("SELECT CAST(1 AS UNSIGNED) - 2", "BIGINT UNSIGNED value is out of range"),
    ("SELECT FLOOR(v / v) - 9 FROM v_other_10p_", "BIGINT UNSIGNED value is out of range"),
    ("SELECT FLOOR(v) - 1 FROM v_udec_3p_", "BIGINT UNSIGNED value is out of range"),
    ("SELECT v DIV -1 FROM v_udec_3p_", "BIGINT UNSIGNED value is out of range"),
    ("SELECT (v - v * v) DIV 1 FROM v_udec_3p_", "BIGINT UNSIGNED value is out of range"),
    ("SELECT v * v FROM v_float_200_", "DOUBLE value is out of range"),
    ("SELECT EXP(v) FROM v_int_9_", "DOUBLE value is out of range"),
    ("SELECT POWER(0, -1)", "DOUBLE value is out of range"),
    ("SELECT POWER(-8, 0.5)", "DOUBLE value is out of range"),
    ("SELECT POW(v, 1.5) FROM v_other_20_", "DOUBLE value is out of range"),
    ("SELECT POW(v % PI(), 1.5) FROM v_other_20_", "DOUBLE value is out of range"),
    ("SELECT POW((SELECT MAX(v) FROM v_other_20p_), 1.5)", "DOUBLE value is out of range"),
    ("SELECT DEGREES(v) FROM v_float_309_", "DOUBLE value is out of range"),
    ("SELECT v * 2 FROM v_text_309_", "DOUBLE value is out of range"),
    ("SELECT 'a' REGEXP '('", "Regex error"),
    ("SELECT DATE '2024-02-30'", "Incorrect DATE value"),
    ("SELECT TIMESTAMP '2024-02-29'", "Incorrect DATETIME value"),
    ("SELECT v + INTERVAL 1 DAY FROM v_span_0_", "Illegal parameter data types"),
    ("SELECT 'a' LIKE 'a' ESCAPE 'bc'", "Incorrect arguments to ESCAPE"),
    ("SELECT CAST(1 AS DECIMAL(66, 2))", "Too big precision"),
    ("SELECT CAST(1 AS DECIMAL(5, 6))", "M must be >= D"),
]
"""What the table leaves out, and why."""


def fails(engine: Any, query: str, message: str) -> list[str]:
    try:
        engine.execute(query)
        engine.fetchall()
    except Exception as error:
        return [] if re.search(message, str(error)) else [str(error)]
    return ["it runs"]


def literals(engine: Any, kind: str) -> list[str]:
    """Tell which typed literals MariaDB reads otherwise."""
    words = {"day": "DATE", "clock": "TIME", "moment": "TIMESTAMP"}
    days = ("0001-01-01", "2024-02-28", "9999-12-31", "2023-11-30", "2024-02-29", "2023-02-30", "2023-11-31", "x")
    clocks = ("00:00:00", "23:59:59", "24:00:00", "12:60:00", "1:2")
    texts = {"day": days, "clock": clocks, "moment": [f"{d}{c}" for d in days for c in (" 23:59:59", "T00:00:00", "")]}
    taken = [text for text in texts[kind] if kind in TYPES.literal_kinds(text)]
    problems = [] if len(taken) >= 2 else ["none of them is a literal"]
    for text in taken:
        engine.execute(f"SELECT {words[kind]} '{text}'")
        if engine.fetchall()[0][0] is None:
            problems.append(f"{text} is NULL")
    return problems


def call_forms(name: str) -> list[str]:
    forms = FORMS.get(FUNCTIONS[name].terminal, ["{name}(ARGUMENTS)"])
    return [form.replace("{name}", name) for form in forms]


def cast_forms(name: str) -> list[str]:
    kinds = CASTS.get(name, (name,))
    return [f"CAST({{}} AS {kind})" for kind in kinds] + [f"CONVERT({{}}, {kinds[0]})"]


LINES: dict[str, Check] = {
    **{
        f"operator {name}": partial(
            check, signatures=found, forms=FORMS.get(name, [f"({{}}) {name} ({{}})"]), operator=name
        )
        for name, found in sorted(TYPES.operators.items())
    },
    **{
        f"function {name}": partial(check, signatures=found, forms=call_forms(name))
        for name, found in sorted(TYPES.functions.items())
    },
    **{
        f"cast {name}": partial(check, signatures=found, forms=cast_forms(name))
        for name, found in sorted(TYPES.casts.items())
    },
    **{f"left out: {query:.60}": partial(fails, query=query, message=message) for query, message in HAZARDS},
    **{f"literals {kind}": partial(literals, kind=kind) for kind in ("day", "clock", "moment")},
}
"""By name, what tells an engine's breaches of the promise."""
