"""Names in plain words, what columns mean and are for, and the templates."""

from __future__ import annotations

import random
import re

import pytest

from querent.data.schema.plain_names import plural
from querent.data.schema.schema import Column
from querent.meaning.profile import ColumnProfile, FlagCells, NumberText, TimeStorage
from querent.sampler.facts.roles import role_of
from querent.sampler.facts.verbalisation import Noun, column_noun, table_noun, verbalised
from querent.sampler.parts.phrases import Count, Phrase, Templates, Text

AMOUNT, OPEN = ColumnProfile("amount"), FlagCells("open", "shut", "text")
ISO, UNIX = TimeStorage("iso", "day", text=True), TimeStorage("unix", "second", text=False)


@pytest.mark.parametrize(
    ("name", "description", "language", "said"),
    [
        ("HireDate", "", "en", "hire date"),
        ("emp_DOB", "date of birth", "en", "date of birth"),
        ("薪资", "", "en", "薪资"),
        ("salary", "薪资", "zh", "薪资"),
        ("薪资", "monthly salary", "zh", "薪资"),
        ("qty", "how many of them were ever bought, returned ones included", "en", "quantity"),
        ("cust_dt", "", "en", "customer date"),
    ],
)
def test_names_in_plain_words(name, description, language, said):
    assert verbalised(name, description, language) == said


@pytest.mark.parametrize(
    ("table", "one", "many"),
    [
        ("Customers", "customer", "customers"),
        ("countries", "country", "countries"),
        ("Address", "address", "addresses"),
        ("People", "person", "people"),
        ("Job_History", "job history record", "job history records"),
        ("Staff", "staff", "staff"),
    ],
)
def test_forms_of_tables(table, one, many):
    noun = table_noun(table, "", "en")
    assert (noun.one, noun.many) == (one, many)


def test_columns_leave_out_the_name_of_their_table():
    products = table_noun("Products", "", "en")
    assert column_noun("product_price", "", products, "en", named=False).one == "price"
    assert column_noun("product", "", products, "en", named=True).one == "name"
    assert column_noun("production", "", products, "en", named=False).one == "production"
    assert column_noun("单价", "", table_noun("产品", "", "zh"), "zh", named=False).one == "单价"


def test_plurals():
    assert [plural(w) for w in ("date of birth", "city", "box", "child")] == [
        "dates of birth", "cities", "boxes", "children",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("column", "cells", "profile", "role"),
    [
        (Column("price", "real"), (1.5, 2, 3.5), AMOUNT, "number"),
        (Column("paid", "text"), ("$1.50", "$2.00"), ColumnProfile("amount", number=NumberText(("$",))), "number"),
        (Column("order_id", "int"), (1, 2, 3), ColumnProfile("key"), "key"),
        (Column("phone", "text"), ("030-1", "030-2", "030-3"), ColumnProfile("code"), "read"),
        (Column("zip_code", "int"), (80331, 10115), ColumnProfile("code"), "key"),
        (Column("founded", "int"), (1887, 1901), ColumnProfile("time", TimeStorage("year", "year", False)), "year"),
        (Column("hired", "text"), ("2020-01-02", "2021-11-12"), ColumnProfile("time", ISO), "date"),
        (Column("seen", "int"), (1580000000, 1590000000), ColumnProfile("time", UNIX), "date"),
        (
            Column("city", "text"),
            ("Rome", "Rome", "Oslo", "Rome", "Oslo", "Rome"),
            ColumnProfile("category"),
            "category",
        ),
        (Column("motto", "text"), ("Onward", "Upward", "Inward"), ColumnProfile("category"), "text"),
        (Column("notes", "text"), ("late, twice", "Ann called", "-"), ColumnProfile("text"), "read"),
        (Column("ward", "text"), ("N-1", "N-2", "N-1", "N-2", "N-1"), ColumnProfile("key"), "category"),
        (Column("number_of_beds", "int"), (12, 40, 7), AMOUNT, "number"),
        (Column("player", "text"), ("Ann", "Bob", "Cid"), ColumnProfile("name"), "text"),
        (Column("advisor", "int"), (1121, 7723), AMOUNT, "key"),
        (Column("active", "int"), (0, 1, 1), ColumnProfile("flag", flag=FlagCells("1", "0", "number")), "flag"),
        (Column("state", "text"), ("open", "shut", "open"), ColumnProfile("flag", flag=OPEN), "category"),
        (Column("面积", "text"), ("12平方千米", "3.5万平方千米"), ColumnProfile("text"), "read"),
    ],
)
def test_roles(column, cells, profile, role):
    assert role_of(column, cells, profile, key=False) == role


def test_templates():
    sayings = Templates("en", {"ask": ["how [many|much] {t+s}<end>"], "end": ["{v} {n}", ""], "ask/age": ["old {t}"]})
    rng = random.Random(1)
    phrase = Phrase("ask", {"t": Noun("fox", "foxes"), "v": Text("A"), "n": Count(3)}, "age")
    said = {sayings.say(phrase, rng).lower().rstrip(".") for _ in range(300)}
    assert {"old fox", "how many foxes", "how much foxesa 3", "how much foxes'a' three"} <= said


@pytest.mark.parametrize("template", ["a [b", "a ] b", "a {b", "a > b"])
def test_wrong_templates_are_refused(template):
    with pytest.raises(ValueError, match=r"template|brackets"):
        Templates("en", {"rule": [template]})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_templates_use_rules_that_exist(language):
    sayings = Templates.of(language)
    uses = re.findall(r"_Use\(rule='([^']+)'\)", repr(sayings.rules))
    assert {use for use in uses if use not in sayings.rules} == set()


def test_both_languages_have_the_same_rules():
    # meanings and forms are each language's own
    plain = [{re.split(r"[+/]", rule)[0] for rule in Templates.of(x).rules} for x in ("en", "zh")]
    words = {"show", "the", "more", "less", "least", "most", "for-each", "every", "all"}
    assert plain[0] - words == plain[1] - words
