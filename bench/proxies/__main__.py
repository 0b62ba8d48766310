"""Write the proxy benchmarks and ask them: ``python -m bench.proxies make FOLDER``, ``… ask FOLDER --language en``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rich.progress import track

from bench.accuracy.result_files import add

from .content import LANGUAGES
from .figures import figures
from .systems import SYSTEMS, asked
from .writing import write

SETS = {"spider": "train.json", "sparc": "sparc.json", "cosql": "cosql.json", "doubts": "doubts.json"}


def main() -> None:
    """Do what the first argument says."""
    options = arguments()
    if options.what == "make":
        for language in LANGUAGES:
            counts = write(options.folder, language, options.seed)
            print(language, ", ".join(f"{count} {name}" for name, count in counts.items()))
    else:
        ask(options)


def ask(options: argparse.Namespace) -> None:
    """Ask a set under some systems, print the figures, and put them beside those of other sets."""
    home = options.folder / options.language
    talks = dialogues(home / SETS[options.set])[:: options.each]
    turns = sum(len(talk["interaction"]) for talk in talks)
    records = list(track(asked(home, options.parser, options.systems, talks), total=turns * len(options.systems)))
    found = {name: figures([one for one in records if one["system"] == name]) for name in options.systems}
    print(json.dumps(found, indent=1, ensure_ascii=False))
    if options.out:
        add(options.out, f"{options.set}, {options.language}", {"systems": found})
    if options.records:
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        options.records.write_text("".join(lines), encoding="utf-8")


def dialogues(file: Path) -> list[dict[str, Any]]:
    """Return a file's dialogues; a single question is one of one turn."""
    told = json.loads(file.read_text(encoding="utf-8"))
    return [one if "interaction" in one else _alone(one) for one in told]


def _alone(one: dict[str, Any]) -> dict[str, Any]:
    turn = {"utterance": one["question"], "kind": one["template"], **one} if "question" in one else one
    return {"database_id": one["db_id"], "interaction": [turn]}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.proxies", description=__doc__)
    commands = parser.add_subparsers(dest="what", required=True)
    make = commands.add_parser("make", help="write databases, questions and dialogues")
    make.add_argument("folder", type=Path, help="LANGUAGE/ is made in it")
    make.add_argument("--seed", type=int, default=7, help="of what is asked (default: 7)")
    asking = commands.add_parser("ask", help="ask one set")
    asking.add_argument("folder", type=Path, help="what make wrote")
    asking.add_argument("--language", choices=LANGUAGES, required=True)
    asking.add_argument("--set", choices=tuple(SETS), required=True)
    asking.add_argument("--systems", nargs="+", choices=tuple(SYSTEMS), default=["alone"])
    asking.add_argument("--parser", type=Path, default=None, help="a saved parser (default: the shipped one)")
    asking.add_argument("--each", type=int, default=1, help="take every n-th only")
    asking.add_argument("--out", type=Path, help="JSON of the figures, other sets' kept")
    asking.add_argument("--records", type=Path, help="JSON lines, a record a turn")
    return parser.parse_args()


if __name__ == "__main__":
    main()
