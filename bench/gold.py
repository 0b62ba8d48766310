"""Count the gold queries that the constraint admits word by word, and tell why it refuses the others.

    python bench/gold.py --data ../shared/data

Each set is one entry of the result file, written as it ends; a query counts once, with slots in place of values. Those
outside of the grammar count as refused. Where a set has a database, each refused query runs there, as it stands in
its pairs: does the engine refuse it, too? Of the public sets' queries only the lines are kept, never the texts.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from set_results import add
from walk_long import fingerprint

from querent import load_domain
from querent.authoring.checking.findings import Finding, grouped, run, uncovered
from querent.authoring.checking.rules import refused
from querent.data.domain import GROUPINGS, Domain
from querent.grammar import Grammar

COMMAND = "python bench/gold.py --data ../shared/data"
HERE = Path(__file__).resolve().parent
SETS = {
    "geography": "text2sql:{data}/text2sql/geography",
    "restaurants": "text2sql:{data}/text2sql/restaurants",
    "academic": "text2sql:{data}/text2sql/academic",
    "atis": "text2sql:{data}/text2sql/atis",
    "plant": "plant",
    "css-yibao": "css:{data}/css-yibao",
}
AIMS = {"css-yibao": 0.95}
"""The least share to be admitted, where it is not `AIM`."""
AIM = 0.98


def main() -> None:
    """Count the sets asked for."""
    options = arguments()
    for name in options.sets:
        domain = load_domain(SETS[name].format(data=options.data))
        entry = counted(domain)
        add(options.out, name, entry | {"aim": AIMS.get(name, AIM)}, command=COMMAND)
        print(f"{name}: {entry['admitted']} of {entry['queries']} admitted", flush=True)
        for one in entry["refused"]:
            print(f"    line {one['line']} ({one['pairs']} pairs): {one['reason']}; {one['engine'] or 'not run'}")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data", help="folder of the sets")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "gold.json", help="the result file")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    return parser.parse_args()


def counted(domain: Domain) -> dict[str, Any]:
    """Return how many gold queries of a domain are admitted, and what is said against the others."""
    grammar = Grammar.for_schema(domain.schema, dialect=domain.dialect)
    patterns = grouped(domain.examples, lambda e: e.slotted)
    outside = uncovered(patterns.values(), grammar.tokenize)
    unread = {finding.text for finding in outside}
    covered = [group for query, group in patterns.items() if query not in unread]
    against = [*outside, *refused(covered, grammar, without=GROUPINGS[domain.grouping])]
    return {
        "dialect": domain.dialect,
        "grouping": domain.grouping,
        "constraint": fingerprint(domain.dialect),
        "queries": len(patterns),
        "admitted": len(patterns) - len(against),
        "refused": [
            {
                "line": finding.lines[0] if finding.lines else 0,
                "pairs": finding.pairs,
                "reason": finding.problem,
                "engine": verdict(domain, finding),
            }
            for finding in against
        ],
    }


def verdict(domain: Domain, finding: Finding) -> str:
    """Return what the set's own database says of a query in its pairs; nothing where it has none."""
    if domain.database is None:
        return ""
    texts = grouped((e for e in domain.examples if e.slotted == finding.text), lambda e: e.sql)
    failing = run(texts.values(), domain.database, 5.0).failing
    return f"fails: {failing[0].problem}" if failing else "runs"


if __name__ == "__main__":
    main()
