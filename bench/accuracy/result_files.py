"""Result files: what each is kept with, and how sets are added to one that has an entry a set."""

from __future__ import annotations

import json
import platform
import shlex
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["DATA", "RESULTS", "ROOT", "add", "command", "made_by", "save"]

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
DATA = ROOT.parent / "shared" / "data"
"""Where the public sets are looked for."""


def command() -> str:
    """Return the command line as a person would write it."""
    script = Path(sys.argv[0]).resolve()
    return shlex.join(["python", f"bench/{script.parent.name}/{script.name}", *sys.argv[1:]])


def made_by(*packages: str) -> dict[str, Any]:
    """Return the command, the machine, and the versions of Python and of packages."""
    return {
        "command": command(),
        "machine": f"{platform.machine()}, {platform.system()}, CPU, one thread",
        "versions": {"python": platform.python_version()} | {name: version(name) for name in packages},
    }


def save(file: Path, result: dict[str, Any]) -> None:
    """Write a result file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def add(file: Path, name: str, entry: dict[str, Any]) -> None:
    """Put one set's figures into a result file, so that sets can be measured one by one."""
    content = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"sets": {}}
    content |= made_by("querent", "torch", "transformers", "lark", "sqlglot")
    content["sets"][name] = entry
    save(file, content)
