"""Querent's own ``knowledge.toml``, written so that it is read back the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..formulas.bank import Bank, Formula

__all__ = ["toml", "write"]


def write(bank: Bank, path: Path) -> list[str]:
    """Write a bank; nothing is lost."""
    path.write_text(toml(bank), encoding="utf-8")
    return []


def toml(bank: Bank) -> str:
    """Return a bank as the text of a ``knowledge.toml``."""
    domains = {formula.domain for formula in bank.formulas}
    shared = domains.pop() if len(domains) == 1 else ""
    parts = [f"domain = {_text(shared)}"] if shared else []
    if bank.concepts:
        lines = (f"{_key(name)} = {_list(says)}" for name, says in bank.concepts.items())
        parts.append("\n".join(("[concepts]", *lines)))
    parts += ["\n".join(_formula(one, shared)) for one in bank.formulas]
    return "\n\n".join(parts) + "\n"


def _formula(formula: Formula, shared: str) -> Iterator[str]:
    yield "[[formula]]"
    yield f"name = {_text(formula.name)}"
    if formula.says:
        yield f"says = {_list(formula.says)}"
    yield f"kind = {_text(formula.kind)}"
    yield f"is = {_literal(formula.expression.text)}"
    for field in ("unit", "note"):
        if value := getattr(formula, field):
            yield f"{field} = {_text(value)}"
    if formula.domain != shared:
        yield f"domain = {_text(formula.domain)}"


def _literal(text: str) -> str:
    """Return a text without escapes where it can be, since right sides are full of quotes."""
    return f"'{text}'" if text.isprintable() and "'" not in text else _text(text)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # which TOML forbids and JSON does not


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)
