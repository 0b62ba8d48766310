"""Cases that stand in TOML files: one table a case, as ``[[case]]``, so that a room needs one runner for many.

    [[case]]
    name = "a month of an ISO text"
    database = "shop"
    question = "orders of May 2023"
    sql = "SELECT …"

What a case is named becomes the name of its test.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest


def cases(file: Path, key: str = "case") -> list[Any]:
    """Return the cases of a file as parameters of a test, each a dictionary.

    Args:
        key: the name of the array of tables.

    Raises:
        AssertionError: two cases have one name, or the file has none.
    """
    found: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))[key]
    names = [str(case.get("name") or case.get("question") or case.get("sql") or case) for case in found]
    twice = {name for name in names if names.count(name) > 1}
    assert found, f"{file} has no cases"
    assert not twice, f"{file} has two cases called {sorted(twice)}"
    return [pytest.param(case, id=name) for case, name in zip(found, names, strict=True)]


def rows(file: Path, key: str) -> pytest.MarkDecorator:
    """Return what gives a test the rows of an array of a file, each a table with the test's arguments by name.

    An argument that a row leaves out is None.

    Raises:
        AssertionError: the array is empty.
    """
    found: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8"))[key]
    assert found, f"{key} of {file} has no rows"
    names = list(dict.fromkeys(name for row in found for name in row))
    return pytest.mark.parametrize(names, [tuple(row.get(name) for name in names) for row in found])


def table(test: str, key: str) -> list[Any]:
    """Return a table of tables.toml beside a test's file as parameters: tuples, or single values where a row has one.

    Args:
        test: the file of the test.
        key: the name of the table. Its rows are tables, whose values count in their order, or arrays, in which a dash
            stands for None.
    """
    found: list[Any] = tomllib.loads(Path(test).with_name("tables.toml").read_text("utf-8"))[key]
    assert found, f"no rows of {key}"
    rows = [one.values() if isinstance(one, dict) else (None if cell == "-" else cell for cell in one) for one in found]
    return [row[0] if len(row) == 1 else row for row in map(tuple, rows)]
