"""What the constraint reads in the types of columns, as scripts and servers write them."""

from __future__ import annotations

import pytest

from querent.grammar.types.dialect import load_types

READ = {
    "mysql": {
        "int(11)": ("int", 10),
        "tinyint(1)": ("int", 3),
        "INTEGER(10) UNSIGNED": ("other", 10),
        "bigint(20) unsigned": ("other", 20),
        "bigint(10) unsigned": ("other", 20),
        "int(6) zerofill": ("other", 20),
        "decimal(11, 2)": ("dec", 9),
        "decimal(11, 2) unsigned": ("udec", 9),
        "DECIMAL UNSIGNED": ("udec", 20),
        "decimal(6,2) unsigned zerofill": ("udec", 4),
        "float(24) unsigned": ("udec", 30),
        "ENUM('date','int')": ("any", 309),
        "SET('point')": ("any", 309),
        "multipoint": ("closed", 0),
        "inet6": ("closed", 0),
        "uuid": ("uuid", 0),
    },
    "postgres": {
        "numeric(5, 2)": ("dec", 5),
        "numeric(3, 5)": ("dec", 5),  # 0.00999 at most
        "numeric(5, -2)": ("dec", 40),
        "real": ("float", 140),
        "float(10)": ("float", 140),
        "double precision": ("float", 30),
        "time(3) with time zone": ("other", 0),
        "timestamp(3) with time zone": ("stamp", 0),
        "character varying(20)": ("text", 0),
        "integer[]": ("other", 0),
        "_int4": ("other", 0),
        "print_kind": ("other", 0),
        "update_state": ("other", 0),
    },
    "sqlite": {
        "UNSIGNED BIG INT": ("int", 12),
        "nvarchar(100)": ("text", 999),
        "string": ("any", 999),
        "double precision": ("float", 30),
    },
}


def test_types_are_read_once_however_they_are_asked_for() -> None:
    assert load_types("mysql") is load_types("mysql", wide=False)


@pytest.mark.parametrize(("dialect", "written"), [(d, w) for d, types in READ.items() for w in types])
def test_a_type_is_read(dialect: str, written: str) -> None:
    value = load_types(dialect).column(written)
    assert (value.type, value.magnitude) == READ[dialect][written]
