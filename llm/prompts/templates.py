"""Reads prompt files: plain text with placeholders in braces, which are checked before anything is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...data.errors import InputError, did_you_mean

__all__ = ["PROMPT_FILES", "Prompts", "Template", "load_prompts", "shipped_prompts"]


PROMPT_FILES: Mapping[str, Mapping[str, bool]] = {
    # task and dialect; the system's message
    "header": {"functions": True, "program": True, "dialect": False},
    # in its place where no tables are told, to a model that was tuned on them
    "brief": {"program": True, "dialect": False},
    # goes into the header where the database has functions of its own
    "functions": {"functions": True, "dialect": False},
    # goes into the header where the model is to think first
    "program": {},
    # which columns hold the cells that a question names, and how written
    "values": {"values": True},
    # the formulas that a question names
    "formulas": {"formulas": True},
    # how a solved question is asked; no schema (BibSQL 2025, prompt)
    "example": {"question": True, "values": False, "formulas": False},
    # how an answer is written, that to an example as well
    "answer": {"program": True, "sql": True},
    # the question that counts, behind its schema
    "question": {"schema": True, "question": True, "values": False, "formulas": False},
    # what is said of an answer that failed
    "correction": {"problem": True, "sql": False},
}
"""The files of a set, without ``.txt``, with what may stand there in braces, and whether it must.

Where formulas are to be told, questions must have a place for them; where not, the file for them may be missing.
"""

_LANGUAGES = ("en", "zh")
_HELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")


@dataclass(frozen=True)
class Template:
    """A text with placeholders: ``{question}``; ``{{`` and ``}}`` stand for braces.

    A line that holds nothing but placeholders is left out where all of them are empty.
    """

    text: str

    def fill(self, **values: str) -> str:
        """Return the text with its values; what they hold in braces stays as it is."""

        def value(match: re.Match[str]) -> str:
            return values[match[1]] if match[1] else match[0][0]

        lines = [(line, _HELD.sub(value, line)) for line in self.text.split("\n")]
        return "\n".join(filled for line, filled in lines if filled.strip() or not line.strip()).strip("\n")


Prompts = Mapping[str, Template]
"""What a model is told: the templates of `PROMPT_FILES`; without ``formulas`` where none are told."""


def shipped_prompts(language: str) -> Path:
    """Return the folder of the prompts that come with Querent.

    Raises:
        InputError: there are none in the language.
    """
    if language not in _LANGUAGES:
        hint = did_you_mean(language, _LANGUAGES) or f"use {' or '.join(_LANGUAGES)}"
        raise InputError(f"no prompts in the language {language!r}", field="language", hint=hint)
    return Path(__file__).parent / language


def load_prompts(folder: str | Path | None = None, *, language: str = "en", formulas: bool = False) -> Prompts:
    """Read a set of prompt files.

    Args:
        folder: with a file for each of `PROMPT_FILES`; the shipped one of the language if None.
        formulas: whether they are to tell formulas; those who wrote prompts of their own need not have foreseen any.

    Raises:
        InputError: a file is missing or called otherwise, or a placeholder is missing or unknown; with file and line.
    """
    place = shipped_prompts(language) if folder is None else Path(folder)
    if not place.is_dir():
        raise InputError("no such folder of prompts", file=place, hint=f"copy {shipped_prompts(language)} to it")
    for file in sorted(place.glob("*.txt")):
        if file.stem not in PROMPT_FILES:
            hint = did_you_mean(file.stem, PROMPT_FILES) or f"use {', '.join(PROMPT_FILES)}"
            raise InputError(f"no prompt is called {file.stem!r}", file=file, hint=hint)
    there = {name: place / f"{name}.txt" for name in PROMPT_FILES}
    if not formulas and not there["formulas"].is_file():
        del there["formulas"]
    return {name: _template(file, language, formulas=formulas) for name, file in there.items()}


def _template(file: Path, language: str, *, formulas: bool) -> Template:
    if not file.is_file():
        raise InputError("no such prompt", file=file, hint=f"copy {shipped_prompts(language) / file.name} to it")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error}", file=file, hint="save the file as UTF-8") from error
    known, found = PROMPT_FILES[file.stem], set[str]()
    for number, line in enumerate(text.split("\n"), start=1):
        for name in (match[1] for match in _HELD.finditer(line) if match[1]):
            if name not in known:
                hint = did_you_mean(name, known) or (f"use {_braced(known)}" if known else "write {{ for a brace")
                raise InputError("no such placeholder", file=file, line=number, field=name, hint=hint)
            found.add(name)
    needed = {name for name, must in known.items() if must or (formulas and name == "formulas")}
    if missing := sorted(needed - found):
        hint = f"write {_braced(missing[:1])} where it belongs"
        raise InputError("the placeholder is missing", file=file, line=1, field=missing[0], hint=hint)
    return Template(text)


def _braced(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))
