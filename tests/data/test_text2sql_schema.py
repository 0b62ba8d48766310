"""The schema files of the text2sql sets."""

from __future__ import annotations

import pytest

from querent.data.errors import SchemaError
from querent.data.schema.schema import Column
from querent.data.schema.text2sql import from_text2sql

GOOD = """Field Name, Type, Table Name, Is Primary Key, Is Foreign Key, Other
id, int(11), SHOP, y, n, -
-, -, -, -, -, -
shop, int(11), SALE, n, y, 7
sum, float(3,2) DEFAULT NULL, SALE, n, n
"""


def test_text2sql_csv_is_read_by_its_header(tmp_path):
    file = tmp_path / "x-schema.csv"
    file.write_text(GOOD)
    shop, sale = from_text2sql(file).tables
    assert (shop.name, shop.primary_key, shop.foreign_keys) == ("SHOP", ("id",), ())
    assert sale.columns == (Column("shop", "int(11)"), Column("sum", "float(3,2)"))
    assert sale.foreign_keys == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Table Name, Feild Name, Type\nA, B, int\n", r":1, field 'Field Name'.*did you mean 'Feild Name'"),
        ("Table Name, Field Name, Is Primary Key, Type\nA, , n, int\n", r":2, field 'Field Name': nothing in it"),
        ("Table Name, Field Name, Is Primary Key, Is Foreign Key, Type\nA, B, y, n\n", r":2, field 'Type'"),
        ("Table Name, Field Name, Is Primary Key, Type\n", "no tables"),
    ],
)
def test_text2sql_csv_that_does_not_fit(tmp_path, text, message):
    file = tmp_path / "x-schema.csv"
    file.write_text(text)
    with pytest.raises(SchemaError, match=message):
        from_text2sql(file)
