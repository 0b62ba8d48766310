"""Fixtures that every room's tests share."""

import functools
import gc
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers reads it: no test asks a model hub, and none waits for one
os.environ["SSL_CERT_FILE"] = os.devnull  # each connection to MariaDB reads them all; no test asks for a certificate
os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch does: threads on cores that are busy wait for each other
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")  # which trainings ask how many threads they may have
for room in ("common", "parser", "llm"):  # their small databases, networks and servers serve all rooms
    sys.path.insert(0, str(Path(__file__).parent / room))
gc.set_threshold(4_000_000, 20, 20)  # what grammars remember is a great many objects, searched again and again
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
WORKER = os.environ.get("PYTEST_XDIST_WORKER")
COLLECTED = Path(tempfile.gettempdir(), f"querent-collected-{os.environ.get('PYTEST_XDIST_TESTRUNUID')}")


def pytest_configure() -> None:
    """Have all workers but the first wait where nothing is compiled yet: side by side each would compile all."""
    compiled = sys.dont_write_bytecode or Path(__file__).with_name("serving").joinpath("__pycache__").exists()
    if WORKER not in (None, "gw0") and not compiled:
        until = time.monotonic() + 120
        while not COLLECTED.exists() and time.monotonic() < until:
            time.sleep(0.1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long: begun last, they would keep one worker busy and the others idle."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    """Leave what is imported out of all collections, and have those begin who wait for it to be compiled."""
    gc.freeze()
    if WORKER == "gw0":
        COLLECTED.touch()


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    if WORKER == "gw0":
        COLLECTED.unlink(missing_ok=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have recorded as told, such as a seed: side by side they cannot print."""
    reports = [*terminalreporter.stats.get("passed", ()), *terminalreporter.stats.get("failed", ())]
    for line in (value for report in reports for name, value in report.user_properties if name == "told"):
        terminalreporter.write_line(str(line))


@pytest.fixture(scope="module", autouse=True)
def _frozen() -> Iterator[None]:
    """Leave what a file of tests made out of later collections; to look for what is dead of it would take a second."""
    yield
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _shipped_once() -> Iterator[None]:
    """Read the shipped network, and have E5 read a text, once a process: hundreds of tests connect with both."""
    from querent.encoders.text_vectors import TextVectors
    from querent.parser.base import base_folder
    from querent.parser.network import saved

    load, once, compute = saved.load_network, functools.cache(saved.load_network), TextVectors._computed
    known: dict[tuple[int | None, ...], tuple[Any, dict[str, Any]]] = {}

    @functools.wraps(load)
    def loaded(folder: Path) -> Any:
        return (once if folder == base_folder() else load)(folder)

    def computed(self: TextVectors, texts: Sequence[str], *more: Any) -> dict[str, Any]:
        if self.encoder != "e5":
            return compute(self, texts, *more)
        model = self._encoder.model  # held, so that no other one gets its id
        _, found = known.setdefault((id(model), self._layers, self._longest), (model, {}))
        found.update(compute(self, [text for text in texts if text not in found], *more))
        return {text: found[text] for text in texts}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(saved, "load_network", loaded)
        patch.setattr(TextVectors, "_computed", computed)
        yield


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of the public sets, or skip: users do not have it."""
    if not SHARED.is_dir():
        pytest.skip("the public text-to-SQL sets are not at ../shared/data")
    return SHARED


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep indexes out of the user's cache, and of the test's own folder."""
    from caches import new_cache

    folder = new_cache(tmp_path.with_name(f"{tmp_path.name} cache"))
    monkeypatch.setenv("QUERENT_CACHE", str(folder))
    return folder


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of an encoder with random weights."""
    from reader_cases import write_encoder

    return write_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with ``domain``, ``encoder``, and ``run``, which knows the domain's pairs by heart.

    The first worker that needs it fills it, the other one waits.
    """
    from caches import new_cache
    from tiny_domain import learnt

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "tiny"
    with closing(sqlite3.connect(f"{folder}.lock", timeout=300, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        if not (folder / "run" / "summary.json").exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("QUERENT_CACHE", str(new_cache(folder / "cache")))
                learnt(folder)
    return folder
