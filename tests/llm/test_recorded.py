"""Answers from a file, and how many tokens a text is likely to take."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import table

from querent.data.errors import InputError, LlmError
from querent.llm.backends.load import RecordedBackend
from querent.llm.messages import Completions, ConstrainedBackend, Message, likely_tokens

ASKED = [Message("system", "Write SQL."), Message("user", "多少本书?")]


def test_lines_answer_in_their_order_each_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('{"texts": ["one"], "prompt_tokens": 7}\n\n{"texts": ["a", "b"]}\n')
    backend = RecordedBackend(tmp_path / "a")
    assert not isinstance(backend, ConstrainedBackend)
    assert backend.complete(ASKED) == Completions(("one",), 7)
    with pytest.raises(LlmError, match="2 texts are recorded where 1"):
        backend.complete(ASKED)
    with pytest.raises(LlmError, match="no answer is left"):
        backend.complete(ASKED)
    with pytest.raises(InputError, match="cannot be read"):
        RecordedBackend(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize(("line", "problem"), table(__file__, "a_line_that_is_no_record_is_named"))
def test_a_line_that_is_no_record_is_named(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "a").write_text(f'{{"texts": ["a"]}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError) as raised:
        RecordedBackend(tmp_path / "a")
    assert f"{tmp_path / 'a'}{problem}" in str(raised.value)


def test_tokens_are_rather_over_than_underestimated() -> None:
    """SmolLM2's own counts: 66, 32 and 36 tokens."""
    sql = (
        "SELECT T1.name, COUNT(*) FROM customer AS T1 JOIN orders AS T2 ON T1.id = T2.customer_id "
        "WHERE T2.total > 12345.67 GROUP BY T1.name ORDER BY 2 DESC LIMIT 10"
    )
    ddl = "CREATE TABLE PROD_LINE_STAT (LINE_ID INTEGER PRIMARY KEY, ts DATETIME, qty_pcs REAL)"
    for text, tokens in ((sql, 66), (ddl, 32), ("查询所有在过去一周内产量超过一百的设备名称", 36)):
        assert tokens <= likely_tokens([Message("user", text)]) <= 2 * tokens
