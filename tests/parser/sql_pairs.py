"""The files of ``sql/``: queries above the forms that they become (``=``) or what is told of them (``!``); scripts."""

from functools import cache
from itertools import pairwise
from pathlib import Path

from querent.data.databases.schema_readers import from_ddl
from querent.data.schema.schema import Schema


def pairs(name: str, sign: str = "=") -> dict[str, str]:
    """Return the forms, or what is told, by query."""
    return {
        query: told.removeprefix(f"{sign} ") for query, told in pairwise(_lines(name)) if told.startswith(f"{sign} ")
    }


def queries(name: str) -> list[str]:
    """Return the queries of a file that has nothing but queries and comments."""
    return [line for line in _lines(name) if line and not line.startswith("--")]


def script(name: str) -> str:
    """Return a script that makes a database."""
    return (Path(__file__).parent / "sql" / f"{name}.sql").read_text("utf-8")


@cache
def schema(name: str) -> Schema:
    """Return the schema that a script declares ahead of its rows."""
    return from_ddl(script(name).partition("INSERT")[0], "sqlite", name=name)


def _lines(name: str) -> list[str]:
    return script(name).splitlines()
