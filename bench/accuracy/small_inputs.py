"""Ask the questions of ../shared/data/reports: small databases that other tools failed on, one kind of trouble each.

    .ci/engines python bench/accuracy/small_inputs.py --out bench/results/small-inputs.json

Where no PostgreSQL is at hand (QUERENT_POSTGRES_URL), its inputs are left out, and that is said. Rows are compared as
in `held_out.py`: columns in any order, rows as a bag unless the gold query sorts; a question without one is rightly
refused. ``--records`` keeps each question with its queries; of the inputs' texts the result file has none.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy
from result_files import DATA, save
from rich.progress import track

import querent
from querent.data.databases.database import Database
from querent.data.errors import DatabaseError, SchemaError
from querent.evaluation.metrics import execution_match, is_ordered

POSTGRES = os.environ.get("QUERENT_POSTGRES_URL")


def main() -> None:
    """Ask all, print the figures, and save them."""
    options = arguments()
    found: dict[str, Counter[str]] = {}
    records: list[dict[str, Any]] = []
    files = [file for file in sorted(options.data.glob("*.json")) if not file.name.startswith("validate")]
    for file in track(files, "inputs"):
        if file.stem.endswith(".postgres") and POSTGRES is None:
            print(f"{file.stem}: left out, QUERENT_POSTGRES_URL names no server")
            continue
        with made(file.with_suffix(".sql")) as place:
            some = [{"input": file.stem, **record} for record in asked(place, json.loads(file.read_text("utf-8")))]
        found[file.stem] = Counter(record["verdict"] for record in some)
        records += some
    total = sum(found.values(), Counter[str]())
    print(json.dumps({**found, "all": total}, indent=1))
    if options.out:
        save(options.out, {"figures": {name: dict(n) for name, n in found.items()}, "all": total})
    if options.records:
        options.records.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), "utf-8")


@contextmanager
def made(script: Path) -> Generator[str]:
    """Make the database of a script; its file or URL is good until the end of the block."""
    sql = script.read_text(encoding="utf-8")
    if not script.stem.endswith(".postgres"):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{script.stem}.sqlite"
            with closing(sqlite3.connect(file)) as database:
                database.executescript(sql)
            yield str(file)
        return
    assert POSTGRES is not None
    server = sqlalchemy.create_engine(POSTGRES, isolation_level="AUTOCOMMIT")
    url = sqlalchemy.make_url(POSTGRES).set(database=f"querent_inputs_{secrets.token_hex(4)}")
    with server.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {url.database}")
        try:
            inside = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
            with inside.connect() as own:
                own.exec_driver_sql(sql, execution_options={"no_parameters": True})
            inside.dispose()
            yield url.render_as_string(hide_password=False)
        finally:
            connection.exec_driver_sql(f"DROP DATABASE {url.database} WITH (FORCE)")
    server.dispose()


def asked(place: str, inputs: list[dict[str, Any]]) -> Generator[dict[str, Any]]:
    """Yield what each question is answered, and whether that is right."""
    try:
        with querent.connect(place) as connection, Database.open(place) as database:
            for one in inputs:
                answer = connection.ask(one["q"])
                told = {"question": one["q"], "gold": one["sql"], "sql": answer.sql, "confidence": answer.confidence}
                yield {**told, "verdict": verdict(answer, one["sql"], database)}
    except (DatabaseError, SchemaError) as error:
        for one in inputs:
            yield {"question": one["q"], "gold": one["sql"], "problem": str(error), "verdict": "refused"}


def verdict(answer: querent.Answer, gold: str | None, database: Database) -> str:
    """Return whether an answer is right or wrong and ``ok`` or ``unsure``, or an error, or refused."""
    if answer.sql is None:
        return "refused" if gold else "right, refused"
    if answer.status == "error" or gold is None:
        return "error" if gold else f"wrong, {answer.status}"
    wanted = database.fetch(gold).rows
    ordered = is_ordered(gold, "postgres" if '"' in gold else "sqlite")
    right = execution_match(list(answer.rows), wanted, ordered=ordered, any_columns=True)
    return f"{'right' if right else 'wrong'}, {answer.status}"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "reports", help="folder of NAME.sql and NAME.json")
    parser.add_argument("--out", type=Path, help="result file")
    parser.add_argument("--records", type=Path, help="file of questions and answers, a line each")
    return parser.parse_args()


if __name__ == "__main__":
    main()
