"""Writes KnowBench into a folder: databases, banks of formulas, and the questions of both parts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .content import Concept, Domain, Formula, domains
from .layouts import layouts
from .questions import questions
from .rows import save

__all__ = ["bank", "write"]


def write(folder: Path, language: str, seed: int = 0) -> dict[str, int]:
    """Write one language's part of KnowBench and return how many questions each part has.

    The same seed writes the same questions; what lies in the folder under the same names is written over.

    Args:
        folder: ``LANGUAGE`` is made in it.
        language: ``en`` or ``zh``.
        seed: of rows, values and wordings.
    """
    home = folder / language
    (home / "databases").mkdir(parents=True, exist_ok=True)
    (home / "knowledge").mkdir(exist_ok=True)
    lines: dict[str, list[str]] = {"train": [], "test": []}
    for domain in domains():
        (home / "knowledge" / f"{domain.name}.toml").write_text(bank(domain), encoding="utf-8")
        for line in _questions(domain, home / "databases", language, seed):
            lines[domain.part].append(json.dumps(line, ensure_ascii=False) + "\n")
    for part, written in lines.items():
        (home / f"{part}.jsonl").write_text("".join(written), encoding="utf-8")
    return {part: len(written) for part, written in lines.items()}


def _questions(domain: Domain, databases: Path, language: str, seed: int) -> Iterator[dict[str, Any]]:
    for layout in layouts(domain, language):
        path = databases / f"{layout.name}.sqlite"
        save(layout, path, seed)
        yield from questions(layout, path, seed)


def bank(domain: Domain) -> str:
    """Return the text of a domain's bank: what its concepts are called too, and its formulas."""
    told = [_concept(concept) for concept in domain.concepts.values() if not concept.names]
    things = [f"{_quoted(t.en[1])} = {_list([t.en[0], t.zh])}" for t in _counted(domain)]
    formulas = [_formula(formula) for formula in domain.formulas]
    return "\n".join([f"domain = {_quoted(domain.name)}\n", "[concepts]", *told, *things, "", *formulas])


def _counted(domain: Domain) -> list[Any]:
    """Return the things that formulas count, whose names stand in the bank as concepts do."""
    return [t for t in domain.things.values() if any(f"COUNT({t.name})" in f.right for f in domain.formulas)]


def _concept(concept: Concept) -> str:
    return f"{_quoted(concept.name)} = {_list([*concept.says, concept.zh])}"


def _formula(formula: Formula) -> str:
    lines = [f"name = {_quoted(formula.name)}", f"says = {_list(formula.says)}", f'kind = "{formula.kind}"']
    lines.append(f"is = {_quoted(formula.right)}")
    lines += [f"{key} = {_quoted(text)}" for key, text in (("unit", formula.unit), ("note", formula.note)) if text]
    return "\n".join(["[[formula]]", *lines, ""])


def _list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
