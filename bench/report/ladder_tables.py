"""Tables of what each step of a small generator is worth, of `bench/accuracy/ladder.py`."""

from __future__ import annotations

from typing import Any

from page_tables import share, table

__all__ = ["corrections", "rungs"]

RUNGS = {
    "bare": "bare",
    "retriever": "+ retrieved tables",
    "sft": "+ SFT",
    "dpo": "+ DPO",
    "correct": "+ correction (trained, 3 times)",
}
READER = "the reader beside it"


def rungs(ladder: dict[str, Any], reader: dict[str, Any]) -> str:
    """Return how many answers are right and run on each rung, and those of the parser that ships to the same questions.

    Args:
        reader: figures of `held_out.py`.
    """
    rows = [[told, *_pair(ladder, rung, "free"), *_pair(ladder, rung, "masked")] for rung, told in RUNGS.items()]
    rows.append([READER, "", "", share(reader["ex"]), share(reader["executes"])])
    return table(["", "EX, free", "executes, free", "EX, masked", "executes, masked"], rows)


def _pair(ladder: dict[str, Any], rung: str, mask: str) -> list[str]:
    found = ladder[f"{rung}, {mask}"]
    return [share(found["ex"]), share(found["executes"])]


def corrections(ladder: dict[str, Any]) -> str:
    """Return what corrections bring: after each time that the model is asked, and by how its first answer failed."""
    rows: list[list[Any]] = []
    for mask in ("free", "masked"):
        found = ladder[f"correct, {mask}"]
        for time, one in enumerate(found.get("after corrections", ())):
            rows.append([mask, f"asked {time + 1}×", one["asked"], share(one["executes"]), share(one["ex"])])
        for kind, one in found.get("by the first failure", {}).items():
            count = one["questions"]
            ends = (share(one[key] / count) for key in ("run in the end", "right in the end"))
            rows.append([mask, f"first {kind}", count, *ends])
    return table(["", "", "questions", "execute", "EX"], rows)
