"""Fill the prototypes' slots and write what the domain folder holds: pairs and entities.

    python -m querent.data.plant.instantiate

Every draw hangs on the prototype's id, the language and the instance's number alone, so a new
prototype leaves the pairs of the others as they are. A filling is kept only if the question's
numbers and times are read back as meant, and the first whose answer says something is taken.
"""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ..errors import DomainError
from ..examples import SLOT, Mention, bind, fill_sql
from ..literals import find
from .catalogue import HERE, LANGUAGES, entities
from .fillers import Filling, draw
from .generate import build
from .prototype import Prototype, numbered, read, slots

__all__ = ["INSTANCES", "entity_lines", "fill", "instantiate", "main"]

INSTANCES = 4
"""Pairs of one prototype in one language; a prototype without slots has one for each wording."""
_DRAWS = 40

Pair = dict[str, Any]


def instantiate(prototypes: Sequence[Prototype], *, language: str, database: sqlite3.Connection) -> list[Pair]:
    """Return the pairs of one language, no question twice.

    Each has ``id``, ``question`` and ``sql`` with slots, ``values`` by slot (``say`` and ``sql``),
    and ``prototype``.

    Raises:
        DomainError: a prototype finds no filling that is read back as meant.
    """
    pairs: list[Pair] = []
    asked: set[str] = set()
    for prototype in prototypes:
        wordings = prototype.wordings[language]
        for number in range(INSTANCES if slots(prototype.sql) else len(wordings)):
            rng = random.Random(f"{prototype.id}:{language}:{number}")
            wording = wordings[number % len(wordings)]
            pair = _best(prototype, wording, language=language, asked=asked, database=database, rng=rng)
            asked.add(fill(pair["question"], pair["values"])[0])
            pairs.append({"id": f"{prototype.id}.{language}.{number}", **pair})
    return pairs


def fill(question: str, values: Mapping[str, Mapping[str, str]]) -> tuple[str, tuple[Mention, ...]]:
    """Return the question with its slots filled, and where each value stands in it."""
    parts: list[str] = []
    mentions: list[Mention] = []
    end = length = 0
    for match in SLOT.finditer(question):
        value, kind = values[match[1] + match[2]], match[1]
        parts += [question[end : match.start()], value["say"]]
        length += match.start() - end + len(value["say"])
        end = match.end()
        literal = "number" if kind == "number" else "string"
        mentions.append(Mention(length - len(value["say"]), length, value["say"], kind, value["sql"], literal))
    return "".join([*parts, question[end:]]), tuple(mentions)


def entity_lines() -> Iterator[str]:
    """Yield the lines of entities.jsonl."""
    for entity in entities():
        yield _json({"sql": entity.sql, "type": entity.type, "says": entity.all_says()})


def main() -> None:
    """Write entities.jsonl and examples.<language>.jsonl beside this file."""
    _write(HERE / "entities.jsonl", entity_lines())
    prototypes = read()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plant.sqlite"
        build(path)
        with closing(sqlite3.connect(path)) as database:
            for language in LANGUAGES:
                pairs = instantiate(prototypes, language=language, database=database)
                _write(HERE / f"examples.{language}.jsonl", map(_json, pairs))
                print(f"{language}: {len(pairs)} pairs of {len(prototypes)} prototypes")


def _best(
    prototype: Prototype,
    wording: str,
    *,
    language: str,
    asked: set[str],
    database: sqlite3.Connection,
    rng: random.Random,
) -> Pair:
    names = numbered(wording)
    kept: Pair | None = None
    for _ in range(_DRAWS if names else 1):
        values = _values(prototype, names, language=language, rng=rng)
        pair: Pair = {
            "question": _renamed(wording, names),
            "values": values,
            "sql": _renamed(prototype.sql, names),
            "prototype": prototype.id,
        }
        text, mentions = fill(pair["question"], values)
        if text in asked or not _read_back(text, mentions, language):
            continue
        if _says_something(database, fill_sql(pair["sql"], bind(mentions))):
            return pair
        kept = kept or pair
    if kept is None:
        raise DomainError(
            f"prototype {prototype.id!r}: no filling of {wording!r} is new and read back as meant",
            file=prototype.file,
            hint="say no numbers or times outside the slots, add wordings",
        )
    return kept


def _values(
    prototype: Prototype, names: Mapping[str, str], *, language: str, rng: random.Random
) -> dict[str, dict[str, str]]:
    """Draw in the author's numbering, tags and kinds before the numbers that hang on them."""
    drawn: dict[str, Filling] = {}
    for slot in sorted(names, key=lambda s: (s.startswith("number"), s)):
        kind = slot.rstrip("0123456789")
        drawn[slot] = draw(kind, prototype.fill.get(slot), language=language, drawn=drawn, rng=rng)
    return {names[slot]: {"say": drawn[slot].say, "sql": drawn[slot].sql} for slot in names}


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return SLOT.sub(lambda match: f"{{{names[match[1] + match[2]]}}}", text)


def _read_back(text: str, mentions: Sequence[Mention], language: str) -> bool:
    """Tell whether the numbers and times found in ``text`` are those of its slots and no others."""
    meant = {(m.start, m.end, m.type, m.sql) for m in mentions if m.type in {"number", "time"}}
    return {(m.start, m.end, m.type, m.sql) for m in find(text, language=language)} == meant


def _says_something(database: sqlite3.Connection, sql: str) -> bool:
    """Tell whether the answer holds anything but nulls and zeros."""
    return any(cell not in {None, 0} for row in database.execute(sql) for cell in row)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write(path: Path, lines: Iterator[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
