"""Let a small language model write SQL: unconstrained, under GRID's mask, and under ours. What runs, what is right?

    python bench/compare/small_model.py --grid-grammar sql_spider.grid
    python bench/compare/small_model.py --ways unconstrained querent --questions 3

SmolLM2-135M-Instruct answers questions of Spider's training part, one of each database before a second of any, drawn by
a seed among those whose gold query gives rows and whose prompt is not too long. The three ways have one prompt (tables
as CREATE TABLE, in lower case, since GRID writes no other; the question), and what the model makes of it is worked out
once. Greedy; single precision. Of an unconstrained output the SQL is cut out: fences go, and so does what stands before
SELECT, behind «;» and behind an empty line. Right is what gives the gold query's rows (`execution_match`, in order
where the gold query sorts). Answers are kept as they come, and a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spider
from grid_guide import grammar_file, made_of
from writing import WAYS, Writer

sys.path.append(str(Path(__file__).resolve().parents[1] / "accuracy"))  # result files of all rooms are written alike
from result_files import DATA, RESULTS, ROOT, made_by, save

from querent.data.databases.rows import Rows
from querent.evaluation.metrics import execution_match, is_ordered
from querent.llm.backends.smollm2 import PACKAGE


def main() -> None:
    """Ask, print the figures, and save them."""
    options = arguments()
    told = {name: getattr(options, name) for name in ("seed", "questions", "tokens", "longest")}
    done = {(row["place"], row["way"]): row for row in kept(options.answers, told)}
    if "grid" in options.ways:
        grammar_file(options.grid_grammar)
    writer = Writer(options.ways, options.tokens, options.grid_grammar, options.threads)
    chosen = list(drawn(writer, options))
    for number, question in enumerate(chosen, 1):
        todo = [way for way in options.ways if (question.place, way) not in done]
        if todo:
            answer(writer, question, todo, done, options)
            print(f"{number}/{len(chosen)}", json.dumps(summary(done, chosen[:number], options.ways)), flush=True)
    found = summary(done, chosen, options.ways)
    print(json.dumps(found, indent=1))
    packages = {"grid-guardrail", "grid-core"} if "grid" in options.ways else set[str]()
    made = made_by("querent", "torch", "transformers", PACKAGE, *sorted(packages))
    told |= made_of(options.grid_grammar)
    save(options.out, made | told | {"databases": len({q.database for q in chosen}), "ways": found})


def answer(
    writer: Writer,
    question: spider.Question,
    ways: list[str],
    done: dict[tuple[int, str], dict[str, Any]],
    options: argparse.Namespace,
) -> None:
    """Let the model answer a question in some ways, and keep what comes."""
    for written in writer.write(prompt(options.data, question), schema(options.data, question), ways):
        row = {"place": question.place, "database": question.database, **written}
        row |= judged(options.data, question, written["sql"])
        done[question.place, written["way"]] = row
        with options.answers.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def schema(folder: Path, question: spider.Question) -> Any:
    """Return the schema that a question is asked on."""
    return spider.schema_of(folder, question.database)


def prompt(folder: Path, question: spider.Question) -> str:
    """Return what the model is asked."""
    tables = spider.create_tables(schema(folder, question)).lower()
    return f"{tables}\n\nWrite a SELECT statement for: {question.text}"


def drawn(writer: Writer, options: argparse.Namespace) -> Iterator[spider.Question]:
    """Yield the questions that are asked, by the seed alone."""
    left = options.questions
    for question in spider.spread(spider.questions(options.data), random.Random(options.seed)):
        if not left:
            return
        due = spider.answer(options.data, question.database, question.gold)
        if isinstance(due, Rows) and due.rows and writer.length(prompt(options.data, question)) <= options.longest:
            left -= 1
            yield question


def judged(folder: Path, question: spider.Question, sql: str) -> dict[str, Any]:
    """Say whether a query runs, and whether it gives the gold query's rows."""
    found = spider.answer(folder, question.database, sql)
    if isinstance(found, str):
        return {"runs": False, "right": False, "problem": found}
    due = spider.answer(folder, question.database, question.gold)
    assert isinstance(due, Rows)  # questions were chosen so
    return {"runs": True, "right": execution_match(found.rows, due.rows, is_ordered(question.gold, "sqlite"))}


def kept(file: Path, told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the answers of an earlier run, or begin a file; a last line that was cut off goes.

    Raises:
        SystemExit: the earlier run was asked otherwise.
    """
    whole = file.read_bytes().rpartition(b"\n")[0] if file.exists() else b""
    lines = [json.loads(line) for line in whole.splitlines()]
    if lines and lines[0] != told:
        raise SystemExit(f"{file} has answers of another run, {lines[0]}: name another file by --answers")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(whole + b"\n" if lines else f"{json.dumps(told)}\n".encode())
    yield from lines[1:]


def summary(
    done: dict[tuple[int, str], dict[str, Any]], asked: list[spider.Question], ways: list[str]
) -> dict[str, dict[str, Any]]:
    """Return the figures of each way over the questions that have been asked."""
    found: dict[str, dict[str, Any]] = {}
    for way in ways:
        rows = [done[question.place, way] for question in asked]
        found[way] = {
            "questions": len(rows),
            **{what: sum(row[what] for row in rows) for what in ("ended", "runs", "right")},
            "failed": sum(bool(row["failed"]) for row in rows),
            "tokens, mean": round(statistics.mean(row["tokens"] for row in rows), 1),
            "ms a token, mask": round(
                1000 * sum(r["mask seconds"] for r in rows) / sum(r["tokens"] + 1 for r in rows), 2
            ),
            "ms, new schema": round(1000 * statistics.median(row["schema seconds"] for row in rows), 1),
        }
    return found


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "multi" / "spider-train", help="folder of Spider's part")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), help="how the model may write")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the choice of questions")
    parser.add_argument("--tokens", type=int, default=96, help="the most of an output")
    parser.add_argument("--longest", type=int, default=1500, help="tokens of a prompt; longer ones are passed over")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--grid-grammar", type=Path, help="grammars/sql_spider.grid of GRID's repository")
    parser.add_argument("--answers", type=Path, default=ROOT / "runs" / "small-model.jsonl", help="answers so far")
    parser.add_argument("--out", type=Path, default=RESULTS / "small-model.json", help="JSON of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
