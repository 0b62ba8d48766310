"""Dataclass trees from YAML and dotted overrides by OmegaConf, each wrong option told with its place.

A field whose name is a Python keyword carries a trailing underscore that files leave out
(``constraint.global``).
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

import yaml

from ...data.errors import InputError, did_you_mean
from ...data.packages import needs
from ...data.texts import UnreadableError, yaml_of

with needs("omegaconf", "train"):
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

__all__ = ["Setting", "build", "read_settings"]

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """One option as it was given; ``value`` is its text, since YAML reads ``off`` as False."""

    path: tuple[str, ...]
    value: str | list[str] | None
    file: Path | None = None
    line: int | None = None

    @classmethod
    def from_override(cls, text: str) -> Setting:
        """Read ``section.option=value``."""
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise InputError(f"not an option: {text!r}", hint="write it as section.option=value")
        return cls(tuple(name.strip().split(".")), _value(_compose(value, None)))


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
            yield Setting(here, _value(value), file, key.start_mark.line + 1)


def _value(node: yaml.Node | None) -> str | list[str] | None:
    if isinstance(node, yaml.ScalarNode):
        return None if node.tag.endswith(":null") else node.value.replace("${", r"\${")  # which is nothing to fill in
    return node and ["…"]


def build(cls: type[T], settings: Iterable[Setting]) -> T:
    """Build the dataclass ``cls`` from its defaults and the settings; of two for one option the last holds.

    Raises:
        InputError: a setting names no option, or its value has the wrong type.
    """
    tree = OmegaConf.structured(cls)
    for part in (tree, *filter(OmegaConf.is_config, tree.values())):
        OmegaConf.set_readonly(part, False)  # as frozen dataclasses are
    for one in settings:
        attributes = (f"{name}_" if keyword.iskeyword(name) else name for name in one.path)
        try:
            OmegaConf.update(tree, ".".join(attributes), one.value)
        except OmegaConfBaseException as error:
            problem, _, near = str(error).partition("\n")[0].partition(". Did you mean: ")
            known = re.findall(r"'(\w+)'", problem.partition("expected one of")[2])
            hint = f"did you mean {near}" if near else did_you_mean(str(one.value), known)
            raise InputError(problem, file=one.file, line=one.line, field=".".join(one.path), hint=hint) from error
    return cast("T", OmegaConf.to_object(tree))
