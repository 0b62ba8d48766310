"""Evidence beside a question: what is a formula in it is read as one, and the rest is named with the reason."""

import pytest

from querent.knowledge.linked_formulas import read_evidence


@pytest.mark.parametrize(
    ("text", "formulas", "unread", "lost"),
    [
        ("profit = revenue - cost", ["calculation: profit = revenue - cost"], 0, 0),
        ("net profit = profit - customs;", ["calculation: net profit = profit - customs"], 0, 0),
        ("the early refers to departs < 8.", ["condition: early = departs < 8"], 0, 0),
        ('swift REFERS TO DAYS("sold on", shipped) < 4', ['condition: swift = DAYS("sold on", shipped) < 4'], 0, 0),
        ("odd = status IN ('a;b', 'c'); key figures = price, stock",
         ["condition: odd = status IN ('a;b', 'c')", "union: key figures = price, stock"], 0, 0),
        ("迟发 = 天数 ＞ 5；利润 = 收入 － 成本",
         ["condition: 迟发 = 天数 > 5", "calculation: 利润 = 收入 - 成本"], 0, 0),
        ("a trip is a voyage of sorts; name of boats refers to boat_name; status = 'late'; = 5; 7 < 8", [], 5, 0),
        ("dear refers to fare > MINUS(cost; rate = DIVIDE(a, b); late = state = 'late'",
         ["condition: late = state = 'late'"], 2, 2),
        ("a = b + c; b = a + c", ["calculation: b = a + c"], 1, 1),
        ("  ;; ", [], 0, 0),
    ],
)  # fmt: skip
def test_pieces_are_formulas_or_named_with_the_reason(text, formulas, unread, lost):
    found = read_evidence(text)
    plain = [f"{one.kind}: {one.name} = {one.expression.text}" for one in found.bank.formulas]
    assert [one.replace('"net profit"', "net profit") for one in plain] == formulas
    assert (len(found.unread), len(found.lost)) == (unread, lost)
    assert set(found.lost) <= set(found.unread)
    assert all(": " in one for one in found.unread)
