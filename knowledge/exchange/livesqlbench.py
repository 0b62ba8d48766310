r"""Knowledge of LiveSQLBench and BIRD-Interact: one JSON object a line, its formula in LaTeX.

    {"id": 0, "knowledge": "Order Value Ratio (OVR)", "description": "…", "type": "calculation_knowledge",
     "definition": "$\\text{OVR} = \\frac{\\text{Net}}{\\text{Gross}}$, where …", "children_knowledge": -1}

Calculations are read as far as they are arithmetic, domain knowledge where it is a comparison; illustrations of values
and prose are refused, each with its line.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sqlglot import exp

from ...data.errors import DomainError
from ...data.formats.files import Record, read_jsonl
from ..formulas.bank import Bank, Formula
from ..formulas.expression import ExpressionError, Kind, parse
from ..formulas.sql import kind_of, text_of
from .documents import text_in
from .exporting import Exported
from .latex import read_latex, write_latex

__all__ = ["read", "write"]

TYPES = ("calculation_knowledge", "domain_knowledge", "value_illustration")
_NAMED = re.compile(r"(?P<name>.+?)\s*\((?P<short>[^()]+)\)\s*")
_MATH = re.compile(r"\$\$?([^$]+)\$\$?|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_TAIL = re.compile(
    r"\s*(?:[.,;:]\s*|\s)(?:where|with|in which|which|indicating|such that|here)\b.*|\s*\.\s+[A-Z].*", re.DOTALL
)
_CHANGES = re.compile(
    r"\b(?:capped|otherwise|unless|except|clamped|rounded|only if|limited to|at most|at least)\b", re.IGNORECASE
)
_LEADING = re.compile(r"(?:\S+\s+){0,4}(?:where|with|if|when|whose|having|has|have|that have)\s*:?\s*", re.IGNORECASE)
_LATEX = re.compile(r"\\[a-zA-Z]+|[=<>≤≥]")


def read(path: Path, refused: list[DomainError] | None) -> Bank:
    """Return the formulas of a file."""
    formulas: list[Formula] = []
    for record in read_jsonl(path):
        try:
            formulas.append(_formula(record))
        except DomainError as error:
            if refused is None:
                raise
            refused.append(error)
    return Bank(formulas, {})


def _formula(record: Record) -> Formula:
    told = record.text("knowledge").strip()
    found = _NAMED.fullmatch(told)
    name, short = (found["name"], found["short"]) if found else (told, "")
    kind, definition = record.text("type"), record.text("definition")
    if kind not in TYPES:
        raise record.error(f"no type {kind!r}", "type", f"types are {', '.join(TYPES)}")
    if kind == TYPES[2]:
        raise record.error(f"{name!r}: an illustration of values is no formula", "type")
    try:
        left, tree, tail = _equation(definition, kind == TYPES[1])
        wanted: Kind = kind_of(tree)
        if wanted == "condition" and kind == TYPES[0]:
            raise ExpressionError(f"a calculation that is true or false: {definition!r}")
        expression = parse(text_of(tree), wanted)
        if not expression.needs:
            raise ExpressionError(f"{definition!r} names nothing")
    except ExpressionError as error:
        raise record.error(f"{name!r}: {error}", "definition") from None
    says = [one for one in dict.fromkeys((short, left)) if one and one.casefold() != name.casefold()]
    note = " ".join(f"{text_in(record, 'description')} {tail.lstrip(' ,.;:')}".split())
    return Formula(name, tuple(says), wanted, expression, note=note, file=record.file, line=record.line)


def _equation(definition: str, comparing: bool) -> tuple[str, exp.Expr, str]:
    """Return what a definition calls its left side, its right side, and what it says after that.

    Args:
        comparing: may a definition be a comparison, rather than a name and its value?
    """
    text, tail = _mathematics(definition)
    if _CHANGES.search(tail):
        raise ExpressionError(f"words that change the formula: {tail.strip()!r}")
    tree = read_latex(text.lstrip("= "))
    first = tree.this if isinstance(tree, exp.EQ) else None
    compared = comparing and isinstance(tree.expression, exp.Literal)
    if isinstance(first, exp.Column) and not first.table and not compared:
        return first.name, tree.expression, tail
    split = re.split(r"(?<![<>!=\\])=(?![=])|\\equiv\b", text, maxsplit=1)
    if isinstance(tree, exp.And) and len(split) == 2 and split[0].strip():  # name = a > b
        left = read_latex(split[0])
        if isinstance(left, exp.Column) and comparing:
            return left.name, read_latex(split[1]), tail
    return "", tree, tail


def _mathematics(definition: str) -> tuple[str, str]:
    """Return the formula of a definition and the words after it."""
    segments = [(m.start(), m.end(), next(g for g in m.groups() if g is not None)) for m in _MATH.finditer(definition)]
    if not segments:
        if not _LATEX.search(definition):
            raise ExpressionError(f"words, no formula: {definition!r}")
        tail = _TAIL.search(definition)
        return (definition[: tail.start()], tail[0]) if tail else (definition.rstrip(". "), "")
    lead = definition[: segments[0][0]]
    if lead.strip() and not _LEADING.fullmatch(lead):
        raise ExpressionError(f"words before the formula: {lead.strip()!r}")
    text, end = segments[0][2], segments[0][1]
    for start, stop, math in segments[1:]:  # $a > 1$ and $b < 2$
        between = definition[end:start].strip(" ,").upper()
        if between not in ("AND", "OR"):
            break
        text, end = f"{text} {between} {math}", stop
    tail = definition[end:]
    if tail.strip(" .") and not _TAIL.fullmatch(tail):
        raise ExpressionError(f"words after the formula: {tail.strip()!r}")
    return text, tail.strip(" .")


def write(bank: Bank, path: Path) -> list[str]:
    """Write a bank; return what is lost."""
    exported = Exported(bank, "LiveSQLBench's knowledge")
    ids: dict[int, int] = {}
    for formula in bank.formulas:
        try:
            if formula.kind == "union":
                raise LookupError("a union has no place in it")
            write_latex(formula.expression.trees[0])
            ids[id(formula)] = len(ids)
        except LookupError as error:
            exported.left_out(formula, str(error))
    lines = [_line(one, ids, exported) for one in bank.formulas if id(one) in ids]
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines), encoding="utf-8")
    return exported.lost


def _line(formula: Formula, ids: dict[int, int], exported: Exported) -> dict[str, Any]:
    short = next((one for one in formula.says if "(" not in one), "")
    for other in formula.says:
        if other != short:
            exported.tell(formula, f"says {other!r} is not written")
    exported.not_said(formula, "unit")
    right = write_latex(formula.expression.trees[0])
    calculation = formula.kind == "calculation"
    parts = exported.bank.parts(formula).values()
    children = [ids[id(part)] for several in parts for part in several if id(part) in ids]
    return {
        "id": ids[id(formula)],
        "knowledge": f"{formula.name} ({short})" if short else formula.name,
        "description": formula.note,
        "definition": rf"$\text{{{short or formula.name}}} = {right}$" if calculation else f"${right}$",
        "type": TYPES[0] if calculation else TYPES[1],
        "children_knowledge": children or -1,
    }
