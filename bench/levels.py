"""Score trained parsers at each level of the local constraint: does the stronger promise cost or bring accuracy?

    python bench/levels.py --runs runs/bench --data ../shared/data --out bench/results/levels.json

Every run folder (or saved parser) is called DOMAIN-SPLIT-SEED, as bench/parsers.py calls them. Nothing is trained:
the same network answers the same test questions with gold values, greedily, once for each level. Results are kept as
they come; what a file has is not measured again. A MySQL set without a database of its own (css-yibao) is run on a
MariaDB made for the purpose, with rows drawn at random, so start this under .ci/engines; where the set groups loosely,
so does the server. Late are answers that the database stops after its time limit of 5 s.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from parsers import DOMAINS, kept, read, versions
from promise_tables import levels
from random_rows import random_rows
from rich.console import Console
from rich.table import Table
from walk_engines import open_engine
from walk_servers import MODES, VARIABLES, fresh_databases, on_server

from querent.data.domain import Domain
from querent.grammar import Grammar

LEVELS = ("grammar", "scope", "types", "runs")
HERE = Path(__file__).resolve().parent


def main() -> None:
    """Score what is not scored yet, then print the table."""
    options = arguments()
    for folder in sorted(options.runs.iterdir()):
        if (folder / "parser.json").is_file() or (folder / "best" / "parser.json").is_file():
            score(folder, options)
    show(read(options.out)["cells"])


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, required=True, help="the folder of the run folders")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public sets")
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=("grammar", "runs"))
    parser.add_argument("--out", type=Path, default=HERE / "results" / "levels.json")
    return parser.parse_args()


def score(folder: Path, options: argparse.Namespace) -> None:
    """Score one run at each level."""
    import torch

    from querent import Parser, evaluate, load_domain

    content = read(options.out)
    cells = content["cells"].setdefault(folder.name, {})
    if set(options.levels) <= cells.keys():
        return
    torch.set_num_threads(1)
    name, split, _ = folder.name.rsplit("-", 2)
    spec, language = DOMAINS[name]
    domain = load_domain(spec.format(data=options.data), language=language)
    saved = folder / "best" if (folder / "best").is_dir() else folder
    with made(domain) as runnable:
        for level in options.levels:
            parser = Parser.from_pretrained(saved, level=level)
            cells[level] = kept(evaluate(parser, runnable, part="test", split=split).to_json())
            print(f"{folder.name} at {level}: EM {cells[level]['em']:.3f}, runs {cells[level]['runs']:.3f}", flush=True)
    content |= {"versions": versions(), "command": f"python bench/levels.py --levels {' '.join(options.levels)}"}
    options.out.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


@contextmanager
def made(domain: Domain) -> Generator[Domain]:
    """Yield a domain with a database to run queries on."""
    if domain.database is not None:
        yield domain
        return
    server = os.environ.get(VARIABLES["mariadb"])
    if domain.dialect != "mysql" or server is None:
        raise SystemExit(f"{domain.name} has no database; .ci/engines COMMAND starts a MariaDB for it")
    modes = MODES.replace("ONLY_FULL_GROUP_BY,", "") if domain.grouping == "loose" else MODES
    rng = random.Random(domain.name)
    quote = Grammar.for_schema(domain.schema, dialect=domain.dialect).quoting.write
    with fresh_databases(server, 1) as (url,), open_engine("mariadb", url, timeout=10.0) as engine:
        on_server(server, f"SET GLOBAL sql_mode = '{modes}'")
        rows = {table.name: random_rows(rng, table, domain.dialect) for table in domain.schema.tables}
        engine.create(domain.schema, quote, rows)
        yield replace(domain, database=url)


def show(cells: dict[str, dict[str, Any]]) -> None:
    """Print means over the seeds."""
    heads, rows = levels({"cells": cells})
    table = Table(*heads)
    for row in rows:
        table.add_row(*map(str, row))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
