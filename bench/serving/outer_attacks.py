"""Requests that try to get in or to get more than the page: by their paths, headers and tokens."""

from __future__ import annotations

from collections.abc import Iterator

from attacked import World
from requests_sent import Attack, request, texts

__all__ = ["outer_attacks"]


def outer_attacks(world: World) -> Iterator[Attack]:
    """Give requests that no role is meant to send."""
    for kind in (_paths, _headers, _tokens):
        yield from kind(world)


def _paths(world: World) -> Iterator[Attack]:
    def got(target: str, method: str = "GET", **headers: str | bytes) -> Attack:
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        return Attack("paths", "clerk", request(world, target, method=method, headers=told))

    for one in (*texts("paths", world), "/" + "a" * 5000, "/" + "a/" * 2000, "/?x=" + "y" * 9000):
        yield got(one)
    for method in texts("methods", world):
        yield got("/main.js", method)
        yield Attack("paths", "clerk", request(world, "/ask", {"question": "x"}, method=method))
    for bounds in (*texts("ranges", world), "bytes=" + "0-0," * 1500 + "1-1"):
        yield got("/main.js", range=bounds)
    for name in ("if_modified_since", "if_none_match", "if_range"):
        yield got("/main.js", **{name: "\x7f" * 50 + "9" * 5000})


def _headers(world: World) -> Iterator[Attack]:
    def sent(refused: bool = True, /, **headers: str | bytes) -> Attack:
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        body = {"sql": "SELECT 1", "database": "firm"}
        return Attack("headers", "clerk", request(world, "/validate", body, headers=told), refused)

    long = {"host": "a" * 9000, "content-length": "9" * 5000}
    for name in ("host", "origin", "sec-fetch-site", "content-type", "content-length"):
        for value in (*texts(name, world), *([long[name]] if name in long else [])):
            yield sent(**{name: value})
    yield sent(False, x_forwarded_for="127.0.0.1\r\nx-injected: 1", x_forwarded_host="evil.example")
    yield sent(False, x_long="a" * 60_000)
    yield sent(True, x_longer="a" * 200_000)
    yield sent(False, content_encoding="gzip", accept_encoding="gzip")
    yield sent(False, upgrade="websocket", sec_websocket_key="eA==", sec_websocket_version="13")
    yield sent(False, expect="100-continue")
    yield sent(False, x_rewrite_url="/schema?database=other", x_original_url="/schema?database=other")
    yield sent(False, x_http_method_override="GET", cookie=f"token={world.tokens['boss'][:6]}")
    yield sent(True, transfer_encoding="chunked")
    yield sent(True, transfer_encoding="identity, chunked")
    many = {f"x-{place}": "1" for place in range(3000)}
    yield Attack("headers", "clerk", request(world, "/health", method="GET", headers=many))
    for raw in (
        b"\x00\x01\x02\x03\r\n\r\n",
        b"GET /health\r\n\r\n",
        b"GET /health HTTP/9.9\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n host: x\r\nconnection: close\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET /health HTTP/1.1\nhost: 127.0.0.1\nconnection: close\n\n",
        b"GET /health HTTP/1.1\r\nconnection: close\r\n\r\n",
        b"GET /about HTTP/1.0\r\n\r\n",
        b"GET /about HTTP/1.0\r\nhost: evil.example\r\n\r\n",
        b"GET /schema?database=firm HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n"
        b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n",
        b"GET /schema?database=firm HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade, http2-settings, close\r\n"
        b"upgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n",
        b"POST /ask HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\n{}\n"
        b"GET /schema?database=firm HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n",
    ):
        yield Attack("headers", "", (raw,))


def _tokens(world: World) -> Iterator[Attack]:
    boss, clerk = world.tokens["boss"], world.tokens["clerk"]
    told: list[str | bytes] = [
        *(
            "",
            "Bearer",
            "Bearer ",
            "Bearer null",
            "Bearer undefined",
            "Basic YTpi",
            f"Basic {boss}",
            f"Token {boss}",
            boss,
        ),
        *(
            f"Bearer {boss[:-1]}",
            f"Bearer {boss}x",
            f"Bearer {boss.upper()}",
            f"Bearer  x {boss}",
            f"Bearer {boss},{clerk}",
        ),
        *(
            "Bearer " + "a" * 50_000,
            "Bearer \u00e9\u4e2d",
            b"Bearer \xff\xfe",
            f"Bearer\t{boss}\tx",
            f"Bearer {boss}%00",
            "Bearer ' OR 1=1 --",
        ),
        *(f'Bearer "{boss}"', "Bearer " + "0" * 64, f"Bearer {boss[::-1]}"),
    ]
    for one in told:
        for target in ("/schema?database=firm", "/about"):
            sent = request(world, target, role="", method="GET", headers={"authorization": one})
            yield Attack("tokens", "", sent, refused=True)
    yield Attack(
        "tokens",
        "",
        request(world, f"/schema?database=firm&token={boss}&access_token={boss}", role="", method="GET"),
        True,
    )
    yield Attack(
        "tokens", "", request(world, "/about", role="", method="GET", headers={"cookie": f"authorization={boss}"}), True
    )
    for name in ("clerk", "temp"):
        yield Attack("tokens", name, request(world, "/schema?database=other", role=name, method="GET"), True)
        yield Attack(
            "tokens", name, request(world, "/ask", {"question": "how many?", "database": "other"}, role=name), True
        )
    two = request(
        world,
        "/about",
        role="",
        method="GET",
        headers={"authorization": f"Bearer {clerk}\r\nauthorization: Bearer {boss}"},
    )
    yield Attack("tokens", "clerk", two)
