"""docs/conversation.md is followed: its prompt answers as it shows, its program says what it tells."""

from __future__ import annotations

import contextlib
import io
import re

from pages import Page

from querent.commands.prompt import HELP

PAGE = Page("conversation.md")


def test_its_prompt_answers_so(querent):
    (shown,) = PAGE.blocks("")
    turns = re.findall(r"^\? (.*)\n(SELECT .*)$", shown, re.MULTILINE)
    assert len(turns) == 5
    said = querent("ask", "shop", stdin="\n".join(question for question, _ in turns))
    assert re.findall(r"SELECT .*", re.sub(r"^(still|now) .*", "", said.out, flags=re.MULTILINE)) == [
        sql for _, sql in turns
    ]


def test_its_program_says_what_it_tells(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (program,) = PAGE.blocks("python")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(program, {})
    assert said.getvalue().splitlines() == [
        told for _, told in re.findall(r"(print).*  # (.*)$", program, re.MULTILINE)
    ]


def test_it_names_every_command_of_the_prompt():
    for command in re.findall(r"^  (:\w+)", HELP, re.MULTILINE):
        assert f"`{command}" in PAGE.text
