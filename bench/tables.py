"""Write docs/results.md from bench/results/*.json: python bench/tables.py"""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any

from promise_tables import gold, levels, rules, same, steps, walks

HERE = Path(__file__).resolve().parent
SYSTEMS = {
    "bilevel (soft)": "test, gold values",
    "bilevel (hard)": "test, gold values, hard",
    "local only": "test, gold values, local",
    "off (seq2seq)": "test, gold values, off",
    "bilevel, own values": "test, own values",
}
FIGURES = {
    "EM": "em",
    "EM by query": "em_by_query",
    "Jaccard": "jaccard",
    "validity": "validity",
    "execution": "execution",
}
# ChESQL's own tables, on its own set, which was never published: EM, Jaccard, validity on test
PAPER = {
    "question": {"ChESQL, bilevel": (0.254, 0.818, 1.0), "ChESQL, seq2seq": (0.172, 0.799, 0.727)},
    "query": {"ChESQL, bilevel": (0.080, 0.741, 1.0), "ChESQL, seq2seq": (0.044, 0.699, 0.523)},
}
PAPER_UPSTREAM = ("ChESQL", "0.964", "0.993", "0.966", "–", "–", "–")
TARGETS = {"geography/question": 0.72, "geography/query": 0.65, "css-yibao/question": 0.80}

PROMISES = {
    "steps.json": (
        "A step of the constraint",
        "Microseconds of the processor that a mask and the word after it cost a hypothesis where 160 walk side by side,"
        " medians over all hypotheses' steps. At level `runs` random walks meet new states nearly always, the domain's"
        " own queries seldom; at level `grammar` some thousands of queries have met most. «again» is the same walks"
        " once more, and what they find remembered depends on how many states there were.",
        steps,
    ),
    "gold.json": (
        "Gold queries",
        "Gold queries, with slots in place of values, that the constraint admits word by word at level `runs`."
        " css-yibao is read as its queries take it: grouped loosely, and one settlement for each visit. A query that"
        " runs and is refused is out of reach of the rules: it could fail on other rows (several for one), nests"
        " deeper than engines are sure to take, or rests on what the engine makes of a wrong type.",
        gold,
    ),
    "levels.json": (
        "Levels of the constraint",
        "The same networks at the lowest and the highest level, test questions, gold values, greedy. They were trained"
        " for this table with the settings and seeds above; a newer transformers makes other networks of them."
        " css-yibao runs on a MariaDB made for it. An answer that does not run at level `runs` was stopped at the time"
        " limit.",
        levels,
    ),
    "walks.json": (
        "Random walks",
        "Queries written under random logits at level `runs`, executed on rows drawn at random. A run that is begun"
        " is not finished; its counts are those so far. Each engine's row names the constraint it was drawn with, by"
        " the beginning of a hash over the grammar's files: where they differ, the constraint was changed in between.",
        walks,
    ),
    "same-words.json": (
        "The constraint since",
        "The walks above are of the constraint that their rows name. What came after it, `Batch`, UNIQUE columns and"
        " less to remember, should change no query on these schemas, and of the same seeds both constraints write the"
        " same ones: their digests, over all queries, are equal.",
        same,
    ),
    "sensitivity.json": (
        "Rules switched off",
        "Errors of random walks when one rule is switched off: errors in queries (in 10,000); – is not measured, or a"
        " rule that the engine's dialect does not have. Where there are none, a query that the engine refuses, and the"
        " constraint admits without the rule, stands in tests/engines/test_rare_rules.py. «Of few words» is the same"
        " command with `--few`, «on wide.sql» with `--schema bench/schemas/wide.sql`.",
        rules,
    ),
}


def main() -> None:
    """Write the page."""
    page = (HERE / "results.head.md").read_text(encoding="utf-8")
    page += parsers(json.loads((HERE / "results" / "parsers.json").read_text(encoding="utf-8")))
    loss_file = HERE / "results" / "constraint-loss.json"
    if loss_file.exists():
        page += constraint_loss(json.loads(loss_file.read_text(encoding="utf-8")), HERE / "results" / "parsers.json")
    speed_file = HERE / "results" / "speed.json"
    if speed_file.exists():
        page += speed(json.loads(speed_file.read_text(encoding="utf-8")))
    page += promises(HERE / "results")
    (HERE.parent / "docs" / "results.md").write_text(page, encoding="utf-8")


def parsers(result: dict[str, Any]) -> str:
    """Return the section on accuracy: a table for each set and split, then classifiers and values."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for name, cell in result["cells"].items():
        groups[name.rpartition("/")[0]].append(cell)
    versions = ", ".join(f"{k} {v}" for k, v in result["versions"].items())
    text = f"\n{commands(result)}\n\n{result['machine']}; {versions}.\n"
    for group, cells in groups.items():
        seeds = sorted(n.rpartition("/")[2] for n in result["cells"] if n.startswith(group + "/"))
        text += f"\n### {group.replace('/', ', ')} split: {cells[0]['scores']['test, gold values']['n']} test questions"
        text += f", encoder {cells[0]['encoder']}, seeds {', '.join(seeds)}\n\n"
        rows = [[k, *(spread(cells, v, f) for f in FIGURES.values())] for k, v in SYSTEMS.items()]
        if group.startswith("plant"):
            found = PAPER[group.partition("/")[2]]
            rows += [
                [k, f"{em:.3f}", "–", f"{jaccard:.3f}", f"{valid:.3f}", "–"]
                for k, (em, jaccard, valid) in found.items()
            ]
        text += table(["", *FIGURES], rows)
        train = ", ".join(
            f"{k} {spread(cells, 'train, gold values', f)}" for k, f in FIGURES.items() if f != "execution"
        )
        text += f"\nOn the training part (300 questions at most), bilevel: {train}.\n"
        if group in TARGETS:
            text += f"Aimed at: EM {TARGETS[group]:.2f}.\n"
    text += "\n### Global constraint and value finder, on test\n\n"
    figures = ("table_f1", "function_f1", "entity_f1", "all_values_found", "inside_global", "share_left")
    heads = ["", "tables F1", "functions F1", "values F1", "all values found", "gold inside (hard)", "vocabulary left"]
    rows = [[g, *(spread(c, "test, own values", f) for f in figures)] for g, c in groups.items()]
    return text + table(heads, [*rows, list(PAPER_UPSTREAM)])


def constraint_loss(result: dict[str, Any], plain_file: Path) -> str:
    """Return the section on the paper's constraint loss: the same cells with it and without."""
    plain = json.loads(plain_file.read_text(encoding="utf-8"))["cells"]
    text = (
        "\n## The constraint loss\n\nThe paper's two terms, alpha = beta = 1e-3, against none; all else equal, the same"
    )
    text += f" seeds.\n\n{commands(result)}\n\n"
    groups: dict[str, list[str]] = defaultdict(list)
    for name in result["cells"]:
        groups[name.rpartition("/")[0]].append(name)
    rows: list[list[Any]] = []
    for group, names in groups.items():
        for label, cells in (("with", [result["cells"][n] for n in names]), ("without", [plain[n] for n in names])):
            dev = statistics.mean(cell["best"]["dev_em"] for cell in cells)
            tested = [spread(cells, way, "em") for way in ("test, gold values", "test, gold values, off")]
            rows.append([group.replace("/", ", "), label, len(cells), f"{dev:.3f}", *tested])
    return text + table(["", "constraint loss", "seeds", "dev EM", "test EM", "test EM, constraints off"], rows)


def commands(result: dict[str, Any]) -> str:
    """Return the commands that the cells were made with."""
    return ", ".join(f"`{command}`" for command in sorted({cell["command"] for cell in result["cells"].values()}))


def spread(cells: list[dict[str, Any]], way: str, figure: str) -> str:
    """Return mean and range over the seeds."""
    found = [cell["scores"][way].get(figure) for cell in cells]
    values = [value for value in found if value is not None]
    if not values:
        return "–"
    mean = f"{statistics.mean(values):.3f}"
    return mean if len({f"{v:.3f}" for v in values}) == 1 else f"{mean} ({min(values):.3f}–{max(values):.3f})"


def speed(result: dict[str, Any]) -> str:
    """Return the section on speed."""
    text = f"\n## Speed\n\n`{result['command']}`\n\n{result['machine']}; {result['questions']} test questions, "
    text += f"a vocabulary of {result['words']} words, medians over rounds. With constraints a hypothesis may not end "
    text += "before its query is whole, so a search can take more steps; «masks alone» is the share of the time that "
    text += "the local constraint takes itself.\n\n"
    heads = ["batch", "beam", "questions/s", "without constraints", "cost", "cost a word", "range of rounds", "limit",
             "steps with / without", "masks alone"]  # fmt: skip
    rows = [
        [r["batch"], r["beam"], r["per_second"], r["per_second_unconstrained"], f"{r['cost']:.1%}",
         f"{r['cost_by_word']:.1%}", f"{r['spread'][0]:.0%} to {r['spread'][1]:.0%}", f"{r['limit']:.0%}",
         f"{r['steps']} / {r['steps_unconstrained']}", f"{r['masks']:.1%}"]
        for r in result["rows"]
    ]  # fmt: skip
    return text + table(heads, rows)


def promises(folder: Path) -> str:
    """Return the sections on what the constraint promises, of the result files that there are."""
    text = ""
    for name, (title, about, rows) in PROMISES.items():
        file = folder / name
        if not file.exists():
            continue
        result = json.loads(file.read_text(encoding="utf-8"))
        made = result.get("engines", {"": result}).values()
        commands = ", ".join(f"`{one['command']}`" for one in made)
        text += f"\n## {title}\n\n{about}\n\n{commands}\n\n{table(*rows(result))}"
    return text


def table(heads: list[str], rows: list[list[Any]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


if __name__ == "__main__":
    main()
