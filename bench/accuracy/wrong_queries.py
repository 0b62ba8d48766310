"""Find the queries that a network likes on training databases and that are wrong, to learn from (`base.py --wrong`).

    python bench/accuracy/wrong_queries.py --parser runs/half --out runs/wrong.json \\
        --collections spider:../shared/data/multi/spider-train chase:../shared/data/multi/chase-train

Each question is asked as a user would ask it. Kept are, by collection and question, those of the best queries whose
rows are not the gold query's. Best a network that has not seen these databases (``--databases`` of `train_packed.py`,
and here the others): one that has is seldom wrong, and in other ways.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from held_out import context_of, is_right, rows_of
from rich.progress import track

from querent.data.databases.database import Database
from querent.data.domains.collection import Collection, read_collection
from querent.data.errors import ConstraintError
from querent.data.hashed_folder import read_json, write_json
from querent.parser.answering.answerer import Answerer
from querent.parser.connection import parser_folder
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.learning.dataset import with_clock
from querent.parser.network.saved import load_network


def main() -> None:
    """Ask every training question, and write the wrong queries; goes on where it was killed."""
    options = arguments()
    parser = SchemaParser(load_network(parser_folder(options.parser)).network)
    found: dict[str, list[str]] = read_json(options.out) if options.out.exists() else {}
    for spec in options.collections:
        collection = read_collection(spec).part("train").between(*options.databases)
        pairs = [pair for pair in collection.pairs[:: options.each] if collection.key(pair) not in found]
        names = sorted({pair.database for pair in pairs} & collection.databases.keys())
        for name in track(names, collection.name):
            own = replace(collection, pairs=tuple(pair for pair in pairs if pair.database == name))
            found |= dict(wrong_on(own, name, parser, options))
            write_json(options.out, found)
    print(json.dumps({"questions": len(found), "with wrong queries": sum(map(bool, found.values()))}))


def wrong_on(
    collection: Collection, name: str, parser: SchemaParser, options: argparse.Namespace
) -> Iterator[tuple[str, list[str]]]:
    """Yield the wrong queries for each question on a database, of those with the same rows the likeliest."""
    context = with_clock(context_of(collection, name, options.cache))
    with Database.open(collection.databases[name], timeout=options.timeout) as database:
        answerer = Answerer(parser, context, database)
        for pair in collection.pairs:
            gold = rows_of(database, pair.sql)
            try:
                found = answerer.consider(pair.question, beam=options.beam)
            except ConstraintError:
                continue
            if gold is not None:
                wrong = (one.candidate.sql for one in found.choices if not is_right(one.rows, gold, pair.sql))
                yield collection.key(pair), list(wrong)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parser", type=Path, required=True, help="folder of a saved network, or shipped")
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER or chase:FOLDER")
    parser.add_argument("--databases", nargs=2, type=float, default=(0.0, 1.0), metavar=("LOW", "HIGH"),
                        help="those whose place, by a hash of the name, lies between")  # fmt: skip
    parser.add_argument("--each", type=int, default=1, help="ask every n-th question only")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--timeout", type=float, default=3.0, help="seconds that a query may take")
    parser.add_argument("--cache", type=Path, default=None, help="folder of the value indexes")
    parser.add_argument("--out", type=Path, required=True, help="JSON, the wrong queries by question")
    return parser.parse_args()


if __name__ == "__main__":
    main()
