"""Nouns that a database does not have, and other words for what it does have, asked of the network that ships."""

from collections.abc import Iterator
from pathlib import Path

import databases
import pytest
from cases import table
from sql_pairs import script

import querent
from querent.classifiers.schema_match import ABSENT
from querent.dialogue.connection import Connection


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    file = databases.create(tmp_path_factory.mktemp("nouns") / "shop.sqlite", script("lamps"))
    with querent.connect(str(file)) as opened:
        yield opened


@pytest.mark.parametrize(("question", "noun"), table(__file__, "absent_nouns"))
def test_what_the_database_does_not_have_is_not_answered_for_sure(shop: Connection, question: str, noun: str) -> None:
    answer = shop.ask(question)
    assert answer.status in ("unsure", "no_answer")
    assert answer.reason is not None
    assert answer.reason.startswith(f"nothing here is called ‹{noun}›; nearest: ")
    assert answer.confidence < ABSENT


@pytest.mark.parametrize("question", table(__file__, "other_words"))
def test_other_words_for_what_it_has_are_answered(shop: Connection, question: str) -> None:
    assert shop.ask(question).status == "ok"


def test_a_question_that_leans_on_one_about_nothing_here_is_as_unsure(shop: Connection) -> None:
    talk = shop.conversation()
    first = talk.ask("how many submarines are there?")
    assert (first.status, talk.ask("and the cheapest?").status) == ("unsure", "unsure")


def test_a_follow_up_about_nothing_here_is_unsure(shop: Connection) -> None:
    talk = shop.conversation()
    assert talk.ask("how many customers are there?").status == "ok"
    answer = talk.ask("and how many submarines?")
    assert (answer.status, answer.confidence < ABSENT) == ("unsure", True)


@pytest.mark.parametrize("word", ["records", "entries"])
def test_rows_of_the_only_table_are_counted(tmp_path: Path, word: str) -> None:
    (tmp_path / "sales.csv").write_text("day,region,amount\n2024-01-01,north,3.5\n2024-01-02,south,4\n")
    with querent.connect(str(tmp_path / "sales.csv")) as opened:
        assert opened.ask(f"how many {word} are there?").status == "ok"
