"""The interface: what each route answers, and what it says of bad input."""

import json
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

ORDERS = "how many orders are there?"
COUNT = "SELECT COUNT(*) FROM orders"
AMBIGUOUS = ("the amount", "the price", "the city", "names", "the stars", "the date", "list the quantity")


@pytest.fixture(scope="module")
def feedback(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("feedback") / "feedback.jsonl"


@pytest.fixture(scope="module")
def shop(client_of: Callable[..., Any], feedback: Path) -> Any:
    from querent.serving.roles import TokenRole

    return client_of("shop", roles=(TokenRole("everybody", feedback=feedback),))


def ask(client: Any, question: str, conversation: Any = None, **more: Any) -> dict[str, Any]:
    response = client.post("/ask", json={"question": question, "conversation": conversation, **more})
    assert response.status_code == 200, response.text
    return response.json()


def test_a_question_is_answered(shop: Any) -> None:
    told = ask(shop, ORDERS)
    assert (told["answer"]["sql"], told["answer"]["rows"], told["answer"]["status"]) == (COUNT, [[35]], "ok")
    (turn,) = told["conversation"]["turns"]
    assert (turn["question"], turn["sql"]) == (ORDERS, COUNT)
    assert "explanation" not in told


def test_another_reading_is_chosen(shop: Any) -> None:
    told = ask(shop, "which customers live in Oslo?")
    body = {"conversation": told["conversation"], "place": 0}
    chosen = shop.post("/choose", json=body).json()
    assert chosen["answer"]["sql"] == told["answer"]["alternatives"][0]["sql"]
    assert chosen["conversation"]["turns"][-1]["sql"] == chosen["answer"]["sql"]
    none = shop.post("/choose", json={**body, "place": 99})
    assert (none.status_code, none.json()["error"]["field"]) == (422, "alternative")


def test_a_question_back_is_answered_by_an_option(shop: Any) -> None:
    told = next(one for question in AMBIGUOUS if (one := ask(shop, question))["answer"]["clarification"])
    asked = told["answer"]["clarification"]
    assert told["answer"]["status"] == "unsure"
    assert len(asked["options"]) > 1
    body = {"conversation": told["conversation"], "place": 1, "of": "options"}
    assert shop.post("/choose", json=body).json()["answer"]["sql"] == asked["options"][1]["sql"]


def test_a_query_of_ones_own_runs_for_reading_only(shop: Any) -> None:
    conversation = ask(shop, ORDERS)["conversation"]
    sql = "SELECT MAX(order_id) FROM orders"
    told = shop.post("/correct", json={"conversation": conversation, "sql": sql}).json()
    assert [(turn["question"], turn["sql"]) for turn in told["conversation"]["turns"]] == [(ORDERS, sql)]
    for refused in ("DELETE FROM orders", "SELECT nme FROM orders", "SELECT 1; SELECT 2", "ATTACH 'x' AS y"):
        response = shop.post("/correct", json={"conversation": conversation, "sql": refused})
        assert (response.status_code, list(response.json())) == (422, ["error"])
        assert "/" not in response.json()["error"]["problem"]  # no path of the server


def test_what_is_said_of_an_answer_is_kept(shop: Any, feedback: Path) -> None:
    told = ask(shop, "how many reviews are there?")
    for verdict in ("right", "taken back", "wrong"):
        response = shop.post("/feedback", json={"conversation": told["conversation"], "verdict": verdict})
        assert response.json() == {"question": "how many reviews are there?", "verdict": verdict}
    lines = [json.loads(line) for line in feedback.read_text(encoding="utf-8").splitlines()]
    said = [(one["verdict"], one["user"]) for one in lines if one["question"] == "how many reviews are there?"]
    assert said == [("right", "everybody"), ("taken back", "everybody"), ("wrong", "everybody")]


def test_a_file_of_feedback_that_is_full_gets_no_more(
    shop: Any, feedback: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ask(shop, "how many orders are there?")
    body = {"conversation": told["conversation"]}
    assert shop.post("/feedback", json={**body, "verdict": "right"}).status_code == 200
    monkeypatch.setattr("querent.serving.work._MOST_KEPT", 10)
    size = feedback.stat().st_size
    said: dict[str, dict[str, Any]] = {
        "feedback": {"verdict": "wrong"},
        "correct": {"sql": "SELECT 1"},
        "choose": {"place": 0},
    }
    for path, more in said.items():
        response = shop.post(f"/{path}", json={**body, **more})
        assert (response.status_code, response.json()["error"]["field"]) == (422, "feedback"), path
    assert feedback.stat().st_size == size
    assert ask(shop, "how many orders are there?")["answer"]["status"] == "ok"


def test_a_query_that_does_not_run_is_not_learnt(shop: Any, feedback: Path) -> None:
    conversation = {"version": 1, "turns": [{"question": ORDERS, "sql": "SELECT nothing FROM nowhere"}]}
    response = shop.post("/feedback", json={"conversation": conversation, "verdict": "right"})
    assert response.status_code == 422
    assert not feedback.exists() or "nowhere" not in feedback.read_text(encoding="utf-8")


def test_the_schema_tells_what_columns_hold(shop: Any) -> None:
    told = shop.get("/schema").json()
    orders = next(table for table in told["tables"] if table["name"] == "orders")
    date = next(column for column in orders["columns"] if column["name"] == "order_dt")
    assert (told["database"], orders["rows"], date["kind"], date["stored_as"]) == ("shop", 35, "time", "ISO date")
    assert orders["columns"][0]["primary"]


@pytest.mark.parametrize(
    ("text", "value", "start"),
    [("orders from os", "Oslo", 12), ("OS", "Oslo", 0), ("of claire fon", "Claire Fontaine", 3)],
)
def test_values_complete_the_last_words(shop: Any, text: str, value: str, start: int) -> None:
    found = shop.post("/complete", json={"text": text}).json()["values"]
    assert (value, start) in [(one["value"], one["start"]) for one in found]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "question"),
        ({"question": "  "}, "question"),
        ({"question": "x" * 3000}, "question"),
        ({"question": "\ud800"}, "question"),
        ({"question": 3}, "question"),
        ({"question": ORDERS, "conversation": {"version": 1}}, "conversation.turns"),
        ({"question": ORDERS, "conversation": {"version": 2, "turns": []}}, "version"),
        (
            {"question": ORDERS, "conversation": {"version": 1, "turns": [{"question": "?"}]}},
            "conversation.turns.0.sql",
        ),
        ({"question": ORDERS, "conversation": [1]}, "conversation"),
        (
            {"question": ORDERS, "conversation": {"version": 1, "turns": [{"question": "?", "sql": "\ud800"}]}},
            "conversation.turns.0.sql",
        ),
        ({"question": ORDERS, "beam": 0}, "beam"),
        ({"question": ORDERS, "beam": 10**6}, "beam"),
        ({"question": ORDERS, "unknown": 1}, "unknown"),
    ],
)
def test_bad_input_names_its_field(shop: Any, body: dict[str, Any], field: str) -> None:
    response = shop.post("/ask", content=json.dumps(body), headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["error"]["field"]) == (422, field)
    assert "Traceback" not in response.text


def lakes(file: Path, count: int) -> None:
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE lakes (lake_id INTEGER PRIMARY KEY, name TEXT)")
        made.executemany("INSERT INTO lakes (name) VALUES (?)", [(f"Lake {n}",) for n in range(count)])
        made.commit()


def test_a_database_that_vanishes_is_asked_again_when_it_is_back(
    client_of: Callable[..., Any], tmp_path: Path, cache: Path
) -> None:
    file = tmp_path / "lakes.sqlite"
    lakes(file, 3)
    client = client_of(str(file))
    asked = {"question": "how many lakes are there?"}
    assert client.post("/ask", json=asked).json()["answer"]["rows"] == [[3]]
    file.rename(tmp_path / "away")
    for path, body in (("/ask", asked), ("/validate", {"sql": "SELECT 1"})):
        gone = client.post(path, json=body)
        assert (gone.status_code, gone.headers["retry-after"]) == (503, "5")
        assert "away" not in gone.text
        assert str(tmp_path) not in gone.text
    lakes(file, 5)
    assert client.post("/ask", json=asked).json()["answer"]["rows"] == [[5]]
    lakes(tmp_path / "new", 7)
    (tmp_path / "new").replace(file)  # as whoever makes a file anew does it
    assert client.post("/ask", json=asked).json()["answer"]["rows"] == [[7]]


def test_an_error_of_our_own_tells_nothing(
    shop: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from querent.serving import work

    def broken(*_: Any) -> None:
        raise RuntimeError("Oslo is a secret")

    monkeypatch.setattr(work, "ask", broken)
    with caplog.at_level("INFO", "querent.serving"):
        response = shop.post("/ask", json={"question": "secret?"})
    assert "secret" not in response.text
    assert (response.status_code, "error" in response.text) == (500, True)
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_questions_are_logged_only_where_it_was_asked_for(
    client_of: Callable[..., Any], shop: Any, caplog: pytest.LogCaptureFixture
) -> None:
    talking = client_of("shop", log_questions=True)
    with caplog.at_level("INFO"):
        ask(shop, "which customers live in Oslo?")
        assert "POST /ask 200" in caplog.text
        assert "Oslo" not in caplog.text
        ask(talking, "which customers live in Oslo?")
        assert "Oslo" in caplog.text


def test_the_page_loads_while_the_line_of_questions_is_full(
    client_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from querent.serving import work

    client, go_on = client_of("shop", waiting=2), threading.Event()
    ask(client, ORDERS)
    whole = work.ask

    def held(opened: Any, told: Any, *more: Any) -> dict[str, Any]:
        go_on.wait(20)
        return whole(opened, told, *more)

    monkeypatch.setattr(work, "ask", held)
    with ThreadPoolExecutor(12) as pool:
        asked = [pool.submit(client.post, "/ask", json={"question": ORDERS}) for _ in range(8)]
        while sum(one.done() for one in asked) < 5:  # refused, three have the places
            time.sleep(0.01)
        quick = [pool.submit(client.get, "/schema"), pool.submit(client.post, "/complete", json={"text": "os"})]
        go_on.set()
        assert [one.result().status_code for one in quick] == [200, 200]
        assert sorted(one.result().status_code for one in asked) == [200] * 3 + [429] * 5


def test_a_table_that_is_gone_is_told_though_the_database_was_opened_anew(
    client_of: Callable[..., Any], tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from querent.serving import open_databases

    monkeypatch.setattr(open_databases, "AGAIN", 0)  # else it is asked as it was for a while
    file = tmp_path / "lakes.sqlite"
    lakes(file, 2)
    client = client_of(str(file))
    assert ask(client, "how many lakes are there?")["answer"]["rows"] == [[2]]
    with closing(sqlite3.connect(file)) as made:
        made.executescript("CREATE TABLE rivers (river_id INTEGER PRIMARY KEY, name TEXT); DROP TABLE lakes")
    assert client.get("/schema").json()["tables"][0]["name"] == "rivers"
    for _ in range(2):
        answer = ask(client, "how many lakes are there?")["answer"]
        assert (answer["status"], answer["sql"], answer["reason"].endswith(": lakes")) == ("no_answer", None, True)


def test_a_query_ends_with_its_time(client_of: Callable[..., Any]) -> None:
    client = client_of("shop", query_seconds=0.2)
    conversation = ask(client, ORDERS)["conversation"]
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    response = client.post("/correct", json={"conversation": conversation, "sql": endless})
    assert response.status_code == 504
    assert ask(client, ORDERS)["answer"]["rows"] == [[35]]


def test_where_a_database_is_nobody_learns_from_its_errors(
    client_of: Callable[..., Any], tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from querent import DatabaseError
    from querent.data.databases.sqlite_session import SqliteSession

    file = tmp_path / "lakes.sqlite"
    lakes(file, 2)
    client = client_of(str(file))
    conversation = ask(client, "how many lakes are there?")["conversation"]

    def failing(self: SqliteSession, sql: str) -> str:
        if "COUNT" in sql:  # as servers say it
            raise DatabaseError(f"{self.name}: refused, there is no table lakes to read here")
        return sql

    monkeypatch.setattr(SqliteSession, "checked", failing)
    told = ask(client, "how many lakes are there?")["answer"]
    assert (told["status"], told["reason"]) == ("error", "refused, there is no table lakes to read here")
    response = client.post("/correct", json={"conversation": conversation, "sql": "SELECT COUNT(*) FROM lakes"})
    assert response.json()["error"]["problem"] == "refused, there is no table lakes to read here"
