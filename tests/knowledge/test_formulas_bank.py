"""Banks of formulas: the shipped ones, files with errors, circles, candidates."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cases import cases
from sqlglot import exp

from querent.data.errors import DomainError
from querent.data.languages import language_of
from querent.knowledge.formulas.bank import Bank
from querent.knowledge.formulas.expression import AGGREGATES, concept_of
from querent.knowledge.formulas.reading import open_banks, read_bank, shipped_banks, write_bank

FILE = Path(__file__).with_name("formulas.toml")


@cache
def opened(field: str) -> Bank:
    return open_banks([field])


def bank_file(folder: Path, text: str) -> Path:
    """Write a file of formulas."""
    file = folder / "knowledge.toml"
    file.write_text(text, encoding="utf-8")
    return file


def formula(name: str, right: str, kind: str = "calculation", more: str = "") -> str:
    """Return one entry."""
    return f"[[formula]]\nname = '{name}'\nkind = '{kind}'\nis = '''{right}'''\n{more}\n"


def test_shipped_banks() -> None:
    """Over twelve fields, 1400 formulas of all kinds and more, some of one name, each asked for in both languages."""
    assert len(shipped_banks()) >= 12
    bank = open_banks(["all"])
    kinds = Counter(one.kind for one in bank.formulas)
    assert len(bank) >= 1400
    assert min(kinds.values()) >= 100
    assert len(bank.ambiguous()) >= 40
    assert len(open_banks(["finance"])) >= 120
    for one in bank.formulas:
        assert {language_of(name) for name in one.names} >= {"en", "zh"}, one
        parts = bank.parts(one)
        for concept in one.expression.needs:
            assert concept in parts or len(bank.aliases(concept)) > 1, (one, concept)


@pytest.mark.parametrize("field", shipped_banks())
def test_no_sum_of_sums(field: str) -> None:
    """What a formula adds up is never another that is a value of many rows: no database could run that."""
    bank = opened(field)
    for one in bank.formulas:
        parts = bank.parts(one)
        for tree in one.expression.trees:
            for column in (c for sums in tree.find_all(*AGGREGATES) for c in sums.find_all(exp.Column)):
                for part in parts.get(concept_of(column), ()):
                    assert not part.expression.aggregate, (str(one), str(part))


@pytest.mark.parametrize("case", cases(FILE, "shipped"))
def test_totals_are_reckoned_from_what_databases_hold(case: dict[str, Any]) -> None:
    """A database of sales has prices and quantities, none of revenue: one candidate at least reckons it from those."""
    found = opened(case["field"]).called(case["called"])
    assert case["needs"] in [sorted(one.expression.needs) for one in found]


@pytest.mark.parametrize(
    ("field", "name"), [("retail", "revenue"), ("finance", "revenue"), ("finance", "gross profit")]
)
def test_a_total_is_asked_for_and_a_row_is_built_on(field: str, name: str) -> None:
    """Of money over lines the sum comes first and is asked for; other formulas are made of the value of a row."""
    bank: Bank = opened(field)
    several = bank.called(name)
    assert several[0].expression.aggregate
    assert not any(part.expression.aggregate for one in bank.formulas for part in bank.parts(one).get(name, ()))


@pytest.mark.parametrize("name", ["cost price", "purchase price", "成本价格"])
def test_a_cost_is_not_called_a_price(name: str) -> None:
    """Or the column «price» would be taken for it where a database knows no cost, and profits would be nothing."""
    for field in ("retail", "finance", "general", "logistics", "process"):
        assert name not in opened(field).aliases("unit cost")


ODD = """
[concepts]
"flour used" = ["flour", "面粉"]
waste = ['thrown "away"']

[[formula]]
name = "a\\u007f\\tb\\"\\\\\\n\\u2028é"
says = ["损耗率"]
kind = "calculation"
is = 'SUM(waste) / SUM("flour used")'
unit = "ratio"
note = "by \\"weight\\""

[[formula]]
name = "rye"
kind = "condition"
is = "sort IN ('rye', 'it''s rye', '黑麦')"

[[formula]]
name = "dry goods"
kind = "union"
is = '"flour used", salt, sugar'
"""


def test_a_bank_is_written_for_people_and_read_back_the_same(tmp_path: Path) -> None:
    first = read_bank(bank_file(tmp_path, ODD))
    write_bank(first, tmp_path / "out.toml")
    second = read_bank(tmp_path / "out.toml")
    assert (second.formulas, second.concepts, len(second)) == (first.formulas, first.concepts, 3)
    text = (tmp_path / "out.toml").read_text(encoding="utf-8")
    assert text.startswith('[concepts]\n"flour used" = ["flour", "面粉"]\n')
    assert """is = 'SUM(waste) / SUM("flour used")'""" in text


def test_rivals_are_told_apart(tmp_path: Path) -> None:
    """Two formulas of one name stay two; the very same one of two banks is there once."""
    bank = read_bank(bank_file(tmp_path, formula("margin", "a - b") + formula("Margin", "(a - b) / a")))
    assert len(bank.called("margin")) == 2
    assert [len(several) for several in bank.ambiguous()] == [2]
    assert len(open_banks([bank.formulas[0].file or "", tmp_path])) == 2


def test_formulas_within_formulas(tmp_path: Path) -> None:
    """A concept may be another formula of the field, and never the formula itself."""
    bank = read_bank(
        bank_file(tmp_path, formula("EBIT", "a - b") + formula("margin", "EBIT / a") + formula("x", "x + 1"))
    )
    assert {name: [one.name for one in parts] for name, parts in bank.parts(bank.formulas[1]).items()} == {
        "EBIT": ["EBIT"]
    }
    assert bank.parts(bank.formulas[2]) == {}


@pytest.mark.parametrize(
    ("text", "line", "field", "problem"),
    [
        ("domain = x", 1, None, "not TOML"),
        ("formulas = []", None, "formulas", "unknown field"),
        ("[[formula]]\nname = 'a'\nkind = 'calculation'\n", 2, "is", "missing"),
        (formula("a", "b") + formula("c", "d", "calcualtion"), 7, "kind", "calculation"),
        (formula("a", "b +"), 2, "is", "no SQL expression"),
        (formula("a", "b + 1") + formula("b", "c + 1") + formula("c", "a + 1"), 2, "is", "circle: a -> b -> c -> a"),
        ("".join(formula(f"f{i}", f"f{i + 1} + 1") for i in range(7)), 2, "is", "more than 5 formulas deep: f0 -> f1"),
        (formula("a", "b", more="sayz = ['x']"), 2, "sayz", "says"),
        (formula("a", "b", more="says = 'x'"), 2, "says", "not a list of texts"),
        ("[concepts]\na = 'b'\n", None, "concepts.a", "not a list of texts"),
    ],
)
def test_errors_tell_file_line_and_field(
    tmp_path: Path, text: str, line: int | None, field: str | None, problem: str
) -> None:
    """And the nearest right thing."""
    file = bank_file(tmp_path, text)
    with pytest.raises(DomainError, match=problem) as caught:
        read_bank(file)
    assert (caught.value.file, caught.value.line, caught.value.field) == (file, line, field)
