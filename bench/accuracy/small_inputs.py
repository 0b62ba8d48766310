"""Measure answers on small databases that a person has checked: how many are right, wrong and ok, or refused.

    .ci/engines python bench/accuracy/small_inputs.py --out bench/results/small-inputs.json
    python bench/accuracy/small_inputs.py --set questions --out bench/results/plain-questions.json

``reports``, ``reports-4`` and ``public`` are folders of ../shared/data: databases that other tools failed on, one kind
of trouble each, and an analyst's questions on public databases. Inputs of a server that is not at hand (`.ci/engines`)
are left out with a message. ``questions`` are the plain ones of tests/answers, which no choice may depend on; ``probe``
is for inspection. Rows are compared as in `held_out.py`. A question without a gold query is rightly refused. Of the
inputs' texts the result file has none.
"""

import json
import os
import sqlite3
import sys
import tempfile
import tomllib
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import sqlalchemy
from pymysql.constants.CLIENT import MULTI_STATEMENTS
from result_files import DATA, ROOT, Result, run
from rich.progress import track
from scores import Record

import querent
from bench.fuzz.engines import DIALECTS, VARIABLES, databases
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.errors import DatabaseError, SchemaError
from querent.data.shipped import shipped_database
from querent.evaluation.metrics import rows_match

SERVERS = ("postgres", "mariadb")
"""The engines that a script's second ending names; the others are SQLite's."""
ANSWERS = ROOT / "tests" / "answers"
SURE = 0.8

Question = tuple[str, Sequence[str]]
"""A question, and the queries whose rows are right; none where the database holds no answer."""


def measure(
    *,
    set_: Annotated[Literal["reports", "reports-4", "public", "questions", "probe"], "which inputs"] = "reports",
    parser: Annotated[Path | None, "folder of a network (default: the one that ships)"] = None,
) -> Iterator[Result]:
    """Answer all questions."""
    found: dict[str, list[Record]] = {}
    inputs = plain(set_) if set_ in ("questions", "probe") else collected(DATA / set_)
    for name, database, questions in track(list(inputs), "inputs"):
        variable = VARIABLES[DIALECTS[server]] if (server := server_of(database)) else ""
        if variable and variable not in os.environ:
            print(f"{name}: left out, {variable} names no server")
            continue
        with made(database) as place:
            found[name] = [{"input": name, **one} for one in answered(place, questions, parser)]
    records = [record for some in found.values() for record in some]
    yield Result(
        {"figures": {name: figures(some) for name, some in found.items()}, "all": figures(records)}, "", records
    )


def collected(folder: Path) -> Iterator[tuple[str, Path, Sequence[Question]]]:
    """Yield name, script or database and questions of each input of a folder."""
    for file in sorted(folder.glob("*.json")):
        if not file.name.startswith("validate"):
            listed = json.loads(file.read_text("utf-8"))
            golds = [list(filter(None, [one["sql"], *one.get("also", ())])) for one in listed]
            place = next(found for ending in (".sql", ".sqlite") if (found := file.with_suffix(ending)).exists())
            yield file.stem, place, [(one["q"], some) for one, some in zip(listed, golds, strict=True)]


def server_of(script: Path) -> str:
    """Return the engine of a script by its second ending, nothing for SQLite."""
    ending = Path(script.stem).suffix.removeprefix(".")
    return ending if ending in SERVERS else ""


def plain(name: str) -> Iterator[tuple[str, Path, Sequence[Question]]]:
    """Yield name, script or database and questions of each database of a plain set."""
    listed = tomllib.loads((ANSWERS / f"{name}.toml").read_text("utf-8"))["question"]
    for database in dict.fromkeys(one["database"] for one in listed):
        mine = [one for one in listed if one["database"] == database]
        questions = [(one["question"], [one["gold"], *one.get("also", ())] if "gold" in one else []) for one in mine]
        yield database, ANSWERS / "library.sql" if database == "library" else shipped_database(database), questions


@contextmanager
def made(script: Path) -> Generator[str]:
    """Make the database of a script, unless it is one; its file or URL is good until the end of the block."""
    if script.suffix != ".sql":
        yield str(script)
        return
    sql = script.read_text(encoding="utf-8")
    if server := server_of(script):
        many = {"connect_args": {"client_flag": MULTI_STATEMENTS}} if server == "mariadb" else {}
        with databases(server, 1, None) as (url,):
            engine = sqlalchemy.create_engine(str(url), isolation_level="AUTOCOMMIT", **many)
            with engine.connect() as connection:
                connection.exec_driver_sql(sql, execution_options={"no_parameters": True})
            engine.dispose()
            yield str(url)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{script.stem}.sqlite"
        with closing(sqlite3.connect(file)) as database:
            database.executescript(sql)
        yield str(file)


def answered(place: str, questions: Sequence[Question], parser: Path | None) -> Iterator[dict[str, Any]]:
    """Yield a record of each question; if the database cannot be opened, with the reason."""
    try:
        with querent.connect(place, parser=parser) as connection, Database.open(place) as database:
            for question, golds in questions:
                answer = connection.ask(question)
                kept = {"sql": answer.sql, "status": answer.status, "confidence": answer.confidence}
                yield {"question": question, "gold": list(golds), **kept, "right": is_right(answer, golds, database)}
    except (DatabaseError, SchemaError) as error:
        kept = {"sql": None, "status": "error", "confidence": 0.0, "right": False, "problem": str(error)}
        yield from ({"question": question, "gold": list(golds), **kept} for question, golds in questions)


def is_right(answer: querent.Answer, golds: Sequence[str], database: Database) -> bool:
    """Return whether an answer has the rows of a gold query, or is refused where there is none."""
    if answer.sql is None or answer.status == "error":
        return answer.sql is None and not golds
    rows = Rows(answer.columns, list(answer.rows))
    dialects = ("postgres" if '"' in gold else "mysql" if "`" in gold else "sqlite" for gold in golds)
    return any(rows_match(rows, database.fetch(gold), gold, one) for gold, one in zip(golds, dialects, strict=True))


def figures(records: Sequence[Record]) -> dict[str, int]:
    """Return counts of the questions, of the right answers, and of those that are wrong or refused."""

    def count(some: Sequence[Record], **wanted: Any) -> int:
        return sum(all(one[key] == value for key, value in wanted.items()) for one in some)

    answerable, others = ([one for one in records if bool(one["gold"]) is has] for has in (True, False))
    sure = [one for one in answerable if one["confidence"] > SURE]
    return {
        "questions": len(records),
        "right": count(records, right=True),
        "ok": count(records, status="ok"),
        "wrong, ok": count(records, right=False, status="ok"),
        "answerable": len(answerable),
        "answerable, right": count(answerable, right=True),
        "answerable, refused": count(answerable, sql=None),
        f"answerable, wrong with confidence above {SURE}": count(sure, right=False),
        "unanswerable": len(others),
        "unanswerable, refused": count(others, sql=None),
        "unanswerable, refused or unsure": len(others) - count(others, status="ok"),
    }


if __name__ == "__main__":
    sys.exit(run(measure))
