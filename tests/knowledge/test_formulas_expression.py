"""Right sides of formulas: what parses, what concepts stand in it, and what is refused with a reason."""

from __future__ import annotations

import pytest

from querent.knowledge.formulas.expression import ExpressionError, parse


def test_concepts_with_what_their_places_take() -> None:
    """Numbers are reckoned with, texts compared with texts, moments counted between, things counted."""
    found = parse(
        'SUM(revenue - "cost of goods sold") / COUNT(DISTINCT plants) + DAYS("start date", "end date")', "calculation"
    )
    assert found.needs == {
        "revenue": "number",
        "cost of goods sold": "number",
        "plants": "counted",
        "start date": "time",
        "end date": "time",
    }
    assert found.aggregate


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("age >= 18 AND gender IN ('F', '女')", {"age": "number", "gender": "text"}),
        ("shipped > due", {"shipped": "any", "due": "any"}),
        ("adult AND NOT member", {"adult": "truth", "member": "truth"}),
        ("name IS NULL", {"name": "any"}),
    ],
)
def test_conditions(text: str, needs: dict[str, str]) -> None:
    """What a concept is compared with says what it is."""
    found = parse(text, "condition")
    assert found.needs == needs
    assert not found.aggregate


def test_a_union_has_a_tree_for_each_part() -> None:
    """Its parts are shown side by side, or added up."""
    assert [tree.name for tree in parse('rent, "staff costs"', "union").trees] == ["rent", "staff costs"]


def test_a_concept_with_a_table_is_a_column_already() -> None:
    """What another tool's metric is bound to needs no grounding."""
    assert list(parse("SUM(sales.amount)", "calculation").needs) == ["sales.amount"]


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("revenue -", "calculation", "no SQL expression"),
        ("revenue, costs", "calculation", "one expression"),
        ("revenue", "union", "two concepts or more"),
        ("a + b, c", "union", "two concepts or more"),
        ("SUM(AVG(a))", "calculation", "inside another aggregate"),
        ("a + 'x'", "calculation", "no number"),
        ("SUM(a > 3)", "calculation", "no number"),
        ("age > 3", "calculation", "true or false"),
        ("a + b", "condition", "a value"),
        ("MEDIAN(a)", "calculation", "no function 'MEDIAN'"),
        ("DAYS(a)", "calculation", "no function 'DAYS'"),
        ("(SELECT 1)", "calculation", "no place in a formula"),
        ("a FROM t", "calculation", "is a query"),
        ("a WHERE b", "calculation", "is a query"),
        ("SUM(*)", "calculation", "COUNT alone"),
        ("a || b", "calculation", "no place in a formula"),
    ],
)
def test_refused_with_a_reason(text: str, kind: str, reason: str) -> None:
    """What is no formula of its kind says why, in a line."""
    with pytest.raises(ExpressionError, match=reason) as caught:
        parse(text, kind)  # pyright: ignore[reportArgumentType]
    assert "\n" not in str(caught.value)
