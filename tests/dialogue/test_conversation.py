"""Conversations: what is asked with which turns, what is taken back, and files of them."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from querent.answers.answer import Alternative, Answer, Carried, Clarification, Option
from querent.answers.feedback import Feedback
from querent.data.databases.database import Database
from querent.data.databases.rows import Rows
from querent.data.domains.dialogues import Turn
from querent.data.errors import DatabaseError, InputError
from querent.data.schema.schema import Schema
from querent.dialogue.conversation import Conversation

COUNT = "SELECT COUNT(*) FROM lake"
NAMES = "SELECT name FROM lake"
WHICH = Clarification("column", "Which do you mean?", (Option("count", COUNT), Option("name", NAMES)))


class Parrot:
    """Answers every question with the same query, and notes what it was asked with."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.schema = Schema(())
        self.feedback: Feedback | None = None
        self.carried: Carried | None = None
        self.clarification: Clarification | None = None
        self.sql: str | None = COUNT
        self.before: list[tuple[Turn, ...]] = []

    def query(self, sql: str) -> Rows:
        return self.database.query(sql)

    def ask(self, question: str, before: Sequence[Turn] = (), **how: Any) -> Answer:
        self.before.append(tuple(before))
        told: dict[str, Any] = {"carried": self.carried, "clarification": self.clarification}
        status = "no_answer" if self.sql is None else "ok"
        told["alternatives"] = (Alternative(NAMES, 0.2, -1.0),)
        return Answer(question, self.sql, confidence=1.0, status=status, **told)


@pytest.fixture
def lakes(tmp_path: Path) -> Iterator[Parrot]:
    file = tmp_path / "lakes.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.executescript("CREATE TABLE lake (name TEXT); INSERT INTO lake VALUES ('Loch'), ('Mere');")
    with Database.open(file) as database:
        yield Parrot(database)


@pytest.fixture
def conversation(lakes: Parrot) -> Conversation:
    """Return a conversation in which one question was asked."""
    made = Conversation(lakes, user="kim")
    made.ask("which lakes?")
    return made


def test_a_question_is_asked_with_the_turns_before_it(conversation: Conversation, lakes: Parrot) -> None:
    for question in ("their names?", "sorted"):
        conversation.ask(question)
    first, second = Turn("which lakes?", COUNT), Turn("their names?", COUNT)
    assert lakes.before == [(), (first,), (first, second)]
    lakes.sql = None
    assert conversation.ask("good morning").status == "no_answer"
    assert conversation.turns == [first, second, Turn("sorted", COUNT)]  # what has no answer is no turn


def test_an_alternative_takes_the_place_of_the_answer(conversation: Conversation) -> None:
    chosen = conversation.choose(0)
    assert (chosen.question, chosen.sql, chosen.rows) == ("which lakes?", NAMES, (("Loch",), ("Mere",)))
    assert conversation.turns == [Turn("which lakes?", NAMES)]
    with pytest.raises(InputError, match="no alternative 2"):
        conversation.choose(1)


def test_a_corrected_query_is_run_for_reading_only(conversation: Conversation, lakes: Parrot) -> None:
    with pytest.raises(InputError, match="nothing was asked"):
        Conversation(lakes).correct(NAMES)
    with pytest.raises(DatabaseError, match="refused"):
        conversation.correct("DELETE FROM lake")
    assert conversation.turns == [Turn("which lakes?", COUNT)]  # what fails is not taken
    assert conversation.correct("SELECT name FROM lake LIMIT 1").rows == (("Loch",),)


def test_a_turn_is_taken_back(conversation: Conversation) -> None:
    assert conversation.undo() == Turn("which lakes?", COUNT)
    with pytest.raises(InputError, match="no alternative 1"):
        conversation.choose(0)  # what it chose among is gone, too
    with pytest.raises(InputError, match="nothing to undo"):
        conversation.undo()


def test_a_conversation_begun_anew_has_nothing_to_choose_among(conversation: Conversation, lakes: Parrot) -> None:
    conversation.clear()
    with pytest.raises(InputError, match="no alternative 1"):
        conversation.choose(0)
    conversation.ask("and rivers?")
    assert lakes.before == [(), ()]


def test_a_saved_conversation_goes_on(conversation: Conversation, lakes: Parrot) -> None:
    again = Conversation.from_json(conversation.to_json(), lakes)
    assert again.turns == conversation.turns
    assert again.choose(0).sql == NAMES  # what there was to choose
    again.ask("and rivers?")
    assert lakes.before[-1] == (Turn("which lakes?", NAMES),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "no conversation of version 1"),
        ('{"version": 2, "turns": []}', "no conversation of version 1"),
        ('{"version": 1, "turns": [{"question": "q"}]}', "field 'sql': missing"),
        ('{"version": 1, "turns": [{"question": "q", "sql": null}]}', "field 'sql'"),
        ('{"version": 1, "turns": [{"question": [3], "sql": "s"}]}', "field 'question'"),
        ('{"version": 1, "turns": ["q"]}', "not a list of JSON objects"),
        ('{"version": 1, "turns": [{"question": "q", "sql": "s", "confidence": 2}]}', "field 'confidence': turn 1"),
        ('{"version": 1, "turns": 3}', "not a list of JSON objects"),
    ],
)
def test_what_is_no_conversation_is_told(lakes: Parrot, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Conversation.from_json(json.loads(text), lakes)


def test_what_is_said_of_answers_is_kept(conversation: Conversation, lakes: Parrot, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing was asked"):
        Conversation(lakes).judge("right")
    with pytest.raises(InputError, match="no file to keep it in"):
        conversation.judge("right")
    lakes.feedback = Feedback(tmp_path / "said.jsonl")
    conversation.judge("wrong")
    assert [(one.sql, one.verdict, one.user) for one in lakes.feedback.standing()] == [(COUNT, "wrong", "kim")]
    conversation.choose(0)  # says by itself what was meant
    assert [(one.sql, one.verdict) for one in lakes.feedback.standing()] == [(NAMES, "corrected")]
    conversation.judge("taken back")
    assert lakes.feedback.standing() == []


def test_a_follow_up_is_kept_with_what_it_leans_on(conversation: Conversation, lakes: Parrot, tmp_path: Path) -> None:
    lakes.feedback = Feedback(tmp_path / "said.jsonl")
    lakes.carried = Carried(kept=("FROM lake",))
    conversation.ask("how many?")
    assert conversation.judge("right").before == (Turn("which lakes?", COUNT),)
    lakes.carried = Carried(new_topic=True)
    conversation.ask("what is the time?")
    assert conversation.judge("right").before == ()


def test_an_option_of_a_question_back_is_taken(lakes: Parrot) -> None:
    lakes.clarification = WHICH
    conversation = Conversation(lakes)
    conversation.ask("lakes?")
    assert conversation.choose(1, of="options").rows == (("Loch",), ("Mere",))
    with pytest.raises(InputError, match="no option 3"):
        conversation.choose(2, of="options")


@pytest.mark.parametrize(
    ("said", "sql"),
    [
        ("the second one", NAMES),
        ("Name", NAMES),
        ("the first", COUNT),
        ("第二个", NAMES),
        ("the third one", "asked"),
        ("second largest lake by area", "asked"),
        ("how many names are there?", "asked"),
        ("2", "asked"),
    ],
)
def test_a_question_back_may_be_answered_in_words(lakes: Parrot, said: str, sql: str) -> None:
    lakes.clarification = WHICH
    conversation = Conversation(lakes)
    conversation.ask("lakes?")
    lakes.sql, lakes.clarification = "asked", None
    assert conversation.ask(said).sql == sql


def test_a_question_that_had_no_answer_may_be_given_one(conversation: Conversation, lakes: Parrot) -> None:
    lakes.sql = None
    conversation.ask("and their names?")
    with pytest.raises(InputError, match="no alternative 1"):
        conversation.choose(0)  # those were of the question before
    with pytest.raises(InputError, match="the last question has no query"):
        conversation.judge("right")
    assert conversation.correct(NAMES).question == "and their names?"
    assert conversation.turns == [Turn("which lakes?", COUNT), Turn("and their names?", NAMES)]


def test_a_reply_after_reading_from_json_chooses_as_well(lakes: Parrot) -> None:
    lakes.clarification = WHICH
    told = {"version": 1, "turns": [{"question": "lakes?", "sql": COUNT, "confidence": 0.3}]}
    assert Conversation.from_json(told, lakes).ask("the second one").sql == NAMES
