"""Formulas beside one question, and of a role: what they say is used there, told, and nothing that is hidden."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import table

import querent
from querent.data.errors import InputError
from querent.grammar import Access

BANK = "boats"
ROLES = {
    "some columns": Access((), {"boats": ("id", "name", "port"), "trips": ("id", "boat_id", "fare", "state", "seats")}),
    "a whole table": Access(("trips",), {"boats": ("id", "name")}),
    "one table": Access(("trips",)),
}


def test_evidence_is_for_one_question(connection: querent.Connection) -> None:
    """What it tells is used there, told, and forgotten."""
    question, evidence = "How many crowded trips are there?", "crowded trips refers to seats < 5"
    answer = connection.ask(question, evidence=evidence)
    assert answer.rows == ((2,),)
    (use,) = answer.knowledge
    assert (use.name, use.said, use.grounded) == ("crowded trips", "crowded trips", "trips.seats < 5")
    assert answer.unread == ()
    assert connection.ask(question).knowledge == ()
    assert connection.knowledge is not None
    assert len(connection.knowledge.bank) == 3


def test_evidence_stands_before_the_banks(connection: querent.Connection) -> None:
    """The same name in both is what the evidence says; another of the bank stays."""
    question = "What is the total margin?"
    assert connection.ask(question).rows == ((53.0,),)
    answer = connection.ask(question, evidence="margin = fare / 2")
    assert answer.rows == ((55.0,),)
    assert connection.ask(question, evidence="crowded refers to seats < 5").rows == ((53.0,),)


def test_it_needs_no_bank(bank_file: Path) -> None:
    """A connection without formulas takes evidence, too; one without a constraint cannot hold to it."""
    with querent.connect(bank_file, language="en") as opened:
        assert opened.ask("What is the average gain?", evidence="gain = fare - cost").rows == ((13.25,),)
    with (
        querent.connect(bank_file, language="en", level=None) as opened,
        pytest.raises(InputError, match="evidence without a constraint"),
    ):
        opened.ask("What is the average gain?", evidence="gain = fare - cost")


def test_what_is_no_formula_is_named_and_ignored(connection: querent.Connection) -> None:
    """Each piece stands in `Answer.unread` with the reason; one that would be a formula makes the answer unsure."""
    words = "crowded trips refers to seats < 5; a trip is a voyage of sorts"
    answer = connection.ask("How many crowded trips are there?", evidence=words)
    assert (answer.rows, answer.status) == (((2,),), "ok")
    assert answer.unread == ("'a trip is a voyage of sorts': no formula, which is name = expression",)
    assert answer.to_json()["unread"] == answer.unread
    for evidence in ("dear refers to trips.price > 25", "dear refers to fare > DIVIDE(cost", "dear = AVG(kind)"):
        answer = connection.ask("How many dear trips are there?", evidence=evidence)
        assert answer.status != "ok", (answer.sql, answer.unread)
        assert "dear" in str(answer.reason)


@pytest.fixture(scope="module", params=ROLES)
def role(bank_file: Path, request: pytest.FixtureRequest) -> Iterator[tuple[querent.Connection, Access]]:
    """Open it for one role after the other."""
    access = ROLES[request.param]
    with querent.connect(bank_file, language="en", knowledge=bank_file.parent, access=access) as opened:
        yield opened, access


def test_a_role_writes_formulas_of_what_it_may_read_and_no_others(role: tuple[querent.Connection, Access]) -> None:
    """Each is written, or told as not possible; what it needs and may not be read stands nowhere."""
    connection, access = role
    readable = {"fare", "cost", "state", "seats"} if "trips" in access.tables else set[str]()
    readable |= {column for columns in access.columns.values() for column in columns}
    for question, evidence, needs in table(__file__, "formulas_of_roles"):
        answer = connection.ask(question, evidence=evidence)
        if readable.issuperset(needs):
            assert answer.status != "error", (question, answer.reason)
            assert answer.knowledge, (question, answer.sql)
            assert all(column in str(answer.sql) for column in needs), answer.sql
        else:
            assert answer.knowledge == ()
            assert not any(hidden in str(answer.sql) for hidden in {"port", "owner", "cost"} - readable), answer.sql
            told = f"{answer.reason} {answer.unread}"
            assert answer.status in {"unsure", "no_answer"}, (question, answer.sql, answer.confidence, told)
            assert any(f"{column}: nothing here" in told for column in needs)


def test_what_is_hidden_is_told_as_what_is_not_there(role: tuple[querent.Connection, Access]) -> None:
    """A role cannot find out by its evidence which columns there are."""
    connection, access = role
    if "boats" not in access.columns:
        return
    hidden = connection.ask("names of the zork boats", evidence="zork refers to boats.owner = 'Ann Dee'")
    missing = connection.ask("names of the zork boats", evidence="zork refers to boats.crew = 'Ann Dee'")
    told = str(missing.to_json() | {"seconds": 0}).replace("crew", "owner")
    assert str(hidden.to_json() | {"seconds": 0}) == told
