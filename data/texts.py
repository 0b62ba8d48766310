"""Parses JSON, TOML and YAML from any source, with one class of errors; and writes dataclasses as JSON."""

import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

MadeT = TypeVar("MadeT")

NOTHING = frozenset(
    {"", "null", "none", "nil", "n/a", "n.a.", "na", "nan", "#n/a", "-", "--", "---", "–", "—", "?", ".", "/", "tbd"}
    | {"tba", "unknown", "not available", "not applicable", "无", "暂无", "未知", "不详", "空"}
)
"""The placeholders that people write for a missing value, in lower case."""


_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # begins an escape that may stand for half a character
_TOO_DEEP = "it is nested too deep"
_MAX_NODES = 100_000  # what a YAML text may hold once its aliases are written out


class UnreadableError(ValueError):
    """A text is not what it should be.

    Attributes:
        problem: in one line.
        line: 1-based, None if unknown.
    """

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def json_of(text: str | bytes, *, halves: bool = False) -> Any:
    """Return what a JSON text holds.

    Args:
        halves: allow half characters (lone surrogates), as escapes of texts that were cut leave them.

    Raises:
        UnreadableError: it is no JSON, or holds what nothing here could: a thousand brackets, a number of thousands of
            digits, half a character.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise UnreadableError(f"not JSON: {error.msg} at column {error.colno}", error.lineno) from error
    except UnicodeDecodeError as error:
        raise UnreadableError(f"not JSON: {error.reason}") from error
    except (ValueError, RecursionError) as error:
        raise _beyond("JSON", error) from error
    return data if halves else _whole("JSON", text, data)


def toml_of(text: str) -> dict[str, Any]:
    """Return what a TOML text holds.

    Raises:
        UnreadableError: as of `json_of`.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        raise UnreadableError(f"not TOML: {error}", int(place[1]) if place else None) from error
    except (ValueError, RecursionError) as error:
        raise _beyond("TOML", error) from error


def yaml_of(text: str, read: Callable[[str], Any] | None = None) -> Any:
    """Return what a YAML text holds.

    Args:
        read: the loader; the safe one if None.

    Raises:
        UnreadableError: as of `json_of`.
    """
    import yaml  # answering reads none

    try:
        if "*" in text and _size(yaml.compose(text, Loader=yaml.SafeLoader), {}) > _MAX_NODES:
            raise UnreadableError("its aliases stand for more than can be read")
        return _whole("YAML", text, (read or yaml.safe_load)(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it cannot be parsed"
        raise UnreadableError(f"not YAML: {problem}", mark.line + 1 if mark else None) from error
    except UnreadableError:
        raise
    except (ValueError, RecursionError) as error:
        raise _beyond("YAML", error) from error


def _size(node: Any, known: dict[int, int]) -> int:
    """Return how many nodes a YAML node is with each alias written out; ``known``: by identity, one in the making 1."""
    if id(node) not in known:
        known[id(node)] = 1
        parts = node.value if node is not None and not isinstance(node.value, str) else ()
        inner = [one for part in parts for one in (part if isinstance(part, tuple) else (part,))]
        known[id(node)] = 1 + sum(_size(one, known) for one in inner)
    return known[id(node)]


def _whole(kind: str, text: str | bytes, data: Any) -> Any:
    """Return data without half characters: neither files nor databases can hold them."""
    if _HALF.search(text if isinstance(text, str) else text.decode("utf-8", "replace")):
        try:
            json.dumps(data, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError as error:
            half = ascii(error.object[error.start])[1:-1]
            raise UnreadableError(f"not {kind} that can be kept: {half} is half a character") from error
    return data


def _beyond(kind: str, error: ValueError | RecursionError) -> UnreadableError:
    """Return the error of a well-formed text that exceeds what Python can parse."""
    if isinstance(error, RecursionError):
        return UnreadableError(f"not {kind} that can be read: {_TOO_DEEP}")
    if "digits" in str(error):
        return UnreadableError(f"not {kind} that can be read: a number of over {sys.get_int_max_str_digits()} digits")
    return UnreadableError(f"not {kind}: {error}")


def plain_of(one: Any) -> Any:
    """Return a dataclass as plain dicts and lists, without the fields that have their defaults; `made_of` reads it."""
    if isinstance(one, tuple):
        return [plain_of(part) for part in one]
    defaults = _defaults(type(one))
    if not defaults:
        return one
    values = {name: value for name, default in defaults if (value := getattr(one, name)) != default}
    return {name: value if isinstance(value, str) else plain_of(value) for name, value in values.items()}


def made_of(kind: type[MadeT], data: Mapping[str, Any]) -> MadeT:
    """Return a dataclass of the fields that `plain_of` wrote: texts, numbers, tuples, and such dataclasses again.

    Raises:
        TypeError, AttributeError: the data is none of it.
    """
    inner = _inner(kind)
    return kind(**{name: _made(inner.get(name), value) for name, value in data.items()})


def _made(kind: Any, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_made(kind, part) for part in value)
    return value if kind is None or value is None else made_of(kind, value)


@cache
def _defaults(kind: type) -> list[tuple[str, Any]]:
    """Return the fields of a dataclass with their defaults, none of another class; without one it equals nothing."""
    own = fields(kind) if is_dataclass(kind) else ()
    return [(field.name, object() if field.default is MISSING else field.default) for field in own]


@cache
def _inner(kind: type) -> dict[str, type[Any]]:
    """Return the dataclasses that fields of a dataclass hold, alone or in a tuple, by the fields' names."""
    found: dict[str, type[Any]] = {}
    for name, hint in get_type_hints(kind).items():
        held = (hint, *get_args(hint)) if get_origin(hint) in (None, tuple, UnionType) else ()
        if made := [one for one in held if isinstance(one, type) and is_dataclass(one)]:
            found[name] = made[0]
    return found
