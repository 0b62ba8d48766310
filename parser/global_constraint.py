"""The global constraint: which words of the vocabulary one question may use.

After ChESQL («NL2SQL with bilevel vocabulary constraints»): two classifiers choose tables, with
their columns, and functions; the values found in the question open their slots; keywords,
operators and constants are always open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray

from ..classifiers import ClassifierConfig, LabelClassifier, LabelScores, words
from ..classifiers import evaluate as evaluate_labels
from ..data.errors import InputError, QueryError, did_you_mean
from ..data.examples import Example, Value
from ..grammar import Vocabulary
from .account import Account, Mode, inside, share_left, without_unbound

__all__ = [
    "Account",
    "ConstraintScores",
    "GlobalConstraint",
    "Mode",
    "encode_covered",
    "evaluate_constraint",
    "functions_of",
    "gold_sets",
    "inside",
    "share_left",
    "tables_of",
]


class GlobalConstraint:
    """Tables, functions and values of a question, as a mask and a bias over the vocabulary.

    Args:
        vocabulary: the words.
        tables: classifier of tables.
        functions: classifier of functions.
        mode: ``hard`` closes words of unchosen tables and functions; ``soft`` adds
            ``weight`` * log p instead; ``off`` leaves every word open.
        weight: of the soft bias.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        tables: LabelClassifier,
        functions: LabelClassifier,
        *,
        mode: Mode = "hard",
        weight: float = 0.5,
    ) -> None:
        if mode not in get_args(Mode):
            hint = did_you_mean(mode, get_args(Mode)) or "use hard, soft or off"
            raise InputError(f"no global constraint {mode!r}", field="mode", hint=hint)
        self.vocabulary = vocabulary
        self.tables = tables
        self.functions = functions
        self.mode: Mode = mode
        self.weight = weight
        size = len(vocabulary)
        self._tables = _owners(vocabulary, tables.labels)
        self._functions = np.zeros((len(functions.labels), size), dtype=bool)
        for row, name in enumerate(functions.labels):
            self._functions[row] = [word.function == name for word in vocabulary.words]
        self._slots = np.array([bool(word.slots) for word in vocabulary.words], dtype=bool)
        # words that no table and no function rules
        self._free = ~(self._tables.any(axis=0) | self._functions.any(axis=0) | self._slots)

    def __call__(self, questions: Sequence[str], values: Sequence[Sequence[Value]]) -> list[Account]:
        """Return the account of each question, given the values it names."""
        read = [words(q, [v.mention for v in found]) for q, found in zip(questions, values, strict=True)]
        return [
            self._account(tuple(found), t, f)
            for found, t, f in zip(
                values, self.tables.probabilities(read), self.functions.probabilities(read), strict=True
            )
        ]

    @classmethod
    def fit(
        cls,
        vocabulary: Vocabulary,
        train: Sequence[Example],
        dev: Sequence[Example] = (),
        *,
        recall: float = 0.99,
        epochs: int = 20,
        seed: int = 0,
        mode: Mode = "hard",
        weight: float = 0.5,
    ) -> Self:
        """Train both classifiers on examples that the vocabulary covers, and calibrate them on ``dev``.

        Without ``dev`` every tenth training example serves as dev, and is not trained on.
        """
        if not dev:
            train, dev = [e for n, e in enumerate(train) if n % 10], train[::10]
        table_labels = [table.name for table in vocabulary.grammar.schema.tables]
        function_labels = sorted({w.function for w in vocabulary.words if w.function is not None})
        questions, tables, functions = gold_sets(vocabulary, train)
        dev_questions, dev_tables, dev_functions = gold_sets(vocabulary, dev)
        pair = []
        for labels, sets, dev_sets, least in (
            (table_labels, tables, dev_tables, 1),
            (function_labels, functions, dev_functions, 0),
        ):
            classifier = LabelClassifier(labels, ClassifierConfig(at_least=least))
            classifier.fit(questions, sets, dev=(dev_questions, dev_sets), epochs=epochs, seed=seed)
            if dev_questions:
                classifier.calibrate(dev_questions, dev_sets, recall=recall)
            pair.append(classifier)
        return cls(vocabulary, pair[0], pair[1], mode=mode, weight=weight)

    def save(self, folder: Path) -> None:
        """Write both classifiers into ``folder``, as ``tables.*`` and ``functions.*``."""
        self.tables.save(folder, "tables")
        self.functions.save(folder, "functions")

    @classmethod
    def load(cls, folder: Path, vocabulary: Vocabulary, *, mode: Mode = "hard", weight: float = 0.5) -> Self:
        """Read what `save` wrote."""
        tables, functions = (LabelClassifier.load(folder, name) for name in ("tables", "functions"))
        return cls(vocabulary, tables, functions, mode=mode, weight=weight)

    def _account(
        self, values: tuple[Value, ...], tables: NDArray[np.float32], functions: NDArray[np.float32]
    ) -> Account:
        size = len(self.vocabulary)
        bias = np.zeros(size, dtype=np.float32)
        chosen_tables = self.tables.chosen(tables)
        chosen_functions = self.functions.chosen(functions)
        available = np.ones(size, dtype=bool) if self.mode == "off" else without_unbound(self.vocabulary, values)
        if self.mode == "hard":
            open_tables = np.array([name in chosen_tables for name in self.tables.labels], dtype=bool)
            open_functions = np.array([name in chosen_functions for name in self.functions.labels], dtype=bool)
            ruled = self._free | self._tables[open_tables].any(axis=0) | self._functions[open_functions].any(axis=0)
            available &= ruled | self._slots
        if self.mode == "soft":
            for owned, chances in ((self._tables, tables), (self._functions, functions)):
                if len(chances):
                    # a bare column is as likely as the likeliest table that has it
                    best = np.where(owned, chances[:, None], 0.0).max(axis=0)
                    ruled = owned.any(axis=0)
                    bias[ruled] += self.weight * np.log(np.maximum(best[ruled], 1e-6))
        return Account(
            available,
            bias,
            dict(zip(self.tables.labels, tables.tolist(), strict=True)),
            dict(zip(self.functions.labels, functions.tolist(), strict=True)),
            values,
            self.mode,
            frozenset(chosen_tables | chosen_functions),
        )


@dataclass(frozen=True)
class ConstraintScores:
    """How well a global constraint fits examples that it was not trained on.

    Attributes:
        covered: share of the examples whose query the vocabulary can spell; the rest is of these.
        tables: scores of the table classifier.
        functions: scores of the function classifier.
        inside: share of these questions all of whose gold words are available.
        left: share of the vocabulary's words that are available, on average.
    """

    covered: float
    tables: LabelScores
    functions: LabelScores
    inside: float
    left: float

    def to_json(self) -> dict[str, Any]:
        """Return the scores as nested plain dicts."""
        return {
            "covered": self.covered,
            "tables": self.tables.to_json(),
            "functions": self.functions.to_json(),
            "inside": self.inside,
            "left": self.left,
        }


def evaluate_constraint(constraint: GlobalConstraint, examples: Sequence[Example]) -> ConstraintScores:
    """Score ``constraint``, given gold values, on the examples whose queries the vocabulary covers."""
    covered = [e for e in examples if encode_covered(constraint.vocabulary, e) is not None]
    if not covered:
        raise InputError("no example's query can be written in the vocabulary")
    questions, tables, functions = gold_sets(constraint.vocabulary, covered)
    accounts = constraint([e.question for e in covered], [e.values for e in covered])
    gold = [constraint.vocabulary.encode(e.slotted) for e in covered]
    return ConstraintScores(
        covered=len(covered) / len(examples),
        tables=evaluate_labels(constraint.tables, questions, tables),
        functions=evaluate_labels(constraint.functions, questions, functions),
        inside=float(np.mean([inside(account, ids) for account, ids in zip(accounts, gold, strict=True)])),
        left=float(np.mean([share_left(account) for account in accounts])),
    )


def tables_of(ids: Sequence[int], vocabulary: Vocabulary) -> set[str]:
    """Return the tables that a query, as word ids, names."""
    return {table for n in ids if (table := vocabulary.words[n].table) is not None}


def functions_of(ids: Sequence[int], vocabulary: Vocabulary) -> set[str]:
    """Return the functions that a query, as word ids, calls."""
    return {function for n in ids if (function := vocabulary.words[n].function) is not None}


def gold_sets(
    vocabulary: Vocabulary, examples: Sequence[Example]
) -> tuple[list[list[str]], list[set[str]], list[set[str]]]:
    """Return questions as words, gold tables and gold functions, of the examples that the vocabulary covers."""
    questions: list[list[str]] = []
    tables: list[set[str]] = []
    functions: list[set[str]] = []
    for example in examples:
        if (ids := encode_covered(vocabulary, example)) is not None:
            questions.append(words(example.question, [v.mention for v in example.values]))
            tables.append(tables_of(ids, vocabulary))
            functions.append(functions_of(ids, vocabulary))
    return questions, tables, functions


def encode_covered(vocabulary: Vocabulary, example: Example) -> list[int] | None:
    """Return the gold query's word ids, or None where the vocabulary lacks a word of it."""
    try:
        return vocabulary.encode(example.slotted)
    except QueryError:
        return None


def _owners(vocabulary: Vocabulary, tables: Sequence[str]) -> NDArray[np.bool_]:
    """Return (tables, V): which words each table opens.

    A bare column or an alias may stand for several tables and is open with any of them; a name that
    stands for none (of a derived table, say) is ruled by none.
    """
    row = {name: n for n, name in enumerate(tables)}
    owned = np.zeros((len(tables), len(vocabulary)), dtype=bool)
    for n, word in enumerate(vocabulary.words):
        owned[[row[name] for name in word.tables if name in row], n] = True
    return owned
