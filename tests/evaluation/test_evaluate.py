"""Scores: each number from answers whose worth is known beforehand."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest
from tiny_domain import write

from querent.classifiers.heads import Mode
from querent.data.databases.database import Database
from querent.data.domains.domain import Domain
from querent.data.domains.loading import load_domain
from querent.data.errors import InputError
from querent.data.sql.query import Query
from querent.evaluation.evaluate import evaluate
from querent.evaluation.judging import Runner
from querent.evaluation.scores import Scores
from querent.ner.language.question import QuestionText
from querent.parser.answering import answerer
from querent.parser.answering.asking import ConnectOptions
from querent.parser.decoding.candidates import Candidate
from querent.parser.decoding.parsing import Parse, SchemaParser
from querent.parser.network.network import Network
from querent.parser.network.saved import Loaded, load_network

pytestmark = pytest.mark.usefixtures("cache")

COUNT, MOST, BIG = "how many cities are in idaho", "the largest city of idaho", "cities of idaho over 6000 people"


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return load_domain(write(tmp_path_factory.mktemp("domain") / "tiny"))


@pytest.fixture(scope="module")
def loaded(tiny: Path) -> Loaded:
    return load_network(tiny / "run" / "best")


Score = Callable[..., Scores]


@pytest.fixture
def score(loaded: Loaded, domain: Domain, monkeypatch: pytest.MonkeyPatch) -> Score:
    """Return what scores a parser that answers with the gold queries, but for what it is told to say."""

    def scored(says: dict[str, str] | None = None, on: Domain = domain, *, sure: float = 0.9, **given: Any) -> Scores:
        answers = {e.question: e.sql for e in on.examples} | (says or {})

        def parse(self: SchemaParser, context: Any, question: QuestionText, *, values: Any = None, **_: Any) -> Parse:
            read = self.read(context, question, values)
            slotted = answers[question.text]
            bound = next(e.values for e in on.examples if e.question == question.text)
            for value in bound:
                slotted = slotted.replace(value.mention.sql, f"{{{value.slot}}}")
            return Parse(read.question, [Candidate(Query(slotted, "sqlite", bound), 0.0, ())], sure)

        monkeypatch.setattr(SchemaParser, "parse", parse)
        return evaluate(loaded, on, **given)

    return scored


FIGURES = ("em", "em_by_query", "validity", "runs", "execution")


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("SELECT COUNT(*) FROM city WHERE state = 'idaho'", (1, 1, 1, 1, 1)),
        ("select count( * ) from city as c where c.state = 'idaho'", (1, 1, 1, 1, 1)),  # the same in other words
        ("SELECT COUNT(*) FROM city WHERE state = 'nowhere'", (0.8, 0.8, 1, 1, 0.8)),  # values count
        ("SELECT COUNT(people) FROM city WHERE state = 'idaho'", (0.8, 0.8, 1, 1, 1)),  # the same rows
        ("SELECT FROM city WHERE", (0.8, 0.8, 0.8, 0.8, 0.8)),
        ("SELECT depth FROM city", (0.8, 0.8, 1, 0.8, 0.8)),
    ],
)
def test_one_answer_of_five(score: Score, says: str, expected: tuple[float, ...]) -> None:
    found = score({COUNT: says})
    assert [getattr(found, name) for name in FIGURES] == [pytest.approx(one) for one in expected]
    gold = "SELECT COUNT(*) FROM city WHERE state = 'idaho'"
    wrong = [{"id": found.wrong[0]["id"], "question": COUNT, "gold": gold, "got": says}] if expected[0] < 1 else []
    assert list(found.wrong) == wrong
    assert (found.n, found.late, found.refused, found.empty_gold) == (5, 0, 0, 0)
    assert 0.8 <= found.jaccard <= 1


def test_an_answer_that_takes_too_long_is_told_apart(score: Score, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Database, "open", partial(Database.open, timeout=0.2))
    many = ", ".join(f"city c{n}" for n in range(40))
    found = score({COUNT: f"SELECT COUNT(*) FROM {many}"})
    assert (found.validity, found.runs, found.late) == (1, pytest.approx(0.8), pytest.approx(0.2))


def test_empty_gold_results_are_told_apart(score: Score, domain: Domain) -> None:
    none = "SELECT name FROM city WHERE state = 'nowhere'"
    moved = replace(
        domain, examples=tuple(replace(e, sql=none) if e.question == BIG else e for e in domain.part("test"))
    )
    found = score({BIG: "SELECT area FROM state WHERE name = 'nowhere'"}, moved)
    assert (found.empty_gold, found.execution, found.execution_filled) == (pytest.approx(0.2), 1, 1)
    assert found.em == pytest.approx(0.8)


def test_order_counts_where_the_gold_query_sorts(score: Score, domain: Domain) -> None:
    asked = next(e for e in domain.part("test") if e.question == MOST)
    for gold, execution in (("SELECT name FROM city ORDER BY people DESC", 0), ("SELECT name FROM city", 1)):
        one = replace(domain, examples=(replace(asked, sql=gold, slotted=gold),))
        assert score({MOST: "SELECT name FROM city ORDER BY people"}, one).execution == execution


def test_queries_of_another_dialect_run_on_the_domains_file(domain: Domain) -> None:
    gold, got = "(SELECT name FROM city) UNION (SELECT name FROM state)", "SELECT name FROM city"
    with Database.open(str(domain.database)) as database:
        runner = Runner(database, replace(domain, dialect="mysql"))
        assert runner.compare(gold, gold) == {"runs": True, "late": False, "execution": True, "empty_gold": False}
        assert runner.compare(gold, got)["execution"] is False


def test_by_query_weighs_each_query_once(score: Score, domain: Domain) -> None:
    first, second = domain.part("test")[:2]
    again = [replace(first, id=f"again {n}", question=f"{first.question} {n}") for n in range(3)]
    found = score({second.question: "SELECT name FROM state"}, replace(domain, examples=(first, *again, second)))
    assert (found.em, found.em_by_query) == (pytest.approx(0.8), pytest.approx(0.5))


def test_scores_survive_json(score: Score) -> None:
    found = score({MOST: "SELECT name FROM city"})
    saved = json.loads(json.dumps(found.to_json()))
    assert Scores.from_json(saved) == Scores.from_json(saved | {"suite": 0.9}) == found  # of an older version


def test_without_a_database_nothing_is_said_of_execution(score: Score, domain: Domain) -> None:
    found = score(None, replace(domain, database=None))
    assert (found.runs, found.execution, found.execution_filled, found.empty_gold) == (None,) * 4
    assert found.em == 1


def test_an_answer_that_would_not_be_shown_is_judged_and_counted(score: Score, monkeypatch: Any) -> None:
    assert score(sure=answerer.ANSWERABLE / 2).refused == 0  # all their words are names and values
    monkeypatch.setattr(answerer, "UNLINKED", 0.0)
    found = score(sure=answerer.ANSWERABLE / 2)
    assert (found.em, found.refused) == (1, 1)


def test_a_limit_spreads_over_the_part_and_an_empty_part_is_refused(score: Score, domain: Domain) -> None:
    ticks: list[int] = []
    assert score(limit=2, part="train", progress=lambda: ticks.append(1)).n == len(ticks) == 2
    assert score(limit=50).n == 5
    with pytest.raises(InputError, match="no examples in part 'dev'") as caught:
        score(None, replace(domain, examples=domain.part("test")), part="dev")
    assert caught.value.field == "part"


# --- the parser itself


@pytest.mark.parametrize("values", ["gold", "own"])
def test_a_real_parser_has_scores_and_labels(loaded: Loaded, domain: Domain, values: Any) -> None:
    found = evaluate(loaded, domain, part="train", values=values, beam=1, limit=5)
    assert (found.em, found.execution, found.validity, found.all_values_found) == (1, 1, 1, 1)
    assert min(found.table_f1, found.column_f1) >= 0.8  # pyright: ignore
    for share in (found.table_f1, found.column_f1, found.function_f1, found.inside_global, found.share_left):
        assert 0 <= share <= 1  # pyright: ignore
    assert found.seconds > 0


def test_what_the_hard_global_constraint_leaves_does_not_hang_on_the_one_in_force(
    loaded: Loaded, domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = Network.encode

    def doubtful(self: Network, one: Any, vectors: Any) -> Any:
        found = encode(self, one, vectors)
        return replace(found, classes=replace(found.classes, used=found.classes.used - 8))

    monkeypatch.setattr(Network, "encode", doubtful)
    found = {mode: evaluate(loaded, domain, part="train", beam=1, limit=3, global_mode=mode) for mode in get_args(Mode)}
    (left,) = {scores.share_left for scores in found.values()}
    assert left is not None
    assert 0 < left < 1


def test_solved_questions_and_formulas_need_a_level(loaded: Loaded, domain: Domain) -> None:
    for told in ({"examples": "shop"}, {"knowledge": ["retail"]}):
        with pytest.raises(InputError, match="without a constraint"):
            evaluate(loaded, domain, options=ConnectOptions(level=None, **told))


def test_gold_values_are_handed_over_and_own_ones_are_not(loaded: Loaded, domain: Domain) -> None:
    asked = replace(domain.part("test")[0], question="which cities are in the spud state")
    value = replace(asked.values[0], mention=replace(asked.values[0].mention, start=24, end=34, text="spud state"))
    one = replace(domain, examples=(*domain.part("train"), replace(asked, values=(value,))))
    scores = {values: evaluate(loaded, one, values=values, beam=1) for values in ("gold", "own")}
    assert {name: (s.em, s.all_values_found) for name, s in scores.items()} == {"gold": (1, 1), "own": (0, 0)}


def test_a_parser_that_was_not_trained_on_the_domain_knows_its_entities(loaded: Loaded, domain: Domain) -> None:
    told: Any = {"options": ConnectOptions(level=None), "global_mode": "off", "limit": 2}
    found = evaluate(replace(loaded, profile=None), domain, part="dev", beam=1, **told)
    assert (found.n, found.part, found.all_values_found) == (2, "dev", 1)
