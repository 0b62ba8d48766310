"""Dataclass trees from YAML and dotted overrides, each wrong option told with its place.

A field whose name is a Python keyword carries a trailing underscore that files leave out
(``constraint.global``).
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import yaml

from ...data.errors import InputError, did_you_mean
from ...data.texts import UnreadableError, yaml_of

__all__ = ["Setting", "build", "read_settings"]

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """One option as it was given; ``node`` keeps the YAML scalar, since YAML reads ``off`` as False."""

    path: tuple[str, ...]
    node: yaml.Node
    file: Path | None = None
    line: int | None = None

    @classmethod
    def from_override(cls, text: str) -> Setting:
        """Read ``section.option=value``."""
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise InputError(f"not an option: {text!r}", hint="write it as section.option=value")
        node = _compose(value, None) or yaml.ScalarNode("tag:yaml.org,2002:null", "")
        return cls(tuple(name.strip().split(".")), node)

    def error(self, problem: str, hint: str | None = None) -> InputError:
        """Return the error that says where this setting stands."""
        return InputError(problem, file=self.file, line=self.line, field=".".join(self.path), hint=hint)


def read_settings(file: Path) -> list[Setting]:
    """Return the options of a YAML file in order.

    Raises:
        InputError: the file is missing, not text, or not a YAML mapping.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the configuration: {error}", file=file) from error
    node = _compose(text, file)
    if node is None:
        return []
    if not isinstance(node, yaml.MappingNode):
        raise InputError("the configuration is not a mapping", file=file, hint="write lines such as «seed: 0»")
    return list(_flat(node, (), file))


def _compose(text: str, file: Path | None) -> yaml.Node | None:
    try:
        return yaml_of(text, lambda told: yaml.compose(told, Loader=yaml.SafeLoader))
    except UnreadableError as error:
        raise InputError(error.problem, file=file, line=error.line) from error


def _flat(node: yaml.MappingNode, path: tuple[str, ...], file: Path | None) -> Iterator[Setting]:
    for key, value in node.value:
        here = (*path, str(key.value))
        if isinstance(value, yaml.MappingNode):
            yield from _flat(value, here, file)
        else:
            yield Setting(here, value, file, key.start_mark.line + 1)


def build(cls: type[T], settings: Sequence[Setting]) -> T:
    """Build the dataclass ``cls`` from its defaults and the settings; of two for one option the last holds.

    Raises:
        InputError: a setting names no option, or its value has the wrong type.
    """
    return _build(cls, settings, 0)


def _build(cls: type[T], settings: Sequence[Setting], depth: int) -> T:
    hints = typing.get_type_hints(cls)
    names = {f.name.rstrip("_"): f.name for f in fields(cls)}  # pyright: ignore[reportArgumentType]
    for setting in settings:
        _check_path(setting, names, hints, depth)
    given: dict[str, Any] = {}
    for name, attribute in names.items():
        own = [s for s in settings if s.path[depth] == name]
        kind = hints[attribute]
        if is_dataclass(kind):
            given[attribute] = _build(typing.cast("type[Any]", kind), own, depth + 1)
        elif own:
            given[attribute] = _value(own[-1], kind)
    return cls(**given)


def _check_path(setting: Setting, names: dict[str, str], hints: dict[str, Any], depth: int) -> None:
    name = setting.path[depth]
    if name not in names:
        full = [".".join((*setting.path[:depth], n)) for n in names]
        hint = did_you_mean(".".join(setting.path[: depth + 1]), full) or f"one of {', '.join(full)}"
        raise setting.error("unknown option", hint)
    section = is_dataclass(hints[names[name]])
    if section and len(setting.path) == depth + 1:
        inner = ", ".join(f.name.rstrip("_") for f in fields(hints[names[name]]))
        raise setting.error("a section, not an option", f"it holds {inner}")
    if not section and len(setting.path) > depth + 1:
        raise setting.error("unknown option", f"{'.'.join(setting.path[: depth + 1])!r} is an option, not a section")


def _value(setting: Setting, kind: Any) -> Any:
    """Read one scalar as ``kind``: bool, int, float, str, a Literal of strings, or one of these or None."""
    optional = get_origin(kind) in (Union, types.UnionType)
    if optional:
        kind = next(k for k in get_args(kind) if k is not type(None))
    node = setting.node
    if not isinstance(node, yaml.ScalarNode):
        raise setting.error("a list, not one value", f"must be {_wanted(kind)}")
    plain = yaml.SafeLoader("").construct_object(node)
    if plain is None and optional:
        return None
    found = _read(node.value, plain, kind)
    if found is MISSING:
        hint = did_you_mean(node.value, get_args(kind)) if get_origin(kind) is Literal else None
        raise setting.error(f"{node.value!r} is not {_wanted(kind)}", hint)
    return found


def _read(text: str, plain: Any, kind: Any) -> Any:
    if get_origin(kind) is Literal:
        return text if text in get_args(kind) else MISSING
    if kind is float:  # YAML 1.1 takes 3e-4 for a string
        try:
            return MISSING if isinstance(plain, bool) else float(text)
        except ValueError:
            return MISSING
    if kind is int:
        return plain if isinstance(plain, int) and not isinstance(plain, bool) else MISSING
    if kind is str:
        return text if plain is not None else MISSING
    return plain if isinstance(plain, kind) else MISSING


def _wanted(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(get_args(kind))
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[kind]
