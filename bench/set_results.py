"""Result files that hold an entry a set, so that sets can be measured one by one."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["add"]


def add(file: Path, name: str, entry: dict[str, Any], *, command: str) -> None:
    """Put one set's figures into a result file, with the command, the machine and the versions."""
    content = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"sets": {}}
    content["command"] = command
    content["machine"] = f"{platform.machine()}, {platform.system()}, CPU"
    content["versions"] = {"python": platform.python_version()}
    content["versions"] |= {
        package: version(package) for package in ("querent", "torch", "transformers", "lark", "sqlglot")
    }
    content["sets"][name] = entry
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
