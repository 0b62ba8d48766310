"""Pages of docs/ that tests follow: their sections, blocks and commands."""

from __future__ import annotations

import re
from pathlib import Path

from said_commands import commands_in

__all__ = ["Page"]


class Page:
    """A page of docs/ by its file's name."""

    def __init__(self, name: str) -> None:
        self.text = (Path(__file__).resolve().parents[2] / "docs" / name).read_text(encoding="utf-8")

    def section(self, title: str) -> str:
        """Return the one section of a title."""
        (found,) = re.findall(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", self.text, re.MULTILINE | re.DOTALL)
        return found

    def blocks(self, language: str, text: str | None = None) -> list[str]:
        """Return the blocks in a language, of the whole page or of a text."""
        return re.findall(rf"^```{language}\n(.*?)^```$", self.text if text is None else text, re.MULTILINE | re.DOTALL)

    def said(self, title: str) -> list[list[str]]:
        """Return the words behind `querent` of a section's commands."""
        return [command[1:] for block in self.blocks("sh", self.section(title)) for command in commands_in(block)]
