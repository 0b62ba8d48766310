"""The tables of the proxy benchmarks (`bench/proxies`) on docs/results.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from page_tables import share, table

__all__ = ["rivals", "tables"]

Sets = Mapping[str, Any]
_TWO = ("alone", "state")
_MOVES = {
    "aggregate": "a figure of them",
    "change": "another value",
    "cut": "the first few",
    "drop": "a condition taken back",
    "filter": "a condition more",
    "group": "by groups",
    "lead": "the leading group",
    "open": "the first turn",
    "order": "an order, or the best",
    "owners": "what they belong to",
    "project": "a column more, or another",
    "topic": "a new topic",
}
NAMES = {"spider": "ProxySpider", "sparc": "ProxySParC", "cosql": "ProxyCoSQL", "doubts": "doubtful questions"}
_SEVERAL = {
    "answer is a reading": "the answer is one",
    "asked": "asked back",
    "the meant one offered": "the meant one offered",
    "all readings offered": "all offered",
    "all among options and alternatives": "all among options and alternatives",
    "called ok": "`ok`",
}


def tables(sets: Sets) -> dict[str, str]:
    """Return those of the sets by what the page calls them."""
    made = (overview, asked_clear, by_names, by_turn, by_length, by_kind, by_fault, doubts, unanswerable)
    return {f"proxies_{make.__name__}": make(sets) for make in made}


def _systems(sets: Sets, *names: str) -> Iterable[tuple[str, str, str, Mapping[str, Any]]]:
    """Yield set, language, system and figures."""
    for name in names:
        for language in ("en", "zh"):
            for system, figures in sets.get(f"{name}, {language}", {"systems": {}})["systems"].items():
                yield NAMES[name], language, system, figures


def overview(sets: Sets) -> str:
    """Return how each system does on each set."""
    rows = [
        [
            *(name, language, "with solved questions" if name == NAMES["spider"] and "examples" in system else system),
            *(told["turns"], share(told["ex"]), share(told.get("ex of follow-ups"))),
            *(share(told.get("whole dialogues")), share(told["ok"]), share(told["right of ok"])),
        ]
        for name, language, system, told in _systems(sets, "spider", "sparc", "cosql")
    ]
    heads = ["", "", "system", "turns", "EX", "of follow-ups", "whole dialogues", "`ok`", "right of `ok`"]
    return table(heads, rows)


def _grouped(sets: Sets, key: str, heads: Sequence[str], *names: str) -> str:
    rows = [
        [name, language, system, *(_of(told[key].get(head)) for head in heads)]
        for name, language, system, told in _systems(sets, *names)
    ]
    return table(["", "", "system", *heads], rows)


def by_turn(sets: Sets) -> str:
    """Return EX by the number of the turn."""
    return _grouped(sets, "by turn", [str(number) for number in range(1, 7)], "sparc", "cosql")


def by_length(sets: Sets) -> str:
    """Return EX by the length of the dialogue."""
    lengths = {length for _, _, _, told in _systems(sets, "sparc") for length in told["by length"]}
    return _grouped(sets, "by length", sorted(lengths), "sparc")


def by_kind(sets: Sets) -> str:
    """Return EX of what turns do, with the state and alone."""
    columns = [(told, language, system) for _, language, system, told in _systems(sets, "sparc") if system in _TWO]
    kinds = dict.fromkeys(kind for told, _, _ in columns for kind in told["by kind"])
    rows = [[_MOVES[kind], *(_of(told["by kind"].get(kind)) for told, _, _ in columns)] for kind in kinds]
    return table(["turn", *(f"{language}, {system}" for _, language, system in columns)], rows)


def by_fault(sets: Sets) -> str:
    """Return in what wrong queries differ from the gold ones."""
    wanted = {"ProxySpider": "alone", "ProxySParC": "state"}
    columns = [one for one in _systems(sets, "spider", "sparc") if wanted[one[0]] == one[2]]
    kinds = dict.fromkeys(fault for *_, told in columns for fault in told["faults of the wrong"])
    rows = [[kind, *(share(told["faults of the wrong"].get(kind)) for *_, told in columns)] for kind in kinds]
    return table(["fault", *(f"{name}, {language}" for name, language, *_ in columns)], rows)


def by_names(sets: Sets) -> str:
    """Return EX of single questions by the way in which a database gives names."""
    rows = [
        [language, *(_of(told["by layout"].get(letter)) for letter in "abc")]
        for _, language, system, told in _systems(sets, "spider")
        if system == "alone"
    ]
    return table(["", "in full", "other words", "shortened, in Chinese: English"], rows)


def asked_clear(sets: Sets) -> str:
    """Return how many clear questions are asked back, and what that is worth."""
    rows = [
        [language, told["turns"], told["asked per 100"], share(told["asked on clear ones"]["changed"])]
        for _, language, system, told in _systems(sets, "spider")
        if system == "alone"
    ]
    return table(["", "questions", "asked back per 100", "changed for the better"], rows)


def doubts(sets: Sets) -> str:
    """Return how questions with several readings fare, by language."""
    rows: list[list[Any]] = []
    for _, language, _, told in _systems(sets, "doubts"):
        rows += [[language, *_several(kind, one)] for kind, one in told["ambiguous"]["by kind"].items()]
        rows.append([language, *_several("all", told["ambiguous"])])
    return table(["", "kind", "questions", *_SEVERAL.values()], rows)


def unanswerable(sets: Sets) -> str:
    """Return how many questions without an answer are called `ok`, by kind and in all, and how many are refused."""
    found = [(language, told["unanswerable"]) for _, language, _, told in _systems(sets, "doubts")]
    kinds = dict.fromkeys(kind for _, one in found for kind in one["called ok by kind"])
    rows = [
        [language, one["turns"], *(share(one["called ok by kind"].get(kind)) for kind in kinds), *map(share, two)]
        for language, one in found
        for two in [(one["called ok"], one["refused"])]
    ]
    return table(["", "questions", *kinds, "all", "refused"], rows)


def rivals(sets: Sets) -> str:
    """Return how questions of others fare on databases changed so that each has two readings."""
    (told,) = sets.values()
    found = told["systems"]["feedback, no correction"]["ambiguous"]
    rows = [_several(kind, one) for kind, one in found["by kind"].items()]
    return table(["kind", "questions", *_SEVERAL.values()], [*rows, _several("all", found)])


def _several(kind: str, told: Mapping[str, Any]) -> list[Any]:
    return [kind, told["turns"], *(share(told[key]) for key in _SEVERAL)]


def _of(told: Mapping[str, Any] | None) -> str:
    return "" if told is None else f"{told['ex']:.2f} ({told['turns']})"
