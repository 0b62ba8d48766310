"""Right sides of formulas: what parses, what concepts stand in it, and what is refused with a reason."""

from pathlib import Path
from typing import Any

import pytest
from cases import cases

from querent.knowledge.formulas.expression import ExpressionError, parse

FILE = Path(__file__).with_name("formulas.toml")


@pytest.mark.parametrize("case", cases(FILE, "needs"))
def test_concepts_have_what_their_places_take(case: dict[str, Any]) -> None:
    """Numbers are reckoned with, texts compared with texts, moments counted between, things counted."""
    found = parse(case["formula"], case["kind"])
    assert found.needs == case["concepts"]
    assert found.aggregate == ("SUM" in case["formula"])


@pytest.mark.parametrize("case", cases(FILE, "refused"))
def test_what_is_no_formula_of_its_kind_says_why_in_a_line(case: dict[str, Any]) -> None:
    with pytest.raises(ExpressionError, match=case["reason"]) as caught:
        parse(case["formula"], case["kind"])
    assert "\n" not in str(caught.value)
