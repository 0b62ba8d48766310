"""How well a label classifier does on questions it did not see."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from .labels import LabelClassifier

__all__ = ["LabelScores", "evaluate", "label_f1"]


@dataclass(frozen=True)
class LabelScores:
    """Scores of one classifier.

    Attributes:
        f1: label-wise F1 at probability one half, over all decisions (micro); the paper's measure.
        macro_f1: mean of the F1 of each label that occurs.
        inside: share of questions whose whole gold set is selected at the calibrated threshold.
        selected: labels selected a question, on average.
        gold: labels in the gold set, on average.
        threshold: the calibrated threshold.
    """

    f1: float
    macro_f1: float
    inside: float
    selected: float
    gold: float
    threshold: float

    def to_json(self) -> dict[str, Any]:
        """Return the scores as a plain dict."""
        return asdict(self)


def evaluate(
    classifier: LabelClassifier, questions: Sequence[Sequence[str]], label_sets: Sequence[Collection[str]]
) -> LabelScores:
    """Score ``classifier`` on questions (lists of words) and their gold label sets."""
    likely = [
        {label for label, chance in zip(classifier.labels, row, strict=True) if chance >= 0.5}
        for row in classifier.probabilities(questions)
    ]
    chosen = classifier.select(questions)
    return LabelScores(
        f1=label_f1(label_sets, likely),
        macro_f1=label_f1(label_sets, likely, average="macro"),
        inside=float(np.mean([set(gold) <= got for gold, got in zip(label_sets, chosen, strict=True)])),
        selected=float(np.mean([len(got) for got in chosen])),
        gold=float(np.mean([len(set(gold)) for gold in label_sets])),
        threshold=classifier.threshold,
    )


def label_f1(
    gold: Sequence[Collection[str]],
    got: Sequence[Collection[str]],
    *,
    average: Literal["micro", "macro"] = "micro",
) -> float:
    """Return the label-wise F1 of label sets; 1 where neither side has a label.

    Micro counts all decisions together, macro means over the labels that occur in ``gold``.
    """
    labels = sorted({label for labels in gold for label in labels})
    if average == "micro":
        labels = sorted({*labels, *(label for labels in got for label in labels)})
    if not labels:
        return 1.0
    known = set(labels)
    binarizer = MultiLabelBinarizer(classes=labels)
    want, have = (np.asarray(binarizer.fit_transform([known & set(each) for each in sets])) for sets in (gold, got))
    if average == "micro":
        # one flat row: scikit-learn reads a single column as two classes, not as one label
        return float(f1_score(want.ravel(), have.ravel()))
    return float(np.mean([f1_score(want[:, n], have[:, n]) for n in range(len(labels))]))
