"""How columns are stored, in words."""

from __future__ import annotations

from querent.meaning.profile import ColumnProfile, FlagCells, KeyProfile, NumberText
from querent.meaning.profiling import key_words, stored_as


def test_flags_and_numbers():
    assert stored_as(ColumnProfile("flag", flag=FlagCells("1", "0", "number"))) == "1 says yes, 0 no"
    assert stored_as(ColumnProfile("flag", flag=FlagCells("Y", None, "text"))) == "Y says yes"
    assert stored_as(ColumnProfile("amount", number=NumberText(("$", ",")))) == "number in text ($ , removed)"
    assert stored_as(ColumnProfile("amount", scale=10**6)) == "counts in millions"
    assert stored_as(ColumnProfile("amount", number=NumberText(("%",)), scale=10**8)).endswith("counts in 100000000")
    told = stored_as(ColumnProfile("amount", number=NumberText(("€", " ", "."), decimal_comma=True, nothing=("-",))))
    assert told == "number in text (€ blanks . removed, decimal comma, none is '-')"
    assert stored_as(ColumnProfile("amount")) == ""


def test_keys():
    key = KeyProfile("a", ("b_id",), "b", ("id",), declared=False, optional=True)
    assert key_words(key) == "b.id, many to one, found, not declared, some have none"
    assert (
        key_words(KeyProfile("a", ("x",), "b", ("y",), many=False, left_over=False))
        == "b.y, one to one, all are referred to"
    )
