"""What the grammar and `validate` promise, held against engines: `python -m bench.signatures`, from the checkout.

    python -m bench.signatures --engine sqlite
    .ci/engines python -m bench.signatures --engine postgres --sample 20
    .ci/engines python -m bench.signatures --engine postgres --validated 4000

Every line of grammar/types/*.toml is held with stored values that are out to break it (`lines`); with --validated so
many queries from templates are judged and run (`validated`). A server is given by --url, of a user who may create
databases, or found in the environment. Each broken promise is printed, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

from bench.accuracy.result_files import add
from bench.fuzz.engines import DIALECTS, databases

from . import validated
from .engines import MariaDBLines, PostgresLines, SqliteLines

LINES = {"sqlite": SqliteLines, "mysql": MariaDBLines, "postgres": PostgresLines}


def main() -> int:
    """Hold the lines, or judge and run queries."""
    options = arguments()
    print(f"seed {options.seed}", flush=True)
    if not options.validated:
        return held(options)
    result = validated.run(options)
    print(json.dumps(result, ensure_ascii=False))
    if options.out:
        add(options.out, options.engine, result)
    return int(result["wrong"] > 0)


def held(options: argparse.Namespace) -> int:
    """Hold lines against an engine; return 1 where a promise is broken."""
    problems = 0
    lines = LINES[DIALECTS[options.engine]]
    with databases(options.engine, 1, options.url) as (url,), lines.opened(url) as (checks, cursor):
        names = list(checks)
        names = random.Random(options.seed).sample(names, options.sample) if options.sample else names
        for name in names:
            for problem in checks[name](cursor):
                print(f"{name}: {problem}", flush=True)
                problems += 1
        print(f"{len(names)} of {len(checks)} lines held, promises broken {problems}")
    return int(problems > 0)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=list(DIALECTS), required=True)
    parser.add_argument("--url", help="of the server")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, help="so many lines, drawn by --seed; all if it is left out")
    parser.add_argument("--validated", type=int, default=0, help="so many queries, of all templates together")
    parser.add_argument("--only", nargs="+", default=[""], help="templates whose names begin so")
    parser.add_argument("--broken", type=float, default=0.1, help="share of the queries in which a word is changed")
    parser.add_argument("--out", type=Path, help="keep the result of --validated in this file, one for each engine")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
