"""Random queries against engines: `python -m bench.fuzz`, from the checkout.

    python -m bench.fuzz --engine sqlite --queries 10000 --seed 1
    .ci/engines python -m bench.fuzz --engine mariadb --queries 2000 --objects
    .ci/engines python -m bench.fuzz --engine postgres --queries 2000 --windows
    .ci/engines python -m bench.fuzz --access --engine postgres --queries 100 --tempted 100

Servers are given by --url, of a user who may create databases, or found in the environment. The seed is a fresh one
unless it is given. The last line is one JSON object; a query that fails, or reads what its role may not, is printed,
and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

from bench.accuracy.result_files import add

from . import access, walks
from .engines import DIALECTS


def main() -> int:
    """Draw, run, count."""
    options = arguments()
    print(f"seed {options.seed}", flush=True)
    entry = (access if options.access else walks).run(options)
    if options.out:
        add(options.out, options.engine, entry)
    print(json.dumps({"engine": options.engine, "seed": options.seed, **entry}, ensure_ascii=False))
    return int(any(entry.get(what) for what in ("errors", "wrong")))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=list(DIALECTS), default="sqlite")
    parser.add_argument("--url", help="of a server, of a user who may create databases")
    parser.add_argument("--queries", type=int, default=1000)
    fresh = random.SystemRandom().randrange(1_000_000)
    parser.add_argument("--seed", type=int, default=fresh, help="of all chance (default: a fresh one)")
    parser.add_argument("--schema", help="walk on this schema alone: a DDL file or a SQLite file")
    parser.add_argument("--out", type=Path, help="keep the result in this file, one for each engine")
    parser.add_argument("--access", action="store_true", help="queries of a role with an Access: does one read more?")
    group = parser.add_argument_group("walks")
    told = "walk on the engine's database of objects/: views, enumerations, parts; or of frameworks/: schemas as web"
    told += " frameworks write them, with infinite dates, dates before Christ and broken views"
    group.add_argument("--objects", nargs="?", const="objects", choices=("objects", "frameworks"), help=told)
    group.add_argument("--few", action="store_true", help="small schemas, few words; promised words are counted")
    group.add_argument("--wide", action="store_true", help="the wide grammar: what people and language models write")
    group.add_argument("--windows", action="store_true", help="as --wide, and many window functions")
    group.add_argument("--common", action="store_true", help="as --wide, and much of WITH")
    parser.add_argument("--tempted", type=int, default=0, help="--access: more queries that want what is forbidden")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
