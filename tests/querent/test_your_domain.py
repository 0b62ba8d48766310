"""docs/your-domain.md is followed from an empty folder: its database, its prototypes, its commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from said_commands import commands_in

from querent.authoring.starting import starters

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "your-domain.md").read_text(encoding="utf-8")
SMALL = ["optim.epochs=1", "augment.sampled=0", "augment.rehearsed=0", "eval.dev_examples=2", "eval.train_examples=2"]
SMALL += ["eval.beam=1"]
"""A test needs no long training; the last of two settings holds."""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def follow(querent, commands):
    ended = {}
    for command in commands:
        words = [*command[1:], *(SMALL if command[1] == "train" else [])]
        found = querent(*words)
        refused = command[1] == "ask" and "no_answer" in found.out  # so it should be on a database of another kind
        assert found.code == 0 or refused, (command, found.err or found.out)
        ended[command[1]] = found
    return ended


def test_the_guide_leads_to_answers(querent, tmp_path, monkeypatch):
    monkeypatch.setattr(starters, "_SAMPLED", 25)
    (made,) = blocks("python")
    exec(made, {})
    new, *rest = [command for block in blocks("sh") for command in commands_in(block)]
    follow(querent, [new])
    prototypes, functions = blocks("toml")
    (tmp_path / "library" / "functions.toml").write_text(functions, encoding="utf-8")
    (tmp_path / "library" / "prototypes" / "loans.toml").write_text(prototypes, encoding="utf-8")
    (questions,) = blocks("text")
    (tmp_path / "questions.txt").write_text(questions, encoding="utf-8")
    training = next(place for place, command in enumerate(rest) if command[1] == "train")
    checked = follow(querent, rest[:training])
    assert "0 errors" in checked["check"].out
    file = tmp_path / "library" / "examples.en.jsonl"
    pairs = file.read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(pairs) >= 200
    file.write_text("".join(pairs[::32]), encoding="utf-8")  # they are learnt and asked as all of them are
    follow(querent, rest[training:])
    answers = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [a["question"] for a in answers] == questions.splitlines()
    assert {a["status"] for a in answers} <= {"ok", "unsure"}  # the network is small
