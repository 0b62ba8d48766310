"""How the tests of spans write one down."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time

import pytest

from querent.ner.language.question import QuestionText
from querent.ner.spans.finding import find_spans

NOW = datetime(2024, 5, 15, 10, 30)  # a Wednesday


def written(question: str, language: str, *, now: datetime = NOW, fiscal_month: int = 1) -> list[str]:
    """Return each span as «bound start end grain», ``now`` behind what is relative, ``?`` behind what is unsure."""
    spans = find_spans(QuestionText(question, language), now=now, fiscal_month=fiscal_month)
    return [
        f"{span.bound} "
        + (
            f"{span.part} {' '.join(map(str, span.numbers))}"
            if span.start is None or span.end is None
            else f"{moment(span.start)} {moment(span.end)} {span.grain}"
        )
        + " now" * span.relative
        + " ?" * (not span.sure)
        for span in spans
    ]


@pytest.fixture(scope="session")
def told() -> Callable[..., list[str]]:
    """Return what finds spans and writes them down."""
    return written


@pytest.fixture(scope="session")
def noted() -> Callable[[str], list[str]]:
    """Return what tells the notes of an English question's spans."""
    return lambda question: [span.note for span in find_spans(QuestionText(question, "en"), now=NOW)]


def moment(at: datetime) -> str:
    """Return a day, with the time of day behind it unless that is midnight."""
    if at.time() == time():
        return f"{at:%Y-%m-%d}"
    return at.isoformat(timespec="seconds" if at.second else "minutes")
