"""`querent predict --llm`, killed on its way, with a server that fails every tenth call: nothing is lost or doubled."""

from __future__ import annotations

import json

import pytest
from killed_before_server import killed_and_given_again

pytest.importorskip("openai", reason="openai is not installed")

COUNT = 60


@pytest.mark.parametrize("jobs", [1, 4])
def test_nothing_is_lost_and_nothing_doubled(cache, tmp_path, jobs):
    ended = killed_and_given_again(tmp_path, COUNT, "--jobs", str(jobs))
    kept = ended.kept.count(b"\n")
    assert 0.4 * COUNT <= kept < COUNT
    assert ended.whole.startswith(ended.kept)
    records = [json.loads(line) for line in ended.whole.splitlines()]
    assert [record["id"] for record in records] == [str(n + 1) for n in range(COUNT)]
    assert [record["question"] for record in records] == ended.questions
    assert [record["rows"] for record in records] == [[[n]] for n in range(COUNT)]  # each has its own answer
    assert {(r["status"], len(r["attempts"]), r["prompt_tokens"]) for r in records} == {("ok", 1, 50)}
    assert ended.failed >= COUNT / 10
    assert set(ended.after) == set(range(kept, COUNT))  # what has a record is not asked again, the rest is
    assert max(ended.after.values()) == 1
    assert (ended.before & ended.after).total() <= 4 * jobs  # those that were under way at the kill
