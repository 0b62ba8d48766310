"""URLs of databases: their dialects, and the same URLs without their passwords, wherever these stand."""

import re
from urllib.parse import unquote, unquote_plus

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+:/+)(?P<rest>.+)", re.DOTALL)  # a path has one slash less
_WELL_FORMED = re.compile(r"[^@/?]*@[^@?]*(?:\?[^@]*)?")
_SECRET = re.compile(r"pass|pwd|secret|token|key|credential|odbc_connect", re.IGNORECASE)
_PAIR = re.compile(r"(?P<start>[?&;])(?P<name>[^=&;?]*)=(?P<value>[^&;]*)")
_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/+[^\s'\"]*[@?][^\s'\"]*")

HIDDEN = "***"


def dialect_of(place: str) -> str:
    """Return the dialect of what a path or URL leads to."""
    scheme = place.partition("://")[0].partition("+")[0].lower() if "://" in place else "sqlite"
    return {"postgresql": "postgres", "mariadb": "mysql"}.get(scheme, scheme)


def shown_url(text: str) -> str:
    """Return a URL with stars in place of its passwords; what is no URL comes back as it is.

    A password may stand behind the user, with signs in it that should have been escaped, or in the query part.

    >>> shown_url("mysql://me:p@ss/word@host/db?charset=utf8"), shown_url("postgresql://host/db?password=x")
    ('mysql://me:***@host/db?charset=utf8', 'postgresql://host/db?password=***')
    """
    found = _URL.fullmatch(text)
    if found is None:
        return text
    user, at, rest = _parted(found["rest"])
    if at:
        name, colon, _ = user.partition(":")
        user = f"{name}:{HIDDEN}" if colon else name
    hidden = _PAIR.sub(lambda pair: f"{pair['start']}{pair['name']}={HIDDEN}" if _secret(pair) else pair[0], rest)
    return f"{found['scheme']}{user}{at}{hidden}"


def scrubbed(text: str, url: str = "") -> str:
    """Return a message with stars in place of passwords: those of a URL, and of any URL that it holds."""
    for secret in sorted(_secrets(url), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _IN_TEXT.sub(lambda found: shown_url(found[0]), text)


def _parted(rest: str) -> tuple[str, str, str]:
    """Return user and password, the sign behind them, and host and all; the last @ ends a password."""
    if "@" not in rest:
        return "", "", rest
    if _WELL_FORMED.fullmatch(rest):
        return rest.partition("@")
    return rest.rpartition("@")


def _secret(pair: re.Match[str]) -> bool:
    return _SECRET.search(unquote(pair["name"])) is not None


def _secrets(url: str) -> set[str]:
    """Return the passwords of a URL as it writes them and as they are, and their parts around an @."""
    found = _URL.fullmatch(url)
    if found is None:
        return set()
    user, _, rest = _parted(found["rest"])
    written = [user.partition(":")[2], *(pair["value"] for pair in _PAIR.finditer(rest) if _secret(pair))]
    parts = {part for one in written for part in (one, unquote(one), unquote_plus(one), *re.split("[@/?:]", one))}
    return {part for part in parts if len(part) > 2}  # shorter ones would tear every word
