"""`Parser`: questions in, queries out, with an account of how each came about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from transformers import PreTrainedTokenizerFast

from ..data.domain import GROUPINGS
from ..data.errors import InputError, did_you_mean
from ..data.examples import SLOT, Value, fill_sql, fits
from ..grammar import LEVELS, Constraint, Grammar, Vocabulary
from ..ner import ValueFinder
from .account import Account, without_unbound
from .collate import Featurizer, collate
from .global_constraint import GlobalConstraint
from .model import ParserModel
from .search import Found, search
from .steps import Step
from .tokenizer import scripts

__all__ = ["Answer", "Parser"]

MAX_QUESTION = 2000
"""Characters; a longer text is a pasted document and not a question."""


@dataclass(frozen=True)
class Answer:
    """A query, and how it came about.

    Attributes:
        sql: the query with its values filled in.
        score: sum of the words' log-probabilities divided by their number ** alpha.
        tokens: the query's words, slots in braces.
        slotted: the same as one text.
        account: what the global constraint said, None where both constraints are off.
        values: what the question names.
        steps: what each step allowed and refused, the end included; empty unless asked for.
        problem: why ``sql`` is no query to run; only without the local constraint there can be one.
        rows: what the query returned, where it was executed.
    """

    sql: str
    score: float
    tokens: tuple[str, ...]
    slotted: str
    account: Account | None
    values: tuple[Value, ...]
    steps: tuple[Step, ...] = ()
    problem: str | None = None
    rows: Any = None


@dataclass
class Parser:
    """Everything that turns a question on one database into a query.

    Attributes:
        model: the network.
        tokenizer: of its encoder.
        vocabulary: the SQL words, with the grammar they belong to.
        global_constraint: chooses tables and functions; None or mode ``off`` for none.
        finder: finds the values of a question; None if values are always given.
        local: whether the local constraint holds. Without both constraints this is the plain seq2seq baseline.
        level: what the local constraint promises, one of `grammar.LEVELS`.
        grouping: whether the server lets columns stand outside of GROUP BY, one of `data.domain.GROUPINGS`.
        language: of the questions it was trained on.
        alpha: strength of the length normalisation of scores.
    """

    model: ParserModel
    tokenizer: PreTrainedTokenizerFast
    vocabulary: Vocabulary
    global_constraint: GlobalConstraint | None = None
    finder: ValueFinder | None = None
    local: bool = True
    level: str = LEVELS[-1]
    grouping: str = "strict"
    language: str = ""
    alpha: float = 1.0

    def __post_init__(self) -> None:
        for field, value, choices in (("level", self.level, LEVELS), ("grouping", self.grouping, tuple(GROUPINGS))):
            if value not in choices:
                hint = did_you_mean(value, choices) or f"use {', '.join(choices)}"
                raise InputError(f"no {field} {value!r}", field=field, hint=hint)

    @classmethod
    def from_pretrained(cls, folder: Path | str, *, device: str = "cpu", level: str | None = None) -> Self:
        """Load what `save_pretrained` wrote.

        Args:
            level: of the local constraint, which it switches on; None is as saved.

        Raises:
            RunError: a file is missing, or does not fit the others.
            InputError: there is no such level.
        """
        from .saved import load

        found = load(Path(folder), device=device)
        if level is not None:
            found |= {"local": True, "level": level}
        return cls(**found)

    def save_pretrained(self, folder: Path | str, *, facts: dict[str, Any] | None = None) -> None:
        """Write the parser into ``folder``, whole or not at all.

        Args:
            facts: name to value, listed in the model card (domain, split, scores).
        """
        from .saved import save

        save(self, Path(folder), facts=facts or {})

    @property
    def grammar(self) -> Grammar:
        """The grammar of the vocabulary."""
        return self.vocabulary.grammar

    @cached_property
    def constraint(self) -> Constraint:
        """The local constraint, whether it is used or not."""
        config = self.model.config
        return self.grammar.constraint(
            self.vocabulary,
            budget=config.budget,
            level=self.level,
            without=GROUPINGS[self.grouping],
            sources=config.sources,
            joins=config.joins,
        )

    @cached_property
    def featurizer(self) -> Featurizer:
        """Makes what the network reads."""
        config = self.model.config
        longest = int(getattr(self.model.encoder.config, "max_position_embeddings", 512))
        return Featurizer(self.tokenizer, self.vocabulary, values_as=config.values_as, longest=longest)

    def problem(self, question: str) -> str | None:
        """Return why ``question`` cannot be answered, or None."""
        if not question.strip():
            return "the question is empty"
        if len(question) > MAX_QUESTION:
            return f"the question has {len(question)} characters; {MAX_QUESTION} are the most"
        known = set(self.model.config.scripts)
        if known and not scripts(question) & known:
            return f"no letter of a script that the parser was trained on ({', '.join(sorted(known))})"
        return None

    def __call__(
        self,
        questions: Sequence[str],
        *,
        values: Sequence[Sequence[Value]] | None = None,
        beam: int = 1,
        batch_size: int = 32,
        explain: bool = False,
    ) -> list[Answer]:
        """Answer each question, in order.

        Args:
            values: what each question names; found by the finder where not given.
            beam: hypotheses kept; 1 is greedy.
            batch_size: questions answered at once.
            explain: also record what each step allowed and refused.

        Raises:
            InputError: a question cannot be answered (see `problem`), or there are no values and no finder.
            ConstraintError: no query can be written with the words a question may use.
        """
        for place, question in enumerate(questions):
            if problem := self.problem(question):
                raise InputError(problem, field=f"questions[{place}]")
        if values is not None and len(values) != len(questions):
            raise InputError(f"{len(values)} values for {len(questions)} questions", field="values")
        self.model.eval()
        answers: list[Answer] = []
        for start in range(0, len(questions), batch_size):
            part = slice(start, start + batch_size)
            found = self._values(questions[part]) if values is None else [tuple(v) for v in values[part]]
            answers.extend(self._answer(questions[part], found, beam=beam, explain=explain))
        return answers

    def _values(self, questions: Sequence[str]) -> list[tuple[Value, ...]]:
        if self.finder is None:
            raise InputError("this parser finds no values", field="values", hint="give them")
        return self.finder.find(questions)

    def _answer(
        self, questions: Sequence[str], values: Sequence[tuple[Value, ...]], *, beam: int, explain: bool
    ) -> Iterator[Answer]:
        features = [self.featurizer.question(q, v) for q, v in zip(questions, values, strict=True)]
        accounts = self._accounts(questions, values)
        found = search(
            self.model,
            collate(features, pad=cast(int, self.tokenizer.pad_token_id)),
            width=beam,
            constraint=self.constraint if self.local else None,
            accounts=accounts,
            alpha=self.alpha,
            explain=explain,
        )
        for place, query in enumerate(found):
            yield self._fill(query, values[place], None if accounts is None else accounts[place])

    def _accounts(self, questions: Sequence[str], values: Sequence[tuple[Value, ...]]) -> list[Account] | None:
        """Return which words each question may use; None where no constraint is on at all."""
        mode = "off" if self.global_constraint is None else self.global_constraint.mode
        if mode == "off" and not self.local:
            return None
        if self.global_constraint is None:
            zeros = np.zeros(len(self.vocabulary), dtype=np.float32)
            return [Account(without_unbound(self.vocabulary, v), zeros, {}, {}, v, mode="off") for v in values]
        accounts = self.global_constraint(questions, values)
        if mode == "off":  # a query with a slot that the question does not fill would not be valid
            return [replace(a, available=without_unbound(self.vocabulary, a.values)) for a in accounts]
        return accounts

    def _fill(self, query: Found, values: tuple[Value, ...], account: Account | None) -> Answer:
        words = self.vocabulary.words
        tokens = tuple(words[i].text for i in query.words)
        slotted = self.vocabulary.decode(query.words)
        missing = [token for token in tokens if SLOT.search(token) and not fits(token, values)]
        problem = None
        if missing:
            problem = f"the question has no value for {missing[0]}"
        elif not query.complete:
            problem = f"no end within {self.model.config.budget} words"
        return Answer(
            sql=slotted if missing else fill_sql(slotted, values, dialect=self.grammar.dialect),
            score=query.score,
            tokens=tokens,
            slotted=slotted,
            account=account,
            values=values,
            steps=tuple(step.named(words) for step in query.steps),
            problem=problem,
        )
