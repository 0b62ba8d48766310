"""Measure a parser on turns that lean on the ones before, of dialogues on databases that its training never saw.

    python bench/accuracy/dialogues.py --parser runs/figures --collection spider:../shared/data/multi/spider-train \\
        --dialogues ../shared/data/dialogue/sparc-train.json --out bench/results/dialogues-sparc.json

Each turn has the utterances before it and the query before: the gold one (``gold``), the parser's own (``own``), or
nothing (``alone``). A dialogue is right where all its turns are.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from held_out import TIMEOUT, calibration_error, considered, context_of, mean, record_of
from result_files import arguments, save, write_lines
from rich.progress import track

from querent.data.databases.database import Database
from querent.data.domains.collection import Collection, read_collection
from querent.data.domains.dialogues import Dialogue, read_turns
from querent.parser.answering.answerer import Answerer
from querent.parser.answering.asking import AskOptions
from querent.parser.base import parser_folder
from querent.parser.decoding.history import NO_HISTORY, history_of
from querent.parser.decoding.parsing import SchemaParser
from querent.parser.learning.dialogue_examples import turn_id
from querent.parser.network.saved import load_network


def main() -> None:
    """Ask every turn, print the figures, and save them."""
    options = command_line()
    loaded = load_network(parser_folder(options.parser))
    options.calibration, options.name = loaded.calibration, options.dialogues.stem
    parser = SchemaParser(loaded.network)
    collection = read_collection(options.collection).part("held-out")
    dialogues = read_turns(options.dialogues, collection, labels=options.labels)[:: options.each]
    records: list[dict[str, Any]] = []
    for before in options.before:
        asked = answered(dialogues, collection, parser, before, options)
        records += track(asked, before, total=sum(len(one.turns) for one in dialogues))
    result = {way: figures([one for one in records if one["before"] == way]) for way in options.before}
    print(json.dumps(result, indent=1, ensure_ascii=False))
    if options.out:
        save(options.out, {"figures": result})
    if options.records:
        write_lines(options.records, ({**record, "set": options.dialogues.stem} for record in records))


def answered(
    dialogues: Sequence[Dialogue],
    collection: Collection,
    parser: SchemaParser,
    before: str,
    options: argparse.Namespace,
) -> Iterator[dict[str, Any]]:
    """Yield a record of each turn."""
    for name, file in collection.databases.items():
        own = [dialogue for dialogue in dialogues if dialogue.database == name]
        if not own:
            continue
        context = context_of(collection, name, options.cache)
        with Database.open(file, timeout=TIMEOUT) as database:
            answerer = Answerer(parser, context, database, calibration=options.calibration)
            for dialogue in own:
                for record in _turns(dialogue, answerer, database, before, options.beam):
                    yield {**record, "dialogue": dialogue.id, "before": before, "database": name}


def _turns(
    dialogue: Dialogue, answerer: Answerer, database: Database, before: str, beam: int
) -> Iterator[dict[str, Any]]:
    said: list[str] = []
    query, sure = "", 1.0
    for number, turn in enumerate(dialogue.turns):
        if turn.utterance and turn.sql:
            history = NO_HISTORY if before == "alone" else history_of(said, query or None, answerer.context, sure=sure)
            answer, found = considered(answerer, turn.utterance, AskOptions(beam=beam), history=history)
            rows = (database.attempt(answer.sql), database.attempt(turn.sql))
            yield {
                "id": turn_id(dialogue, number),
                **record_of(answer, found, turn.sql, rows),
                "number": number,
                "kinds": turn.kinds,
                "carries": None if found is None else found.parse.carries,
                "needs": turn.carries,
            }
            query, sure = (answer.sql or "", answer.confidence) if before == "own" else (turn.sql, 1.0)
        said += [turn.utterance] if turn.utterance else []


def figures(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the records come to, by turn and by kind."""
    later = [one for one in records if one["number"]]
    whole = {one["dialogue"]: True for one in records}
    for one in records:
        whole[one["dialogue"]] &= one["right"]
    sure = [one["right"] for one in later if one["status"] == "ok"]
    known = [one for one in later if one["needs"] is not None and one["carries"] is not None]
    kinds = {kind: [one["right"] for one in later if kind in one["kinds"]] for one in later for kind in one["kinds"]}
    turns: dict[int, list[bool]] = {}
    for one in records:
        turns.setdefault(min(one["number"], 4), []).append(one["right"])
    return {
        "turns": len(records),
        "ex": _share([one["right"] for one in records]),
        "ex of follow-ups": _share([one["right"] for one in later]),
        "whole dialogues": _share(list(whole.values())),
        "by turn": {str(number + 1): _share(some) for number, some in sorted(turns.items())},
        "by kind": {kind: {"ex": _share(some), "turns": len(some)} for kind, some in sorted(kinds.items())},
        "follow-ups called ok": len(sure),
        "right where ok": _share(sure),
        "calibration error": round(calibration_error(later), 4) if later else None,
        "needs context, rightly": _share([(one["carries"] >= 0.5) == one["needs"] for one in known]),
    }


def _share(verdicts: list[bool]) -> float:
    return round(mean(verdicts), 4)


def command_line() -> argparse.Namespace:
    """Read the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--parser", type=Path, required=True, help="a saved network that reads turns, or shipped")
    parser.add_argument("--collection", required=True, help="spider:FOLDER or chase:FOLDER, which has the databases")
    parser.add_argument("--dialogues", type=Path, required=True, help="JSON of dialogues")
    parser.add_argument("--labels", type=Path, help="CHASE's labels of them")
    parser.add_argument("--before", nargs="+", default=["alone", "gold", "own"], choices=("alone", "gold", "own"))
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--each", type=int, default=1, help="ask every n-th dialogue only")
    parser.add_argument("--cache", type=Path, help="folder of the value indexes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
