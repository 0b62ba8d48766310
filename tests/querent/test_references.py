"""What docstrings and comments refer to is there: `module.name`, `Class.member` and files in backquotes."""

import ast
import re
from functools import cache
from importlib.util import find_spec

import pytest
from test_layout import ROOMS, ROOT, files

DOTTED = re.compile(r"(?<!`)`((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*)`(?!`)")
FILE = re.compile(r"(?<!`)`(\w+\.(?:py|toml|lark|md|json))`(?!`)")


@cache
def names() -> dict[str, set[str]]:
    """Return by the name of each room, folder, module and class what it holds, whatever uses it."""
    found: dict[str, set[str]] = {}
    bases: list[tuple[str, str]] = []
    for file in files(*ROOMS, "bench"):
        for folder, inside in zip(file.parts, file.parts[1:], strict=False):
            found.setdefault(folder, set()).add(inside.removesuffix(".py"))
        for node in ast.walk(tree := ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, set()).update(_held(node))
                bases += [(node.name, ast.unparse(base)) for base in node.bases]
        found.setdefault(file.stem, set()).update(_held(tree))
        found[file.parent.name].update(_held(tree))
    for name, base in bases:
        found[name] |= found.get(base, set())
    return found


def _held(tree: ast.AST) -> set[str]:
    held = {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)}
    held |= {n.asname or n.name for n in ast.walk(tree) if isinstance(n, ast.alias)}
    held |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return held | {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}


def is_there(reference: str) -> bool:
    *_, owner, name = reference.split(".")
    first = reference.partition(".")[0]
    if owner in names() or first in names():
        return name in names().get(owner, ()) or owner == "querent"
    return find_spec(first) is not None


@cache
def file_names() -> set[str]:
    """Return the names of the files that a docstring may refer to."""
    return {file.name for folder in (*ROOMS, "bench", "docs", "tests") for file in (ROOT / folder).rglob("*")}


@pytest.mark.parametrize("room", [*sorted(ROOMS), "bench"])
def test_references_are_there(room: str) -> None:
    wrong = [
        f"{file.relative_to(ROOT)}:{number}: {reference}"
        for file in files(room)
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        for reference in (
            *(name for name in FILE.findall(line) if name not in file_names()),
            *(name for name in DOTTED.findall(line) if not FILE.search(f"`{name}`") and not is_there(name)),
        )
    ]
    assert wrong == []


def test_a_reference_to_what_is_gone_is_found() -> None:
    assert not is_there("reranker.NO_SUCH") and not is_there("no_such_module.name") and is_there("time.monotonic")
