"""Random queries against engines: `python -m bench.fuzz`, from the checkout.

    python -m bench.fuzz --engine sqlite --queries 10000 --seed 1
    .ci/engines python -m bench.fuzz --engine mariadb --queries 2000 --objects
    .ci/engines python -m bench.fuzz --engine postgres --queries 2000 --windows
    .ci/engines python -m bench.fuzz --access --engine postgres --queries 100 --tempted 100

Servers are given by --url, of a user who may create databases, or found in the environment. The seed is a fresh one
unless it is given. The last line is one JSON object; a query that fails, or reads what its role may not, is printed,
and makes the exit code 1.
"""

import random
import sys
from collections.abc import Iterator
from typing import Annotated

from bench.accuracy.result_files import Result, run

from . import access as accesses
from . import walks
from .engines import EngineName
from .walks import Plan


def main() -> int:
    """Draw, run, count."""
    return run(measure, indent=None)


def measure(
    *,
    engine: Annotated[EngineName, "which runs the queries"] = "sqlite",
    url: Annotated[str | None, "of a server, of a user who may create databases"] = None,
    queries: Annotated[int, "how many"] = 1000,
    seed: Annotated[int | None, "of all chance (default: a fresh one)"] = None,
    access: Annotated[bool, "queries of a role with an Access: does one read more?"] = False,
    tempted: Annotated[int, "with --access: more queries that want what is forbidden"] = 0,
    objects: Annotated[bool, "walk on the engine's database of objects/: views, enumerations, parts"] = False,
    few: Annotated[bool, "small schemas, few words; promised words are counted"] = False,
    wide: Annotated[bool, "the wide grammar: what people and language models write"] = False,
    windows: Annotated[bool, "as --wide, and many window functions"] = False,
) -> Iterator[Result]:
    """Draw, run, count."""
    seed = random.SystemRandom().randrange(1_000_000) if seed is None else seed
    print(f"seed {seed}", flush=True)
    if access:
        entry = accesses.run(Plan(engine, seed, budget=80), queries, tempted, url)
    else:
        plan = Plan(engine, seed, few=few, objects=objects, wide=wide or windows, windows=windows)
        entry = walks.run(plan, queries, url)
    yield Result(entry, engine, failed=any(entry.get(what) for what in ("errors", "wrong")))


if __name__ == "__main__":
    sys.exit(main())
