"""Result files of walks: one entry for each engine, put there as a run ends, and runs that are added up."""

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
from importlib.metadata import version
from pathlib import Path
from typing import Any

import querent.grammar
from querent.grammar.tables import DIALECTS

__all__ = ["RESULTS", "ROOT", "command", "fingerprint", "fresh_seed", "held", "keep", "merged", "read"]

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"

_SCOPE = ("level", "without", "few", "constraint")
"""What runs must have in common to be added up."""


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


def read(file: Path) -> dict[str, Any]:
    """Return a result file's content; without entries if there is no file."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"engines": {}}


def held(file: Path, engine: str, made: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a file has of an engine, None if nothing, where a run that is ``made`` so can be added to it.

    Raises:
        SystemExit: it was made with another constraint, or has that seed.
    """
    entry = read(file)["engines"].get(engine)
    if entry is None:
        return None
    if any(entry[key] != made[key] for key in _SCOPE):
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
    whole["digest"] = f"{(int(first['digest'], 16) + int(second['digest'], 16)) % 2**64:016x}"
    return whole


def keep(file: Path, engine: str, entry: dict[str, Any]) -> None:
    """Put an entry in place of the last one on its engine, with the command, the date and the versions.

    Runs on several engines may write to one file; they wait for each other.
    """
    versions = {"python": platform.python_version()}
    versions |= {package: version(package) for package in ("querent", "lark", "numpy", "sqlglot")}
    told = {"command": command(), "date": datetime.date.today().isoformat(), "versions": versions}
    file.parent.mkdir(parents=True, exist_ok=True)
    with (file.parent / f".{file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        content = read(file)
        content["machine"] = f"{platform.machine()}, {platform.system()}, CPU"
        content["engines"][engine] = told | entry | told
        draft = file.with_suffix(".draft")
        draft.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        draft.replace(file)


def command() -> str:
    """Return the command line as a person would write it."""
    return shlex.join(["python", f"bench/fuzz/{Path(sys.argv[0]).name}", *sys.argv[1:]])
