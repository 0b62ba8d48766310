"""Measure the first steps of a user: the README's first command in a fresh copy, its size, and the first answer.

    python bench/accuracy/first_steps.py --out bench/results/first-steps.json

The command is read from README.md and run in a copy of what git has; Querent's cache is empty, pip's stays as it is.
Times are pairs: seconds that pass, which other work on the machine makes longer, and CPU seconds.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from result_files import ROOT, Result, run


def measure() -> Iterator[Result]:
    """Install, and answer twice."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = [line for line in page.splitlines() if "querent demo" in line and "venv" in line]
    with TemporaryDirectory() as folder:
        place, bare = Path(folder, "querent"), Path(folder, "bare")
        subprocess.run(["git", "clone", "-q", str(ROOT), str(place)], check=True)
        environment = os.environ | {"QUERENT_CACHE": str(Path(folder, "cache"))}
        (taken, _), figures = seconds(["bash", "-c", command], place, environment), dict[str, Any]()
        figures["seconds of the README's first command"] = taken
        subprocess.run(["python3", "-m", "venv", str(bare)], check=True)
        figures["MB of the installation, without pip"] = round(size(place / ".venv") - size(bare), 1)
        ask = [str(place / ".venv" / "bin" / "querent"), "ask", "shop", "how many orders are there?"]
        environment["QUERENT_CACHE"] = str(Path(folder, "empty"))
        for name in ("first answer", "answer after it"):
            taken, output = seconds(ask, Path(folder), environment)
            assert re.search(r"^ok ", output, re.MULTILINE), output
            figures[f"seconds of the {name}, in a process of its own"] = taken
    yield Result(figures)


def seconds(command: Sequence[str], place: Path, environment: dict[str, str]) -> tuple[tuple[float, float], str]:
    """Return the time of a command in a folder, in seconds that pass and in CPU seconds, and its output."""
    begun = os.times()
    output = subprocess.run(command, cwd=place, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    _, _, user, system, passed = (after - before for before, after in zip(begun, os.times(), strict=True))
    return (round(passed, 2), round(user + system, 2)), output


def size(folder: Path) -> float:
    """Return the size of the files of a folder in MB (10^6 bytes)."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink()) / 1e6


if __name__ == "__main__":
    sys.exit(run(measure))
