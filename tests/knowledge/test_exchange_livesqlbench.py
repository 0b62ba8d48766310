"""Definitions in LaTeX: what is arithmetic or a comparison is read, all else refused with its line and reason."""

from __future__ import annotations

import json

import pytest

from querent.data.errors import DomainError
from querent.knowledge.exchange.formats import read_formulas, write_formulas
from querent.knowledge.formulas.bank import Bank, Formula
from querent.knowledge.formulas.expression import parse

CALCULATION, DOMAIN = "calculation_knowledge", "domain_knowledge"


@pytest.fixture
def known(tmp_path):
    def read(definition, kind, refused=None):
        told = {"id": 0, "knowledge": "Thing (TH)", "description": "It.", "definition": definition, "type": kind}
        (tmp_path / "kb.jsonl").write_text(f"\n{json.dumps(told)}\n", encoding="utf-8")
        return read_formulas(tmp_path / "kb.jsonl", refused=refused)

    return read


@pytest.mark.parametrize(
    ("definition", "right", "says"),
    [
        (
            r"$\text{LR} = \frac{\text{Late Days}}{\text{Total Days}} \times 100\%$",
            '"Late Days" / "Total Days" * 100',
            "LR",
        ),
        (r"LR = \frac{Late Days}{Total Days}", '"Late Days" / "Total Days"', "LR"),
        (r"= delayhours", "delayhours", None),
        (r"$w - 0.1 \cdot |\text{Wind (km/h)}|$", "w - 0.1 * ABS(Wind)", None),
        (r"$\text{S} = \left(1 - x_{\text{max}}\right) \, (y_{min} + z_1)$", '(1 - "x max") * ("y min" + "z 1")', "S"),
        (r"$2 \text{a\_b} - 1{,}500.5$", '2 * "a b" - 1500.5', None),
        (r"$\dfrac{a - b}{c + d} - -e$", "(a - b) / (c + d) - -e", None),
        (r"$\mathrm{SUM}(a \times b) \div \text{COUNT}(c)$, where a is new.", "SUM(a * b) / COUNT(c)", None),
        (r"$\text{bike\_trips.km} / [\text{trips.h_1}]$", "bike_trips.km / trips.h_1", None),
    ],
)
def test_calculations(known, definition, right, says):
    (formula,) = known(definition, CALCULATION).formulas
    assert (formula.name, formula.kind, formula.expression.text) == ("Thing", "calculation", right)
    assert formula.says == (("TH", says) if says else ("TH",))
    assert formula.line == 2


@pytest.mark.parametrize(
    ("definition", "right"),
    [
        (r"$\text{Load} > 0.8$", "Load > 0.8"),
        (r"Years\_Open \geq 2", '"Years Open" >= 2'),
        (r"Ships where $\text{Load} < 0.1$ and $\text{Age} \neq 3$.", "Load < 0.1 AND Age <> 3"),
        (r"$0.2 < \text{Load} \leq 0.7$", "0.2 < Load AND Load <= 0.7"),
        (r"$\text{TH} = \text{Load} > 2 \text{ AND } \text{Age} < 3$", "Load > 2 AND Age < 3"),
        (r"$\text{Grade} = \text{'A'} \lor \lnot (\text{Grade} = 'B')$", "Grade = 'A' OR NOT (Grade = 'B')"),
        (r"$\text{status} = 3$", "status = 3"),
    ],
)
def test_domain_knowledge_that_compares_is_a_condition(known, definition, right):
    (formula,) = known(definition, DOMAIN).formulas
    assert (formula.kind, formula.expression.text) == ("condition", right)


@pytest.mark.parametrize(
    ("definition", "kind", "said"),
    [
        (r"$x = \begin{cases} 1 & a > 2 \\ 0 \end{cases}$", CALCULATION, "a choice of cases cannot be read here"),
        (r"$(a > 0 ? 1 : 2) \times b$", CALCULATION, "a choice cannot be read here"),
        (r"$\sqrt{a}$", CALCULATION, "a root cannot be read here"),
        (r"$10^{2} \times a$", CALCULATION, "a power cannot be read here"),
        (r"$50\% \times a$", CALCULATION, "a percent sign cannot be read here"),
        (r"$a +$", CALCULATION, "breaks off"),
        (r"$\frac{a}$", CALCULATION, "a bracket is missing"),
        (r"$(a + b$", CALCULATION, "breaks off"),
        (r"$\text{f}(a)$", CALCULATION, "neither a product nor a function here"),
        (r"$1 + 2$", CALCULATION, "names nothing"),
        (r"$a > 3$", CALCULATION, "a calculation that is true or false"),
        (r"$a = b$, capped at 100.", CALCULATION, "words after the formula"),
        (r"$a = b$. The value is capped at 100.", CALCULATION, "words that change the formula"),
        (r"$a = b$ for stars, $a = c$ for planets", CALCULATION, "words after the formula"),
        (r"All of them but for those of the year $a > 2$", DOMAIN, "words before the formula"),
        ("The sum of all days.", CALCULATION, "words, no formula"),
        ("It falls below 0.3 AND exceeds 2.", DOMAIN, "words, no formula"),
        ("From 0 to 1.", "value_illustration", "an illustration of values is no formula"),
    ],
)
def test_what_cannot_be_read_is_told_with_line_and_reason(known, tmp_path, definition, kind, said):
    refused = []
    assert len(known(definition, kind, refused)) == 0
    (error,) = refused
    assert str(error).startswith(f"{tmp_path / 'kb.jsonl'}:2, field ")
    assert said in str(error)
    assert "'Thing'" in str(error)
    with pytest.raises(DomainError):
        known(definition, kind)


def test_what_latex_cannot_say_is_told(tmp_path):
    def formula(name, text, kind="calculation", says=()):
        return Formula(name, says, kind, parse(text, kind), unit="%" if says else "")

    bank = Bank(
        [
            formula("density", "load / hold", says=("full", "filling")),
            formula("dense", "density > 0.8", "condition"),
            formula("bulk", "sort IN ('bulk', 'ore')", "condition"),
            formula("ships", "COUNT(DISTINCT ship)"),
            formula("both", "load, hold", "union"),
        ],
        {},
    )
    assert write_formulas(bank, "livesqlbench", tmp_path / "kb.jsonl") == [
        "bulk: left out; sort IN ('bulk', 'ore') has no place in it",
        "ships: left out; COUNT(DISTINCT ship) has no place in it",
        "both: left out; a union has no place in it",
        "density: says 'filling' is not written",
        "density: unit '%' is not written",
    ]
    density, dense = map(json.loads, (tmp_path / "kb.jsonl").read_text(encoding="utf-8").splitlines())
    assert (density["knowledge"], density["type"], density["children_knowledge"]) == ("density (full)", CALCULATION, -1)
    assert density["definition"] == r"$\text{full} = \frac{\text{load}}{\text{hold}}$"
    assert (dense["definition"], dense["children_knowledge"]) == (r"$\text{density} > 0.8$", [0])
