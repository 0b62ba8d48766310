"""The one harness for kill and resume: a command that is killed at a point, given again, and leaves what it would have.

The runs are forks of one program, since importing torch takes longer than a run.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from caches import new_cache

__all__ = ["NEEDS_FORK", "at", "die", "killed_at", "outcome"]

NEEDS_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs to kill are forks")


def die(*_: object, **__: object) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def at(count: int, owner: object, name: str, last: Callable[..., Any] = die) -> None:
    """Have the so-many-th call of a function end in ``last``, which gets the real one and the call's arguments."""
    real, calls = getattr(owner, name), []

    def counted(*arguments: object, **given: object) -> object:
        calls.append(name)
        return last(real, *arguments, **given) if len(calls) == count else real(*arguments, **given)

    setattr(owner, name, counted)


def killed_at(
    points: Mapping[str, Callable[[], None]],
    run: Callable[[str], object],
    killed: Callable[[str], object] = lambda _: None,
) -> None:
    """Run once in peace, then for each point once to die there and once more; print how each ended, as JSON.

    The first is no fork: what it reads and exports, no fork has to read and export again.

    Args:
        points: by name, what has a process die there.
        run: what is to survive, told the name of the run.
        killed: looks at what a death left.
    """
    with suppress(SystemExit):  # as a command ends; one that fails leaves nothing whole to compare with
        run("whole")
    gc.collect()
    gc.freeze()  # nor need they search what is there already
    ended = {}
    for name, prepare in points.items():
        first = _fork(lambda name=name, prepare=prepare: (prepare(), run(name)))
        killed(name)
        ended[name] = [first, _fork(lambda name=name: run(name))]
    print(json.dumps(ended))


def _fork(work: Callable[[], object]) -> int:
    """Work in a process of its own; return its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            if not isinstance(error, SystemExit) or error.code:
                print(repr(error), file=sys.stderr)
                os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def outcome(program: str, *arguments: object, folder: Path) -> tuple[dict[str, list[int]], str]:
    """Run a program of this folder that ends with `killed_at`; return how each of its runs ended, and its log."""
    command = [sys.executable, Path(__file__).with_name(program), *map(str, arguments)]
    surroundings = {**os.environ, "QUERENT_CACHE": str(new_cache(folder / "killed cache"))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=surroundings)
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout.splitlines()[-1])
    return ended, done.stderr
