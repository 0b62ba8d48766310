"""Unions of texts and times: what belongs together is not always an amount."""

import numpy as np
import pytest

from querent.data.schema.schema import Column, Schema, Table
from querent.knowledge.formulas.bank import Bank, Formula
from querent.knowledge.formulas.expression import parse
from querent.knowledge.formulas.reading import SHIPPED, open_banks
from querent.knowledge.grounding.grounded import Grounding
from querent.knowledge.grounding.grounder import Grounder
from querent.parser.reader.items import column_kind

WORDED = """city, district, street, house number, first name, last name, postal code, country, phone number,
email address, home address, job title, department, pay grade, title, authors, publisher, ISBN, shelf, call number,
departure place, arrival place, shipper, consignee, carrier, color, product size, material, product brand, category,
subcategory, vehicle brand, vehicle model, license plate, predicted alarm, actual alarm"""
TEXTS = {" ".join(one.split()) for one in WORDED.split(",")}
MOMENTS = ("alarm time", "acknowledge time", "clear time", "start time", "end time", "departure", "arrival")


def kind_of(concept: str) -> str:
    """Return the type of a column that holds a concept of a shipped union."""
    if concept in TEXTS:
        return "TEXT"
    if concept.endswith(" date") or concept.startswith("contract "):
        return "DATE"
    return "TIMESTAMP" if concept.endswith(MOMENTS) or concept in ("departure time", "arrival time") else "REAL"


def grounded(formula: Formula, bank: Bank, *columns: Column, key: str = "row") -> Grounding:
    """Ground a formula in one table."""
    schema = Schema((Table("things", (Column("row", "INTEGER"), *columns), primary_key=(key,)),))
    return Grounder(schema, bank, lambda a, b: np.zeros((len(a), len(b))), kind_of=column_kind).ground(formula)


@pytest.mark.parametrize("field", sorted(path.stem for path in SHIPPED.glob("*.toml")))
def test_each_shipped_union_is_grounded_where_its_columns_are(field: str) -> None:
    bank = open_banks([field])
    for union in (one for one in bank.formulas if one.kind == "union"):
        concepts = [*union.expression.needs]
        columns = [Column(c.replace(" ", "_").replace("-", "_").replace("'", ""), kind_of(c)) for c in concepts]
        found = grounded(union, bank, *columns)
        assert found.grounded is not None, (str(union), str(found))
        assert [place.column for place in found.grounded.places] == [column.name for column in columns]


def union(text: str) -> tuple[Formula, Bank]:
    """Return a union, and a bank of it alone."""
    formula = Formula("contact", (), "union", parse(text, "union"))
    return formula, Bank([formula], {})


def test_amounts_go_before_texts_of_a_like_name() -> None:
    columns = (Column("rent", "REAL"), Column("rents", "TEXT"), Column("wages", "REAL"))
    found = grounded(*union("rent, wages"), *columns)
    assert str(found.grounded) == "things.rent, things.wages"


def test_a_key_that_people_read_is_shown_and_an_id_is_not() -> None:
    found = grounded(*union("title, ISBN"), Column("title", "TEXT"), Column("isbn", "TEXT"), key="isbn")
    assert str(found.grounded) == "things.title, things.isbn"
    found = grounded(*union("title, id"), Column("title", "TEXT"), Column("id", "INTEGER"), key="id")
    assert found.grounded is None


def test_one_part_that_is_not_there_is_told() -> None:
    found = grounded(*union("phone, email"), Column("phone", "TEXT"), Column("port", "TEXT"))
    assert found.grounded is None
    assert str(found).startswith("contact: email: nothing here")
