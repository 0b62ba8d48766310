"""docs/describe.md is followed: its commands run, its file is read, its program says what it tells."""

from __future__ import annotations

import contextlib
import io

import pytest
from pages import Page
from said_commands import commands_in

pytestmark = pytest.mark.usefixtures("cache")

PAGE = Page("describe.md")


def test_its_commands_run(querent):
    commands = [command for block in PAGE.blocks("sh") for command in commands_in(block)]
    assert len(commands) == 4
    for command in commands:
        assert querent(*command[1:]).code == 0


def test_its_file_and_its_program_agree(querent, tmp_path):
    assert querent("describe", "shop", "--json").code == 0  # in the folder of this test
    (toml,) = PAGE.blocks("toml")
    (program,) = PAGE.blocks("python")
    (tmp_path / "mine.toml").write_text(toml, encoding="utf-8")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(program, {})
    told = [line.rpartition("# ")[2] for line in program.splitlines() if line.startswith("print")]
    assert said.getvalue().splitlines() == told


@pytest.mark.parametrize("field", ["name", "hidden", "kind", "first", "yes", "refers", "key"])
def test_it_tells_every_field(field):
    assert f"`{field}`" in PAGE.section("What you know better")
