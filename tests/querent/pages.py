"""Pages that tests follow: their sections and blocks, the commands that they give, and whether these exist."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import typer

from querent.commands.cli import app

_OURS = re.compile(r"(?:^|[\s|;&/])(querent|(?:python3? )?(?:train|predict)\.py)(?= )")
_WRONG = typer.BadParameter.__base__ or Exception  # UsageError, wherever this typer keeps click
_END = re.compile(r"\s{2,}|\s[|;&#]|\s*\[/?dim\]")


def commands_in(text: str) -> list[list[str]]:
    """Return the words of every `querent`, `train.py` or `predict.py` command of a text, a line each."""
    return list(_commands(text.replace("\\\n", " ")))


def _commands(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        for found in _OURS.finditer(line):
            rest = _END.split(line[found.end() :].strip(), maxsplit=1)[0]
            words = shlex.split(rest)
            name = found[1].rpartition(" ")[2]
            yield ["querent", *words] if name == "querent" else ["querent", name.removesuffix(".py"), *words]


def problem_of(command: list[str]) -> str | None:
    """Return what in a command does not exist or fit, or None; `[…]` marks something a reader may leave out."""
    commands = typer.main.get_command(app).commands
    name, *words = [word.strip("[]") for word in command[1:]]
    if name.startswith("-"):
        return None if name in {"--version", "--help", "-h"} else f"no option {name}"
    if name not in commands:
        return f"no command {name}"
    while words and (inner := getattr(commands[name], "commands", None)) is not None:
        commands, name, words = inner, words[0], words[1:]
        if name not in commands:
            return f"no command {name}"
    options = {o for p in commands[name].params for o in (*p.opts, *p.secondary_opts)} | {"--help", "-h"}
    wrong = [word for word in words if word.startswith("-") and word != "-" and word.partition("=")[0] not in options]
    if wrong:
        return f"no option {wrong[0]} of {name}"
    try:
        commands[name].make_context(name, words)
    except _WRONG as error:
        return str(error)
    return None


class Page:
    """A page of docs/ by its file's name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = (Path(__file__).resolve().parents[2] / "docs" / name).read_text(encoding="utf-8")

    def section(self, title: str) -> str:
        """Return the one section of a title."""
        (found,) = re.findall(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", self.text, re.MULTILINE | re.DOTALL)
        return found

    def blocks(self, language: str, text: str | None = None) -> list[str]:
        """Return the blocks in a language, of the whole page or of a text."""
        return re.findall(rf"^```{language}\n(.*?)^```", self.text if text is None else text, re.MULTILINE | re.DOTALL)

    def said(self, title: str) -> list[list[str]]:
        """Return the words behind `querent` of a section's commands."""
        return [command[1:] for block in self.blocks("sh", self.section(title)) for command in commands_in(block)]
