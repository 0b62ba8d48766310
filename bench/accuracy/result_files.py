"""Result files: each names the command, commit and network that made it, the day, the machine and the versions."""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

from querent.data.packages import VERSION

__all__ = ["DATA", "RESULTS", "ROOT", "add", "arguments", "network_hash", "save", "write_lines"]

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
DATA = ROOT.parent / "shared" / "data"
"""Where the public sets are looked for."""


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """Return the start of a script's command line: it may keep a result and its records."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="JSON of the figures")
    parser.add_argument("--records", type=Path, help="JSON lines, a record a question")
    return parser


def save(file: Path, result: dict[str, Any]) -> None:
    """Write a result file."""
    _write(file, _made_by() | result)


def add(file: Path, name: str, entry: dict[str, Any]) -> None:
    """Put one set's figures into a result file, so that sets can be measured one by one."""
    content = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"sets": {}}
    content["sets"][name] = _made_by() | entry
    _write(file, content)


def write_lines(file: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write records as JSON lines."""
    file.write_text("".join(json.dumps(one, ensure_ascii=False, default=str) + "\n" for one in records), "utf-8")


def network_hash(parser: str) -> str:
    """Return the first digits of the SHA-256 of a network's weights, for a folder or for ``shipped``."""
    folder = ROOT / "parser" / "base" / "shipped" if parser == "shipped" else Path(parser)
    return sha256((folder / "model.safetensors").read_bytes()).hexdigest()[:12]


def _made_by() -> dict[str, Any]:
    script = Path(sys.argv[0]).resolve()
    package = script.name == "__main__.py"
    called = f"-m bench.{script.parent.name}" if package else f"bench/{script.parent.name}/{script.name}"
    packages = ("lark", "numpy", "sqlglot")
    versions = {"python": platform.python_version(), "querent": VERSION} | {name: version(name) for name in packages}
    made = {
        "command": shlex.join(["python", *called.split(), *sys.argv[1:]]),
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, {platform.system()}, CPU",
        "versions": versions,
        "commit": _commit(),
    }
    if "querent.parser.network.saved" not in sys.modules:
        return made  # the script asks no network
    return made | {"network": network_hash(dict(pairwise(sys.argv)).get("--parser", "shipped"))}


def _commit() -> str:
    """Return the commit of this tree, with a plus where its code was changed since."""
    git = ["git", "-C", str(ROOT)]
    name = subprocess.run([*git, "rev-parse", "--short=8", "HEAD"], check=True, capture_output=True, text=True).stdout
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "*.py", "*.toml", "*.lark"], check=False)
    return name.strip() + "+" * changed.returncode


def _write(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
