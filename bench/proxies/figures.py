"""What the records of systems come to: by turn, by length, by kind of turn, by fault."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from .judging import FAULTS

__all__ = ["doubts", "figures"]

Record = dict[str, Any]


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """Return the figures of one system on one set.

    EX is over turns with one reading. An ambiguous turn counts as right in a whole dialogue where the answer is one of
    its readings, one without an answer where it is not called `ok`.
    """
    clear = [one for one in records if one["gold"] and not one["kind"].startswith("ambiguous")]
    if not clear:
        return doubts(records)
    later = [one for one in clear if one["number"]]
    sure = [one for one in clear if one["status"] == "ok"]
    wrong = [one for one in clear if not one["right"]]
    told = Counter(fault for one in wrong for fault in one["faults"])
    result: dict[str, Any] = {
        "turns": len(clear),
        "ex": _mean(one["right"] for one in clear),
        "ok": _mean(one["status"] == "ok" for one in clear),
        "right of ok": _mean(one["right at once"] for one in sure),
        "asked per 100": round(100 * sum(one["asked"] is not None for one in clear) / max(1, len(clear)), 1),
        "faults of the wrong": {fault: round(told[fault] / len(wrong), 3) for fault in FAULTS if told[fault]},
        "by layout": _grouped(clear, lambda one: one["database"][-1]),
    }
    if later:
        result |= {
            "ex of follow-ups": _mean(one["right"] for one in later),
            "whole dialogues": _whole(records),
            "by turn": _grouped(clear, lambda one: min(one["number"], 5) + 1),
            "by length": _grouped(clear, lambda one: one["length"]),
            "by kind": _grouped(clear, lambda one: one["kind"]),
        }
    return result | doubts(records)


def doubts(records: Sequence[Record]) -> dict[str, Any]:
    """Return how questions with several readings and those without an answer fare, and what asking back is worth."""
    clear = [one for one in records if one["gold"] and not one["kind"].startswith("ambiguous")]
    asked = [one for one in clear if one["asked"] is not None]
    several = [one for one in records if one["kind"].startswith("ambiguous")]
    none = [one for one in records if not one["gold"]]
    result: dict[str, Any] = {}
    if asked:
        changed = [not one["right at once"] and one["right option"] for one in asked]
        result["asked on clear ones"] = {"times": len(asked), "changed": _mean(changed)}
    if several:
        result["ambiguous"] = _several(several) | {
            "by kind": {kind: _several(some) for kind, some in _by(several, lambda one: one["kind"].split()[1]).items()}
        }
    if none:
        kinds = _by(none, lambda one: one["kind"].split()[1])
        result["unanswerable"] = {
            "turns": len(none),
            "called ok": _mean(one["status"] == "ok" for one in none),
            "refused": _mean(one["sql"] is None for one in none),
            "called ok by kind": {kind: _mean(one["status"] == "ok" for one in some) for kind, some in kinds.items()},
        }
    return result


def _several(records: Sequence[Record]) -> dict[str, Any]:
    return {
        "turns": len(records),
        "answer is a reading": _mean(one["right at once"] for one in records),
        "asked": _mean(one["asked"] is not None for one in records),
        "all readings offered": _mean(one["all offered"] for one in records),
        "the meant one offered": _mean(one["right option"] for one in records),
        "all among options and alternatives": _mean(one["all found"] for one in records),
        "called ok": _mean(one["status"] == "ok" for one in records),
    }


def _whole(records: Sequence[Record]) -> float:
    right: dict[int, bool] = defaultdict(lambda: True)
    for one in records:
        right[one["dialogue"]] &= one["right"] if one["gold"] else one["status"] != "ok"
    return _mean(right.values())


def _grouped(records: Sequence[Record], key: Callable[[Record], Hashable]) -> dict[str, Any]:
    return {
        str(k): {"turns": len(some), "ex": _mean(r["right"] for r in some)} for k, some in _by(records, key).items()
    }


def _by(records: Sequence[Record], key: Callable[[Record], Any]) -> dict[Any, list[Record]]:
    found = defaultdict[Any, list[Record]](list)
    for one in records:
        found[key(one)].append(one)
    return dict(sorted(found.items()))


def _mean(verdicts: Any) -> float:
    every = list(verdicts)
    return round(sum(every) / len(every), 4) if every else 0.0
