"""``report.md`` of a run: the tables of the paper, and answers to look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .scores import Scores

__all__ = ["report"]


def report(summary: Mapping[str, Any], *, title: str) -> str:
    """Return the report as Markdown.

    Args:
        summary: what ``summary.json`` holds: ``config``, ``data``, ``classifiers``, ``best`` and ``scores``, the
            last a mapping of names such as ``test, gold values`` to `Scores.to_json`.
        title: of the domain.
    """
    scores = {name: Scores.from_json(found) for name, found in summary["scores"].items()}
    config, read = summary["config"], next(iter(_tests(scores).values()))
    constraint = config["constraint"]
    parts = [
        f"# {title}, {config['data']['split']} split",
        f"Encoder `{config['model']['encoder']}`, seed {config['seed']}, local constraint {_level(constraint)}, "
        f"global constraint {constraint['global']}. "
        f"Best on dev at step {summary['best']['step']} with exact match {_share(summary['best']['dev_em'])}.",
        "## Data",
        _table(["", "train", "dev", "test"], _data_rows(summary["data"])),
        *_left_out(summary["data"]["uncovered"]),
        *_refused(summary["data"]["refused"]),
        "## Parser",
        _table(["", *scores], _score_rows(scores)),
        "![Learning curves](learning.png)",
        "## Global constraint and values",
        _table(["", *scores], _upstream_rows(scores)),
        "## By SQL feature",
        _table(["feature", "n", *_pair_names(scores)], _group_rows(scores, "by_feature")),
        "## By query length",
        _table(["words", "n", *_pair_names(scores)], _group_rows(scores, "by_length")),
        "![Exact match by query length](lengths.png)",
        "## Wrong answers",
        *_wrong(read),
    ]
    return "\n\n".join(parts) + "\n"


_SCORES = {
    "n": "questions",
    "em": "exact match",
    "em_by_query": "exact match by query",
    "jaccard": "Jaccard similarity",
    "validity": "validity",
    "runs": "runs",
    "late": "stopped at the time limit",
    "execution": "execution accuracy",
    "execution_filled": "… where gold returns rows",
    "empty_gold": "gold without rows",
    "suite": "test-suite accuracy",
    "seconds": "seconds",
}
_UPSTREAM = {
    "table_f1": "table classifier, F1",
    "function_f1": "function classifier, F1",
    "entity_f1": "value finder, F1",
    "all_values_found": "every value of the query found",
    "inside_global": "every gold word inside the hard global constraint",
    "share_left": "share of the vocabulary left",
}


def _data_rows(data: Mapping[str, Any]) -> list[list[str]]:
    parts = ("train", "dev", "test")
    rows = [["questions", *(str(data["questions"][p]) for p in parts)]]
    rows.append(["distinct queries", *(str(data["queries"][p]) for p in parts)])
    rows.append(["gold queries with words unseen in training", *(str(data["unseen"][p]) for p in parts)])
    rows.append(["gold queries outside the grammar", *(str(data["outside"][p]) for p in parts)])
    refused = [sum(r["part"] == part for r in data["refused"]) for part in parts]
    rows.append(["distinct queries refused by the local constraint", *map(str, refused)])
    return rows


def _level(constraint: Mapping[str, Any]) -> str:
    if not constraint["local"]:
        return "off"
    return f"at level {constraint['level']}" + (", loose grouping" if constraint["grouping"] == "loose" else "")


def _refused(refused: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what the local constraint refuses, each query once."""
    if not refused:
        return []
    pairs: dict[str, int] = {}
    first: dict[str, Mapping[str, Any]] = {}
    for r in refused:
        first.setdefault(r["query"], r)
        pairs[r["query"]] = pairs.get(r["query"], 0) + r["pairs"]
    lines = "\n".join(f"- `{r['place']}` ({pairs[query]} pairs) {_cell(r['problem'])}" for query, r in first.items())
    head = f"Gold queries refused by the constraint: {len(first)}."
    return [f"{head} They are trained on, and cannot be answered as gold has them:\n\n{lines}"]


def _left_out(uncovered: Sequence[Mapping[str, Any]]) -> list[str]:
    if not uncovered:
        return []
    lines = "\n".join(f"- `{u['place']}` {_cell(u['problem'])}" for u in uncovered)
    return [f"Outside the grammar, left out of training and counted as wrong elsewhere:\n\n{lines}"]


def _score_rows(scores: Mapping[str, Scores]) -> list[list[str]]:
    return [[title, *(_figure(name, getattr(s, name)) for s in scores.values())] for name, title in _SCORES.items()]


def _upstream_rows(scores: Mapping[str, Scores]) -> list[list[str]]:
    return [[title, *(_figure(name, getattr(s, name)) for s in scores.values())] for name, title in _UPSTREAM.items()]


def _figure(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    return str(value) if name == "n" else f"{value:.1f}" if name == "seconds" else _share(value)


def _pair_names(scores: Mapping[str, Scores]) -> list[str]:
    return [f"{kind}, {name}" for name in _tests(scores) for kind in ("EM", "execution")]


def _tests(scores: Mapping[str, Scores]) -> dict[str, Scores]:
    return {name: s for name, s in scores.items() if s.part == "test"} or dict(scores)


def _group_rows(scores: Mapping[str, Scores], attribute: str) -> list[list[str]]:
    groups = [getattr(s, attribute) for s in _tests(scores).values()]
    return [
        [name, str(row["n"]), *(_share(g[name][kind]) for g in groups for kind in ("em", "execution"))]
        for name, row in groups[0].items()
    ]


def _wrong(scores: Scores) -> list[str]:
    if not scores.wrong:
        return ["None."]
    blocks = [f"From {scores.part}, {scores.values} values, the first {len(scores.wrong)}:"]
    for w in scores.wrong:
        blocks.append(f"**{_cell(w.question)}** (`{w.id}`)\n\n```sql\n-- gold\n{w.gold}\n-- got\n{w.got}\n```")
    return blocks


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = list(head)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(_cell(c) for c in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
