"""What is reported of the retrieval of formulas: recall, and what is told where nothing should be."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from formula_questions import Asked

from querent.knowledge.formulas.bank import Formula
from querent.retrieval.selection import Scores, fused, nearest

__all__ = ["danger", "recalls"]

AT = (1, 3)
KEPT = 0.9
"""Share of the right formulas that a threshold keeps."""

ALLOWED = 0.01
"""Share of plain questions that may be told a formula."""

_FIRST = 1000.0
"""More than any way scores, so that what is named stands before what is not."""

Found = Mapping[str, Scores]
Set = tuple[Sequence[Asked], Found]


def recalls(asked: Sequence[Asked], found: Found, names: Sequence[Collection[str]]) -> dict[str, Any]:
    """Return recall at 1 and 3 of each way.

    Args:
        names: of each text that can be found, what it may be called.
    """
    gold = [set(one.gold) for one in asked]
    width = next(iter(found.values())).shape[1]
    ways = {**_named(asked, width), **found}
    sure = ways["names, grounded"]
    ways |= {f"names, then {name}": np.where(sure > 0, _FIRST + sure, scores) for name, scores in found.items()}
    both = fused([found["BM25"], found["trained"]])
    ways["names, then both"] = np.where(sure > 0, _FIRST + sure, both)
    told = {name: _recall(scores, gold, names) for name, scores in ways.items()}
    missed = [i for i, one in enumerate(asked) if not gold[i] <= set(one.grounded)]
    behind = [gold[i] - set(asked[i].grounded) for i in missed]
    left = {name: np.where(sure > 0, 0, scores)[missed] for name, scores in {**found, "both": both}.items()}
    unfound = {name: _recall(scores, behind, names) for name, scores in left.items()} if missed else {}
    return {"n": len(asked), "ways": told, "names miss": len(missed), "of what names miss": unfound}


def _named(asked: Sequence[Asked], width: int) -> dict[str, Scores]:
    """Return 1 and less for what is named, 0 for what is not, (questions, texts)."""
    ways = {name: np.zeros((len(asked), width), np.float32) for name in ("names", "names, grounded")}
    for i, one in enumerate(asked):
        for scores, order in zip(ways.values(), (one.named, one.grounded), strict=True):
            for rank, number in enumerate(order):
                scores[i, number] = 1 / (1 + rank)
    return ways


def _recall(scores: Scores, gold: Sequence[set[int]], names: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the mean share of what is needed among the first k, by formula and by name."""
    best = nearest(scores, max(AT)).tolist()
    told: dict[str, float] = {}
    for k in AT:
        exact, loose = [], []
        for row, order, right in zip(scores, best, gold, strict=True):
            first = [i for i in order[:k] if row[i] > 0]
            called = {name for i in first for name in names[i]}
            due = min(k, len(right))
            exact.append(min(due, len(right & set(first))) / due)
            loose.append(min(due, sum(not called.isdisjoint(names[i]) for i in right)) / due)
        told |= {f"@{k}": _share(exact), f"by name @{k}": _share(loose)}
    return told


def danger(
    formulas: Sequence[Formula],
    needing: Set,
    secret: Set,
    others: Mapping[str, Sequence[Asked]],
    beside: Mapping[str, Found],
) -> dict[str, Any]:
    """Return how often formulas are told to questions that need none, and what is found where few are told.

    Args:
        needing: questions with formulas, and the scores of each way.
        secret: the same without the names that they say.
        others: plain questions by set; ``beside``, their scores.
    """
    told: dict[str, Any] = {"names": {name: _by_names(several) for name, several in others.items()}}
    for way, scores in needing[1].items():
        right = [float(scores[i, number]) for i, one in enumerate(needing[0]) for number in one.gold]
        kept = float(np.quantile(right, 1 - KEPT))
        firsts = {name: _first(others[name], beside[name][way], formulas) for name in others}
        above = {name: _share([score >= kept for score, _, _ in several]) for name, several in firsts.items()}
        written = {name: _share([s >= kept and fits for s, fits, _ in several]) for name, several in firsts.items()}
        hidden = _first(secret[0], secret[1][way], formulas)
        allowed = {gate: _most(firsts, hidden, gated=gate == "written") for gate in ("any", "written")}
        told[way] = {"keeps .9": round(kept, 4), "told": above, "told and written": written, "at .01": allowed}
    return told | {"n": {name: len(several) for name, several in others.items()}, "n unsaid": len(secret[0])}


def _by_names(asked: Sequence[Asked]) -> dict[str, float]:
    """Return how often a name stands in a plain question, and how often it can be written there."""
    needed = [one.home.find(one.question) if one.home is not None else [] for one in asked]
    written = [any(found.grounded is not None for found in several) for several in needed]
    return {"told": _share([bool(several) for several in needed]), "told and written": _share(written)}


def _first(asked: Sequence[Asked], scores: Scores, formulas: Sequence[Formula]) -> list[tuple[float, bool, bool]]:
    """Return the score of the first formula that is not named, whether it can be written, whether it is needed."""
    found: list[tuple[float, bool, bool]] = []
    for one, row in zip(asked, scores.copy(), strict=True):
        row[list(one.named)] = -1
        number = int(row.argmax())
        found.append((float(row[number]), one.writes(formulas[number]), number in one.gold))
    return found


def _most(
    firsts: Mapping[str, list[tuple[float, bool, bool]]], hidden: list[tuple[float, bool, bool]], *, gated: bool
) -> dict[str, float]:
    """Return the threshold by which no set of plain questions is told more than allowed, and what it finds."""
    limits: list[float] = []
    for several in firsts.values():
        scores = sorted((score for score, fits, _ in several if fits or not gated), reverse=True)
        free = int(ALLOWED * len(several))
        limits.append(scores[free] if free < len(scores) else -1.0)
    limit = max(limits)
    over = [(fits or not gated) and score > limit for score, fits, _ in hidden]
    right = [told and needed for told, (_, _, needed) in zip(over, hidden, strict=True)]
    return {"threshold": round(limit, 4), "right": _share(right), "wrong": round(_share(over) - _share(right), 4)}


def _share(several: Sequence[float]) -> float:
    return round(float(np.mean(several)), 4) if several else 0.0
