"""What `querent tune --collections` does: one stage, with what it did told."""

from __future__ import annotations

from pathlib import Path

import querent

from .. import rooms
from ..console import errors, finish, share_bar, speaking

__all__ = ["run_stage"]


def run_stage(
    recipe: rooms.Recipe,
    out: Path,
    options: rooms.TuningOptions,
    lessons: rooms.StageOptions,
    *,
    as_json: bool,
) -> None:
    """Tune in one stage, and say what it learnt from."""
    with (
        speaking(as_json) as console,
        share_bar("answering") as writing,
        share_bar("tuning") as tuning,
        errors().status("reading the collections") as status,
    ):
        report = querent.tune_stage(
            recipe,
            out,
            options,
            lessons,
            same=rooms.rows_match,
            writing=writing,
            progress=tuning,
            say=status.update,
        )
        for kind, count in report.counts.items():
            console.print(f"{count:7,} {kind}", highlight=False)
        if report.losses:
            first, last = report.losses[0], report.losses[-1]
            console.print(f"{out}: mean loss {first:.3f} in the first tenth, {last:.3f} in the last", soft_wrap=True)
        else:
            console.print(f"{out} holds this run, finished: nothing to do", soft_wrap=True)
    finish({"out": str(out), "counts": report.counts, "losses": report.losses}, as_json=as_json)
