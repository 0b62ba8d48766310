"""Say what gold queries mean in their questions' words, write them back, and compare the rows.

    python bench/accuracy/meant_gold.py --collections spider:../shared/data/multi/spider-train --out …
    python bench/accuracy/meant_gold.py --collections … --sampled 40    # as many queries of meanings on each database

Of each pair whose query compares times, flags or numbers in texts, or takes them apart, its words are those that a
network would learn (`decoding.expansions.meant_queries`); the constraint, led through them, writes it again. «said»
are those of which that query has the gold rows; «not said» those with words that no value of the question is, or calls
that no virtual column stands for; «refused» those that the constraint does not let through, its budget among it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from result_files import save
from rich.progress import track

from querent.data.databases.database import Database
from querent.data.domains.collection import Pair, read_collection
from querent.data.domains.examples import fill_sql
from querent.data.errors import QuerentError
from querent.data.sampler import STRUCTURE_KINDS
from querent.evaluation.metrics import execution_match, is_ordered
from querent.grammar import EOS, Constraint
from querent.parser.decoding.slots import values_in
from querent.parser.decoding.starting import StartingPoint
from querent.parser.learning.dataset import contexts_of
from querent.parser.learning.gold_query import GoldQuery
from querent.parser.learning.samples import sampled_pairs
from querent.parser.normal_form import ShortConstraint
from querent.parser.normal_form.first_of_each import written_out
from querent.parser.reader.context import DatabaseContext
from querent.parser.reader.question.question import QuestionWords, ValueNode


def main() -> None:
    """Write all back, print the figures, and save them."""
    options = arguments()
    figures: dict[str, dict[str, int]] = {}
    for spec in options.collections:
        collection = read_collection(spec)
        contexts = {name: several[0] for name, several in contexts_of(collection, cache=options.cache).items()}
        constraints = {n: ShortConstraint(Constraint(one.vocabulary, level="runs")) for n, one in contexts.items()}
        pairs = list(collection.pairs)
        if options.sampled:
            drawn: dict[str, Any] = {
                "count": options.sampled,
                "seed": options.seed,
                "structures": STRUCTURE_KINDS["meant"],
            }
            files = sorted(collection.databases.items())[:: options.each]
            pairs = [pair for name, file in files for pair in sampled_pairs(name, contexts[name], file, **drawn)]
        tally = Counter[str]()
        for pair in track(pairs if options.sampled else pairs[:: options.each], spec):
            if (file := collection.databases.get(pair.database)) is not None:
                tally[told(pair, contexts[pair.database], constraints[pair.database], file)] += 1
        figures[f"{collection.name}, sampled" if options.sampled else collection.name] = dict(tally)
    print(json.dumps(figures, indent=1))
    if options.out:
        save(options.out, {"figures": figures})


def told(pair: Pair, context: DatabaseContext, constraint: ShortConstraint, file: Path) -> str:
    """Return what becomes of a pair."""
    values = context.values(pair.question)
    read = QuestionWords(pair.question, ("q",), (), (), tuple(ValueNode(value, 0, 1, 9) for value in values))
    try:
        gold = GoldQuery.of(pair.sql, read, context)
        if not gold.meant.whole:
            return "not said"
        if not gold.meant.changed:
            return "no meaning"
        ids = gold.ids
    except (QuerentError, KeyError):
        return "no normal form"
    if -1 in ids:
        return "not said"
    again = written(ids, gold.start(constraint))
    return "refused" if again is None else compared(again, pair.sql, file)


def written(ids: Sequence[int], start: StartingPoint) -> str | None:
    """Return the query that words stand for, None where the constraint refuses one."""
    state = start.state()
    for word in (*ids, EOS):
        if not state.allowed()[word]:
            return None
        state = state.advance(word)
    sql = written_out(start.context.vocabulary.decode(state.sql_words), start.context.grammar)
    return fill_sql(sql, values_in(start.slots), dialect="sqlite")


def compared(again: str, gold: str, file: Path) -> str:
    """Return whether two queries have the same rows."""
    with Database.open(file) as database:
        try:
            rows, wanted = database.query(again).rows, database.query(gold).rows
        except QuerentError:
            return "does not run"
    return "said" if execution_match(rows, wanted, is_ordered(gold, "sqlite")) else "other rows"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", nargs="+", required=True, help="spider:FOLDER, cspider:FOLDER or chase:FOLDER")
    parser.add_argument("--sampled", type=int, default=0, help="queries drawn on each database in place of the pairs")
    parser.add_argument("--each", type=int, default=1, help="every so many pairs, or databases")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures")
    parser.add_argument("--cache", type=Path, default=None, help="folder of the value indexes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
