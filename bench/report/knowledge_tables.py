"""Formulas, measured: a section of docs/results.md."""

from __future__ import annotations

from typing import Any

from pieces import commands, table

__all__ = ["knowledge"]

_INTRO = (
    "Questions that need a formula («which plant has the highest gross margin»), on KnowBench's test part: finance,"
    " estate and transportation, 36 databases a language that no training saw, with formulas that none saw (`python -m"
    " querent.evaluation.knowbench`). The shipped parser; none: it knows no formula; text: it reads the right formula"
    " behind the question; retrieved: it reads those that the question names, over concepts; grounded: those it finds,"
    " grounded and written as words, as `--knowledge` does; oracle-formula: it is told the right formula;"
    " oracle-grounding: its columns, too. all: the shipped formulas stand beside the benchmark's own; seed-33 and"
    " seed-34: parsers that learnt KnowBench's training part from other seeds. These, oracle-formula, and the ways"
    " without grounding were measured before the question's own words decided what is shown, and before shares."
    " KnowBench is made up by this project, and its training part (six other"
    " fields) was learnt by the network: own data proves"
    " nothing alone."
)
_FIGURES = ("ex", "ex calculation", "ex condition", "ex union", "ex none", "sure", "right of sure", "retrieved")
_GROUNDING = ("precision", "recall")
_WEIGHTS = (
    "Concepts as columns (KnowBench's training part, each half of its fields measured with the weights of the other),"
    " at a confidence of .6; best: the likeliest column is right; told though absent: a concept of which the database"
    " has no column is grounded all the same; then the share found under each way of naming. fuzzy: the letters of the"
    " names alone, at the threshold that does best here."
)
_RETRIEVED = (
    "Which formulas a question needs: the share of them that stands first, or among the first three. Names are those of"
    " `mentions.py`, grounded: rivals ordered by what this schema can ground; frozen and trained are the encoder's"
    " vectors and those of a bi-encoder trained on KnowBench. unsaid: the same questions, the name that they say taken"
    " out of the bank; archer: 222 questions and 48 texts of Archer."
)
_REAL = (
    "Questions that others wrote. archer: rows are equal, with no formula and with all shipped ones. bird: the"
    " evidence of every third of BIRD's formula questions, read as formulas; there are no rows, so that what is"
    " measured is grounding (each column said in plain words), and whether the query has the gold's columns."
)


def knowledge(
    result: dict[str, Any],
    weights: dict[str, Any],
    retrieval: dict[str, Any],
    real: dict[str, Any],
    walks: dict[str, Any],
) -> str:
    """Return the section on formulas."""
    figures = (*_FIGURES, *_GROUNDING)
    heads = ["", "way", "questions", *_FIGURES, *(f"grounding {name}" for name in _GROUNDING)]
    rows = [
        [name.partition("/")[0], name.partition("/test/")[2], e["n"], *(_share(e.get(f)) for f in figures)]
        for name, e in sorted(result["sets"].items())
        if "/test/" in name
    ]
    text = f"\n## Formulas\n\n{_INTRO}\n\n{table(heads, rows)}\n{commands(result)}"
    names = ("precision", "recall", "f1", "best", "told though absent")
    told = [[name, *(_share(e[f]) for f in names), _naming(e)] for name, e in sorted(weights["sets"].items())]
    text += f"\n{_WEIGHTS}\n\n{table(['', *names, 'found by naming'], told)}\n{commands(weights)}"
    text += f"\n{_RETRIEVED}\n\n{_retrieved(retrieval)}\n{commands(retrieval)}"
    text += f"\n{_REAL}\n\n{_each(real)}\n{commands(real)}"
    counts = ("queries", "with a formula", "time-outs", "errors")
    run = [[name, *(e[f] for f in counts)] for name, e in walks["sets"].items()]
    text += "\nRandom queries with formulas as words, run on each engine:\n\n"
    return f"{text}{table(['', *counts], run)}\n{commands(walks)}"


def _naming(figures: dict[str, Any]) -> str:
    found = {name.removeprefix("recall "): share for name, share in figures.items() if name.startswith("recall ")}
    return ", ".join(f"{name} {share:.3f}" for name, share in found.items())


def _retrieved(result: dict[str, Any]) -> str:
    asked = {name: e for name, e in result["sets"].items() if "ways" in e and "/told" not in name}
    ways = list(dict.fromkeys(way for e in asked.values() for way in e["ways"]))
    rows = [
        [name, e["n"], *(_pair(e["ways"][way]) if way in e["ways"] else "" for way in ways)]
        for name, e in asked.items()
    ]
    return table(["@1 / @3", "questions", *ways], rows)


def _pair(figures: dict[str, float]) -> str:
    return f"{_share(figures['@1'])} / {_share(figures['@3'])}"


def _each(result: dict[str, Any]) -> str:
    """Return a table of sets whose figures are of many kinds."""
    rows = [
        [name, ", ".join(f"{key} {value}" for key, value in e.items() if key != "command")]
        for name, e in result["sets"].items()
    ]
    return table(["", "figures"], rows)


def _share(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.3f}"
