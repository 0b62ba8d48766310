"""Who gets in, what a role learns, and what a request may weigh; attacks.toml has the requests of attackers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import table

from querent import InputError


@pytest.fixture(scope="module")
def server(client_of: Callable[..., Any], two_roles: Any) -> Any:
    return client_of("shop", "plant", roles=two_roles)


@pytest.fixture(scope="module")
def plain(client_of: Callable[..., Any]) -> Any:
    return client_of("shop")


def bearer(name: str) -> dict[str, str]:
    return {"authorization": f"Bearer a-token-of-the-{name}-people"}


def test_nobody_gets_in_without_a_token(server: Any) -> None:
    headers = {"authorization": "Bearer wrong"}
    for response in (
        server.post("/ask", json={"question": "how many orders are there?", "database": "shop"}, headers=headers),
        server.get("/schema?database=shop", headers=headers),
        server.get("/about", headers=headers),
    ):
        assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
        assert "shop" not in response.text
    assert server.get("/health", headers=headers).json() == {"status": "ok"}


def test_a_role_sees_its_own_databases_and_columns(server: Any) -> None:
    about = {name: server.get("/about", headers=bearer(name)).json() for name in ("sales", "boss")}
    assert [one["name"] for one in about["sales"]["databases"]] == ["shop"]
    assert [one["name"] for one in about["boss"]["databases"]] == ["shop", "plant"]
    assert [one["own_queries"] for one in about["sales"]["databases"]] == [False]
    unseen = server.post("/ask", json={"question": "how many tags?", "database": "plant"}, headers=bearer("sales"))
    unknown = server.post("/ask", json={"question": "how many tags?", "database": "plunt"}, headers=bearer("sales"))
    assert unseen.status_code == unknown.status_code == 404
    assert unseen.json()["error"]["hint"] == unknown.json()["error"]["hint"] == "use shop"


def test_what_is_hidden_is_as_what_is_not_there(server: Any) -> None:
    def judged(sql: str) -> dict[str, Any]:
        told = server.post("/validate", json={"sql": sql, "database": "shop"}, headers=bearer("sales")).json()
        return {name: told[name] for name in ("runs", "rule", "start", "allowed", "nearest")}

    assert judged("SELECT COUNT(*) FROM reviews") == judged("SELECT COUNT(*) FROM rqvzews")
    for query in (
        'SELECT "{}" FROM customers',  # one that is not there is a text to SQLite
        "SELECT cust_name AS {} FROM customers",
    ):
        there, not_there = (json.dumps(judged(query.format(name))) for name in ("email", "emaxl"))
        assert there == not_there.replace("emaxl", "email"), query
    assert "reviews" not in json.dumps(judged("SELECT REVIEWS.STARS FROM REVIEWS"))
    assert judged("SELECT customers.email FROM customers")["runs"] is False
    assert judged("SELECT * FROM customers")["runs"] is False  # a star would read it
    turn = {"question": "x", "sql": "SELECT COUNT(*) FROM reviews"}

    def leaning(sql: str) -> Any:
        body = {"question": "in Oslo", "conversation": {"version": 1, "turns": [{**turn, "sql": sql}]}}
        answer = server.post("/ask", json={**body, "database": "shop"}, headers=bearer("sales")).json()["answer"]
        return {name: answer[name] for name in ("sql", "rows", "status", "reason", "confidence")}

    assert leaning("SELECT COUNT(*) FROM reviews") == leaning("SELECT COUNT(*) FROM rqvzews")
    assert leaning('SELECT "email" FROM customers') == leaning('SELECT "emaxl" FROM customers')

    def defined(name: str) -> Any:
        evidence = f"bulk refers to {name} > 3; Tom refers to {name} = 'Tom'"
        body = {"question": "how many bulk orders are there?", "evidence": evidence, "database": "shop"}
        answer = server.post("/ask", json=body, headers=bearer("sales")).json()["answer"]
        told = {name: answer[name] for name in ("sql", "rows", "status", "reason", "confidence", "unread", "notes")}
        return json.loads(json.dumps(told).replace(name, "NAME"))

    assert defined("stars") == defined("sters")
    assert defined("payments.amount") == defined("peymants.emount")


def test_a_role_with_limits_teaches_no_query_of_its_own(server: Any, two_roles: Any) -> None:
    turns = [{"question": "how many orders are there?", "sql": "SELECT COUNT(*) FROM payments"}]
    body = {"database": "shop", "conversation": {"version": 1, "turns": turns}, "verdict": "right"}
    assert server.post("/feedback", json=body, headers=bearer("sales")).status_code == 422
    kept = next(role.feedback for role in two_roles if role.name == "sales")
    assert not kept.exists()
    asked = {"database": "shop", "question": "how many orders are there?"}
    told = server.post("/ask", json=asked, headers=bearer("sales")).json()
    body["conversation"] = told["conversation"]
    assert server.post("/feedback", json=body, headers=bearer("sales")).status_code == 200
    assert json.loads(kept.read_text(encoding="utf-8"))["user"] == "sales"
    assert server.post("/feedback", json=body, headers=bearer("boss")).json()["error"]["field"] == "feedback"


@pytest.mark.parametrize("path", ["/", "/main.js", "/vendor/vega.min.js", "/health", "/nothing", "/openapi.json"])
def test_every_response_has_the_headers(plain: Any, path: str) -> None:
    response = plain.get(path)
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["cache-control"] in ("no-cache", "no-store")


def test_the_page_has_no_code_of_its_own_in_its_markup() -> None:
    page = Path(__file__).parents[2] / "serving" / "page"
    markup = (page / "index.html").read_text(encoding="utf-8")
    assert " on" not in markup.replace(" only", "")
    assert "style=" not in markup
    for file in page.glob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert not any(
            word in text for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "document.write")
        ), file
        assert "http://" not in text.replace("http://www.w3.org", "")
        assert "https://" not in text


def test_an_address_of_other_machines_takes_a_token() -> None:
    from querent.serving.settings import ServingSettings

    for host in ("0.0.0.0", "192.168.1.2", "::", "db.example"):
        with pytest.raises(InputError, match="nobody would need a token"):
            ServingSettings({"shop": "shop"}, host=host)
    for host in ("127.0.0.1", "127.3.2.1", "::1", "localhost"):
        ServingSettings({"shop": "shop"}, host=host)


@pytest.mark.parametrize(("text", "told"), table(__file__, "a_file_of_roles_that_says_something_else_is_refused"))
def test_a_file_of_roles_that_says_something_else_is_refused(tmp_path: Path, text: str, told: str) -> None:
    from querent.serving.roles import read_roles

    file = tmp_path / "roles.toml"
    file.write_text(text, encoding="utf-8")
    (tmp_path / "sales.toml").write_text("[tables]\nwhole = ['orders']", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_roles(file, ["shop"])
    assert told in str(refused.value)


def test_a_line_of_the_log_is_the_servers_own(plain: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="querent.serving"):
        plain.get("/x%0aforged%1b[2J")
    (line,) = [one.getMessage() for one in caplog.records if "forged" in one.getMessage()]
    assert "\n" not in line
    assert "\x1b" not in line


def test_a_query_of_ones_own_takes_no_more_memory_than_there_is_to_spare(plain: Any) -> None:
    turns = [{"question": "how many orders are there?", "sql": "SELECT COUNT(*) FROM orders"}]
    body = {"conversation": {"version": 1, "turns": turns}, "sql": "SELECT zeroblob(9000000) FROM orders, customers"}
    answer = plain.post("/correct", json=body).json()["answer"]
    assert 0 < len(answer["rows"]) < 20
    assert answer["truncated"]
