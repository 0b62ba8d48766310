"""Measure a parser in conversations with a simulated user, on the proxy benchmarks or on questions of a collection.

    python bench/accuracy/proxies.py --set sparc --language en --systems alone state feedback
    python bench/accuracy/proxies.py --collection spider:../shared/data/multi/spider-train --systems feedback

A system is the memory of the parser (utterances and the query before, solved questions on the same database) with the
behaviour of its user: a user may answer a clarification question, by the first option with the right rows, and may
correct a wrong query, so that the next turn has the right one before it. EX (execution accuracy, columns in any order)
is over turns with one reading. In a whole dialogue an ambiguous turn counts as right where its answer is one of the
readings, one without an answer where it is not called `ok`. Of a collection the questions are on held-out databases.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from knowbench import unpacked
from result_files import RESULTS, Result, run
from rich.progress import track
from scores import Record, grouped, is_right, share

import querent
from querent.data.databases.database import Database
from querent.data.domains.collection import read_collection
from querent.dialogue.conversation import Answering, Conversation

SETS = {"spider": "train.json", "sparc": "sparc.json", "cosql": "cosql.json", "doubts": "doubts.json"}
SYSTEMS = {
    "alone": "",
    "state": "utterances query",
    "state, examples": "utterances query examples",
    "state, no query": "utterances",
    "state, no utterances": "query",
    "feedback": "utterances query clarifies corrects",
    "feedback, no clarification": "utterances query corrects",
    "feedback, no correction": "utterances query clarifies",
}
ONE_READING = {"ex": "right", "ok": "ok"}
SEVERAL_READINGS = {
    "answer is a reading": "right at once",
    "asked": "asked",
    "the meant one offered": "right option",
    "all among options and alternatives": "all found",
    "called ok": "ok",
}
NO_ANSWER = {"called ok": "ok", "refused": "refused"}
"""The names of figures, with the key of a record whose share they are."""


def measure(
    *,
    set_: Annotated[Literal["", "spider", "sparc", "cosql", "doubts"], "a proxy benchmark"] = "",
    collection: Annotated[str, "spider:FOLDER or chase:FOLDER"] = "",
    language: Annotated[Literal["en", "zh"], "of a proxy benchmark"] = "en",
    systems: Annotated[tuple[str, ...], f"of {', '.join(SYSTEMS)}"] = ("alone",),
    each: Annotated[int, "take every n-th dialogue only"] = 1,
    parser: Annotated[Path | None, "a saved parser; the shipped one if not given"] = None,
) -> Iterator[Result]:
    """Answer all dialogues in each system."""
    if bool(set_) == bool(collection):
        raise SystemExit("give --set or --collection")
    name = f"{set_}, {language}" if set_ else Path(collection.partition(":")[2]).name
    talks = list(of_set(set_, language) if set_ else of_collection(collection))[::each]
    found, records = dict[str, Any](), list[Record]()
    for system in systems:
        total = sum(len(talk["interaction"]) for talk in talks)
        own = list(track(answered(talks, SYSTEMS[system], parser), system, total=total))
        found[system] = figures(own)
        records += ({"system": system, **one} for one in own)
    yield Result({"systems": found}, name, records)


def of_set(name: str, language: str) -> Iterator[Record]:
    """Yield the dialogues of a proxy benchmark with their databases; a single question is a dialogue of one turn."""
    home = unpacked("proxies") / language
    for one in json.loads((home / SETS[name]).read_text(encoding="utf-8")):
        database = one.get("database_id") or one["db_id"]
        alone = {"utterance": one.get("question"), "kind": one.get("template"), **one}
        file, solved = home / "database" / database / f"{database}.sqlite", home / "solved" / f"{database}.jsonl"
        yield {"layout": database[-1], "file": file, "solved": solved, "interaction": one.get("interaction", [alone])}


def of_collection(spec: str) -> Iterator[Record]:
    """Yield dialogues of one turn for the questions of a collection on held-out databases."""
    collection = read_collection(spec).part("held-out")
    for pair in collection.pairs:
        turn = {"utterance": pair.question, "query": pair.sql, "kind": "open"}
        yield {"layout": pair.database, "file": collection.databases[pair.database], "interaction": [turn]}


def answered(talks: Sequence[Record], system: str, parser: Path | None) -> Iterator[Record]:
    """Yield a record of each turn."""
    for file in dict.fromkeys(talk["file"] for talk in talks):
        own = [(number, talk) for number, talk in enumerate(talks) if talk["file"] == file]
        solved = own[0][1]["solved"] if "examples" in system else None
        with querent.connect(file, parser=parser, examples=solved) as connection:
            for number, talk in own:
                for record in talked(connection, system, talk["interaction"]):
                    yield {"dialogue": number, "layout": talk["layout"], **record}


def talked(connection: Answering, system: str, turns: Sequence[Record]) -> Iterator[Record]:
    """Yield a record of each turn of a dialogue.

    A user who answers clarification questions skips the turn with the written reply if the turn is settled already.
    """
    database, talk, settled = connection.database, Conversation(connection), False
    assert database is not None
    for number, turn in enumerate(turns):
        if turn["kind"] == "reply" and settled and "clarifies" in system:
            continue
        talk.turns[:] = [
            replace(one, utterance=one.utterance * ("utterances" in system), sql=one.sql * ("query" in system))
            for one in talk.turns
            if "utterances" in system or "query" in system
        ]
        record = answered_turn(talk, database, system, turn)
        settled = record["settled"]
        yield {"number": number, "turn": min(number, 5) + 1, **record}


def answered_turn(talk: Conversation, database: Database, system: str, turn: Record) -> Record:
    """Answer one turn, react as the user of a system, and return the record."""

    def right(sql: str | None, gold: str) -> bool:
        return is_right(database.attempt(sql), database.attempt(gold), gold)

    before, answer, gold = len(talk.turns), talk.ask(turn["utterance"]), turn["query"]
    readings, clarification = turn.get("readings", [gold]), answer.clarification
    options = [one.sql for one in clarification.options] if clarification else []
    candidates = [answer.sql, *options, *(one.sql for one in answer.alternatives)]
    at_once = any(right(answer.sql, reading) for reading in readings)
    chosen = next((place for place, option in enumerate(options) if right(option, gold)), None)
    chooses = "clarifies" in system and chosen is not None
    settled = chooses or right(answer.sql, gold)
    if len(talk.turns) > before and chosen is not None and chooses:
        talk.choose(chosen, of="options")
    elif len(talk.turns) > before and "corrects" in system and not settled and gold and "reply" not in turn:
        talk.correct(gold)
    return {
        "kind": turn["kind"].split()[-1],
        "ambiguous": "readings" in turn,
        "question": turn["utterance"],
        "gold": gold,
        "sql": answer.sql,
        "ok": answer.status == "ok",
        "refused": answer.sql is None,
        "confidence": round(answer.confidence, 4),
        "right at once": at_once,
        "right": at_once or chooses,
        "settled": settled,
        "asked": clarification is not None,
        "right option": chosen is not None,
        "all found": all(any(right(sql, reading) for sql in candidates) for reading in readings),
    }


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """Return the figures of a system: for turns with one reading, with several, and without an answer."""
    several, none = [one for one in records if one["ambiguous"]], [one for one in records if not one["gold"]]
    clear = [one for one in records if one["gold"] and not one["ambiguous"]]
    later, unclear = ([one for one in clear if one[key]] for key in ("number", "asked"))
    found: dict[str, Any] = {}
    if clear:
        found = shares(clear, ONE_READING)
        found["right of ok"] = share(one["right at once"] for one in clear if one["ok"])
        found["asked per 100"] = round(100 * len(unclear) / len(clear), 1)
        changed = share(one["right option"] and not one["right at once"] for one in unclear)
        found["asked on clear ones"] = {"times": len(unclear), "changed": changed}
        found["by layout"] = shares_by(clear, "layout", ONE_READING)
    if later:
        wrong = {one["dialogue"] for one in records if (not one["right"] if one["gold"] else one["ok"])}
        found["ex of follow-ups"] = share(one["right"] for one in later)
        found["whole dialogues"] = share(one not in wrong for one in {one["dialogue"] for one in records})
        found["by turn"] = shares_by(clear, "turn", ONE_READING)
        found["by kind"] = shares_by(clear, "kind", ONE_READING)
    for name, some, names in (("ambiguous", several, SEVERAL_READINGS), ("unanswerable", none, NO_ANSWER)):
        if some:
            found[name] = shares(some, names) | {"by kind": shares_by(some, "kind", names)}
    return found


def shares(records: Sequence[Record], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the number of turns, and by name the share of those for which a key of the record is true."""
    return {"turns": len(records)} | {name: share(one[key] for one in records) for name, key in names.items()}


def shares_by(records: Sequence[Record], key: str, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the shares for each value of a key of the records."""
    return {str(value): shares(some, names) for value, some in grouped(records, key).items()}


if __name__ == "__main__":
    sys.exit(run(measure, out=RESULTS / "proxies.json"))
