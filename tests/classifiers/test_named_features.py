"""Reranker and calibration: what they make of named features, and what fitting finds."""

import json
import math

import numpy as np
import pytest

from querent.classifiers.named_features import RERANKER_FEATURES, SIGNS, Calibration, Reranker, logit

NOTHING = dict.fromkeys(RERANKER_FEATURES, 0.0)
UNKNOWN = dict.fromkeys(SIGNS, 0.0)


def test_an_answer_weighs_what_its_features_add_up_to() -> None:
    made = Reranker({**NOTHING, "log probability": 0.5, "no rows": -1.0})
    known = {**NOTHING, "log probability": -4.0, "no rows": 1.0}
    assert {name: part for name, part in made.parts(known).items() if part} == {
        "log probability": -2.0,
        "no rows": -1.0,
    }
    assert made.weight(known) == pytest.approx(math.exp(-3.0))


def test_the_shipped_weights_know_every_feature_and_count_its_way() -> None:
    weights = Reranker.shipped().weights
    assert weights.keys() == RERANKER_FEATURES.keys()
    assert (
        weights["log probability"] > 0 > max(weights[name] for name in RERANKER_FEATURES.keys() - {"log probability"})
    )


def test_fitting_finds_what_tells_the_right_answer_from_the_others() -> None:
    draw = np.random.default_rng(0)
    questions = []
    for _ in range(200):
        answers = [
            {**NOTHING, "no rows": float(draw.random() < 0.5), "items left out": draw.normal()} for _ in range(3)
        ]
        best = max(answers, key=lambda one: one["items left out"] - 5 * one["no rows"])
        questions.append([(one, one is best) for one in answers])
    fitted = Reranker.fit(questions, strength=10.0)
    assert fitted.weights["items left out"] > 0 > fitted.weights["no rows"]
    assert fitted.weights["log probability"] == 0
    chosen = [max(answers, key=lambda one: fitted.weight(one[0])) for answers in questions]
    assert np.mean([right for _, right in chosen]) > 0.95


@pytest.mark.parametrize("weight", [0.001, 0.2, 0.5, 0.93, 0.999])
def test_without_fitting_confidence_is_the_probability(weight: float) -> None:
    assert Calibration()({**UNKNOWN, "log-odds of the queries": logit(weight)}) == pytest.approx(weight, abs=1e-6)


@pytest.mark.parametrize(
    "data", [None, [], {"weights": [1.0] * 4, "bias": 0.4}, {"weights": {"margin": 1.0}, "bias": 0.4}, {"weights": {}}]
)
def test_what_was_saved_otherwise_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match=r"no weights by name|'margin' is no sign"):
        Calibration.from_json(data)


def test_confidence_stays_a_probability() -> None:
    for size in (0.0, -1000.0, 1000.0):
        assert 0.0 <= Calibration({"tables": size}, 50.0)({**UNKNOWN, "tables": 9.0}) <= 1.0
    assert logit(0.0) == logit(-3.0) == pytest.approx(-logit(1.0))


def test_a_confidence_is_fitted_and_read_back() -> None:
    draw = np.random.default_rng(0)
    names = ("log-odds of the queries", "unlinked words")
    made = [{**UNKNOWN, names[0]: draw.normal(), names[1]: float(draw.random() < 0.3)} for _ in range(400)]
    right = [one[names[0]] > 0 and not one[names[1]] for one in made]
    fitted = Calibration.fit(made, right)
    assert fitted.weights[names[0]] > 1 > 0 > -1 > fitted.weights[names[1]]
    assert np.mean([(fitted(one) > 0.5) == true for one, true in zip(made, right, strict=True)]) > 0.9
    again = Calibration.from_json(json.loads(json.dumps(fitted.to_json())))
    assert [again(one) for one in made] == [fitted(one) for one in made]
