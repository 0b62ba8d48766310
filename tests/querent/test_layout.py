"""The package list, the rooms' names, and which way the arrows between them point."""

from __future__ import annotations

import ast
import fnmatch
import importlib
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUP = SETTINGS["tool"]["setuptools"]
ROOMS = {folder: name for name, folder in SETUP["package-dir"].items()}
# what a room may import when it is loaded; within functions the data room may fetch the grammar
ARROWS = {
    "grammar": {"data.errors", "data.schema", "data.examples"},
    "data": set(),
    "ner": {"data"},
    "parser": {"data", "grammar", "ner"},
    "validation": {"data", "grammar"},
}


def files(*folders: str) -> list[Path]:
    return sorted(f for folder in folders for f in (ROOT / folder).rglob("*.py"))


def package_of(folder: Path) -> str:
    room, *rest = folder.relative_to(ROOT).parts
    return ".".join([ROOMS[room], *rest])


def test_the_package_list_equals_the_tree():
    there = {package_of(f.parent) for room in ROOMS for f in (ROOT / room).rglob("__init__.py")}
    assert set(SETUP["packages"]) == there
    assert len(SETUP["packages"]) == len(there)


def test_every_folder_of_code_is_a_package():
    assert [f for f in files(*ROOMS) if not (f.parent / "__init__.py").exists()] == []


@pytest.mark.parametrize("name", sorted(SETUP["packages"]))
def test_every_package_can_be_imported_under_its_name(name):
    module = importlib.import_module(name)
    inside = [folder for folder, package in ROOMS.items() if f"{name}.".startswith(f"{package}.")]
    assert package_of(Path(module.__file__).resolve().parent) == name
    assert Path(module.__file__).resolve().is_relative_to(ROOT / max(inside, key=lambda folder: len(ROOMS[folder])))


def test_every_data_file_is_in_the_wheel():
    left_out = []
    for room in ROOMS:
        for file in (ROOT / room).rglob("*"):
            if file.is_dir() or file.suffix in {".py", ".pyc"} or any(p.startswith(".") for p in file.parts):
                continue
            folder = next(p for p in file.parents if (p / "__init__.py").exists())
            patterns = SETUP["package-data"].get(package_of(folder), [])
            name = file.relative_to(folder).as_posix()
            if not any(fnmatch.fnmatch(name, p) and name.count("/") == p.count("/") for p in patterns):
                left_out.append(str(file.relative_to(ROOT)))
    assert left_out == []


def imports(file: Path, *, everywhere: bool = True) -> Iterator[tuple[int, str]]:
    """Yield (number of leading dots, module) of each import; without ``everywhere`` only those of loading."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if everywhere else _loaded(tree):
        if isinstance(node, ast.Import):
            yield from ((0, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module is None:
                yield from ((node.level, name.name) for name in node.names)
            else:
                yield node.level, node.module


def _loaded(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        guard = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        if not guard and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
            yield from _loaded(child)


@pytest.mark.parametrize("folder", [*sorted(ROOMS), "tests", "bench"])
def test_no_room_is_imported_by_its_bare_name(folder):
    """That would load each of its modules twice, under two names."""
    bare = set(ROOMS) - {"querent"}
    found = [f"{f}: {m}" for f in files(folder) for dots, m in imports(f) if not dots and m.split(".")[0] in bare]
    assert found == []


@pytest.mark.parametrize("room", sorted(ARROWS))
def test_between_rooms_imports_are_relative_and_point_one_way(room):
    wrong = []
    for file in files(room):
        depth = len(file.relative_to(ROOT).parts)
        for dots, module in imports(file, everywhere=False):
            if not dots and module.split(".")[0] == "querent":
                wrong.append(f"{file}: {module}")
            target = module.split(".")[0]
            if dots == depth and target != room and not {target, ".".join(module.split(".")[:2])} & ARROWS[room]:
                wrong.append(f"{file}: {'.' * dots}{module}")
    assert wrong == []
