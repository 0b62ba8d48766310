"""Formulas, measured: a section of docs/results.md."""

from __future__ import annotations

from typing import Any

from pieces import commands, table

__all__ = ["knowledge"]

_INTRO = (
    "Questions that need a formula («which plant has the highest gross margin»), on KnowBench's test part: finance,"
    " estate and transportation, 36 databases a language that no training saw, with formulas that none saw (`python -m"
    " bench.knowbench`). The shipped parser; none: it knows no formula; text: it reads the right formula"
    " behind the question; retrieved: it reads those that the question names, over concepts; grounded: those it finds,"
    " grounded and written as words, as `--knowledge` does; oracle-formula: it is told the right formula;"
    " oracle-grounding: its columns, too. all: the shipped formulas stand beside the benchmark's own; seed-33 and"
    " seed-34: parsers that learnt KnowBench's training part from other seeds. These, oracle-formula, and the ways"
    " without grounding were measured before the question's own words decided what is shown, and before shares."
    " KnowBench is made up by this project, and its training part (six other"
    " fields) was learnt by the network: own data proves"
    " nothing alone. archer: questions of Archer's training part that need knowledge; grounded: with all shipped"
    " formulas."
)
_FIGURES = ("ex", "ex calculation", "ex condition", "ex union", "ex none", "sure", "right of sure", "retrieved")
_GROUNDING = ("precision", "recall")
_WEIGHTS = (
    "Concepts as columns (KnowBench's training part, each half of its fields measured with the weights of the other),"
    " at a confidence of .6; best: the likeliest column is right; told though absent: a concept of which the database"
    " has no column is grounded all the same; then the share found under each way of naming. fuzzy: the letters of the"
    " names alone, at the threshold that does best here."
)


def knowledge(result: dict[str, Any], weights: dict[str, Any]) -> str:
    """Return the section on formulas."""
    figures = (*_FIGURES, *_GROUNDING)
    heads = ["", "way", "questions", *_FIGURES, *(f"grounding {name}" for name in _GROUNDING)]
    rows = [
        [*name.replace("/test/", "/").split("/", 1), e["n"], *(_share(e.get(f)) for f in figures)]
        for name, e in sorted(result["sets"].items())
        if "/train/" not in name
    ]
    text = f"\n## Formulas\n\n{_INTRO}\n\n{table(heads, rows)}\n{commands(result)}"
    names = ("precision", "recall", "f1", "best", "told though absent")
    told = [[name, *(_share(e[f]) for f in names), _naming(e)] for name, e in sorted(weights["sets"].items())]
    return text + f"\n{_WEIGHTS}\n\n{table(['', *names, 'found by naming'], told)}\n{commands(weights)}"


def _naming(figures: dict[str, Any]) -> str:
    found = {name.removeprefix("recall "): share for name, share in figures.items() if name.startswith("recall ")}
    return ", ".join(f"{name} {share:.3f}" for name, share in found.items())


def _share(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.3f}"
