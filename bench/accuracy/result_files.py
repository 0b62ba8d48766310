"""Result files: each is kept with the command that made it, the day, the machine and the versions."""

from __future__ import annotations

import datetime
import json
import platform
import shlex
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from querent.data.packages import VERSION

__all__ = ["DATA", "RESULTS", "ROOT", "add", "save"]

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
DATA = ROOT.parent / "shared" / "data"
"""Where the public sets are looked for."""


def save(file: Path, result: dict[str, Any]) -> None:
    """Write a result file."""
    _write(file, _made_by() | result)


def add(file: Path, name: str, entry: dict[str, Any]) -> None:
    """Put one set's figures into a result file, so that sets can be measured one by one."""
    content = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"sets": {}}
    content["sets"][name] = _made_by() | entry
    _write(file, content)


def _made_by() -> dict[str, Any]:
    script = Path(sys.argv[0]).resolve()
    package = script.name == "__main__.py"
    called = f"-m bench.{script.parent.name}" if package else f"bench/{script.parent.name}/{script.name}"
    packages = ("lark", "numpy", "sqlglot")
    return {
        "command": shlex.join(["python", *called.split(), *sys.argv[1:]]),
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, {platform.system()}, CPU",
        "versions": {"python": platform.python_version(), "querent": VERSION}
        | {name: version(name) for name in packages},
    }


def _write(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
