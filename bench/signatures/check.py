"""Hold every line of grammar/types/*.toml against its engine, with stored values that are out to break it.

    python bench/signatures/check.py --engine sqlite
    .ci/engines python bench/signatures/check.py --engine postgres --sample 20

A server is given by --url, of a user who may create databases, or found in the environment. Prints a line for each
promise that is broken, and ends with 1 then; the last line says how many lines were held.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))

from walks import databases


def main() -> int:
    """Ask an engine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("sqlite", "mariadb", "postgres"), required=True)
    parser.add_argument("--url", help="of the server")
    parser.add_argument("--sample", type=int, help="so many lines, drawn by --seed; all if it is left out")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    module = importlib.import_module(f"on_{options.engine}")
    names = list(module.LINES)
    if options.sample:
        names = random.Random(options.seed).sample(names, options.sample)
    problems = 0
    with databases(options.engine, 1, options.url) as (database,), module.opened(database) as engine:
        for name in names:
            for problem in module.LINES[name](engine):
                print(f"{name}: {problem}", flush=True)
                problems += 1
    print(f"{len(names)} of {len(module.LINES)} lines held, promises broken {problems}")
    return int(problems > 0)


if __name__ == "__main__":
    sys.exit(main())
