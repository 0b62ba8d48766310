"""The shipped network on questions over keys into the same table, which self_keys.toml has with their rows."""

import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cases import cases
from databases import create

import querent

FILE = Path(__file__).with_name("self_keys.toml")
SCRIPTS: dict[str, str] = tomllib.loads(FILE.read_text("utf-8"))["scripts"]


@pytest.fixture(scope="module")
def connected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], querent.Connection]]:
    folder = tmp_path_factory.mktemp("self_keys")
    with ExitStack() as stack:

        @cache
        def opened(name: str) -> querent.Connection:
            file = create(folder / f"{name}.sqlite", SCRIPTS[name])
            return stack.enter_context(querent.connect(str(file), language="zh" if name == "chinese" else None))

        yield opened


@pytest.mark.parametrize("case", cases(FILE))
def test_a_question_over_a_key_into_its_own_table(
    connected: Callable[[str], querent.Connection], case: dict[str, Any]
) -> None:
    answer = connected(case["database"]).ask(case["question"])
    rows = {tuple("" if cell is None else cell for cell in row) for row in answer.rows}
    assert rows == {tuple(row) for row in case["rows"]}, answer.sql
