"""The package list, the rooms' names, and which way the arrows between them point."""

import ast
import fnmatch
import importlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUP = SETTINGS["tool"]["setuptools"]
ROOMS = {folder: name for name, folder in SETUP["package-dir"].items()}
# Top to bottom; each room imports what stands below it, nothing beside or above it.
LAYERS = (
    ("querent",),
    ("serving",),
    ("dialogue",),
    ("llm", "authoring", "evaluation"),
    ("parser",),
    ("knowledge",),
    ("classifiers", "validation"),
    ("retrieval", "sampler"),
    ("ner",),
    ("encoders",),
    ("grammar",),
    ("meaning", "answers"),
    ("data",),
)
HEIGHT = {room: -layer for layer, rooms in enumerate(LAYERS) for room in rooms}
# what these read of the rooms below, where that is less than all; the grammar needs no third library but lark and numpy
ONLY = {"grammar": {"data.errors", "data.values.slots", "data.schema.schema", "data.schema.enumerations"}}
# where modules are imported by a text: public names on first use, an encoder's package
BY_TEXT = {"querent/__init__.py", "encoders/load.py"}


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


# sqlglot finds a dialect's parser and generator by these names, nested in the dialect's class
SQLGLOT = {(Path("data/sql/server_dialects.py"), name) for name in ("Parser", "Generator")}


def names_twice(sources: Mapping[Path, str]) -> list[str]:
    """Return each class name that stands for two classes or more, with the files of both."""
    found: dict[str, list[Path]] = {}
    for place, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and (place, node.name) not in SQLGLOT:
                found.setdefault(node.name, []).append(place)
    return [f"{name}: {', '.join(map(str, places))}" for name, places in sorted(found.items()) if len(places) > 1]


def test_each_class_name_stands_once():
    """Private and nested classes as well: who reads a name need not ask which one is meant."""
    assert names_twice({place: source for room in ROOMS for place, source in sources(room).items()}) == []


def test_a_class_name_that_stands_twice_is_found():
    one = {Path("data/one.py"): "class A: ...", Path("ner/two.py"): "def f():\n    class B: ..."}
    assert names_twice(one) == []
    again = one | {Path("ner/three.py"): "class C:\n    class A: ...\nclass B: ..."}
    assert names_twice(again) == ["A: data/one.py, ner/three.py", "B: ner/two.py, ner/three.py"]


@cache
def imports(source: str) -> tuple[tuple[int, str], ...]:
    """Return what `_imports` yields, which several tests ask of each file."""
    return tuple(_imports(source))


def _imports(source: str) -> Iterator[tuple[int, str]]:
    """Yield (number of leading dots, module or name in it) of each import, wherever it stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((0, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, f"{node.module}.{n.name}" if node.module else n.name) for n in node.names)


@pytest.mark.parametrize("folder", [*sorted(ROOMS), "tests", "bench"])
def test_no_room_is_imported_by_its_bare_name(folder):
    """That would load each of its modules twice, under two names."""
    bare = set(ROOMS) - {"querent"}
    found = [
        f"{f}: {m}"
        for f in files(folder)
        for dots, m in imports(f.read_text(encoding="utf-8"))
        if not dots and m.split(".")[0] in bare
    ]
    assert found == []


def targets(place: Path, source: str) -> Iterator[str]:
    """Yield what a file of a room imports from Querent, as ``ROOM.MODULE`` or ``ROOM.MODULE.NAME``."""
    folders = place.parts[:-1]
    for dots, module in imports(source):
        if dots:
            yield ".".join([*folders[: len(folders) - dots + 1], module])
        elif module.split(".")[0] == "querent":
            yield module


def wrong_arrows(place: Path, source: str) -> list[str]:
    """Return the imports of a file that point to a room above or beside its own, or are hidden in a text."""
    room = place.parts[0]
    by_text = any(call in source for call in ("import_module(", "__import__(")) and place.as_posix() not in BY_TEXT
    wrong = [f"{place}: import by a text"] if by_text else []
    for target in targets(place, source):
        other = target.split(".")[0]  # querent, where the import is not relative
        seen = ONLY.get(room, {other})
        if other != room and (HEIGHT[other] >= HEIGHT[room] or not any(f"{target}.".startswith(f"{o}.") for o in seen)):
            wrong.append(f"{place}: {target}")
    return wrong


def circle(sources: Mapping[Path, str]) -> list[str]:
    """Return modules each of which imports the next, the last one the first; none if there are no such."""
    modules = {".".join(place.with_suffix("").parts).removesuffix(".__init__"): place for place in sources}
    graph = {
        name: {t if t in modules else t.rpartition(".")[0] for t in targets(place, sources[place])} - {name}
        for name, place in modules.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def sources(room: str) -> dict[Path, str]:
    return {file.relative_to(ROOT): file.read_text(encoding="utf-8") for file in files(room)}


def test_every_room_has_its_layer():
    assert set(ROOMS) <= set(HEIGHT)


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_between_rooms_imports_are_relative_and_point_down(room):
    """Those within functions, and those for the type checker alone, as well."""
    assert [line for place, source in sources(room).items() for line in wrong_arrows(place, source)] == []


@pytest.mark.parametrize("room", sorted({*ROOMS} - {"grammar"}))
def test_within_a_room_no_modules_import_one_another_in_a_circle(room):
    assert circle(sources(room)) == []


def folders_in_circles(sources: Mapping[Path, str]) -> list[tuple[str, str]]:
    """Return the pairs of folders of a room that import each other; the room's own ``__init__`` is its front."""
    modules = {".".join(place.with_suffix("").parts).removesuffix(".__init__"): place for place in sources}
    arrows = {
        (str(place.parent), str(modules[name].parent))
        for place, source in sources.items()
        if len(place.parts) > 2 or place.name != "__init__.py"
        for target in targets(place, source)
        if (name := target if target in modules else target.rpartition(".")[0]) in modules
    }
    return sorted((one, other) for one, other in arrows if one < other and (other, one) in arrows)


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_no_two_folders_of_a_room_import_each_other(room):
    assert folders_in_circles(sources(room)) == []


def test_folders_in_circles_are_found():
    paths = {Path("data/sql/one.py"): "from ..schema.two import b", Path("data/schema/two.py"): ""}
    assert folders_in_circles(paths) == []
    paths |= {Path("data/schema/two.py"): "def f():\n    from ..sql import one"}
    assert folders_in_circles(paths) == [("data/schema", "data/sql")]


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("data/broken.py", "from ..grammar import Grammar"),
        ("data/broken.py", "def check():\n    from ..grammar import Grammar\n    return Grammar"),
        ("data/broken.py", "if TYPE_CHECKING:\n    from ..authoring.check import Report"),
        ("data/formats/broken.py", "class A:\n    def b(self):\n        from ... import parser"),
        ("data/broken.py", "def train():\n    return importlib.import_module('querent.parser.learning.training_run')"),
        ("data/broken.py", "def ask():\n    import querent"),
        ("ner/broken.py", "def ask():\n    import querent.parser.connection"),
        ("parser/broken.py", "def scores():\n    from ..evaluation.scores import Scores"),
        ("evaluation/broken.py", "from ..authoring.check import run"),
        ("evaluation/broken.py", "def name():\n    from querent.authoring import check"),
        ("grammar/broken.py", "def read():\n    from ..data.database import Database"),
    ],
)
def test_a_hidden_arrow_is_found(place, source):
    assert len(wrong_arrows(Path(place), source)) == 1


@pytest.mark.parametrize("lazily", ["", "def f():\n    ", "if TYPE_CHECKING:\n    "])
def test_a_hidden_circle_is_found(lazily):
    broken = {"data/one.py": "from .two import b", "data/two.py": f"{lazily}from . import three", "data/three.py": ""}
    paths = {Path(place): source for place, source in broken.items()}
    assert circle(paths) == []
    assert set(circle(paths | {Path("data/three.py"): f"{lazily}from .one import a"})) == {
        *("data.one", "data.two", "data.three")
    }


# the floors of the grammar's own house, the ground first; a room imports those before it
FLOORS = (
    *("lr", "types", "semantics", "stack", "reading", "completion", "scope", "vocabulary"),
    *("decoding", "tokens", "huggingface", "export"),
)


def test_the_grammars_rooms_stand_on_one_another():
    wrong = []
    for place, source in sources("grammar").items():
        floor = place.with_suffix("").parts[1]
        below = {t.split(".")[1] for t in targets(place, source) if t.startswith("grammar.")}
        if floor != "__init__":
            wrong += [f"{place}: {other}" for other in below if FLOORS.index(other) > FLOORS.index(floor)]
    assert wrong == []
    assert len([f for f in (ROOT / "grammar").iterdir() if (f / "__init__.py").exists()]) <= 12


def for_one_file(sources: Mapping[Path, str], users: Mapping[Path, str]) -> list[str]:
    """Return the functions without an underscore that no other file names; the command line names its commands."""
    words = {place: set(re.findall(r"\w+", source)) for place, source in {**sources, **users}.items()}
    return [
        f"{place}: {node.name}"
        for place, source in sources.items()
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if not any(node.name in words[other] for other in words if other != place)
    ]


def test_what_has_no_underscore_is_for_other_files():
    """An underscore says that a function is its file's own; so one that has none, and no caller, is dead."""
    product = {place: source for room in ROOMS for place, source in sources(room).items()}
    users = {f.relative_to(ROOT): f.read_text(encoding="utf-8") for f in files("tests", "bench")}
    assert for_one_file(product, users) == []


def test_a_function_for_one_file_is_found():
    files = {Path("data/one.py"): "def one(): ...\ndef _two(): ...", Path("ner/two.py"): "from ..data.one import one"}
    assert for_one_file(files, {}) == []
    assert for_one_file(files | {Path("data/three.py"): "def three(): ..."}, {}) == ["data/three.py: three"]
