"""Runs a measure with the options of the command line, and writes its results to a file.

A measure is a function. Its parameters are the options, each with a line of help: positional ones are arguments, and
``global_`` is ``--global``. It yields `Result`s. A result file names the command, commit and network that made it, the
day, the machine and the versions.
"""

import argparse
import datetime
import json
import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from inspect import Parameter, getmodule, signature
from itertools import pairwise
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from querent.data.packages import VERSION

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
DATA = ROOT.parent / "shared" / "data"
"""The folder of the public sets."""

sys.path.append(str(ROOT))  # a script finds the packages of bench/ as well


@dataclass(frozen=True)
class Result:
    """One result of a measure.

    Attributes:
        figures: as they are written.
        name: of the set; sets are kept side by side in one file. Without a name the figures are the whole file.
        records: of the questions, one each.
        failed: whether it makes the exit status 1.
    """

    figures: dict[str, Any]
    name: str = ""
    records: Iterable[Mapping[str, Any]] = ()
    failed: bool = False


def run(
    measure: Callable[..., Iterable[Result]],
    arguments: list[str] | None = None,
    *,
    out: Path | None = None,
    indent: int | None = 1,
) -> int:
    """Call a measure with the options of the command line, print and write its figures, and return the exit status.

    Args:
        measure: the function; the docstring of its module is the help.
        arguments: in place of those of the command line.
        out: the result file, unless ``--out`` names another.
        indent: of the printed figures.
    """
    parser = argparse.ArgumentParser(
        description=getmodule(measure).__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=out, help="JSON of the figures")
    parser.add_argument("--records", type=Path, help="JSON lines, a record a question")
    options = parsed(measure, parser, arguments)
    file, records, status = options.pop("out"), options.pop("records"), 0
    lines = list[str]()
    for result in measure(**options):
        print(f"{result.name}\n" * bool(result.name) + json.dumps(result.figures, indent=indent, ensure_ascii=False))
        status |= result.failed
        lines += [json.dumps(one, ensure_ascii=False, default=str) + "\n" for one in result.records]
        if file is not None:
            made = made_by() | result.figures
            content = {"sets": {}} if not file.exists() else json.loads(file.read_text(encoding="utf-8"))
            made = {**content, "sets": {**content["sets"], result.name: made}} if result.name else made
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if records is not None:
        records.write_text("".join(lines), encoding="utf-8")
    return status


def parsed(
    function: Callable[..., Any], parser: argparse.ArgumentParser, arguments: list[str] | None = None
) -> dict[str, Any]:
    """Return the options of a function as the command line has them, or as arguments in its place."""
    hints = get_type_hints(function, include_extras=True)
    for one in signature(function).parameters.values():
        kind, (text,) = hints[one.name].__origin__, hints[one.name].__metadata__
        how: dict[str, Any] = {"help": text, "default": None if one.default is Parameter.empty else one.default}
        if get_origin(kind) is tuple:
            how |= {"nargs": "+"}
        if get_origin(kind) is tuple or NoneType in get_args(kind):
            kind = get_args(kind)[0]
        if kind is bool:
            how |= {"action": "store_true"}
        elif get_origin(kind) is Literal:
            how |= {"choices": get_args(kind)}
        else:
            how |= {"type": kind}
        if one.kind is Parameter.KEYWORD_ONLY:
            flag = f"--{one.name.strip('_').replace('_', '-')}"
            parser.add_argument(flag, dest=one.name, required=one.default is Parameter.empty, **how)
        else:
            parser.add_argument(one.name, **how)
    found = vars(parser.parse_args(arguments))
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}


def network_hash(parser: str) -> str:
    """Return the first digits of the SHA-256 of a network's weights, for a folder or for ``shipped``."""
    folder = ROOT / "parser" / "base" / "shipped" if parser == "shipped" else Path(parser)
    return sha256((folder / "model.safetensors").read_bytes()).hexdigest()[:12]


def made_by() -> dict[str, Any]:
    """Return the origin of a result: command, day, machine, versions, commit and network."""
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
        return made  # the measure uses no network
    return made | {"network": network_hash(dict(pairwise(sys.argv)).get("--parser", "shipped"))}


def _commit() -> str:
    """Return the commit of this tree, with a plus where its code was changed since."""
    git = ["git", "-C", str(ROOT)]
    name = subprocess.run([*git, "rev-parse", "--short=8", "HEAD"], check=True, capture_output=True, text=True).stdout
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "*.py", "*.toml", "*.lark"], check=False)
    return name.strip() + "+" * changed.returncode
