"""Walks over many hours: what a result file holds of an engine already, and what comes to it schema by schema."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from walk_results import keep, read
from walk_tally import Tally, merged
from walking import Plan

import querent.grammar
from querent.grammar.lr.tables import DIALECTS

__all__ = ["Account", "fingerprint", "left"]

_SCOPE = ("level", "without", "few", "constraint")
"""What results must have in common to be added up."""


def fingerprint(dialect: str) -> str:
    """Return a SHA-256 over all that the constraint of a dialect is made of, in hex."""
    folder = Path(querent.grammar.__file__).parent
    others = {f"{name}{end}" for name in set(DIALECTS) - {dialect} for end in (".lark", ".toml")}
    files = sorted(p for p in folder.rglob("*") if p.suffix in {".py", ".lark", ".toml"})
    digest = hashlib.sha256()
    for file in files:
        if file.name not in others:
            digest.update(f"{file.relative_to(folder).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()


class Account:
    """The result of an engine, in a file or not, while a run adds to it.

    Args:
        file: the result file, none to keep nothing.
        plan: what is asked for.
        queries: how many of it.
        more: add to what the file has of the engine, made with other seeds.

    Raises:
        SystemExit: what the file has cannot be added to.
    """

    def __init__(self, file: Path | None, plan: Plan, queries: int, *, more: bool = False) -> None:
        self._file, self._engine, self._what = file, plan.engine, (plan.dialect, plan.off)
        self._run = {"seed": plan.seed, "queries": queries}
        made = {
            "level": plan.level,
            "without": list(plan.without),
            "few": plan.few,
            "constraint": fingerprint(plan.dialect),
        }
        held = read(file)["engines"].get(plan.engine, {}) if file is not None else {}
        same = all(held.get(key) == made[key] for key in _SCOPE)
        going = held.get("unfinished", {}) if same else {}
        self.result: dict[str, Any] = {**made, "runs": [], **Tally().result(*self._what)}
        if {key: going.get(key) for key in self._run} == self._run:
            self.result = held
        elif more and held:
            self.result = self._checked(held, file, same=same)
        self.result.setdefault("unfinished", {**self._run, "done": []})

    def _checked(self, held: dict[str, Any], file: Path | None, *, same: bool) -> dict[str, Any]:
        engine, seed = self._engine, self._run["seed"]
        if not same:
            raise SystemExit(f"{file}: {engine} was walked with another constraint; leave out --add to begin anew")
        if "unfinished" in held:
            raise SystemExit(f"{file}: finish the run of seed {held['unfinished']['seed']} on {engine} first")
        if any(run["seed"] == seed for run in held["runs"]):
            raise SystemExit(f"{file}: seed {seed} is counted already; give another --seed")
        return held

    @property
    def done(self) -> set[int]:
        """Return the numbers of the schemas that this run has behind it."""
        return set(self.result["unfinished"]["done"])

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the signatures and productions that the runs so far never used; none before the first is whole."""
        if not self.result["runs"]:
            return ()
        return tuple(text for what in ("signatures", "productions") for text in self.result[what]["never"])

    def add(self, number: int, version: str, tally: Tally) -> None:
        """Take in what was found on a schema."""
        self.result = merged(self.result, tally.result(*self._what)) | {"version": version}
        self.result["unfinished"]["done"].append(number)
        self._keep()

    def finish(self) -> dict[str, Any]:
        """Return the whole result."""
        self.result.pop("unfinished")
        self.result["runs"] = [*self.result["runs"], self._run]
        self._keep()
        return self.result

    def _keep(self) -> None:
        if self._file is not None:
            keep(self._file, self._engine, self.result)


def left(shares: Iterable[tuple[int, int]], account: Account) -> list[tuple[int, int]]:
    """Return the shares whose schema is not done yet."""
    done = account.done
    return [(number, count) for number, count in shares if number not in done]
