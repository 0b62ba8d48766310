"""Which tables and functions a question needs."""

from __future__ import annotations

from .evaluate import LabelScores, evaluate
from .labels import ClassifierConfig, LabelClassifier
from .textrnn import TextRNN
from .words import words

__all__ = ["ClassifierConfig", "LabelClassifier", "LabelScores", "TextRNN", "evaluate", "words"]
