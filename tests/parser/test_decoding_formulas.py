"""Formulas as words of the decoder: what is written, where it may stand, and that it always runs."""

from pathlib import Path

import numpy as np
import pytest
from cases import cases
from draws import draws

import querent
from querent.data.databases.database import Database
from querent.grammar import EOS, Constraint
from querent.knowledge.linked_formulas import LinkedFormula
from querent.ner.language.question import QuestionText
from querent.parser.decoding.expansions.query_state import QueryState
from querent.parser.decoding.parsing import SearchStart
from querent.parser.normal_form import ShortConstraint
from querent.parser.reader.formula_items import FormulaItems, offered

BANK = "plants"


def items_of(connection: querent.Connection, question: str) -> tuple[FormulaItems, list[LinkedFormula]]:
    """Return the database with the formulas that a question names."""
    answerer = connection.parser.whole
    assert answerer.knowledge is not None
    needed = answerer.knowledge.find(QuestionText(question))
    items = offered(answerer.context, needed)
    assert items is not None
    return items, needed


def words_of(connection: querent.Connection, question: str, *, level: str = "runs") -> tuple[SearchStart, FormulaItems]:
    """Return the formulas of a question as words of a constraint."""
    answerer = connection.parser.whole
    items, _ = items_of(connection, question)
    read = answerer.parser.read(answerer.context, QuestionText(question), None, items)
    places = np.zeros(len(items.context.vocabulary), np.int64)  # all words have one
    constraint = ShortConstraint(Constraint(answerer.context.vocabulary, level=level))
    return SearchStart(constraint, answerer.context, read.question, places, items), items


def written(words: SearchStart, items: FormulaItems, text: str) -> QueryState | None:
    """Return the prefix behind a text in which formulas are columns, None where the constraint refuses a word."""
    vocabulary = items.context.vocabulary.words
    prefix = words.state()
    assert isinstance(prefix, QueryState)
    for word in text.split(" "):
        ids = [i for i, one in enumerate(vocabulary) if one.text.replace(" ", "_") == word and prefix.allowed()[i]]
        if not ids:
            return None
        prefix = prefix.advance(ids[0])
    return prefix


def sql_of(prefix: QueryState, words: SearchStart) -> str:
    """Return the full query so far, the constants of formulas filled in."""
    text = words.constraint.vocabulary.decode(prefix.sql_words)
    for slot, value in words.slots.items():
        text = text.replace("{" + slot + "}", value)
    return text


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("formula_words.toml")))
def test_what_words_of_formulas_are_written_as(connection: querent.Connection, case: dict[str, str]) -> None:
    words, items = words_of(connection, case["question"])
    prefix = written(words, items, case["name"])
    assert (prefix is not None) == ("sql" in case or "never" in case)
    sql = "" if prefix is None else sql_of(prefix, words)
    assert case.get("sql", "") in sql, sql
    assert "never" not in case or case["never"] not in sql


def test_its_tables_must_come(connection: querent.Connection) -> None:
    """The constraint knows what a formula needs, so that FROM cannot leave it out."""
    words, items = words_of(connection, "the EBIT of plants")
    for table, may in (("plants", False), ("results", True)):
        prefix = written(words, items, f"SELECT results.EBIT FROM {table}")
        assert prefix is not None and prefix.allowed()[EOS] == may


def test_an_aggregate_stands_in_no_other(connection: querent.Connection) -> None:
    words, items = words_of(connection, "gross margin by region")
    outer, (offer,) = written(words, items, "SELECT MAX ("), items.offers
    assert outer is not None and not outer.allowed()[offer.word]
    assert offer.by_row is not None and outer.allowed()[offer.by_row]


def test_two_conditions_of_one_table_have_a_column_each(connection: querent.Connection) -> None:
    items, _ = items_of(connection, "women who are minors")
    assert sorted(one.column for one in items.offers) == ["kind", "status"]


@pytest.mark.parametrize("question", ["gross margin and EBIT of minors", "expenses and profitability of women"])
def test_random_queries_with_formulas_run(connection: querent.Connection, bank_file: Path, question: str) -> None:
    """Whatever the weights say: words drawn at random, formulas often, and each query runs."""
    words, items = words_of(connection, question)
    formulas = [i for one in items.offers for i in (one.word, one.by_row) if i is not None]
    rng = np.random.default_rng(32)
    used = 0
    with Database.open(str(bank_file), timeout=20) as opened:
        for _ in range(draws(30)):
            prefix = words.state()
            ids: list[int] = []
            while True:
                allowed = np.flatnonzero(prefix.allowed())
                assert len(allowed)
                often = [i for i in formulas if i in set(allowed.tolist())]
                word = int(rng.choice(often if often and rng.random() < 0.6 else allowed))
                if word == EOS:
                    break
                ids.append(word)
                prefix = prefix.advance(word)
            used += any(i in formulas for i in ids)
            sql = sql_of(prefix, words)
            for slot in [w.slot for w in words.constraint.vocabulary.words if w.slot]:
                sql = sql.replace("{" + slot + "}", "1")
            opened.query(sql)
    assert used > draws(10)


def test_answers_tell_their_formulas(connection: querent.Connection) -> None:
    """Which one, from which bank, grounded to what, how surely."""
    answer = connection.ask("What was the total EBIT of North?")
    assert answer.rows == ((90.0,),)
    (use,) = answer.knowledge
    assert (use.name, use.said, use.domain) == ("EBIT", "EBIT", "finance")
    assert use.grounded == "results.revenue - results.costs"
    assert use.confidence > 0.9
    assert connection.ask("How many workers are there?").knowledge == ()


def test_a_query_with_formulas_is_explained(connection: querent.Connection) -> None:
    """Each is one step, and the steps' probabilities are those of the search."""
    told = connection.explain("What was the total EBIT of North?")
    assert told.sql is not None and "results.revenue - results.costs" in told.sql
    assert "results.EBIT" in [step.word for step in told.steps]
    assert "results.EBIT" in [column.name for column in told.columns]
    assert told.score == pytest.approx(sum(np.log(step.probability) for step in told.steps), rel=1e-3)
