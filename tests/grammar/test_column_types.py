"""What the constraint reads in the types of columns, as scripts and servers write them."""

import tomllib
from pathlib import Path

import pytest

from querent.grammar.types.dialect import load_types

READ: dict[str, dict[str, list[object]]] = tomllib.loads(
    Path(__file__).with_name("column_types.toml").read_text("utf-8")
)


@pytest.mark.parametrize(("dialect", "written"), [(d, w) for d, types in READ.items() for w in types])
def test_a_type_is_read(dialect: str, written: str) -> None:
    value = load_types(dialect).column(written)
    assert [value.type, value.magnitude] == READ[dialect][written]
