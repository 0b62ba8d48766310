"""The report: every number finds its table, and nothing in a question breaks it."""

from querent.evaluation.scored_run import plot_learning, report
from querent.evaluation.scores import Judgement, Scores


def judged(n, *, exact, question="which | cities", **others):
    fields = {"execution": exact, "runs": True, "empty_gold": False, **others}
    return Judgement(
        id=f"q{n}",
        question=question,
        gold="SELECT a FROM t",
        got="SELECT a FROM t" if exact else "SELECT b FROM t",
        query=f"query {n % 2}",
        em=exact,
        jaccard=1.0 if exact else 0.5,
        validity=True,
        **fields,
    )


def scores(part, **others):
    rows = [judged(n, exact=n != 3) for n in range(1, 5)]
    return Scores.of(rows, part=part, split="query", values="gold", beam=1, **others)


def unlearnt(part, line, problem, pairs):
    return {"query": "q", "part": part, "place": f"examples.jsonl:{line}", "problem": problem, "pairs": pairs}


def summary(found):
    parts = {"train": 7, "dev": 2, "test": 4}
    queries = [
        unlearnt("train", 7, "the constraint does not allow a | b", 2),
        unlearnt("test", 9, "no question says 'x'", 1),
    ]
    return {
        "config": {
            "data": {"split": "query"},
            "model": {"base": "none"},
            "constraint": {"level": "runs", "global": "soft"},
            "seed": 3,
        },
        "data": {
            "questions": parts,
            "queries": parts,
            "unlearnt": {"train": 2, "dev": 0, "test": 1},
            "queries_unlearnt": queries,
        },
        "best": {"epoch": 20, "dev_em": 0.5},
        "seconds": 90.0,
        "scores": {name: s.to_json() for name, s in found.items()},
    }


def test_the_report_shows_scores_and_wrong_answers():
    found = {"train, gold values": scores("train"), "test, gold values": scores("test", table_f1=0.876)}
    text = report(summary(found), title="geography")
    assert "# geography, query split" in text
    assert "Base `none`, seed 3, local constraint runs, global constraint soft; 1.5 minutes" in text
    assert "Best on dev at epoch 20 with exact match 0.500" in text
    assert "| exact match | 0.750 | 0.750 |" in text
    assert "| table classifier, F1 | – | 0.876 |" in text
    assert "SELECT b FROM t" in text
    assert "which \\| cities" in text
    tables = [block.replace("\\|", "").splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(tables) == 3 and all(len({line.count("|") for line in table}) == 1 for table in tables)


def test_the_report_tells_what_cannot_be_written():
    told = summary({"test, gold values": scores("test")})
    text = report(told, title="geography")
    assert "| questions whose gold query cannot be written | 2 | 0 | 1 |" in text
    assert "- `examples.jsonl:7` (train, 2 pairs) the constraint does not allow a \\| b\n- `examples.jsonl:9`" in text
    told["data"]["queries_unlearnt"] = []
    assert "left out of training" not in report(told, title="geography")


def test_a_report_without_database_has_dashes():
    rows = [judged(1, exact=True, runs=None, execution=None, empty_gold=None)]
    found = Scores.of(rows, part="test", split="query", values="gold", beam=1)
    text = report(summary({"test, gold values": found}), title="css")
    assert "| execution accuracy | – |" in text
    assert "None." in text


def test_the_curve_is_drawn(tmp_path):
    curve = [{"epoch": 1, "loss": 3.0}, {"epoch": 2, "loss": 1.0, "dev_em": 0.5}]
    plot_learning(curve, tmp_path / "learning.png")
    assert (tmp_path / "learning.png").read_bytes().startswith(b"\x89PNG")
