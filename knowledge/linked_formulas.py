"""Finds the formulas that a question names, and grounds them in a database.

A question may also have formulas of its own as its evidence: «profit = revenue - cost; late refers to days(ordered,
shipped) > 5».
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlglot import exp

from ..answers.answer import FormulaUse
from ..data.errors import DomainError
from ..data.schema.schema import Schema
from ..ner.cells.building import write_index
from ..ner.cells.cells import ColumnCells
from ..ner.cells.store import IndexStore
from ..ner.language.question import QuestionText
from ..ner.language.words import fold
from ..ner.matching.matching import CellMatcher, SchemaWords
from .formulas.bank import Bank, Formula
from .formulas.expression import ExpressionError, parse
from .formulas.reading import SHIPPED
from .formulas.spreadsheet import plain_cell
from .grounding.grounded import Grounded, Grounding
from .grounding.grounder import Grounder

_PIECE = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^;；])+")
_SIGN = re.compile(r"(?<![<>!=])=|\brefers? to\b", re.IGNORECASE)
"""Separates the name of a formula from its right side."""


@dataclass(frozen=True)
class Evidence:
    """The evidence of a question.

    Attributes:
        bank: its formulas.
        unread: its other pieces, each with the reason why it is no formula.
        lost: the unread pieces whose right side could not be read.
    """

    bank: Bank
    unread: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def read_evidence(text: str) -> Evidence:
    """Read the formulas of an evidence, ``name = expression`` with semicolons between them."""
    formulas, unread, lost, circles = list[Formula](), list[str](), list[str](), list[DomainError]()
    for piece in filter(None, map(str.strip, _PIECE.findall(text))):
        try:
            formula = _formula(piece)
        except ExpressionError as error:
            lost.append(f"{piece!r}: {error}")
        else:
            formulas += [formula] if formula else []
            unread += [] if formula else [f"{piece!r}: no formula, which is name = expression"]
    bank = Bank(formulas, {}, circles)
    lost += [error.problem for error in circles]
    return Evidence(bank, (*unread, *lost), tuple(lost))


def _formula(piece: str) -> Formula | None:
    """Return the formula of a piece; None if it has no name, or if its right side is a single name or value.

    Raises:
        ExpressionError: the right side cannot be read.
    """
    name, *right = _SIGN.split(piece, maxsplit=1)
    name = " ".join(name.replace('"', " ").split()).removeprefix("the ")
    if not right or not re.search(r"\w", name):
        return None
    expression = parse(plain_cell(right[0].rstrip(" .")))
    bare = all(isinstance(tree.unnest(), (exp.Column, exp.Literal)) for tree in expression.trees)
    if not expression.needs or (bare and expression.kind != "union"):
        return None
    return Formula(name, (), expression.kind, expression)


_SCORES = {"exact": 1.0, "folded": 0.95, "stem": 0.9, "meaning": 0.5, "typo": 0.6}


@dataclass(frozen=True)
class Mention:
    """Words of a question, ``question[start:end]``, that name a formula or several candidates.

    Attributes:
        text: the words.
        formulas: the formulas of this name.
        score: the confidence of the match, 0 to 1.
    """

    start: int
    end: int
    text: str
    formulas: tuple[Formula, ...]
    score: float

    def overlaps(self, other: Mention) -> bool:
        """Do two mentions overlap?"""
        return self.start < other.end and other.start < self.end


class Mentions:
    """Finds the formulas of a bank in questions.

    Args:
        bank: the bank.
        schema: the schema of the database, whose names are not values.
    """

    def __init__(self, bank: Bank, schema: Schema) -> None:
        self._schema = SchemaWords(schema)
        named: dict[str, list[Formula]] = {}
        for formula in bank.formulas:
            for name in formula.names:
                named.setdefault(name, []).append(formula)
        self._named = named
        self._folder = TemporaryDirectory(prefix="querent-")  # deleted with this object
        path = Path(self._folder.name) / "formulas.sqlite"
        write_index(path, "formulas", [ColumnCells("formulas", "name", cells=[(name, 1) for name in named])])
        self._store = IndexStore(path)

    def find(self, question: QuestionText) -> list[Mention]:
        """Return the formulas that a question names, in its order; of overlapping names the longest one."""
        matcher = CellMatcher(question, self._schema)
        if not matcher.question.words:
            return []
        found = [*self._exact(matcher), *self._misspelled(matcher)]
        kept: list[Mention] = []
        for one in sorted(found, key=lambda mention: (mention.start - mention.end, -mention.score)):
            if not any(map(one.overlaps, kept)):
                kept.append(one)
        return sorted(kept, key=lambda mention: mention.start)

    def _exact(self, matcher: CellMatcher) -> Iterator[Mention]:
        together: dict[tuple[int, int], dict[str, float]] = {}
        for value in matcher.exact(self._store):
            together.setdefault((value.start, value.end), {})[value.value] = _SCORES.get(value.how, 0.5)
        for (start, end), names in together.items():
            best = max(names.values())
            formulas = dict.fromkeys(f for name, score in names.items() if score == best for f in self._named[name])
            yield Mention(start, end, matcher.question.text[start:end], tuple(formulas), best)

    def _misspelled(self, matcher: CellMatcher) -> Iterator[Mention]:
        for value in matcher.typos(self._store):
            yield Mention(value.start, value.end, value.text, tuple(self._named[value.value]), _SCORES["typo"])


@dataclass(frozen=True)
class LinkedFormula:
    """A formula that a question names.

    Attributes:
        mention: the words of the question.
        grounding: the grounding of the formula, or of the best candidate.
    """

    mention: Mention
    grounding: Grounding

    @property
    def grounded(self) -> Grounded | None:
        """Return the grounded formula, None if it cannot be written on this database."""
        return self.grounding.grounded

    @property
    def use(self) -> FormulaUse | None:
        """Return its description for an answer, None if it cannot be written on this database."""
        if (grounded := self.grounded) is None:
            return None
        formula, sure = grounded.formula, round(grounded.confidence, 4)
        text = formula.expression.text
        return FormulaUse(formula.name, self.mention.text, text, formula.domain, str(grounded), sure)


class FormulaLinker:
    """Finds the formulas that questions on one database need.

    Args:
        bank: the bank of formulas.
        grounder: the grounder of the database.
    """

    def __init__(self, bank: Bank, grounder: Grounder) -> None:
        self.bank = bank
        self.grounder = grounder
        self.mentions = Mentions(bank, grounder.schema)
        self._own = {fold(item.name) for item in grounder.items}
        self._groundings: dict[int, Grounding] = {}

    def find(self, question: QuestionText) -> list[LinkedFormula]:
        """Return the formulas of a question, in its order.

        A name that a column or table of the database has is no formula. Neither is a name that cannot be grounded if a
        column has a similar one.
        """
        found: list[LinkedFormula] = []
        for mention in self.mentions.find(question):
            names = {fold(mention.text), *(fold(one.name) for one in mention.formulas)}
            if names.isdisjoint(self._own):
                grounding = max(map(self.grounding, mention.formulas), key=_rank)
                if not self._is_column(mention, grounding):
                    found.append(LinkedFormula(mention, grounding))
        return found

    def _is_column(self, mention: Mention, grounding: Grounding) -> bool:
        """Does a mention name a mere column of the database?"""
        formula, grounded = grounding.formula, grounding.grounded
        if grounded is None:
            return self.grounder.called(mention.text, "truth" if formula.kind == "condition" else "number")
        alone = formula.kind == "calculation" and isinstance(formula.expression.trees[0], exp.Column)
        return alone and grounded.concepts[0].place is not None

    def grounding(self, formula: Formula) -> Grounding:
        """Return the grounding of a formula of the bank."""
        kept = self._groundings.get(id(formula))
        if kept is None:
            kept = self._groundings[id(formula)] = self.grounder.ground(formula)
        return kept


def _rank(grounding: Grounding) -> tuple[bool, bool, float, int, int, float]:
    """Return the key that ranks candidates: those that can be written, own ones before shipped ones, then confidence.

    If the confidences are almost equal, fewer tables rank higher, then more concepts.
    """
    best, file = grounding.best, grounding.formula.file
    own = file is None or file.parent != SHIPPED
    if best is None:
        return grounding.grounded is not None, own, 0.0, 0, 0, 0.0
    sure = round(best.confidence, 1)
    return grounding.grounded is not None, own, sure, -len(best.tables), len(best.concepts), best.confidence
