"""Measure each rule of `MeantJoins`: how often it changes the rows of gold queries, and what it does to answers.

    python bench/accuracy/join_rules.py --collections spider:../shared/data/multi/spider-train \\
        --records records-en.jsonl --out bench/results/join-rules-en.json

Gold queries are those of databases that the training never saw, of all with ``--whole``. ``--records`` are what
`held_out.py --records` wrote: each answer is rewritten, run, and compared with the gold rows again.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from result_files import save
from rich.progress import track

from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.domains.collection import read_collection
from querent.data.errors import QueryError
from querent.data.profiles.kept import open_profile
from querent.data.schema.schema import Schema
from querent.evaluation.metrics import execution_match, is_ordered
from querent.parser.normal_form import JoinRule, MeantJoins, NormalForm
from querent.parser.reader.context import DatabaseContext

Counts = defaultdict[str, Counter[str]]
"""Figures by rule."""


def main() -> None:
    """Rewrite all queries by each rule alone and by those that hold, print the figures, and save them."""
    options = arguments()
    told: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in options.records.read_text(encoding="utf-8").splitlines() if options.records else ():
        record = json.loads(line)
        told[record["database"]].append(record)
    found: dict[str, Any] = {}
    for spec in options.collections:
        whole = read_collection(spec)
        part = whole if options.whole else whole.part("held-out")
        counts: Counts = defaultdict(Counter)
        for name, file in track(sorted(part.databases.items()), whole.name):
            if file.stat().st_size > options.largest * 2**20:
                continue
            schema = part.schemas[name]
            rules = _rules(file, schema, part.language, options.cache)
            with Database.open(file, timeout=options.timeout) as database:
                normal = NormalForm(DatabaseContext.of(schema, None, dialect="sqlite", language=part.language).grammar)
                gold = [pair.sql for pair in part.pairs if pair.database == name]
                count_gold(gold, normal, rules, database, counts)
                count_answers(told[name], rules, database, counts)
        found[whole.name] = {rule: dict(counts[rule]) for rule in counts}
    print(json.dumps(found, indent=1))
    if options.out:
        save(options.out, {"figures": found})


def _rules(file: Path, schema: Schema, language: str, cache: Path | None) -> dict[str, MeantJoins]:
    """Return what rewrites by each rule, and by those that hold if nothing is said."""
    grammar = DatabaseContext.of(schema, None, dialect="sqlite", language=language).grammar
    profile = open_profile(file, schema, cache=cache)
    alone = {str(rule): MeantJoins(grammar, profile, {rule}) for rule in get_args(JoinRule)}
    return alone | {"default": MeantJoins(grammar, profile)}


def count_gold(
    queries: Sequence[str],
    normal: NormalForm,
    rules: Mapping[str, MeantJoins],
    database: Database,
    counts: Counts,
) -> None:
    """Count the gold queries that rules touch, and those whose rows they change."""
    for sql in queries:
        try:
            form = normal.of(sql)
        except QueryError:
            continue
        counts["all"]["gold queries"] += 1
        for rule, joins in rules.items():
            if (written := joins.of(form)) != form:
                counts[rule]["gold touched"] += 1
                counts[rule]["gold rows changed"] += not _same(database.attempt(written), database.attempt(sql), sql)


def count_answers(
    records: Sequence[Mapping[str, Any]], rules: Mapping[str, MeantJoins], database: Database, counts: Counts
) -> None:
    """Count the answers that rules touch, and those that become right or wrong so."""
    for record in records:
        counts["all"]["answers"] += 1
        for rule, joins in rules.items() if record["sql"] else ():
            if (written := joins.of(record["sql"])) == record["sql"]:
                continue
            right = _same(database.attempt(written), database.attempt(record["gold"]), record["gold"])
            counts[rule]["answers touched"] += 1
            counts[rule]["wrong -> right"] += right and not record["right"]
            counts[rule]["right -> wrong"] += record["right"] and not right


def _same(rows: Rows | None, gold: Rows | None, sql: str) -> bool:
    if rows is None or gold is None:
        return False
    return execution_match(rows.rows, gold.rows, is_ordered(sql, "sqlite"), any_columns=True)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER or chase:FOLDER")
    parser.add_argument("--records", type=Path, help="answers, as held_out.py keeps them")
    parser.add_argument("--whole", action="store_true", help="the gold queries of all databases")
    parser.add_argument("--largest", type=float, default=30.0, help="the largest file of a database, in MiB")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds that a query may take")
    parser.add_argument("--cache", type=Path, default=None, help="folder of the profiles")
    parser.add_argument("--out", type=Path, help="result file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
