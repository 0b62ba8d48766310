"""Write docs/results.md from bench/results/*.json: python bench/report/tables.py"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any

from knowledge_tables import knowledge
from pieces import table
from promise_tables import gold, same, walks, writers
from shot_tables import answers, followed, selection

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "results.md"
FIGURES = {
    "EM": "em",
    "EM by query": "em_by_query",
    "execution": "execution",
    "runs": "runs",
    "Jaccard": "jaccard",
    "validity": "validity",
}
HEADS = {
    "table_f1": "tables F1",
    "column_f1": "columns F1",
    "function_f1": "functions F1",
    "all_values_found": "all values found",
    "inside_global": "gold inside (hard)",
    "share_left": "vocabulary left",
}
# ChESQL's own tables, on its own set, which was never published: EM, Jaccard, validity on test
PAPER = {
    "question": {"ChESQL, bilevel": (0.254, 0.818, 1.0), "ChESQL, seq2seq": (0.172, 0.799, 0.727)},
    "query": {"ChESQL, bilevel": (0.080, 0.741, 1.0), "ChESQL, seq2seq": (0.044, 0.699, 0.523)},
}
PAPER_UPSTREAM = ["ChESQL", "0.964", "–", "0.993", "–", "–", "–"]

ABLATIONS = (
    "The held-out databases of Spider again ([base.md](base.md)): the shipped network is asked with one thing changed,"
    " all before queries that make no sense came last, which adds .007. The normal form cannot be switched off: the"
    " pointers write nothing else."
)
TRAINED = "Networks trained from nothing for a few epochs, alike but for one thing; asked greedily, unconstrained:"
PROMISES = {
    "check": (
        "Gold queries",
        "Gold queries, with slots in place of values, that the constraint admits word by word at level `runs`."
        " css-yibao is read as its queries take it: grouped loosely, and one settlement for each visit. A query that"
        " runs and is refused is out of reach of the rules: it could fail on other rows (several for one), nests"
        " deeper than engines are sure to take, or rests on what the engine makes of a wrong type.",
        gold,
    ),
    "walks.json": (
        "Random walks",
        "Queries written under random logits at level `runs`, executed on rows drawn at random. Each engine's row names"
        " the constraint it was drawn with, by the beginning of a hash over the grammar's files: where they differ, the"
        " constraint was changed in between. One in nine of these queries was written in a way that sought signatures"
        " of functions and operators that the run had used least, and all were used; that way is gone, pairs of words"
        " are sought in its place. So of a seed the same command now writes other queries.",
        walks,
    ),
    "same-words.json": (
        "The constraint since",
        "The walks above are of the constraint that their rows name. What came after it, UNIQUE columns and"
        " less to remember, should change no query on these schemas, and of the same seeds both constraints write the"
        " same ones: their digests, over all queries, are equal. These are of the former walks, too.",
        same,
    ),
    "model-outputs.json": (
        "Outputs of a small model",
        "SmolLM2-135M-Instruct itself, under the mask, on such databases as they are, within 128 tokens.",
        writers,
    ),
}


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the page's text."""
    head, tail = (HERE / f"results.{part}.md" for part in ("head", "tail"))
    made = [domains(read(RESULTS / "domains.json")), ablations(read(RESULTS / "ablations.json"))]
    shown = [selection(read(RESULTS / "shot-selection.json")), answers(read(RESULTS / "llm-answers.json"))]
    shown.append(followed(read(RESULTS / "solved-questions.json")))
    shown.append(knowledge(read(RESULTS / "knowledge.json"), read(RESULTS / "grounding-weights.json")))
    return "".join([_text(head), *made, *shown, promises(RESULTS), _text(tail)])


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def read(place: Path) -> dict[str, Any]:
    """Return what a result file holds, or a folder's files, each as one set."""
    if place.is_dir():
        return {"sets": {file.stem: read(file) for file in sorted(place.glob("*.json"))}}
    return json.loads(place.read_text(encoding="utf-8"))


def domains(result: dict[str, Any]) -> str:
    """Return the section on accuracy: a table for each set and split, then classifiers and values."""
    groups: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for name, cell in result["sets"].items():
        group, _, seed = name.rpartition("/")
        groups[group][seed] = cell
    several = any(len(cells) > 1 for cells in groups.values())
    spoken = "Means over the seeds, with the range in brackets." if several else "One seed each: no spread is known."
    text = f"\n{spoken}\n\n`{result['command']}`\n\n{result['machine']}; {listed(result['versions'])}.\n"
    for group, cells in groups.items():
        text += accuracy(group, cells)
    text += "\n### Global constraint and values, on test\n\n"
    rows = [[g.replace("/", ", "), *(spread(cells, "own", f) for f in HEADS)] for g, cells in groups.items()]
    return text + table(["", *HEADS.values()], [*rows, PAPER_UPSTREAM])


def accuracy(group: str, cells: dict[str, dict[str, Any]]) -> str:
    """Return the table of one set and split."""
    first = next(iter(cells.values()))
    name, _, split = group.partition("/")
    seeds, minutes = ", ".join(cells), ", ".join(str(cell["minutes"]) for cell in cells.values())
    text = f"\n### {name}, {split} split: {first['scores']['own']['n']} test questions, seeds {seeds}\n\n"
    unlearnt = first["data"]["unlearnt"]
    text += f"{minutes} minutes of training. Gold queries that cannot be written: {listed(unlearnt)} questions.\n\n"
    ways = dict.fromkeys(way for cell in cells.values() for way in cell["scores"])
    rows = [[way, *(spread(cells, way, figure) for figure in FIGURES.values())] for way in ways]
    if name.startswith("plant"):
        rows += [
            [paper, f"{em:.3f}", "–", "–", "–", f"{jaccard:.3f}", f"{valid:.3f}"]
            for paper, (em, jaccard, valid) in PAPER[split].items()
        ]
    return text + table(["", *FIGURES], rows)


def ablations(result: dict[str, Any]) -> str:
    """Return the section on parts switched off, one at a time."""
    text = f"\n## Parts switched off\n\n{ABLATIONS}\n\n`{result['command']}`\n\n"
    asked = {name: row for name, row in result["sets"].items() if "questions" in row}
    figures = ("ex", "ex, columns in order", "executes", "ex of the best in the beam")
    rows = [[name, *(f"{row[key]:.3f}" for key in figures)] for name, row in asked.items()]
    text += table(["asked", "EX", "in order", "executes", "best in the beam"], rows)
    trained = {name: row for name, row in result["sets"].items() if name not in asked}
    rows = [[name, row["step"], f"{row['ex']:.3f}", f"{row['runs']:.3f}"] for name, row in trained.items()]
    return text + (f"\n{TRAINED}\n\n{table(['trained', 'steps', 'EX', 'runs'], rows)}" if rows else "")


def listed(found: dict[str, Any]) -> str:
    """Return names and values."""
    return ", ".join(f"{name} {value}" for name, value in found.items())


def spread(cells: dict[str, dict[str, Any]], way: str, figure: str) -> str:
    """Return mean and range over the seeds."""
    found = [cell["scores"].get(way, {}).get(figure) for cell in cells.values()]
    values = [value for value in found if value is not None]
    if not values:
        return "–"
    mean = f"{statistics.mean(values):.3f}"
    return mean if len({f"{v:.3f}" for v in values}) == 1 else f"{mean} ({min(values):.3f}–{max(values):.3f})"


def promises(folder: Path) -> str:
    """Return the sections on what the constraint promises."""
    text = ""
    for name, (title, about, rows) in PROMISES.items():
        result = read(folder / name)
        made = (result.get("engines") or result.get("sets") or {"": result}).values()
        commands = ", ".join(f"`{one['command']}`" for one in made)
        text += f"\n## {title}\n\n{about}\n\n{commands}\n\n{table(*rows(result))}"
    return text


if __name__ == "__main__":
    main()
