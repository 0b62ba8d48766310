"""Result files of walks: one entry for each engine, put there as it ends."""

from __future__ import annotations

import datetime
import fcntl
import json
import platform
import shlex
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["command", "keep", "read"]


def read(file: Path) -> dict[str, Any]:
    """Return a result file's content; without entries if there is no file."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"engines": {}}


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
