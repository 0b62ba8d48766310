"""Measure a parser in conversations, on the proxy benchmarks or on questions of a collection.

    python bench/accuracy/proxies.py --set sparc --language en --systems alone state feedback
    python bench/accuracy/proxies.py --collection spider:../shared/data/multi/spider-train --systems feedback

A system is what the parser remembers (utterances and the query before, solved questions of the same database) and what
its user does: a user may answer what is asked back, with the first option whose rows are the right ones, and may put a
wrong query right, so that the next turn leans on the right one. EX (execution accuracy, columns in any order) is over
turns with one reading. In a whole dialogue an ambiguous turn counts as right where its answer is one of the readings,
one without an answer where it is not called `ok`. Of a collection the questions on held-out databases are asked.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from formulas import share
from frozen import unpacked
from held_out import is_right
from result_files import RESULTS, add
from rich.progress import track

import querent
from querent.data.databases.database import Database
from querent.data.domains.collection import read_collection
from querent.dialogue.conversation import Conversation, Talks

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
Record = Mapping[str, Any]


def main() -> None:
    """Ask, print the figures of each system, and put them beside those of other sets."""
    options = arguments()
    if options.collection:
        name, talks = Path(options.collection.partition(":")[2]).name, list(of_collection(options.collection))
    else:
        name, talks = f"{options.set}, {options.language}", list(of_set(options.set, options.language))
    talks, found = talks[:: options.each], dict[str, Any]()
    for system in options.systems:
        total = sum(len(talk["interaction"]) for talk in talks)
        records = list(track(answered(talks, SYSTEMS[system], options.parser), system, total=total))
        found[system] = figures(records)
        if options.records:
            lines = (json.dumps({"system": system, **one}, ensure_ascii=False) + "\n" for one in records)
            Path(f"{options.records}.{system}.jsonl").write_text("".join(lines), encoding="utf-8")
    print(json.dumps(found, indent=1, ensure_ascii=False))
    add(options.out, name, {"systems": found})


def of_set(name: str, language: str) -> Iterator[Record]:
    """Yield the dialogues of a proxy benchmark with their files; a single question is a dialogue of one turn."""
    home = unpacked("proxies") / language
    for one in json.loads((home / SETS[name]).read_text(encoding="utf-8")):
        database = one.get("database_id") or one["db_id"]
        alone = {"utterance": one.get("question"), "kind": one.get("template"), **one}
        file, solved = home / "database" / database / f"{database}.sqlite", home / "solved" / f"{database}.jsonl"
        yield {"database": database, "file": file, "solved": solved, "interaction": one.get("interaction", [alone])}


def of_collection(spec: str) -> Iterator[Record]:
    """Yield the same of the questions of a collection on held-out databases."""
    collection = read_collection(spec).part("held-out")
    for pair in collection.pairs:
        turn = {"utterance": pair.question, "query": pair.sql, "kind": "open"}
        yield {"database": pair.database, "file": collection.databases[pair.database], "interaction": [turn]}


def answered(talks: Sequence[Record], system: str, parser: Path | None) -> Iterator[Record]:
    """Yield a record of each turn."""
    for file in dict.fromkeys(talk["file"] for talk in talks):
        own = [(number, talk) for number, talk in enumerate(talks) if talk["file"] == file]
        solved = own[0][1]["solved"] if "examples" in system else None
        with querent.connect(file, parser=parser, examples=solved) as connection:
            for number, talk in own:
                for record in talked(connection, system, talk["interaction"]):
                    yield {"dialogue": number, "database": talk["database"], **record}


def talked(connection: Talks, system: str, turns: Sequence[Record]) -> Iterator[Record]:
    """Yield a record of each turn of a dialogue.

    A user who answers what is asked back skips the reply that is written for it, where the turn is settled already.
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
        record = asked(talk, database, system, turn)
        settled = record["settled"]
        yield {"number": number, **record}


def asked(talk: Conversation, database: Database, system: str, turn: Record) -> Record:
    """Ask one turn, do what the user of a system does, and return the record."""

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
        "kind": turn["kind"],
        "question": turn["utterance"],
        "gold": gold,
        "sql": answer.sql,
        "status": answer.status,
        "confidence": round(answer.confidence, 4),
        "right at once": at_once,
        "right": at_once or chooses,
        "settled": settled,
        "asked": clarification and clarification.kind,
        "right option": chosen is not None,
        "all found": all(any(right(sql, reading) for sql in candidates) for reading in readings),
    }


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """Return what the records of a system come to: turns with one reading, with several, and without an answer."""
    several = [one for one in records if one["kind"].startswith("ambiguous")]
    none = [one for one in records if not one["gold"]]
    clear = [one for one in records if one["gold"] and not one["kind"].startswith("ambiguous")]
    later = [one for one in clear if one["number"]]
    found = one_reading(clear) if clear else {}
    if later:
        found["ex of follow-ups"] = share(one["right"] for one in later)
        found["whole dialogues"] = share(grouped(records, lambda one: one["dialogue"], all_right).values())
        found["by turn"] = grouped(clear, lambda one: min(one["number"], 5) + 1, ex)
        found["by kind"] = grouped(clear, lambda one: one["kind"], ex)
    for name, some, come_to in (("ambiguous", several, several_readings), ("unanswerable", none, no_answer)):
        if some:
            found[name] = come_to(some) | {"by kind": grouped(some, lambda one: one["kind"].split()[1], come_to)}
    return found


def one_reading(records: Sequence[Record]) -> dict[str, Any]:
    """Return how turns with one reading fare; «changed» is how often asking back put a wrong answer right."""
    asked = [one for one in records if one["asked"]]
    changed = share(one["right option"] and not one["right at once"] for one in asked)
    return {
        **ex(records),
        "ok": share(one["status"] == "ok" for one in records),
        "right of ok": share(one["right at once"] for one in records if one["status"] == "ok"),
        "asked per 100": round(100 * len(asked) / len(records), 1),
        "asked on clear ones": {"times": len(asked), "changed": changed},
        "by layout": grouped(records, lambda one: one["database"][-1], ex),
    }


def several_readings(records: Sequence[Record]) -> dict[str, Any]:
    """Return how turns with several readings fare."""
    return {
        "turns": len(records),
        "answer is a reading": share(one["right at once"] for one in records),
        "asked": share(one["asked"] is not None for one in records),
        "the meant one offered": share(one["right option"] for one in records),
        "all among options and alternatives": share(one["all found"] for one in records),
        "called ok": share(one["status"] == "ok" for one in records),
    }


def no_answer(records: Sequence[Record]) -> dict[str, Any]:
    """Return how turns without an answer fare."""
    refused = share(one["sql"] is None for one in records)
    return {"turns": len(records), "called ok": share(one["status"] == "ok" for one in records), "refused": refused}


def ex(records: Sequence[Record]) -> dict[str, Any]:
    """Return how many turns there are, and their EX."""
    return {"turns": len(records), "ex": share(one["right"] for one in records)}


def all_right(records: Sequence[Record]) -> bool:
    """Is each turn of a dialogue right, or not called `ok` where it has no answer?"""
    return all(one["right"] if one["gold"] else one["status"] != "ok" for one in records)


def grouped(records: Sequence[Record], key: Callable[[Record], Any], come_to: Callable[..., Any]) -> dict[str, Any]:
    """Return what the records of each group come to."""
    found = defaultdict[Any, list[Record]](list)
    for one in records:
        found[key(one)].append(one)
    return {str(name): come_to(some) for name, some in sorted(found.items())}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--set", choices=tuple(SETS), help="a proxy benchmark")
    source.add_argument("--collection", help="spider:FOLDER or chase:FOLDER")
    parser.add_argument("--language", choices=["en", "zh"], default="en", help="of a proxy benchmark")
    parser.add_argument("--systems", nargs="+", choices=tuple(SYSTEMS), default=["alone"])
    parser.add_argument("--each", type=int, default=1, help="take every n-th dialogue only")
    parser.add_argument("--parser", type=Path, help="a saved parser; the shipped one if not given")
    parser.add_argument("--records", type=Path, help="FILE.SYSTEM.jsonl gets a record of each turn")
    parser.add_argument("--out", type=Path, default=RESULTS / "proxies.json", help="JSON of the figures of all sets")
    return parser.parse_args()


if __name__ == "__main__":
    main()
