"""Hold `querent validate` against logic tests: how often is it right, how long does it take, what does it get wrong?

    python bench/fuzz/logic.py ../shared/data/logic

The folder has NAME.sql, which builds a SQLite database, and NAME.queries.json, a list of ``{"validate": SQL, "runs":
true or false}``. The last line printed is one JSON object; ``said`` counts each verdict by what SQLite says.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from querent import Validator, open_schema


def main() -> None:
    """Judge all queries of a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds that a query may take")
    options = parser.parse_args()
    said: Counter[str] = Counter()
    longest = 0.0
    with tempfile.TemporaryDirectory() as place:
        for file in sorted(options.folder.glob("*.queries.json")):
            name = file.name.removesuffix(".queries.json")
            with closing(sqlite3.connect(f"{place}/{name}.sqlite")) as database:
                database.executescript((options.folder / f"{name}.sql").read_text(encoding="utf-8"))
            schema, _ = open_schema(f"{place}/{name}.sqlite", None)
            judge = Validator(schema, dialect="sqlite", timeout=options.timeout)
            for query in json.loads(file.read_text(encoding="utf-8")):
                start = time.perf_counter()
                found = judge.validate(query["validate"])
                longest = max(longest, time.perf_counter() - start)
                said[f"runs {query['runs']}, said {found.runs}"] += 1
                if found.runs is not query["runs"]:
                    print(f"{name}: said {found.runs}: {query['validate']}\n    {found.problem}")
    print(json.dumps({"queries": said.total(), "said": dict(said), "longest_seconds": round(longest, 2)}))


if __name__ == "__main__":
    main()
