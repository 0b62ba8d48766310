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
    both = [found[f"conversations-{language}"] for language in ("en", "zh")]
    kinds = [kind for kind in both[0]["own"]["by kind"] if kind != "Context Independent"]
    rows: list[list[Any]] = []
    for kind in kinds:
        row: list[Any] = [kind]
        for one in both:
            told = [one[before]["by kind"][kind] for before in ("gold", "own")]
            row += [told[0]["turns"], *(share(way["ex"]) for way in told)]
        rows.append(row)
    head = [f"{language}, {what}" for language in ("en", "zh") for what in ("turns", "gold query before", "own")]
    return table(["turn", *head], rows)
