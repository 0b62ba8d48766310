"""The proxy benchmarks: ``python -m bench.proxies make FOLDER``, ``… ask FOLDER …``, ``… rivals --collection …``."""

# pyright: reportMissingImports=false
from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.progress import track

from bench.accuracy.result_files import add
from querent.data.domains.collection import read_collection

from .content import LANGUAGES
from .figures import figures
from .rivals import talks
from .systems import SYSTEMS, asked
from .writing import write

SETS = {"spider": "train.json", "sparc": "sparc.json", "cosql": "cosql.json", "doubts": "doubts.json"}


def main(given: Sequence[str] | None = None) -> None:
    """Do what the first argument says."""
    options = arguments(given)
    if options.what == "make":
        for language in LANGUAGES:
            counts = write(options.folder, language, options.seed)
            print(language, ", ".join(f"{count} {name}" for name, count in counts.items()))
    elif options.what == "ask":
        told = dialogues(options.folder / options.language, options.set)[:: options.each]
        ask(options, f"{options.set}, {options.language}", options.systems, told)
    elif options.what == "plot":
        from .plots import plot_turns  # matplotlib is an extra

        plot_turns(json.loads(options.results.read_text(encoding="utf-8"))["sets"], options.picture)
    else:
        collection = read_collection(options.collection).part("held-out")
        with tempfile.TemporaryDirectory() as folder:
            told = list(talks(collection, Path(folder), options.most))
            ask(options, collection.name, ["feedback, no correction"], told)


def ask(options: argparse.Namespace, name: str, systems: Sequence[str], told: Sequence[dict[str, Any]]) -> None:
    """Ask dialogues under some systems, print the figures, and put them beside those of other sets."""
    turns = sum(len(talk["interaction"]) for talk in told) * len(systems)
    records = list(track(asked(options.parser, systems, told), total=turns))
    found = {system: figures([one for one in records if one["system"] == system]) for system in systems}
    print(json.dumps(found, indent=1, ensure_ascii=False))
    if options.out:
        add(options.out, name, {"systems": found})
    if options.records:
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        options.records.write_text("".join(lines), encoding="utf-8")


def dialogues(home: Path, name: str) -> list[dict[str, Any]]:
    """Return a set's dialogues with their files; a single question is one of one turn."""
    told = [
        one if "interaction" in one else _alone(one)
        for one in json.loads((home / SETS[name]).read_text(encoding="utf-8"))
    ]
    return [
        one | {"file": home / "database" / db / f"{db}.sqlite", "solved": home / "solved" / f"{db}.jsonl"}
        for one in told
        for db in (one["database_id"],)
    ]


def _alone(one: dict[str, Any]) -> dict[str, Any]:
    turn = {"utterance": one["question"], "kind": one["template"], **one} if "question" in one else one
    return {"database_id": one["db_id"], "interaction": [turn]}


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.proxies", description=__doc__)
    commands = parser.add_subparsers(dest="what", required=True)
    make = commands.add_parser("make", help="write databases, questions and dialogues")
    make.add_argument("folder", type=Path, help="LANGUAGE/ is made in it")
    make.add_argument("--seed", type=int, default=7, help="of what is asked (default: 7)")
    asking = commands.add_parser("ask", help="ask one set")
    rival = commands.add_parser("rivals", help="ask held-out questions of others on databases with two readings")
    asking.add_argument("folder", type=Path, help="what make wrote")
    asking.add_argument("--language", choices=LANGUAGES, required=True)
    asking.add_argument("--each", type=int, default=1, help="take every n-th only")
    for command in (asking, rival):
        command.add_argument("--parser", type=Path, default=None, help="a saved parser (default: the shipped one)")
        command.add_argument("--records", type=Path, help="JSON lines, a record a turn")
        command.add_argument("--out", type=Path, help="JSON of the figures, those of other sets kept")
    asking.add_argument("--set", choices=tuple(SETS), required=True)
    asking.add_argument("--systems", nargs="+", choices=tuple(SYSTEMS), default=["alone"])
    rival.add_argument("--collection", required=True, help="spider:FOLDER")
    rival.add_argument("--most", type=int, default=12, help="questions of a kind on a database (default: 12)")
    plot = commands.add_parser("plot", help="draw EX turn by turn")
    plot.add_argument("results", type=Path, help="what ask wrote with --out")
    plot.add_argument("picture", type=Path, help="an .svg or .png")
    return parser.parse_args(given)


if __name__ == "__main__":
    main()
