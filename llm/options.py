"""The options of a language model, each once with its help, default and bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..parser.answering.asking import check_bounds, stated

_model = partial(stated, only="model", panel="A language model in the parser's place")


@dataclass(frozen=True)
class LlmOptions:
    """The options of a language model."""

    shots: int = _model(2, "Similar solved questions to show, of --examples.", least=0)
    program: bool = _model(False, "Let it write a program of plain steps before the query.", flag="--pot")
    schema: bool = _model(
        True,
        "Put tables and functions into its prompt.",
        flag="--schema/--no-schema",
        unset="as it was tuned, else yes",
    )
    corrections: int = _model(
        3, "How often to have a query corrected that fails or finds nothing.", flag="--correct", least=0
    )
    constrain: bool | None = _model(
        None, "Mask its tokens, so that its query runs.", flag="--constrain/--no-constrain", unset="where it runs here"
    )
    samples: int = _model(
        1,
        "Answers a prompt, at temperature 0.7 if there are several; the rows that most of them have are taken, and "
        "their share is the confidence.",
        least=1,
    )
    prompts: Path | None = _model(
        None, "Prompt files of your own.", metavar="FOLDER", unset="those that ship for the language"
    )
    cells: int = _model(3, "Values of each text column in the prompt, at most.", least=0)
    max_tokens: int | None = _model(
        None, "Of one answer; a model that reasons first may need thousands.", least=1, unset="256, with --pot 512"
    )
    most_tables: int = _model(
        5,
        "Of a database too large for a prompt, how many of the tables that are likeliest meant it has, beside those on "
        "the way of keys between them.",
        least=1,
        most=12,
    )

    def __post_init__(self) -> None:
        check_bounds(self)

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of `Backend.complete` for each prompt."""
        longest = 512 if self.program else 256
        return {
            "n": self.samples,
            "temperature": 0.0 if self.samples == 1 else 0.7,
            "max_tokens": longest if self.max_tokens is None else self.max_tokens,
        }


_collections = partial(stated, panel="Collections of databases")


@dataclass(frozen=True)
class TuningOptions:
    """The options of the training of an adapter, and of the lessons of a stage.

    Attributes:
        max_tokens: the most tokens of an answer that the model writes to a question.
    """

    epochs: int = stated(2, "How often each question is learnt.", least=1)
    batch: int = stated(8, "Questions a step.", least=1)
    rate: float | None = stated(None, "Highest learning rate.", least=0, unset="0.001; dpo 0.00005, correct 0.0002")
    rank: int = stated(16, "Rank of the adapter's matrices.", least=1)
    seed: int = stated(0, "Decides everything drawn at random.", least=0)
    lessons: int | None = _collections(None, "Take this many of the questions, drawn at random.", least=1, unset="all")
    tokens: int = _collections(512, "That tables may take in a prompt.", least=1)
    samples: int = _collections(4, "Answers that it writes to each question.", least=1)
    temperature: float = _collections(0.8, "Of these.", least=0.01)
    max_tokens: int = 128
    timeout: float = _collections(2.0, "Seconds that a query may take.", least=0.01)
    beta: float = _collections(0.1, "How firmly dpo holds it to what it was.", least=0)
    alpha: float = _collections(1.0, "Weight of the better answer's likelihood in dpo.", least=0)

    def __post_init__(self) -> None:
        check_bounds(self)
