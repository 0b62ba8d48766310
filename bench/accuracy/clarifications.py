"""Measure how often a parser asks back, and how often that changes the answer for the better.

    python bench/accuracy/clarifications.py --parser runs/base/best --out bench/results/clarifications.json \\
        --collections spider:../shared/data/multi/spider-train chase:../shared/data/multi/chase-train

The questions are other people's, on databases that no training saw, and clear: each has one right answer. A user is
asked where `Answer.clarification` is there, and takes the first option whose rows are those of the gold query;
«changed» is the share of those asked to whom an option is right though the answer was wrong.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from held_out import context_of, is_right, mean
from result_files import save
from rich.progress import track

from querent.data.databases.database import Database
from querent.data.domains.collection import Collection, read_collection
from querent.parser.answering.answerer import Answerer
from querent.parser.base import parser_folder
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.network.saved import Loaded, load_network


def main() -> None:
    """Ask every held-out question, print the figures, and save them."""
    options = arguments()
    loaded = load_network(parser_folder(options.parser))
    parser, result = SchemaParser(loaded.network), dict[str, Any]()
    for spec in options.collections:
        collection = read_collection(spec).part("held-out")
        records = list(track(asked(collection, parser, loaded), collection.name, total=len(collection.pairs)))
        result[Path(spec.partition(":")[2]).name] = figures(records)
        if options.records:
            with options.records.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    print(json.dumps(result, indent=1, ensure_ascii=False))
    if options.out:
        save(options.out, {"figures": result})


def asked(collection: Collection, parser: SchemaParser, loaded: Loaded) -> Iterator[dict[str, Any]]:
    """Yield a record of each pair."""
    for name, file in collection.databases.items():
        pairs = [pair for pair in collection.pairs if pair.database == name]
        if not pairs:
            continue
        context = context_of(collection, name, None)
        with Database.open(file) as database:
            answerer = Answerer(parser, context, database, calibration=loaded.calibration)
            for pair in pairs:
                answer, gold = answerer.ask(pair.question), database.attempt(pair.sql)
                found = answer.clarification
                options = () if found is None else found.options
                rights = [is_right(database.attempt(one.sql), gold, pair.sql) for one in options]
                yield {
                    "id": pair.id,
                    "question": pair.question,
                    "gold": pair.sql,
                    "sql": answer.sql,
                    "status": answer.status,
                    "right": answer.sql is not None and is_right(database.attempt(answer.sql), gold, pair.sql),
                    "kind": None if found is None else found.kind,
                    "options": [one.label for one in options],
                    "right option": rights.index(True) if True in rights else None,
                }


def figures(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the records come to, in all and by kind of clarification."""
    kinds = defaultdict[str, list[dict[str, Any]]](list)
    for record in records:
        if record["kind"] is not None:
            kinds[record["kind"]].append(record)
    every = [record for some in kinds.values() for record in some]
    return {
        "questions": len(records),
        "asked per 100": round(100 * len(every) / len(records), 1),
        "ex": round(mean([record["right"] for record in records]), 4),
        "ex when answered": round(mean([r["right"] or r["right option"] is not None for r in records]), 4),
        **told(every),
        "by kind": {kind: {"asked": len(some), **told(some)} for kind, some in sorted(kinds.items())},
    }


def told(records: list[dict[str, Any]]) -> dict[str, float]:
    """Return of questions asked back how often that changed the answer, and how often the answer had been right."""
    changed = [not record["right"] and record["right option"] is not None for record in records]
    return {"changed": round(mean(changed), 3), "right before": round(mean([r["right"] for r in records]), 3)}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parser", type=Path, required=True, help="folder of a network")
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER or chase:FOLDER")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures")
    parser.add_argument("--records", type=Path, default=None, help="JSON lines, a record a question, added to the file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
