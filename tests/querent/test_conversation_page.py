"""docs/conversation.md is followed: its prompt answers as it shows, its program says what it tells."""

from __future__ import annotations

import contextlib
import io
import re

import pytest
from pages import Page

from querent.commands.prompt import HELP

PAGE = Page("conversation.md")


def test_its_prompt_answers_so(querent):
    shown = PAGE.blocks("")[0]
    turns = re.findall(r"^\? (.*)\n(SELECT .*)$", shown, re.MULTILINE)
    assert len(turns) == 7
    asked_back = re.findall(r"^There is no .*\n  1 .*$", shown, re.MULTILINE)
    said = querent("ask", "shop", stdin="\n".join(question for question, _ in turns))
    assert re.findall(r"SELECT .*", re.sub(r"^(still|now) .*", "", said.out, flags=re.MULTILINE)) == [
        sql for _, sql in turns
    ]
    assert asked_back
    assert asked_back[0] in said.out


@pytest.mark.parametrize("program", PAGE.blocks("python"))
def test_its_programs_say_what_they_tell(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(program, {})
    assert said.getvalue().splitlines() == [
        told for _, told in re.findall(r"(print).*  # (.*)$", program, re.MULTILINE)
    ]


def test_it_names_every_command_of_the_prompt():
    for command in re.findall(r"^  (:\w+)", HELP, re.MULTILINE):
        assert f"`{command}" in PAGE.text
