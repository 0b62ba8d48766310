"""Reads prompt files: plain text with placeholders in braces, which are checked before anything is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from ...data.errors import InputError, did_you_mean

__all__ = ["PROMPT_FILES", "Prompts", "Template", "load_prompts", "shipped_prompts"]

PROMPT_FILES: Mapping[str, frozenset[str]] = {
    "header": frozenset({"dialect", "functions", "program"}),
    "brief": frozenset({"dialect", "program"}),
    "functions": frozenset({"dialect", "functions"}),
    "program": frozenset(),
    "values": frozenset({"values"}),
    "formulas": frozenset({"formulas"}),
    "example": frozenset({"question", "values", "formulas"}),
    "answer": frozenset({"program", "sql"}),
    "question": frozenset({"schema", "question", "values", "formulas"}),
    "correction": frozenset({"sql", "problem"}),
}
"""The files of a set, without ``.txt``, and what each may hold in braces."""

_MAY_MISS = frozenset(
    {
        ("functions", "dialect"),
        ("header", "dialect"),
        ("brief", "dialect"),
        ("correction", "sql"),
        ("example", "values"),
        ("question", "values"),
    }
)
"""What a file can do without."""

_FORMULAS = frozenset({("example", "formulas"), ("question", "formulas")})
"""Where formulas are told; a set of files that is to tell none can do without, and without the file for them."""

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


@dataclass(frozen=True)
class Prompts:
    """What a model is told.

    Attributes:
        header: task, dialect, functions, and whether to think first; the system's message.
        brief: in the header's place where the model is told no tables, because it was tuned on questions about them.
        functions: goes into the header where the database has functions of its own.
        program: goes into the header where the model is to think first.
        values: stands with a question that names cells of the database: which columns hold them, and how written.
        example: how a solved question is asked; without a schema (BibSQL 2025, prompt).
        answer: how an answer is written, that to an example as well.
        question: the question that counts, behind its schema.
        correction: what is said of an answer that failed.
        formulas: stands with a question that names formulas; None where the files tell none.
    """

    header: Template
    brief: Template
    functions: Template
    program: Template
    values: Template
    example: Template
    answer: Template
    question: Template
    correction: Template
    formulas: Template | None = None


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
    may_miss = _MAY_MISS if formulas else _MAY_MISS | _FORMULAS
    there = {name: place / f"{name}.txt" for name in PROMPT_FILES}
    if not formulas and not there["formulas"].is_file():
        del there["formulas"]
    return Prompts(**{name: _template(file, language, may_miss) for name, file in there.items()})


def _template(file: Path, language: str, may_miss: Set[tuple[str, str]]) -> Template:
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
    missing = sorted(name for name in known - found if (file.stem, name) not in may_miss)
    if missing:
        hint = f"write {_braced(missing[:1])} where it belongs"
        raise InputError("the placeholder is missing", file=file, line=1, field=missing[0], hint=hint)
    return Template(text)


def _braced(names: frozenset[str] | list[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))
