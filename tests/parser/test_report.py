"""The report: every number finds its table, and nothing in a question breaks it."""

from __future__ import annotations

from querent.parser.plots import plot_learning, plot_lengths
from querent.parser.report import report
from querent.parser.scores import Judgement, Scores


def judged(n, *, exact, question="which | cities", **others):
    fields = {"execution": exact, "runs": True, "empty": False, **others}
    return Judgement(
        id=f"q{n}",
        question=question,
        gold="SELECT a FROM t",
        got="SELECT a FROM t" if exact else "SELECT b FROM t",
        query=f"query {n % 2}",
        length=8 * n,
        features=frozenset({"join"} if n % 2 else ()),
        exact=exact,
        jaccard=1.0 if exact else 0.5,
        valid=True,
        **fields,
    )


def scores(part, **others):
    rows = [judged(n, exact=n != 3) for n in range(1, 5)]
    return Scores.of(rows, part=part, split="query", values="gold", beam=1, **others)


def summary(found):
    parts = {"train": 7, "dev": 2, "test": 4}
    return {
        "config": {
            "data": {"split": "query"},
            "model": {"encoder": "scratch"},
            "constraint": {"local": True, "level": "runs", "grouping": "loose", "global": "soft"},
            "seed": 0,
        },
        "data": {
            "questions": parts,
            "queries": parts,
            "unseen": parts,
            "outside": parts,
            "uncovered": [{"place": "examples.jsonl:12", "problem": "stopped at WINDOW"}],
            "refused": [
                {"query": "q", "part": "train", "place": "examples.jsonl:7", "problem": "a is not in FROM", "pairs": 2},
                {"query": "q", "part": "test", "place": "examples.jsonl:9", "problem": "a is not in FROM", "pairs": 1},
            ],
        },
        "best": {"step": 20, "dev_em": 0.5},
        "scores": {name: s.to_json() for name, s in found.items()},
    }


def test_the_report_shows_scores_and_wrong_answers():
    found = {"train, gold values": scores("train"), "test, gold values": scores("test", table_f1=0.876)}
    text = report(summary(found), title="geography")
    assert "# geography, query split" in text
    assert "| exact match | 0.750 | 0.750 |" in text
    assert "| table classifier, F1 | – | 0.876 |" in text
    assert "| join | 2 | 0.500 | 0.500 |" in text
    assert "`examples.jsonl:12` stopped at WINDOW" in text
    assert "SELECT b FROM t" in text
    assert "which \\| cities" in text


def test_the_report_counts_what_the_constraint_refuses():
    told = summary({"test, gold values": scores("test")})
    text = report(told, title="geography")
    assert "local constraint at level runs, loose grouping, global constraint soft" in text
    assert "| distinct queries refused by the local constraint | 1 | 0 | 1 |" in text
    assert "Gold queries refused by the constraint: 1." in text
    assert "- `examples.jsonl:7` (3 pairs) a is not in FROM" in text
    told["data"]["refused"] = []
    told["config"]["constraint"]["local"] = False
    text = report(told, title="geography")
    assert "local constraint off" in text
    assert "Gold queries refused" not in text


def test_tables_are_square():
    text = report(summary({"test, gold values": scores("test")}), title="geography")
    for block in text.split("\n\n"):
        if block.startswith("|"):
            widths = {line.replace("\\|", "").count("|") for line in block.splitlines()}
            assert len(widths) == 1, block


def test_a_report_without_database_has_dashes():
    rows = [judged(1, exact=True, runs=None, execution=None, empty=None)]
    found = Scores.of(rows, part="test", split="query", values="gold", beam=1)
    text = report(summary({"test, gold values": found}), title="css")
    assert "| execution accuracy | – |" in text
    assert "None." in text


def test_plots_are_written(tmp_path):
    metrics = [{"step": 1, "loss": 3.0}, {"step": 2, "loss": 1.0}, {"step": 2, "dev_em": 0.5}]
    plot_learning(metrics, tmp_path / "learning.png")
    plot_lengths(scores("test").by_length, tmp_path / "lengths.png")
    for name in ("learning.png", "lengths.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
