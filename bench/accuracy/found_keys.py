"""Measure how many of a collection's declared keys are found where none is declared, by names and cells alone.

    python bench/accuracy/found_keys.py --out bench/results/found-keys.json \\
        --collections spider:../shared/data/multi/spider-train chase:../shared/data/multi/chase-train

Foreign keys of one column count whatever their direction, since a join has none. Recall is the share of the declared
keys that are found, precision that of the found keys that are declared: most of the others are keys, too.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from result_files import add
from rich.progress import track
from spider_folder import without_keys

from querent.data.databases.database import Database
from querent.data.domains.collection import Collection, is_held_out, read_collection
from querent.data.profiles.profiling import profile_of
from querent.data.schema.schema import Schema

Places = frozenset[tuple[str, str]]
"""The two columns of a foreign key, or the one of a primary key."""


def main() -> None:
    """Look for the keys of each database, print the figures, and save them."""
    options = arguments()
    for spec in options.collections:
        collection = read_collection(spec)
        for part, held_out in (("train", False), ("held-out", True)):
            names = [name for name in sorted(collection.databases) if is_held_out(name) == held_out]
            counts = sum((counted(collection, name) for name in track(names, f"{spec}, {part}")), Counter[str]())
            found = {"databases": len(names), **dict(counts)} | figures(counts)
            print(spec, part, json.dumps(found))
            if options.out:
                add(options.out, f"{collection.name}, {part}", found)


def counted(collection: Collection, name: str) -> Counter[str]:
    """Count the keys of a database that are declared, found, and both."""
    schema, counts = collection.schemas[name], Counter[str]()
    with Database.open(collection.databases[name], timeout=5.0) as database:
        profile = profile_of(database, without_keys(schema))
    keys = {link(k.table, k.columns[0], k.other, k.references[0]) for k in profile.keys if len(k.columns) == 1}
    told = {"foreign keys": (foreign(schema), keys)}
    told["primary keys"] = primary(schema), {frozenset({one}) for one in profile.primary_keys.items()}
    for kind, (declared, found) in told.items():
        counts += Counter({f"{kind}, declared": len(declared), f"{kind}, found": len(found)})
        counts[f"{kind}, both"] += len(declared & found)
    return counts


def foreign(schema: Schema) -> set[Places]:
    keys = ((table.name, key) for table in schema.tables for key in table.foreign_keys if len(key.references) == 1)
    return {link(name, key.columns[0], schema.table(key.table).name, key.references[0]) for name, key in keys}


def link(table: str, column: str, other: str, reference: str) -> Places:
    return frozenset({(table, column.lower()), (other, reference.lower())})


def primary(schema: Schema) -> set[Places]:
    return {frozenset({(t.name, t.primary_key[0])}) for t in schema.tables if len(t.primary_key) == 1}


def figures(counts: Counter[str]) -> dict[str, Any]:
    """Return precision and recall of both kinds of keys."""
    return {
        f"{what} of {kind}": round(counts[f"{kind}, both"] / max(1, counts[f"{kind}, {of}"]), 4)
        for kind in ("foreign keys", "primary keys")
        for what, of in (("precision", "found"), ("recall", "declared"))
    }


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER or chase:FOLDER")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
