"""Which words count as one, and which sums no join may repeat."""

import numpy as np
import pytest

from querent.data.databases.schema_readers import from_ddl
from querent.data.languages import LANGUAGES
from querent.data.schema.schema import Column, Schema, Table
from querent.encoders import load_encoder
from querent.encoders.text_vectors import TextVectors
from querent.knowledge.formulas.bank import Bank, Formula
from querent.knowledge.formulas.expression import parse
from querent.knowledge.grounding.features import known_by_name
from querent.knowledge.grounding.grounded import Grounded, GroundedConcept, Grounding, Place
from querent.knowledge.grounding.problems import fan_out, problem_of
from querent.knowledge.grounding.synonyms import Synonyms, projection_of, shipped_groups
from querent.parser.reader.formula_items import formulas_on

GROUPS = [["employee", "staff"], ["number", "count", "no"], ["date of birth", "dob"], ["员工", "职工"], ["人数", "数"]]
SHOPS = from_ddl(
    """
    CREATE TABLE store (id INTEGER PRIMARY KEY, area REAL);
    CREATE TABLE sale (id INTEGER PRIMARY KEY, store_id INTEGER REFERENCES store (id), amount REAL);
    CREATE TABLE lease (store_id INTEGER PRIMARY KEY REFERENCES store (id), rent REAL);
    """,
    "sqlite",
)


@pytest.mark.parametrize(
    ("alias", "name", "least", "most"),
    [
        ("number of employees", "staff_count", 0.9, 1),
        ("number of employees", "STAFF_NO", 0.9, 1),
        ("date of birth", "dob", 0.9, 1),
        ("员工人数", "职工数", 0.9, 1),
        ("number of employees", "customer_count", 0, 0.5),
        ("员工人数", "客户数", 0, 0.5),
    ],
)
def test_exchangeable_words_are_one(alias: str, name: str, least: float, most: float) -> None:
    assert least <= min(Synonyms(GROUPS).alike(alias, name)) <= most


def test_the_shipped_lists_are_groups_of_words_that_are_exchanged() -> None:
    groups = shipped_groups()
    assert len(groups) > 3000 and all(len(group) > 1 and all(group) for group in groups)
    synonyms = Synonyms.shipped()
    assert min(synonyms.alike("revenue", "turnover")) >= 0.9
    assert min(synonyms.alike("营业收入", "营收")) >= 0.9
    assert min(synonyms.alike("revenue", "costs")) < 0.5


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_projection_comes_with_the_shipped_encoder_alone(language: str) -> None:
    projection = projection_of("e5")
    assert projection is not None and projection.matrix.shape == (384, 384) and np.isfinite(projection.matrix).all()
    names = known_by_name(Bank([], {}), language)
    assert len(projection.known.keys() & names.keys()) > 0.9 * len(names)  # others are computed when they are needed
    assert projection_of("some/other-model") is None


def grounded(right: str, **places: str) -> Grounded:
    concepts = tuple(
        GroundedConcept(name, Place(*place.split(".")) if "." in place else Place(place, None), 1.0, key="id")
        for name, place in places.items()
    )
    return Grounded(Formula("x", (), "calculation", parse(right, "calculation")), concepts)


REPEATS = 'sale has several rows for one of store, which SUM("store"."area") would repeat'


@pytest.mark.parametrize(
    ("right", "places", "told"),
    [
        ("SUM(sales) / SUM(area)", {"sales": "sale.amount", "area": "store.area"}, REPEATS),
        ("SUM(sales * area)", {"sales": "sale.amount", "area": "store.area"}, None),
        ("sales / area", {"sales": "sale.amount", "area": "store.area"}, None),
        ("SUM(rent) / SUM(area)", {"rent": "lease.rent", "area": "store.area"}, None),  # one lease a store
        ("SUM(sales) / MAX(area)", {"sales": "sale.amount", "area": "store.area"}, None),
        ("SUM(sales) / COUNT(stores)", {"sales": "sale.amount", "stores": "store"}, None),
    ],
)
def test_a_sum_that_a_join_would_repeat_is_told(right: str, places: dict[str, str], told: str | None) -> None:
    assert fan_out(grounded(right, **places), SHOPS) == told


def test_rows_beside_a_join_are_counted_once() -> None:
    told = grounded("SUM(sales) / COUNT(stores)", sales="sale.amount", stores="store")
    assert 'COUNT(DISTINCT "store"."id")' in told.sql("sqlite")[0]
    assert "COUNT(DISTINCT" not in grounded("COUNT(stores)", stores="store").sql("sqlite")[0]


def ground(schema: Schema, formula: Formula, **aliases: tuple[str, ...]) -> Grounding:
    """Ground a formula of a bank that tells what its concepts are called."""
    bank = Bank([formula], {name.replace("_", " "): several for name, several in aliases.items()})
    return formulas_on(schema, bank, TextVectors(load_encoder("e5")), language="en").grounder.ground(formula)


def test_a_grounder_refuses_what_a_join_would_repeat() -> None:
    formula = Formula("sales density", (), "calculation", parse("SUM(amount) / SUM(area)", "calculation"))
    grounding = ground(SHOPS, formula)
    assert not grounding.missing and grounding.grounded is None
    assert str(grounding).endswith('which SUM("store"."area") would repeat')


def test_a_text_is_not_compared_with_a_number() -> None:
    tags = Schema((Table("tag", (Column("process_unit", "TEXT"), Column("pv", "REAL"), Column("high", "REAL"))),))
    formula = Formula("too high", (), "condition", parse('process > "high limit"', "condition"))
    assert ground(tags, formula, high_limit=("high",), process=("process unit",)).grounded is None
    with_value = ground(tags, formula, high_limit=("high",), process=("process unit", "pv"))
    assert str(with_value) == "too high = tag.pv > tag.high"


@pytest.mark.parametrize(("key", "written"), [(("tag", "closing_time"), False), (("tag",), True)])
def test_a_key_is_never_empty(key: tuple[str, ...], written: bool) -> None:
    formula = Formula("open", (), "condition", parse('"closing time" IS NULL', "condition"))
    alarms = Schema((Table("alarm", (Column("tag", "TEXT"), Column("closing_time", "TIMESTAMP")), key),))
    assert (ground(alarms, formula).grounded is not None) is written


def test_two_concepts_are_not_one_column() -> None:
    formula = Formula("gain", (), "calculation", parse("revenue - costs", "calculation"))
    one, other = (GroundedConcept(name, Place("sale", "amount"), 0.9) for name in ("revenue", "costs"))
    problem = problem_of(Grounded(formula, (one, other)), SHOPS, {})
    assert problem == "sale.amount would be both revenue and costs"
