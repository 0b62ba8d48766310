from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from querent.classifiers import ClassifierConfig, LabelClassifier, evaluate, words
from querent.classifiers.evaluate import label_f1
from querent.data.errors import InputError, RunError
from querent.data.examples import Mention

TABLES = ("city", "river", "state")
QUESTIONS = [
    ["biggest", "city"],
    ["longest", "river"],
    ["which", "rivers", "cross", "<state>"],
    ["cities", "of", "<state>"],
    ["how", "long", "is", "<river>"],
    ["state", "with", "the", "biggest", "city"],
    ["城", "市", "最", "大"],
    ["河", "流", "多", "长"],
]
SETS = [{"city"}, {"river"}, {"river", "state"}, {"city", "state"}, {"river"}, {"city", "state"}, {"city"}, {"river"}]


@pytest.fixture(scope="module")
def trained() -> LabelClassifier:
    return LabelClassifier(TABLES, ClassifierConfig(width=32, at_least=1)).fit(QUESTIONS, SETS, epochs=40, seed=1)


@pytest.fixture
def fixed(monkeypatch) -> LabelClassifier:
    """A classifier whose first word of a question says the probabilities, as «0.9/0.2»."""
    classifier = LabelClassifier(("a", "b"), ClassifierConfig(ceiling=0.5))

    def read(questions):
        return np.array([[float(p) for p in q[0].split("/")] for q in questions], dtype=np.float32).reshape(-1, 2)

    monkeypatch.setattr(classifier, "probabilities", read)
    return classifier


def test_words_replace_values_and_split_cjk():
    question = "患者78591362在New York的2个医院"
    mention = Mention(2, 10, "78591362", "person_id", "78591362")
    assert words(question, [mention]) == [
        "患",
        "者",
        "<person_id>",
        "在",
        "new",
        "york",
        "的",
        "<number>",
        "个",
        "医",
        "院",
    ]


def test_words_take_the_longer_of_overlapping_mentions():
    long, short = Mention(0, 8, "new york", "city", "x"), Mention(4, 8, "york", "town", "y")
    assert words("new york", [short, long]) == ["<city>"]


def test_learns_its_training_questions(trained):
    assert evaluate(trained, QUESTIONS, SETS).f1 > 0.95


def test_same_seed_same_weights_and_callers_random_state_is_left_alone(trained):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    again = LabelClassifier(TABLES, ClassifierConfig(width=32, at_least=1)).fit(QUESTIONS, SETS, epochs=40, seed=1)
    assert torch.rand(1) == expected
    assert np.array_equal(again.probabilities(QUESTIONS), trained.probabilities(QUESTIONS))


def test_answers_do_not_depend_on_the_batch(trained):
    alone = np.concatenate([trained.probabilities([q]) for q in QUESTIONS])
    assert np.allclose(alone, trained.probabilities(QUESTIONS), atol=1e-5)


def test_empty_and_unknown_questions_get_a_table(trained):
    trained.threshold = 1.0
    assert all(len(chosen) == 1 for chosen in trained.select([[], ["zzz"], QUESTIONS[0]]))


def test_calibration_keeps_the_share_asked_for(fixed):
    questions = [[f"{p / 100}/0.0"] for p in range(1, 41)]
    sets = [{"a"}] * 40
    assert fixed.calibrate(questions, sets, recall=1.0) == pytest.approx(0.01)
    assert evaluate(fixed, questions, sets).inside == 1.0
    assert fixed.calibrate(questions, sets, recall=0.9) == pytest.approx(0.05)
    assert evaluate(fixed, questions, sets).inside == pytest.approx(0.9)


def test_calibration_goes_by_the_weakest_gold_label_and_stops_at_the_ceiling(fixed):
    assert fixed.calibrate([["0.9/0.3"]], [{"a", "b"}]) == pytest.approx(0.3)
    assert fixed.calibrate([["0.9/0.8"]], [{"a", "b"}]) == 0.5
    assert fixed.calibrate([["0.9/0.3"]], [{"a", "unheard of"}]) == 0.5


def test_calibration_refuses_an_impossible_recall(fixed):
    with pytest.raises(InputError, match="recall"):
        fixed.calibrate([["0.9/0.3"]], [{"a"}], recall=0)


def test_unknown_label_and_no_questions_are_refused():
    with pytest.raises(InputError, match="lake"):
        LabelClassifier(TABLES).fit([["a"]], [{"lake"}], epochs=1)
    with pytest.raises(InputError, match="no questions"):
        LabelClassifier(TABLES).fit([], [])


def test_no_labels_at_all():
    classifier = LabelClassifier(()).fit(QUESTIONS, [set()] * len(QUESTIONS))
    classifier.calibrate(QUESTIONS, [set()] * len(QUESTIONS))
    assert classifier.select(QUESTIONS) == [set()] * len(QUESTIONS)


def test_saves_and_loads(trained, tmp_path):
    trained.calibrate(QUESTIONS, SETS)
    trained.save(tmp_path, "tables")
    loaded = LabelClassifier.load(tmp_path, "tables")
    assert loaded.threshold == trained.threshold
    assert loaded.select(QUESTIONS) == trained.select(QUESTIONS)
    assert np.array_equal(loaded.probabilities(QUESTIONS), trained.probabilities(QUESTIONS))


def test_a_broken_folder_is_told(trained, tmp_path):
    with pytest.raises(RunError, match=r"tables\.json"):
        LabelClassifier.load(tmp_path, "tables")
    trained.save(tmp_path, "tables")
    about = json.loads((tmp_path / "tables.json").read_text())
    (tmp_path / "tables.json").write_text(json.dumps(about | {"labels": ["city"]}))
    with pytest.raises(RunError, match="not a saved classifier"):
        LabelClassifier.load(tmp_path, "tables")


def test_label_f1():
    assert label_f1([{"a"}, {"b"}], [{"a"}, {"a", "b"}]) == pytest.approx(0.8)
    assert label_f1([{"a"}, {"b"}], [{"a"}, set()]) == pytest.approx(2 / 3)
    assert label_f1([{"a"}, set()], [{"a"}, {"a"}]) == pytest.approx(2 / 3)  # one label is one label, not two classes
    assert label_f1([{"a"}, {"b"}], [{"a"}, set()], average="macro") == pytest.approx(0.5)
    assert label_f1([set()], [set()]) == 1.0
