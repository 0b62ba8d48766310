"""What walks found: counts that workers make and the run adds up, its result and how it is printed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from walk_coverage import describe, writable

from querent.grammar.lr.compiled import load_tables


def _counters() -> dict[str, Counter[str]]:
    return {}


@dataclass
class Tally:
    """Counts of one schema or of a whole run.

    Attributes:
        kinds: errors by kind.
        ways: queries, errors and time-outs by way.
        words: words written.
        rules: the numbers of the rules that queries without an error used.
        signatures: the signatures that they used.
        possible: all signatures of the dialect, where the constraint tells them.
        failures: what `walk_replay` needs to run a query again, one for each error.
        seconds: time spent by part, all workers together.
        digest: of all queries, whatever their order: two constraints that write the same ones with ``--jobs 1``
            have the same.
    """

    schemas: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    ways: dict[str, Counter[str]] = field(default_factory=_counters)
    words: int = 0
    rules: set[int] = field(default_factory=set[int])
    signatures: set[str] = field(default_factory=set[str])
    possible: set[str] = field(default_factory=set[str])
    failures: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    seconds: Counter[str] = field(default_factory=Counter[str])
    digest: int = 0

    def written(self, query: str) -> None:
        """Take a query into the digest."""
        self.digest = _sum(self.digest, int.from_bytes(hashlib.sha256(query.encode()).digest()[:8]))

    def add(self, other: Tally) -> None:
        """Take another tally's counts in; its failures are left where they are."""
        self.schemas += other.schemas
        self.words += other.words
        self.kinds.update(other.kinds)
        self.seconds.update(other.seconds)
        for way, counts in other.ways.items():
            self.ways.setdefault(way, Counter()).update(counts)
        self.rules |= other.rules
        self.signatures |= other.signatures
        self.possible |= other.possible
        self.digest = _sum(self.digest, other.digest)

    def total(self, what: str) -> int:
        """Return a count over all ways: ``queries``, ``errors`` or ``time_outs``."""
        return sum(counts[what] for counts in self.ways.values())

    def result(self, dialect: str, off: Collection[str] = ()) -> dict[str, Any]:
        """Return everything that is told of a run under the rules that are not ``off``."""
        missed, able = sorted(self.possible - self.signatures), writable(dialect, off)
        unused = [describe(load_tables(dialect), rule) for rule in sorted(able - self.rules)]
        return {
            "schemas": self.schemas,
            "queries": self.total("queries"),
            "errors": self.total("errors"),
            "time_outs": self.total("time_outs"),
            "words": self.words,
            "by_kind": dict(self.kinds.most_common()),
            "by_way": {way: dict(counts) for way, counts in self.ways.items()},
            "productions": {"of": len(able), "never": unused},
            "signatures": {"of": len(self.possible), "never": missed},
            "seconds": {part: round(spent, 1) for part, spent in self.seconds.items()},
            "digest": f"{self.digest:016x}",
        }


def merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Return the result of two runs together; what else the first one holds is kept."""
    counts = ("schemas", "queries", "errors", "time_outs", "words")
    whole = first | {key: first[key] + second[key] for key in counts}
    kinds = Counter(first["by_kind"]) + Counter(second["by_kind"])
    whole["by_kind"] = dict(kinds.most_common())
    ways = {**first["by_way"], **second["by_way"]}
    whole["by_way"] = {
        way: dict(Counter(first["by_way"].get(way, {})) + Counter(second["by_way"].get(way, {}))) for way in ways
    }
    for what in ("productions", "signatures"):
        # an empty result knows no signatures
        known = [one[what] for one in (first, second) if one[what]["of"] and one["queries"]]
        never = [line for line in known[0]["never"] if all(line in one["never"] for one in known)] if known else []
        whole[what] = {"of": max(first[what]["of"], second[what]["of"]), "never": never}
    whole["digest"] = f"{_sum(*(int(one['digest'], 16) for one in (first, second))):016x}"
    parts = {**first["seconds"], **second["seconds"]}
    whole["seconds"] = {p: round(first["seconds"].get(p, 0) + second["seconds"].get(p, 0), 1) for p in parts}
    return whole


def _sum(first: int, second: int) -> int:
    return (first + second) % 2**64


def show(result: dict[str, Any]) -> None:
    """Print what a person wants to see of a run."""
    for what in ("productions", "signatures"):
        never = result[what]["never"]
        print(f"{what} never used: {len(never)} of {result[what]['of']}")
        for line in never:
            print(f"    {line}")
    for way, counts in result["by_way"].items():
        told = ", ".join(
            f"{counts.get(what, 0)} {what.replace('_', '-')}" for what in ("queries", "errors", "time_outs")
        )
        print(f"{way:>9}: {told}")
    for kind, count in result["by_kind"].items():
        print(f"{count:9}  {kind}")
