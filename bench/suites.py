"""Make the test suites of several domains and record what they tell apart.

    python bench/suites.py --data ../shared/data

Each domain is one entry of the result file, written as it ends. Suites go to a folder of their own, not to the place
where `querent evaluate` looks.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sqlite3
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DOMAINS = {
    "plant": "plant",
    "geography": "text2sql:{data}/text2sql/geography",
    "css-yibao": "css:{data}/css-yibao",
    "atis": "text2sql:{data}/text2sql/atis",
}


def main() -> None:
    """Make the suites asked for."""
    options = arguments()
    from querent import distill, load_domain, save_suite

    for name in options.sets:
        domain = load_domain(DOMAINS[name].format(data=options.data), language=options.language)
        print(f"{name} …", flush=True)
        made = distill(domain, seed=options.seed, databases=options.databases)
        folder = options.suites / name
        told = save_suite(made, domain, folder, seed=options.seed)
        entry = {k: told[k] for k in ("language", "dialect", "seed", "queries", "databases", "seconds", "figures")}
        entry["contradicted"] = len(told["contradicted"])
        entry["left_out"] = [left["reason"] for left in told["left_out"]]  # the queries are the set's own text
        entry["bytes"] = sum(file.stat().st_size for file in folder.iterdir())
        entry["date"] = datetime.date.today().isoformat()
        add(options.out, name, entry, options)
        row = entry["figures"]["all"]
        share = row["told"] / (row["mutants"] - row["equivalent"])
        print(f"{name}: {row['mutants']} mutants, {share:.4f} told apart, {entry['seconds']} s", flush=True)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data", help="folder of the sets")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "suites.json", help="the result file")
    parser.add_argument("--suites", type=Path, default=HERE.parent / "runs" / "suites", help="folder of the suites")
    parser.add_argument("--sets", nargs="+", default=["plant", "geography", "css-yibao"], choices=list(DOMAINS))
    parser.add_argument("--language", default=None, help="of the questions; each domain's first without it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--databases", type=int, default=200, help="kept at most")
    return parser.parse_args()


def add(file: Path, name: str, entry: dict[str, Any], options: argparse.Namespace) -> None:
    """Add one domain's figures to the result file."""
    content = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"domains": {}}
    content["command"] = f"python bench/suites.py --data ../shared/data --databases {options.databases}"
    content["machine"] = f"{platform.machine()}, {platform.system()}, CPU, one core"
    content["versions"] = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        **{package: version(package) for package in ("querent", "sqlglot")},
    }
    content["domains"][name] = entry
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    draft.replace(file)


if __name__ == "__main__":
    main()
