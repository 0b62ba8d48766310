"""What walks found: counts that workers make and a run adds up; a result file has an entry for each engine."""

from __future__ import annotations

import hashlib
import random
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "accuracy"))

from result_files import ROOT, add
from walk_coverage import describe, writable

import querent.grammar
from querent.grammar.lr.compiled import load_tables
from querent.grammar.lr.tables import DIALECTS

__all__ = ["ROOT", "Tally", "add", "fingerprint", "fresh_seed", "show"]


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
        failures: of each error the query, where it was written, and on what tables.
        digest: of all queries, whatever their order: two constraints that write the same ones with ``--jobs 1``
            have the same.
    """

    schemas: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    ways: dict[str, Counter[str]] = field(default_factory=_counters)
    words: int = 0
    rules: set[int] = field(default_factory=set[int])
    failures: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    digest: int = 0

    def written(self, query: str) -> None:
        """Take a query into the digest."""
        self.digest = _sum(self.digest, int.from_bytes(hashlib.sha256(query.encode()).digest()[:8]))

    def add(self, other: Tally) -> None:
        """Take another tally's counts in; its failures are left where they are."""
        self.schemas += other.schemas
        self.words += other.words
        self.kinds.update(other.kinds)
        for way, counts in other.ways.items():
            self.ways.setdefault(way, Counter()).update(counts)
        self.rules |= other.rules
        self.digest = _sum(self.digest, other.digest)

    def total(self, what: str) -> int:
        """Return a count over all ways: ``queries``, ``errors`` or ``time_outs``."""
        return sum(counts[what] for counts in self.ways.values())

    def result(self, dialect: str, off: Collection[str] = (), *, wide: bool = False) -> dict[str, Any]:
        """Return everything that is told of a run under the rules that are not ``off``."""
        able = writable(dialect, off, wide=wide)
        unused = [describe(load_tables(dialect, wide=wide), rule) for rule in sorted(able - self.rules)]
        return {
            "schemas": self.schemas,
            "queries": self.total("queries"),
            "errors": self.total("errors"),
            "time_outs": self.total("time_outs"),
            "words": self.words,
            "by_kind": dict(self.kinds.most_common()),
            "by_way": {way: dict(counts) for way, counts in self.ways.items()},
            "productions": {"of": len(able), "never": unused},
            "digest": f"{self.digest:016x}",
        }


def fresh_seed() -> int:
    """Return a seed that no run has been told."""
    return random.SystemRandom().randrange(1_000_000)


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


def show(result: dict[str, Any]) -> None:
    """Print what a person wants to see of a run."""
    never = result["productions"]["never"]
    print(f"productions never used: {len(never)} of {result['productions']['of']}")
    for line in never:
        print(f"    {line}")
    for way, counts in result["by_way"].items():
        told = ", ".join(
            f"{counts.get(what, 0)} {what.replace('_', '-')}" for what in ("queries", "errors", "time_outs")
        )
        print(f"{way:>9}: {told}")
    for kind, count in result["by_kind"].items():
        print(f"{count:9}  {kind}")


def _sum(first: int, second: int) -> int:
    return (first + second) % 2**64
