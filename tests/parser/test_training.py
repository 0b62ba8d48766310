"""A run from a domain to a scored parser, and what is refused before it begins."""

from dataclasses import replace
from pathlib import Path

import pytest
from tiny_domain import options, write

from querent.data.domains.loading import load_domain
from querent.data.errors import DomainError, InputError, RunError
from querent.dialogue.connection import connect
from querent.evaluation.scored_run import train
from querent.parser.network.saved import load_network
from querent.parser.reader import profile as domain_profile
from querent.parser.settings.options import TrainConfig
from querent.parser.settings.run_folder import RunFolder


@pytest.fixture(autouse=True)
def _short_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain_profile, "_SHORTEST", 0)


def config(folder: Path, *more: str) -> TrainConfig:
    return TrainConfig.load(None, options(folder / "encoder", *more))


def test_the_run_folder_is_complete(tiny: Path) -> None:
    names = {p.name for p in (tiny / "run").iterdir()}
    written = {"config.yaml", "values.sqlite", "curve.jsonl", "checkpoint.pt", "stages", "best"}
    assert names == written | {"report.md", "learning.png", "summary.json"}
    best = {
        "config.json",
        "model.safetensors",
        "README.md",
        "domain.json",
        "values.sqlite",
        "hashes.json",
        "numbering.json",
        "reader.onnx",
        "writer.onnx",
    }
    assert {p.name for p in (tiny / "run" / "best").iterdir()} == best
    assert TrainConfig.load(tiny / "run" / "config.yaml").optim.epochs == 30


def test_it_learns_its_pairs_by_heart_and_says_so(tiny: Path) -> None:
    summary = RunFolder(tiny / "run").summary()
    rows = RunFolder(tiny / "run").curve()
    assert [row["epoch"] for row in rows] == list(range(1, 31))
    assert rows[-1]["loss"] < 0.5 < 2 < rows[0]["loss"]
    assert [row["epoch"] for row in rows if "dev_em" in row] == [30]
    assert summary["best"] == {"epoch": 30, "dev_em": rows[-1]["dev_em"]}
    scores = summary["scores"]
    assert set(scores) == {"train, own values", "dev, own values", "test, gold values", "test, own values"}
    assert [scores[name]["n"] for name in scores] == [5, 5, 5, 5]
    assert all(found["validity"] == found["runs"] == 1.0 for found in scores.values())
    # other states than those of the training part, whose names are values and no words
    assert min(found["em"] for found in scores.values()) >= 0.8
    assert scores["dev, own values"]["em"] == rows[-1]["dev_em"]
    assert summary["data"]["questions"] == {"train": 20, "dev": 5, "test": 5}
    assert summary["data"]["queries"] == {"train": 5, "dev": 5, "test": 5}
    assert summary["data"]["queries_unlearnt"] == []


def test_the_report_and_the_card_tell_of_it(tiny: Path) -> None:
    text = (tiny / "run" / "report.md").read_text(encoding="utf-8")
    assert text.startswith("# tiny, question split\n")
    em = RunFolder(tiny / "run").summary()["scores"]["test, own values"]["em"]
    line = next(line for line in text.splitlines() if line.startswith("| exact match |"))
    assert line.endswith(f" {em:.3f} |")
    card = (tiny / "run" / "best" / "README.md").read_text(encoding="utf-8")
    assert "A parser of questions on tiny" in card
    assert "| tables | city, state |" in card


def test_a_trained_parser_answers_and_from_it_another_training_goes_on(tiny: Path, tmp_path: Path) -> None:
    with connect(tiny / "domain" / "tiny.sqlite", parser=tiny / "run") as connection:
        answer = connection.ask("how many cities are in the pine tree state", beam=1)  # an entity's other name
    assert (answer.sql, answer.rows) == ("SELECT COUNT(*) FROM city WHERE city.state = 'maine'", ((1,),))
    more = [f"model.base={tiny / 'run'}", "optim.epochs=1", "optim.lr=1e-5", "optim.encoder_lr=0", "augment.strange=20"]
    run = train(config(tiny, *more), load_domain(tiny / "domain"), tmp_path / "run")
    (row,) = RunFolder(run).curve()
    assert row["loss"] < 1  # it has not begun anew
    assert load_network(run / "best").network.config == load_network(tiny / "run" / "best").network.config


def test_gold_queries_that_cannot_be_written_are_told_and_left_out(tiny: Path, tmp_path: Path) -> None:
    wrong = "SELECT people FROM state WHERE name = '{s}'"  # of a column that its table has not
    domain = load_domain(write(tmp_path / "domain", sql=wrong, database=False))
    run = train(config(tiny, "optim.epochs=1", "constraint.level=scope"), domain, tmp_path / "run")
    data = RunFolder(run).summary()["data"]
    assert data["unlearnt"] == {"train": 4, "dev": 1, "test": 1}
    assert [(u["part"], u["pairs"]) for u in data["queries_unlearnt"]] == [("train", 4), ("dev", 1), ("test", 1)]
    assert [u["place"].rpartition(":")[2] for u in data["queries_unlearnt"]] == ["31", "35", "36"]
    assert "people" in data["queries_unlearnt"][0]["problem"]
    assert "(train, 4 pairs)" in (run / "report.md").read_text(encoding="utf-8")
    scores = RunFolder(run).summary()["scores"]
    assert {(found["n"], found["execution"], found["runs"]) for name, found in scores.items() if "test" in name} == {
        (6, None, None)
    }
    assert load_network(run / "best").profile.database is None


def test_sampled_queries_and_strange_questions_are_learnt_besides(tiny: Path, tmp_path: Path) -> None:
    more = ("augment.sampled=10", "augment.rehearsed=4", "augment.strange=20", "optim.epochs=1", "eval.beam=1")
    run = train(config(tiny, *more), load_domain(tiny / "domain"), tmp_path / "run")
    # 20 pairs and 4 strange ones, and the samples that can be written, in batches of ten
    assert 3 <= RunFolder(run).curve()[0]["step"] <= 5
    assert RunFolder(run).curve()[0]["step"] > 2


# --- what is refused


def test_a_domain_without_a_part_to_choose_on_is_refused(tiny: Path, tmp_path: Path) -> None:
    domain = load_domain(tiny / "domain")
    for part in ("train", "dev"):
        left = tuple(e for e in domain.examples if e.question_split != part)
        with pytest.raises(DomainError, match=f"no {part} examples under the question split") as caught:
            train(config(tiny), replace(domain, examples=left), tmp_path / part)
        assert caught.value.hint


def test_another_language_than_the_domains_is_refused(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="read in 'en', not in 'zh'") as caught:
        train(config(tiny, "data.language=zh"), load_domain(tiny / "domain"), tmp_path / "run")
    assert caught.value.field == "data.language"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("base", "said"), [("nowhere", "no such folder"), ("domain", "neither a run nor a saved")])
def test_a_base_that_is_none_is_refused(tiny: Path, tmp_path: Path, monkeypatch, base: str, said: str) -> None:
    monkeypatch.chdir(tiny)
    with pytest.raises(RunError, match=said) as caught:
        train(config(tiny, f"model.base={base}"), load_domain(tiny / "domain"), tmp_path / "run")
    assert caught.value.file == Path(base)
    assert not (tmp_path / "run").exists()  # or the next try would be another configuration


def test_a_base_of_another_language_is_refused(tiny: Path, tmp_path: Path) -> None:
    domain = replace(load_domain(tiny / "domain"), language="zh")
    with pytest.raises(InputError, match="the base reads 'en', the questions are in 'zh'") as caught:
        train(config(tiny, f"model.base={tiny / 'run'}"), domain, tmp_path / "run")
    assert caught.value.field == "model.base"


def test_a_folder_of_other_things_is_left_alone(tiny: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("…")
    with pytest.raises(RunError, match="holds no run") as caught:
        train(config(tiny), load_domain(tiny / "domain"), other)
    assert caught.value.file == other
    assert [p.name for p in other.iterdir()] == ["thesis.txt"]
