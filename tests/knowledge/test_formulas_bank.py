"""Banks of formulas: the shipped ones, files with errors, circles, rivals."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from querent.data.errors import DomainError, InputError
from querent.data.languages import language_of
from querent.knowledge.formulas.reading import open_banks, read_bank, shipped_banks


def bank_file(folder: Path, text: str) -> Path:
    """Write a file of formulas."""
    file = folder / "knowledge.toml"
    file.write_text(text, encoding="utf-8")
    return file


def formula(name: str, right: str, kind: str = "calculation", more: str = "") -> str:
    """Return one entry."""
    return f"[[formula]]\nname = '{name}'\nkind = '{kind}'\nis = '''{right}'''\n{more}\n"


def test_shipped_banks() -> None:
    """Over twelve fields, 500 formulas of all kinds and more, rivals among them, each asked for in both languages."""
    assert len(shipped_banks()) >= 12
    bank = open_banks(["all"])
    kinds = Counter(one.kind for one in bank.formulas)
    assert len(bank) >= 500
    assert min(kinds.values()) >= 100
    assert len(bank.rivals()) >= 40
    assert len(open_banks(["finance"])) >= 120
    for one in bank.formulas:
        assert {language_of(name) for name in one.names} >= {"en", "zh"}, one
        parts = bank.parts(one)
        for concept in one.expression.needs:
            assert concept in parts or len(bank.sayings(concept)) > 1, (one, concept)


def test_rivals_are_told_apart(tmp_path: Path) -> None:
    """Two formulas of one name stay two; the very same one of two banks is there once."""
    bank = read_bank(bank_file(tmp_path, formula("margin", "a - b") + formula("Margin", "(a - b) / a")))
    assert len(bank.called("margin")) == 2
    assert [len(several) for several in bank.rivals()] == [2]
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


def test_a_circle_is_told_with_its_path(tmp_path: Path) -> None:
    """So that somebody can mend it."""
    file = bank_file(tmp_path, formula("a", "b + 1") + formula("b", "c + 1") + formula("c", "a + 1"))
    with pytest.raises(DomainError, match="a -> b -> c -> a"):
        read_bank(file)


def test_too_deep(tmp_path: Path) -> None:
    """More than five formulas one inside the other are refused."""
    file = bank_file(tmp_path, "".join(formula(f"f{i}", f"f{i + 1} + 1") for i in range(7)))
    with pytest.raises(DomainError, match="more than 5 formulas deep: f0 -> f1"):
        read_bank(file)


@pytest.mark.parametrize(
    ("text", "line", "field", "problem"),
    [
        ("domain = x", 1, None, "not TOML"),
        ("formulas = []", None, "formulas", "unknown field"),
        ("[[formula]]\nname = 'a'\nkind = 'calculation'\n", 1, "is", "missing"),
        (formula("a", "b") + formula("c", "d", "calcualtion"), 6, "kind", "calculation"),
        (formula("a", "b +"), 1, "is", "no SQL expression"),
        (formula("a", "b", more="sayz = ['x']"), 1, "sayz", "says"),
        (formula("a", "b", more="says = 'x'"), 1, "says", "not a list of texts"),
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


def test_no_such_bank() -> None:
    """The nearest name is told."""
    with pytest.raises(InputError, match="did you mean 'finance'"):
        open_banks(["finanse"])
