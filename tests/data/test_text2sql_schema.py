"""The schema files of the text2sql sets."""

from __future__ import annotations

import pytest

from querent.data.errors import SchemaError
from querent.data.schema.schema import Column
from querent.data.schema.text2sql import from_text2sql

TOLD = """Field Name, Type, Table Name, Is Primary Key, Is Foreign Key, Other
id, int(11), SHOP, y, n, -
-, -, -, -, -, -
shop, int(11), SALE, n, y, 7
sum, float(3,2) DEFAULT NULL, SALE, n, n
"""


def test_text2sql_csv_is_read_by_its_header(tmp_path):
    file = tmp_path / "x-schema.csv"
    file.write_text(TOLD)
    shop, sale = from_text2sql(file).tables
    assert (shop.name, shop.primary_key, shop.foreign_keys) == ("SHOP", ("id",), ())
    assert sale.columns == (Column("shop", "int(11)"), Column("sum", "float(3,2)"))
    assert sale.foreign_keys == ()


def test_text2sql_csv_with_a_description_of_mysql_under_the_usual_header(tmp_path):
    """So is advising; and yelp has other information, and a comma behind it."""
    file = tmp_path / "x-schema.csv"
    usual = "Table Name, Field Name, Is Primary Key, Is Foreign Key, Type"
    file.write_text(f"{usual}\nC, id, int(11), NO, PRI, 0, -\n-, -, -, -, -, -, -\nC, gpa, float(3,2), YES, -, -\n")
    (table,) = from_text2sql(file).tables
    assert (table.columns, table.primary_key) == ((Column("id", "int(11)"), Column("gpa", "float(3,2)")), ("id",))
    file.write_text(f"{usual}, Other info\nB, bid, y, n, int(11), NOT NULL AUTO_INCREMENT,\n")
    (table,) = from_text2sql(file).tables
    assert (table.columns, table.primary_key) == ((Column("bid", "int(11)"),), ("bid",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Table Name, Feild Name, Type\nA, B, int\n", r":1, field 'Field Name'.*did you mean 'Feild Name'"),
        ("Table, Field, Type\nA, , int\n", r":2, field 'Field': nothing in it"),
        ("Table, Field, Type\nA, b, int, y, n\n", r":2: 5 fields where 3 are due"),
        ("Table Name, Field Name, Is Primary Key, Is Foreign Key, Type\nA, B, y, n\n", r":2: 4 fields where 5 are due"),
        ("Database name, Table Name, Field Name\nx, A, b\ny, A, b\n", "2 databases where one is due"),
    ],
)
def test_text2sql_csv_that_does_not_fit(tmp_path, text, message):
    file = tmp_path / "x-schema.csv"
    file.write_text(text)
    with pytest.raises(SchemaError, match=message):
        from_text2sql(file)
