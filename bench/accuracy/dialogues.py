"""Measure a parser on the turns of dialogues, on databases that its training never saw.

    python bench/accuracy/dialogues.py --parser runs/figures --collection spider:../shared/data/multi/spider-train \\
        --dialogues ../shared/data/dialogue/sparc-train.json --out bench/results/dialogues-sparc.json

The parser gets the utterances before a turn and the query before: the gold one (``gold``), its own (``own``), or
nothing (``alone``). A dialogue is right where all its turns are.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from held_out import TIMEOUT, Setup, considered, record_of
from result_files import Result, run
from rich.progress import track
from scores import Record, calibration_error, grouped, share, where_ok

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

Before = Literal["alone", "gold", "own"]


def measure(
    *,
    parser: Annotated[Path, "folder of a network, or shipped"],
    collection: Annotated[str, "spider:FOLDER or chase:FOLDER, which has the databases"],
    dialogues: Annotated[Path, "JSON of dialogues"],
    labels: Annotated[Path | None, "CHASE's labels of them"] = None,
    before: Annotated[tuple[Before, ...], "the query before, each in turn"] = ("alone", "gold", "own"),
    each: Annotated[int, "take every n-th dialogue only"] = 1,
    cache: Annotated[Path | None, "folder of the value indexes"] = None,
) -> Iterator[Result]:
    """Answer every turn."""
    loaded = load_network(parser_folder(parser))
    setup = Setup(SchemaParser(loaded.network), loaded.calibration, cache=cache)
    read = read_collection(collection).part("held-out")
    chosen = read_turns(dialogues, read, labels=labels)[::each]
    total, records = sum(len(one.turns) for one in chosen), list[Record]()
    for way in before:
        records += track(answered(chosen, read, setup, way), way, total=total)
    found = {way: figures([one for one in records if one["before"] == way]) for way in before}
    yield Result({"figures": found}, "", [{**one, "set": dialogues.stem} for one in records])


def answered(
    dialogues: Sequence[Dialogue], collection: Collection, setup: Setup, before: Before
) -> Iterator[dict[str, Any]]:
    """Yield a record of each turn."""
    for name, file in collection.databases.items():
        if own := [dialogue for dialogue in dialogues if dialogue.database == name]:
            with Database.open(file, timeout=TIMEOUT) as database:
                answerer = setup.answerer(collection, name, database)
                for dialogue in own:
                    for record in _turns(dialogue, answerer, database, before, setup.beam):
                        yield {**record, "dialogue": dialogue.id, "before": before, "database": name}


def _turns(
    dialogue: Dialogue, answerer: Answerer, database: Database, before: Before, beam: int
) -> Iterator[dict[str, Any]]:
    utterances: list[str] = []
    query, sure = "", 1.0
    for number, turn in enumerate(dialogue.turns):
        if turn.utterance and turn.sql:
            history = (
                NO_HISTORY if before == "alone" else history_of(utterances, query or None, answerer.context, sure=sure)
            )
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
        utterances += [turn.utterance] if turn.utterance else []


def figures(records: list[Record]) -> dict[str, Any]:
    """Return the figures of records, by turn and by kind."""
    later = [one for one in records if one["number"]]
    wrong, every = ({one["dialogue"] for one in some} for some in ([r for r in records if not r["right"]], records))
    known = [one for one in later if one["needs"] is not None and one["carries"] is not None]
    kinds = grouped(({"kind": kind, **one} for one in later for kind in one["kinds"]), "kind")
    turns = grouped(({**one, "turn": min(one["number"], 4) + 1} for one in records), "turn")
    return {
        "turns": len(records),
        "ex": _ex(records),
        "ex of follow-ups": _ex(later),
        "whole dialogues": share(one not in wrong for one in every),
        "by turn": {str(turn): _ex(some) for turn, some in turns.items()},
        "by kind": {kind: {"ex": _ex(some), "turns": len(some)} for kind, some in kinds.items()},
        "follow-ups called ok": sum(one["status"] == "ok" for one in later),
        "right where ok": where_ok(later),
        "calibration error": calibration_error(later) if later else None,
        "needs context, rightly": share((one["carries"] >= 0.5) == one["needs"] for one in known),
    }


def _ex(records: list[Record]) -> float:
    return share(one["right"] for one in records)


if __name__ == "__main__":
    sys.exit(run(measure))
