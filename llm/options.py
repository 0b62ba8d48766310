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

    shots: int = _model(2, "Similar solved questions in the prompt, from --examples.", least=0)
    program: bool = _model(False, "Let it write a plan of plain steps before the query.", flag="--pot")
    schema: bool = _model(
        True,
        "Put tables and functions into its prompt.",
        flag="--schema/--no-schema",
        unset="as it was tuned, else yes",
    )
    corrections: int = _model(
        3, "How often it may correct a query that fails or finds nothing.", flag="--correct", least=0
    )
    constrain: bool | None = _model(
        None,
        "Mask its tokens so that its query runs.",
        flag="--constrain/--no-constrain",
        unset="if it runs in this process",
    )
    samples: int = _model(
        1,
        "Answers per prompt, at temperature 0.7 if several. The rows that most of them return win, and their share is "
        "the confidence.",
        least=1,
    )
    prompts: Path | None = _model(
        None, "Prompt files of your own.", metavar="FOLDER", unset="those that ship for the language"
    )
    cells: int = _model(3, "The most values of each text column in the prompt; 0 sends none.", least=0)
    max_tokens: int | None = _model(
        None,
        "The most tokens of one answer; a model that reasons first may need thousands.",
        least=1,
        unset="256, with --pot 512",
    )
    most_tables: int = _model(
        5,
        "How many of the likeliest tables the prompt has if the database is too large for it, beside the tables that "
        "link them by keys.",
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

    epochs: int = stated(2, "Passes over the questions.", least=1)
    batch: int = stated(8, "Questions per step.", least=1)
    rate: float | None = stated(None, "Highest learning rate.", least=0, unset="0.001; dpo 0.00005, correct 0.0002")
    rank: int = stated(16, "Rank of the adapter's matrices.", least=1)
    seed: int = stated(0, "Decides everything drawn at random.", least=0)
    lessons: int | None = _collections(None, "Use only this many questions, drawn at random.", least=1, unset="all")
    tokens: int = _collections(512, "The most tokens that tables may take in a prompt.", least=1)
    samples: int = _collections(4, "Answers that the model writes to each question.", least=1)
    temperature: float = _collections(0.8, "Temperature of these answers.", least=0.01)
    max_tokens: int = 128
    timeout: float = _collections(2.0, "Seconds that a query may take.", least=0.01)
    beta: float = _collections(0.1, "How strongly dpo keeps the model close to its start (beta).", least=0)
    alpha: float = _collections(1.0, "Weight of the better answer's likelihood in dpo.", least=0)

    def __post_init__(self) -> None:
        check_bounds(self)
