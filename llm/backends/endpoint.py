"""The endpoint of a server: its address, one of its models, and the key."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ...data.errors import InputError

KEYS = ("QUERENT_API_KEY", "OPENAI_API_KEY")
"""Environment variables that may hold the key, the first one before the second."""

_HINT = "write URL#model: http://localhost:11434/v1#qwen2.5"


@dataclass(frozen=True)
class Endpoint:
    """A model of a server.

    Attributes:
        url: ends in ``/v1`` for most servers.
        model: by its name on the server.
        key: empty where none is needed; `repr` leaves it out.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)

    @classmethod
    def read(cls, spec: str, environment: Mapping[str, str] = os.environ) -> Endpoint:
        """Read ``URL#model``, and the key from the environment.

        Raises:
            InputError: this is no URL with a model, or there is no key for a host that is not this machine.
        """
        url, _, model = spec.partition("#")
        if "@" in url or "?" in url:  # the message leaves the URL out, which may hold a key
            problem = "a URL of a server has no user, password or question mark"
            raise InputError(problem, field="llm", hint=f"set {KEYS[0]} to the key")
        try:
            host = urlsplit(url).hostname
        except ValueError:
            host = None
        if not is_url(url) or not host or any(sign.isspace() for sign in url):
            raise InputError(f"{url!r} is no URL of a server", field="llm", hint=_HINT)
        if not model.strip():
            raise InputError(f"{spec!r} names no model", field="llm", hint=_HINT)
        return cls(url.rstrip("/"), model.strip(), _key(host, environment))

    @property
    def is_local(self) -> bool:
        """Return whether the server runs on this machine."""
        return _is_loopback(urlsplit(self.url).hostname or "")

    def cleaned(self, text: str) -> str:
        """Return a server's text in one line without the key, which some repeat."""
        line = " ".join(text.split())
        return line.replace(self.key, "…") if self.key else line


def is_url(spec: str) -> bool:
    """Return whether a text begins as a server's URL does."""
    return spec.lower().startswith(("http://", "https://"))


def _key(host: str, environment: Mapping[str, str]) -> str:
    variable = next((name for name in KEYS if environment.get(name, "").strip()), None)
    if variable is None:
        if _is_loopback(host):
            return ""
        problem = f"no key for {host}"
        raise InputError(problem, field="llm", hint=f"set {KEYS[0]}; to any word if the server asks for none")
    key = environment[variable].strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InputError("the key has letters that no key has", field=variable, hint="copy it again")
    return key


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
