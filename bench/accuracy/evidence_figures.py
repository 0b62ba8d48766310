"""What is counted of evidences: pieces read, concepts grounded, queries of questions that are asked with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from querent.data.errors import QuerentError
from querent.data.schema.plain_names import spoken
from querent.knowledge.evidence.reading import Evidence
from querent.knowledge.formulas.bank import Formula
from querent.knowledge.grounding.grounder import GROUNDED, Grounding

__all__ = ["Asked", "Grounds", "Read"]


@dataclass
class Read:
    """How many evidences and pieces are read, and what came of them."""

    n: int = 0
    whole: int = 0
    part: int = 0
    pieces: int = 0
    unread: int = 0
    conditions: int = 0
    calculations: int = 0
    unions: int = 0
    synonyms: int = 0

    def count(self, evidence: Evidence) -> None:
        """Count one evidence."""
        kinds = [one.kind for one in evidence.bank.formulas]
        some = bool(kinds or evidence.bank.concepts)
        self.n += 1
        self.whole += not evidence.unread
        self.part += bool(evidence.unread) and some
        self.pieces += evidence.pieces
        self.unread += len(evidence.unread)
        self.conditions += kinds.count("condition")
        self.calculations += kinds.count("calculation")
        self.unions += kinds.count("union")
        self.synonyms += len(evidence.bank.concepts)


@dataclass
class Grounds:
    """Whether columns, said in plain words, ground to themselves."""

    formulas: int = 0
    hits: int = 0
    named: int = 0
    claimed: int = 0
    due: int = 0

    def count(self, formula: Formula, grounding: Grounding) -> None:
        """Count the columns of one formula; ``grounding`` is of the same in plain words."""
        columns = [one for tree in formula.expression.trees for one in tree.find_all(exp.Column) if one.table]
        gold = {(spoken(one.name, ""), f"{one.table}.{one.name}".lower()) for one in columns}
        said = {concept for concept, _ in gold}
        concepts = grounding.best.concepts if grounding.best else ()
        sure = [one for one in concepts if one.concept in said and one.confidence >= GROUNDED]
        self.formulas += 1
        got = {(one.concept, str(one.place).lower()) for one in sure}
        self.hits += len(got & gold)
        self.named += len({_column(one) for one in got} & {_column(one) for one in gold})
        self.claimed += len(sure)
        self.due += len(gold)

    def figures(self) -> dict[str, Any]:
        """Return precision, recall and F1, and the last where another table's column of that name will do, too."""
        shares = {
            "precision": self.hits / max(1, self.claimed),
            "recall": self.hits / max(1, self.due),
            "f1": 2 * self.hits / max(1, self.claimed + self.due),
            "f1 of any table": 2 * self.named / max(1, self.claimed + self.due),
        }
        return {"formulas": self.formulas, "columns": self.due} | {k: round(v, 4) for k, v in shares.items()}


def _column(one: tuple[str, str]) -> tuple[str, str]:
    return one[0], one[1].rpartition(".")[2]


@dataclass
class Asked:
    """What the queries of questions have of their gold ones."""

    n: int = 0
    written: int = 0
    held: int = 0
    sure: int = 0
    same: int = 0
    shared: float = 0.0

    def ask(self, answerer: Any, question: str, evidence: str, gold: str) -> None:
        """Ask one question."""
        self.n += 1
        wanted = columns_of(gold)
        try:
            found = answerer.consider(question, evidence=evidence)
        except QuerentError:
            return
        answer = answerer.answer(found)
        best = found.choices[0].candidate
        got = columns_of(best.sql)
        self.written += any(one.formulas for one in found.parse.candidates)
        self.held += bool(best.formulas)
        self.sure += answer.status == "ok"
        self.same += got == wanted
        self.shared += 2 * len(got & wanted) / max(1, len(got) + len(wanted))

    def figures(self) -> dict[str, Any]:
        """Return shares and counts."""
        return {
            "n": self.n,
            "in the n best": self.written,
            "in the best": self.held,
            "ok": self.sure,
            "same columns": round(self.same / self.n, 4),
            "columns f1": round(self.shared / self.n, 4),
        }


def columns_of(sql: str) -> frozenset[str]:
    """Return the names of the columns in a query, but for those that only join."""
    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
    except SqlglotError:
        return frozenset()
    for join in list(tree.find_all(exp.Join)):
        join.set("on", None)
    return frozenset(one.name.lower() for one in tree.find_all(exp.Column))
