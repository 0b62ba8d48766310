"""Tables of turns that lean on the ones before, of `bench/accuracy/dialogues.py`."""

from __future__ import annotations

from typing import Any

from page_tables import share, table

SETS = {
    "sparc": "SParC",
    "chase": "CHASE",
    "cosql": "CoSQL",
    "conversations-en": "conversations, en",
    "conversations-zh": "conversations, zh",
    "conversations-en-test": "conversations to report by, en",
    "conversations-zh-test": "conversations to report by, zh",
}
"""By the end of their files' names."""


def overview(found: dict[str, dict[str, Any]]) -> str:
    """Return each set's shares: alone, behind gold queries, behind the parser's own."""
    rows: list[list[Any]] = []
    for name, title in SETS.items():
        alone, gold, own = (found[name][before] for before in ("alone", "gold", "own"))
        follow = [share(one["ex of follow-ups"]) for one in (alone, gold, own)]
        sure = [own["follow-ups called ok"], share(own["right where ok"])]
        rows.append([title, own["turns"], share(own["ex"]), *follow, share(own["whole dialogues"]), *sure])
    told = ["follow-ups, alone", "gold query before", "own", "whole dialogues, own", "follow-ups `ok`, own"]
    return table(["", "turns", "all, own", *told, "right of them"], rows)


def by_kind(found: dict[str, dict[str, Any]]) -> str:
    """Return how many turns of each kind in the conversations are right, behind gold queries and behind own ones."""
    parts = [[found[f"conversations-{language}{end}"] for language in ("en", "zh")] for end in ("", "-test")]
    kinds = dict.fromkeys(kind for both in parts for one in both for kind in one["own"]["by kind"])
    rows: list[list[Any]] = []
    for kind in (kind for kind in kinds if kind != "Context Independent"):
        rows.append([kind, *(cell for both in parts for cell in _of_kind(kind, both))])
    told = ["turns", "gold query before", "own"]
    return table(["turn", *told, *(f"{what}, to report by" for what in told)], rows)


def _of_kind(kind: str, both: list[dict[str, Any]]) -> list[Any]:
    """Return how many turns both languages have of a kind, and the shares that are right."""
    told = {way: [one[way]["by kind"].get(kind) for one in both] for way in ("gold", "own")}
    counts = {way: [(one["turns"], one["ex"] * one["turns"]) for one in some if one] for way, some in told.items()}
    total = sum(turns for turns, _ in counts["own"])
    return [total, *(share(sum(right for _, right in some) / total) if total else "" for some in counts.values())]
