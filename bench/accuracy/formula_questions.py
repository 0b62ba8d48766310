"""Questions with the formulas that they need, as retrieval is measured on: of KnowBench, Archer, and plain ones."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from knowbench_told import questions
from real_formulas import reckons
from result_files import DATA

from querent.data.databases.schema_places import open_schema
from querent.data.domains.collection import read_collection
from querent.data.schema.plain_names import spoken
from querent.data.schema.schema import Schema
from querent.knowledge.formulas.bank import Bank, Formula
from querent.knowledge.formulas.expression import parse
from querent.knowledge.mentions import Mention, Mentions
from querent.knowledge.needed import NeededFormulas
from querent.ner.index import ValueIndex
from querent.parser.reader.concepts import formulas_on
from querent.parser.reader.vectors import TextVectors

__all__ = ["Asked", "Known", "archer", "flattened", "knowbench", "plain", "text_of", "unsaid"]

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_DEFINED = re.compile(r"\s*(?:=|\b(?:is|are)\b)")
"""Ends what a sentence of Archer's knowledge is about."""


@dataclass(frozen=True)
class Asked:
    """A question.

    Attributes:
        home: the formulas on its database, None where only texts are known.
        gold: numbers of the formulas that it needs.
        named: numbers of those that it names, the surest name first.
        grounded: of each name that the database has no column for, the rivals that it can best ground first.
        mended: by number, what formulas say in their stead for this question.
    """

    question: str
    home: NeededFormulas | None
    gold: tuple[int, ...] = ()
    named: tuple[int, ...] = ()
    grounded: tuple[int, ...] = ()
    mended: Mapping[int, str] = field(default_factory=dict[int, str])

    @property
    def with_schema(self) -> str:
        """Return the question with the names of its database behind it."""
        return self.question if self.home is None else f"{self.question} | {flattened(self.home.grounder.schema)}"

    def writes(self, formula: Formula) -> bool:
        """Can the formula be written on its database?"""
        return self.home is None or self.home.grounding(formula).grounded is not None


class Known:
    """A bank on databases that are opened once.

    Args:
        bank: of formulas.
        vectors: of the encoder that the grounder has.
        language: of the questions.
    """

    def __init__(self, bank: Bank, vectors: TextVectors, language: str) -> None:
        self.bank = bank
        self.number = {id(formula): i for i, formula in enumerate(bank.formulas)}
        self._vectors, self._language = vectors, language
        self._homes: dict[Path, NeededFormulas] = {}

    def on(self, path: Path, schema: Schema | None = None) -> NeededFormulas:
        """Return the bank on a database."""
        if path not in self._homes:
            schema = schema or open_schema(path)[0]
            index = ValueIndex.open(path, schema)
            self._homes[path] = formulas_on(schema, self.bank, self._vectors, language=self._language, index=index)
        return self._homes[path]

    def ask(self, question: str, home: NeededFormulas, gold: Iterable[int] = ()) -> Asked:
        """Return a question with what it names."""
        mentions = sorted(home.mentions.find(question), key=_surest)
        left = sorted((needed.mention for needed in home.find(question)), key=_surest)
        ranked = [sorted(m.formulas, key=lambda f: _goodness(home, f), reverse=True) for m in left]
        return Asked(question, home, tuple(gold), self._turns(m.formulas for m in mentions), self._turns(ranked))

    def _turns(self, several: Iterable[Sequence[Formula]]) -> tuple[int, ...]:
        """Return the first of each, then the second of each, and so on."""
        turns = zip_longest(*several)
        return tuple(dict.fromkeys(self.number[id(f)] for turn in turns for f in turn if f is not None))


def _surest(mention: Mention) -> tuple[float, int, int]:
    return -mention.score, mention.start - mention.end, mention.start


def _goodness(home: NeededFormulas, formula: Formula) -> tuple[bool, float]:
    found = home.grounding(formula)
    return found.grounded is not None, 0.0 if found.best is None else found.best.confidence


def text_of(formula: Formula, without: Iterable[str] = ()) -> str:
    """Return what is searched of a formula: what it is called, but for some names, and its right side."""
    names = dict.fromkeys(name for name in formula.names if name not in set(without))
    return f"{', '.join(names)} = {formula.expression.text}"


def flattened(schema: Schema) -> str:
    """Return the names of a schema as one line."""
    tables = (
        f"{spoken(t.name, t.description)}: {', '.join(spoken(c.name, c.description) for c in t.columns)}"
        for t in schema.tables
    )
    return "; ".join(tables)


def knowbench(root: Path, known: Known, every: int, *, kinds: bool = True) -> Iterator[Asked]:
    """Yield the questions of the test part that need formulas, or those that need none."""
    told = {(f.name, f.expression.text): i for i, f in enumerate(known.bank.formulas)}
    for name, several in questions(root, "test", every).items():
        home = known.on(root / "databases" / f"{name}.sqlite")
        for one in several:
            if (one["kind"] != "none") == kinds:
                gold = [told[f["name"], f["is"]] for f in one["formulas"]]
                needs = {need for i in gold for need in known.bank.formulas[i].expression.needs}
                yield known.ask(one["question"], home, (i for i in gold if known.bank.formulas[i].name not in needs))


def unsaid(asked: Iterable[Asked], bank: Bank, language: str) -> Iterator[Asked]:
    """Yield the questions that name their one formula, as if the bank had never heard that name.

    Left out are those whose formula then has no name in the language of the question.
    """
    for one in asked:
        if len(one.gold) != 1 or one.gold[0] not in one.named or one.home is None:
            continue
        said = set(_said(bank.formulas[one.gold[0]], one))
        bearers = [i for i, formula in enumerate(bank.formulas) if said & {n.casefold() for n in formula.names}]
        dropped = {i: [n for n in bank.formulas[i].names if n.casefold() in said] for i in bearers}
        rest = [n for n in bank.formulas[one.gold[0]].names if n.casefold() not in said]
        if any((_CHINESE.search(name) is not None) == (language == "zh") for name in rest):
            mended = {i: text_of(bank.formulas[i], names) for i, names in dropped.items()}
            named, grounded = (tuple(i for i in order if i not in mended) for order in (one.named, one.grounded))
            yield replace(one, named=named, grounded=grounded, mended=mended)


def _said(formula: Formula, one: Asked) -> Iterator[str]:
    """Yield the names of a formula that a question is found to name it by, alone."""
    schema = one.home.grounder.schema if one.home is not None else Schema(())
    for name in formula.names:
        alone = Bank([replace(formula, name=name, says=())], {})
        if Mentions(alone, schema).find(one.question):
            yield name.casefold()


def plain(language: str, known: Known, every: int) -> Iterator[Asked]:
    """Yield questions on held-out databases whose queries reckon with no two columns."""
    kind = {"en": "spider", "zh": "chase"}[language]
    held_out = read_collection(f"{kind}:{DATA / 'multi' / f'{kind}-train'}").part("held-out")
    pairs = [pair for pair in held_out.pairs if not reckons(pair.sql) and pair.database in held_out.databases]
    for pair in pairs[::every]:
        home = known.on(Path(held_out.databases[pair.database]), held_out.schemas[pair.database])
        yield known.ask(pair.question, home)


def archer() -> tuple[list[str], list[set[str]], list[Asked]]:
    """Return Archer's texts of knowledge, what each is about, and the questions that need one.

    A sentence is about what stands before «=», «is» or «are».
    """
    lines = (DATA / "knowledge" / "archer-train.jsonl").read_text(encoding="utf-8").splitlines()
    told: list[dict[str, Any]] = [one for one in map(json.loads, lines) if "C" in one["kind"]]
    texts = list(dict.fromkeys(one["knowledge"] for one in told))
    subjects = [{part.casefold() for part in _subjects(text)} or {text.casefold()} for text in texts]
    bearers: defaultdict[str, list[int]] = defaultdict(list)
    for i, several in enumerate(subjects):
        for subject in several:
            bearers[subject].append(i)
    expression = parse("knowledge", "calculation")
    mentions = Mentions(Bank([Formula(subject, (), "calculation", expression) for subject in bearers], {}), Schema(()))
    asked: list[Asked] = []
    for one in told:
        found = [i for m in sorted(mentions.find(one["question"]), key=_surest) for i in bearers[m.formulas[0].name]]
        named = tuple(dict.fromkeys(found))
        asked.append(Asked(one["question"], None, (texts.index(one["knowledge"]),), named, named))
    return texts, subjects, asked


def _subjects(text: str) -> Iterator[str]:
    for sentence in re.split(r"\.\s+|\(\d\)|\band \(\d\)", text):
        if (end := _DEFINED.search(sentence)) and sentence[: end.start()].strip():
            yield re.sub(r"^(?:the|a|an)\s+", "", sentence[: end.start()].strip(), flags=re.IGNORECASE)
