"""What walks found: counts that workers make and a run adds up, and result files with an entry for each engine."""

from __future__ import annotations

import datetime
import fcntl
import hashlib
import json
import platform
import random
import shlex
import sys
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from walk_coverage import describe, writable

import querent.grammar
from querent.grammar.lr.compiled import load_tables
from querent.grammar.lr.tables import DIALECTS

__all__ = ["ROOT", "Tally", "fingerprint", "fresh_seed", "held", "keep", "merged", "show"]

ROOT = Path(__file__).resolve().parents[2]

_SCOPE = ("level", "without", "few", "objects", "wide", "constraint")
"""What runs must have in common to be added up."""


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
        seconds: time spent by part, all workers together.
        digest: of all queries, whatever their order: two constraints that write the same ones with ``--jobs 1``
            have the same.
    """

    schemas: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    ways: dict[str, Counter[str]] = field(default_factory=_counters)
    words: int = 0
    rules: set[int] = field(default_factory=set[int])
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
            "seconds": {part: round(spent, 1) for part, spent in self.seconds.items()},
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


def _read(file: Path) -> dict[str, Any]:
    """Return a result file's content; without entries if there is no file."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"engines": {}}


def held(file: Path, engine: str, made: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a file has of an engine, None if nothing, where a run that is ``made`` so can be added to it.

    Raises:
        SystemExit: it was made with another constraint, or has that seed.
    """
    entry = _read(file)["engines"].get(engine)
    if entry is None:
        return None
    if any(entry.get(key, False) != made[key] for key in _SCOPE):
        raise SystemExit(f"{file}: {engine} was walked with another constraint; leave out --add to begin anew")
    if taken := {run["seed"] for run in entry["runs"]} & {run["seed"] for run in made["runs"]}:
        raise SystemExit(f"{file}: seed {min(taken)} is counted already; give another --seed")
    return entry


def merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of two runs together."""
    whole = second | {k: first[k] + second[k] for k in ("runs", "schemas", "queries", "errors", "time_outs", "words")}
    whole["by_kind"] = dict((Counter(first["by_kind"]) + Counter(second["by_kind"])).most_common())
    whole["by_way"] = {
        way: dict(Counter(first["by_way"].get(way, {})) + Counter(second["by_way"].get(way, {})))
        for way in {**first["by_way"], **second["by_way"]}
    }
    never = [line for line in first["productions"]["never"] if line in second["productions"]["never"]]
    whole["productions"] = {"of": second["productions"]["of"], "never": never}
    whole["seconds"] = {part: round(first["seconds"][part] + spent, 1) for part, spent in second["seconds"].items()}
    whole["digest"] = f"{_sum(int(first['digest'], 16), int(second['digest'], 16)):016x}"
    return whole


def keep(file: Path, engine: str, entry: dict[str, Any]) -> None:
    """Put an entry in place of the last one on its engine, with the command, the date and the versions.

    Runs on several engines may write to one file; they wait for each other.
    """
    versions = {"python": platform.python_version()}
    versions |= {package: version(package) for package in ("querent", "lark", "numpy", "sqlglot")}
    told = {"command": _command(), "date": datetime.date.today().isoformat(), "versions": versions}
    file.parent.mkdir(parents=True, exist_ok=True)
    with (file.parent / f".{file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        content = _read(file)
        content["machine"] = f"{platform.machine()}, {platform.system()}, CPU"
        content["engines"][engine] = told | entry | told
        draft = file.with_suffix(".draft")
        draft.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        draft.replace(file)


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


def _command() -> str:
    """Return the command line as a person would write it."""
    return shlex.join(["python", f"bench/fuzz/{Path(sys.argv[0]).name}", *sys.argv[1:]])


def _sum(first: int, second: int) -> int:
    return (first + second) % 2**64
