"""Checks what the grammar and `validate` promise on engines: `python -m bench.signatures`, from the checkout.

    python -m bench.signatures --engine sqlite
    .ci/engines python -m bench.signatures --engine postgres --sample 20
    .ci/engines python -m bench.signatures --engine postgres --validated 4000

Every line of grammar/types/*.toml is checked with stored values chosen to break it (`lines`); with --validated N, N
queries from templates are judged and run (`validated`). A server is given by --url, of a user who may create
databases, or found in the environment. Each broken promise is printed, and makes the exit code 1.
"""

import random
import sys
from collections.abc import Iterator
from typing import Annotated

from bench.accuracy.result_files import Result, run
from bench.fuzz.engines import DIALECTS, EngineName, databases

from . import validated as queries
from .engines import MariaDBLines, PostgresLines, SqliteLines

LINES = {"sqlite": SqliteLines, "mysql": MariaDBLines, "postgres": PostgresLines}


def main() -> int:
    """Run as a command."""
    return run(measure, indent=None)


def measure(
    *,
    engine: Annotated[EngineName, "the engine that is checked"],
    url: Annotated[str | None, "of the server"] = None,
    seed: Annotated[int, "of what is drawn"] = 1,
    sample: Annotated[int, "how many lines; 0 is all"] = 0,
    validated: Annotated[int, "how many queries from all templates together; 0 checks lines"] = 0,
    only: Annotated[tuple[str, ...], "templates whose names begin so"] = ("",),
) -> Iterator[Result]:
    """Check lines, or judge and run queries."""
    print(f"seed {seed}", flush=True)
    if validated:
        found = queries.judged(engine, url, random.Random(seed), validated, only=only)
        yield Result({"seed": seed, **found}, engine, failed=found["wrong"] > 0)
        return
    problems = 0
    with databases(engine, 1, url) as (own,), LINES[DIALECTS[engine]].opened(own) as (checks, cursor):
        names = random.Random(seed).sample(list(checks), sample) if sample else list(checks)
        for name in names:
            for problem in checks[name](cursor):
                print(f"{name}: {problem}", flush=True)
                problems += 1
        yield Result({"held": len(names), "lines": len(checks), "broken": problems}, engine, failed=problems > 0)


if __name__ == "__main__":
    sys.exit(main())
