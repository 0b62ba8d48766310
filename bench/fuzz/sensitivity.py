"""Switch off one rule after the other and walk: which errors come back?

    .ci/engines python bench/fuzz/sensitivity.py --engine postgres --data ../shared/data
    python bench/fuzz/sensitivity.py --engine sqlite --rules width --schema bench/schemas/wide.sql

Each rule that an engine's dialect has is left out of the constraint in turn, and `walks` writes queries without it, at
first --queries of them, then twice as many until one fails or --most are written. The table gives errors in 10,000
queries; a rule that stays at none is not known to be needed. The result file is written after every rule; what it
holds of the same seed is not walked again, unless --again is given. With --few rules without errors are walked again
with few words on small schemas, with --schema on that one alone: there rare errors are found sooner.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from walk_results import RESULTS, Tally, fresh_seed, keep, read
from walking import DIALECTS, Plan
from walks import run, shares

from querent.grammar import RULES

NONE = "(none)"
"""The row of the whole constraint, with every rule on."""


def main() -> None:
    """Walk without each rule and show the table."""
    options = arguments()
    entry = read(options.out)["engines"].get(options.engine, {})
    if options.seed is None:
        options.seed = fresh_seed() if options.again else entry.get("seed", fresh_seed())
    print(f"seed {options.seed}", flush=True)
    if options.again or entry.get("seed") != options.seed:
        entry = {"seed": options.seed, "rules": {}}
    dialect = DIALECTS[options.engine]
    drawn = {name: rule for name, rule in RULES.items() if not rule.dialects or dialect in rule.dialects}
    rules = {name: rule.level for name, rule in drawn.items() if not (rule.guards or rule.steers)}
    for rule in [NONE, *(options.rules or rules)]:
        known = entry["rules"].get(rule)
        way = {"few": options.few, "schema": options.schema and Path(options.schema).name}
        silent = known is not None and not known["errors"] and any(v and known.get(k) != v for k, v in way.items())
        if known is None or (silent and rule != NONE):
            found = measured(options, rule, entry) | {key: value for key, value in way.items() if value}
            entry["rules"][rule] = {"level": rules.get(rule, ""), **found}
            keep(options.out, options.engine, entry)
            told = entry["rules"][rule]
            print(f"{rule}: {told['errors']} errors in {told['queries']}", flush=True)
    show(entry["rules"])
    none = [rule for rule in entry["rules"] if rule != NONE and not entry["rules"][rule]["errors"]]
    print(json.dumps({"engine": options.engine, "rules": len(entry["rules"]) - 1, "without_errors": none}))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=list(DIALECTS), default="sqlite")
    parser.add_argument("--url", help="of a server, whose user may create databases")
    parser.add_argument("--data", type=Path, help="folder of the public sets, to walk on their schemas too")
    parser.add_argument("--schema", help="walk on this schema alone: a DDL file or a SQLite file")
    parser.add_argument("--rules", nargs="+", metavar="RULE", help="these rules only")
    parser.add_argument("--queries", type=int, default=1000, help="of a rule, at first")
    parser.add_argument("--most", type=int, default=16_000, help="of a rule, until one fails")
    parser.add_argument("--seed", type=int, help="of all chance (default: the result file's, or a fresh one)")
    parser.add_argument("--jobs", type=int, default=1, help="processes that walk side by side")
    parser.add_argument("--few", action="store_true", help="few words on small schemas")
    parser.add_argument("--again", action="store_true", help="walk again what the result file has")
    parser.add_argument("--out", type=Path, default=RESULTS / "sensitivity.json", help="the result file")
    return parser.parse_args()


def measured(options: argparse.Namespace, rule: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return what walks find without a rule, and keep the engine's version."""
    whole, count = Tally(), options.queries
    without = () if rule == NONE else (rule,)
    for turn in range(1000):
        seed = options.seed + 1000 * turn
        plan = Plan(options.engine, seed, options.schema, options.data, without=without, few=options.few)
        for _, server, tally in run(plan, shares(count, plan), jobs=options.jobs, url=options.url):
            entry["version"] = server
            whole.add(tally)
        written = whole.total("queries")
        if whole.total("errors") or written >= options.most:
            break
        count = min(written, options.most - written)
    return {
        "queries": whole.total("queries"),
        "errors": whole.total("errors"),
        "per_10000": round(10_000 * whole.total("errors") / whole.total("queries"), 1),
        "time_outs": whole.total("time_outs"),
        "by_kind": dict(whole.kinds.most_common(5)),
    }


def show(rules: Mapping[str, dict[str, Any]]) -> None:
    """Print the table: rules by level, with the commonest error that each one keeps out."""
    table = Table("rule", "level", "errors in 10,000", "queries", "the commonest")
    for name, row in rules.items():
        kinds = list(row["by_kind"])
        table.add_row(name, row["level"], f"{row['per_10000']:,}", f"{row['queries']:,}", kinds[0] if kinds else "")
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
