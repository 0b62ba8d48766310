"""docs/normal-form.md is true: its grammar is the language of its examples, and each becomes what it says."""

from __future__ import annotations

import re
from pathlib import Path

import databases
import pytest
from lark import Lark
from lark.exceptions import LarkError

from querent.data.errors import QueryError
from querent.data.sql.query import Query
from querent.grammar import Grammar
from querent.parser.normal_form import NormalForm, ShortForm
from querent.parser.normal_form.rewriting import JoinRewriter

PAGE = (Path(__file__).parents[2] / "docs" / "normal-form.md").read_text("utf-8")
LINES = [line for block in re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
CASES = [(query, due[0], due[2:]) for query, due in zip(LINES[::2], LINES[1::2], strict=True)]


@pytest.fixture(scope="module")
def language() -> Lark:
    (text,) = re.findall(r"```lark\n(.*?)```", PAGE, re.DOTALL)
    return Lark(text + "%ignore /\\s+/\n", start="query")


def is_in(language: Lark, sql: str) -> bool:
    try:
        language.parse(sql)
    except LarkError:
        return False
    return True


@pytest.mark.parametrize(("query", "sign", "due"), CASES)
def test_an_example_becomes_what_the_page_says(language: Lark, query: str, sign: str, due: str) -> None:
    grammar = Grammar.for_schema(databases.schema("staff" if "employee" in query else "music"), dialect="sqlite")
    form, short = NormalForm(grammar), ShortForm(grammar)
    if sign == "!":
        with pytest.raises(QueryError, match=re.escape(due)):
            form.of(query)
        return
    if sign == "=":
        assert form.of(query) == due == form.of(due)
        assert not is_in(language, query)
    elif sign == "~":
        assert grammar.spell(short.words(query)) == due
        assert short.sql(short.words(query)) == query
    else:
        assert JoinRewriter(grammar).of(Query(query, "sqlite")).slotted == due
    assert is_in(language, query if sign == "~" else due)
