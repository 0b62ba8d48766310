"""Attack a server and the tools of `querent mcp`, and look after each request whether anything came out or in.

    python bench/serving/adversarial.py --out bench/results/adversarial.json

Two databases have random secrets in cells, columns and tables that a role may not read; behind ``.ci/engines`` copies
of one stand on MariaDB and PostgreSQL, too. No answer to that role may have one of them; none to anybody may have a
token, a password, a path of the machine or a traceback; no file may change or come to be but the feedback; the server
must live, and fail at no request (503 is allowed, and 504 where it says so).
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
import tempfile
import time
import warnings
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from itertools import dropwhile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "accuracy"))
from attacked import World, exchange, served, shares_feedback
from body_attacks import body_attacks
from engine_attacks import engine_attacks
from forged_attacks import forged_attacks, held_connections
from outer_attacks import outer_attacks
from requests_sent import Attack, request, texts
from result_files import save
from role_attacks import role_attacks
from tool_attacks import attack_tools

from querent.data.errors import QuerentError
from querent.data.feedback import Feedback


@dataclass
class Report:
    """What was tried, by category, and what went wrong."""

    tried: Counter[str] = field(default_factory=Counter[str])
    ends: Counter[str] = field(default_factory=Counter[str])
    violations: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    def add(self, category: str, problems: list[str], sent: str, told: str, end: str) -> None:
        """Note one request: what is wrong with it, what was sent, what came back, how it ended."""
        self.tried[category] += 1
        self.ends[end] += 1
        cut = {"sent": sent[:1000], "told": told[:1500]}
        self.violations += [{"category": category, "problem": problem, **cut} for problem in problems]


def main() -> None:
    """Attack, and tell what came of it."""
    options = arguments()
    begun = time.monotonic()
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder).resolve(), random.Random(options.seed))
        said = shares_feedback(world)
        problems = [] if "a file of its own" in said else ["roles with limits have a file of feedback with the boss"]
        report.add("feedback", problems, "serve --roles shared.toml", said, "refused" if said else "served")
        with world.on_servers(), served(world, options.workers) as place:
            copied = world.copied()
            kinds = (outer_attacks, body_attacks, role_attacks, forged_attacks, engine_attacks)
            for attack in (attack for kind in kinds for attack in kind(world)):
                if options.only in attack.category:
                    _try(world, place, attack, report)
            if options.only in "readings":
                _readings(world, place, report)
            if options.only in "connections":
                good = request(world, "/validate", {"sql": "SELECT 1", "database": "firm"})
                held_connections(place, good, report.add, "connections")
            if options.only in "access":
                _widened(world, place, report)
            changed = [f"changed on {name}" for name, tables in world.copied().items() if tables != copied[name]]
            report.add("kept", changed + _unread(world), "", "", "read")
        if options.only in "tools":
            attack_tools(world, report.add)
        log = (world.folder / "log").read_text(encoding="utf-8", errors="replace")
        noted = dropwhile(lambda line: line.startswith("note: "), log.splitlines())  # of rights, as the server begins
        forged = [line for line in noted if line and not line[:4].isdecimal()]
        leaked = [word for word in (*world.hidden, *world.tokens.values()) if word in log]
        problems = [f"a line of the log is none of the server's: {line[:200]!r}" for line in forged]
        report.add("log", problems + [f"the log has {word}" for word in leaked], "", "", "read")
        if options.log:
            options.log.write_text(log, encoding="utf-8")
    wrong = Counter(one["category"] for one in report.violations)
    by = {name: {"requests": count, "violations": wrong[name]} for name, count in sorted(report.tried.items())}
    figures = {"seed": options.seed, "requests": report.tried.total(), "violations": len(report.violations)}
    figures |= {"seconds": round(time.monotonic() - begun), "ends": dict(sorted(report.ends.items()))}
    print(json.dumps({**figures, "categories": by}, indent=1))
    for one in report.violations[:40]:
        print(one["category"], "|", one["problem"], "|", one["sent"][:300], "|", one["told"][-400:], "\n")
    if options.out:
        save(options.out, {"figures": figures, "categories": by, "violations": report.violations})


def _try(world: World, place: tuple[str, int], attack: Attack, report: Report) -> bytes:
    told = exchange(place, list(attack.parts))
    status = told[9:12].decode("latin-1") if told.startswith(b"HTTP/1.1 ") else "hung up"
    sent, said = (text.decode("utf-8", "replace") for text in (b"".join(attack.parts[:1]), told))
    problems = _told(world, attack.role, sent, said)
    if status.startswith("5") and status != "503" and not (attack.slow and status == "504"):
        problems.append(f"status {status}")
    if '"step": "error", "status": 500' in said:
        problems.append("it failed on the way")
    if attack.refused and status.startswith("2"):
        problems.append("it was not refused")
    if attack.twin:
        one, two = _plain(told), _plain(exchange(place, list(attack.twin)))
        if one != two:
            problems.append(f"what is hidden differs from what is not there: {_difference(one, two)}")
    report.add(attack.category, problems + _state(world, place), sent, said, status)
    return told


def _told(world: World, role: str, sent: str, said: str) -> list[str]:
    """Return which secrets came back that were not sent."""
    low, known = said.lower(), sent.lower()
    secrets = world.unsaid if role == "boss" else [*world.unsaid, *world.hidden]
    found = [f"it tells {word}" for word in secrets if word.lower() in low and word.lower() not in known]
    head = said.partition("\r\n\r\n")[0].lower()
    return found + [
        f"a header {name}" for name in ("set-cookie:", "x-injected:", "access-control-") if f"\n{name}" in head
    ]


def _state(world: World, place: tuple[str, int]) -> list[str]:
    """Return what has changed, and whether the server does not answer."""
    now = world.digests()
    changed = [name for name in {*now, *world.sums} if now.get(name) != world.sums.get(name)]
    lives = exchange(place, list(request(world, "/health", role="", method="GET"))).startswith(b"HTTP/1.1 200")
    world.sums = now
    return [f"changed: {name}" for name in changed] + ([] if lives else ["the server does not answer"])


def _plain(told: bytes) -> str:
    """Return status and body of a response, without how long it took."""
    head, _, body = told.partition(b"\r\n\r\n")
    return head[:12].decode("latin-1") + json.dumps(_timeless(json.loads(body))).replace('"twin"', '"firm"')


def _timeless(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _timeless(value) for key, value in data.items() if key != "seconds"}
    return [_timeless(one) for one in data] if isinstance(data, list) else data


def _difference(one: str, two: str) -> str:
    place = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return f"{one[max(0, place - 80) : place + 80]} / {two[max(0, place - 80) : place + 80]}"


def _unread(world: World) -> list[str]:
    """Return which files of feedback cannot be read, or have what another role said."""
    problems: list[str] = []
    for file in world.folder.glob("*.jsonl"):
        try:
            with warnings.catch_warnings(action="error"):
                users = {one.user for one in Feedback(file).standing()}
        except (QuerentError, UserWarning) as error:
            problems.append(f"{file.name} cannot be read: {error}")
        else:
            problems += [f"{file.name} has what {user} said" for user in users - {file.stem}]
    return problems


def _widened(world: World, place: tuple[str, int], report: Report) -> None:
    """Write over the file of what the clerk may read, and have the database opened again: it holds as it began."""
    file = world.folder / "clerk.toml"
    before = file.read_text(encoding="utf-8")
    file.write_text(f"[tables]\nwhole = ['orders', 'customers', '{world.table}']\n", encoding="utf-8")
    with closing(sqlite3.connect(world.firm)) as changed:
        changed.execute("UPDATE orders SET amount = 1 WHERE order_id = 1")
        changed.commit()
    world.sums = world.digests()
    for _ in range(10):
        _try(world, place, Attack("access", "clerk", request(world, "/schema?database=firm", method="GET")), report)
        time.sleep(1)
    file.write_text(before, encoding="utf-8")
    world.sums = world.digests()


def _readings(world: World, place: tuple[str, int], report: Report) -> None:
    """Take the alternatives and options of what a limited role asked."""
    plain = ("which customers are there?", "orders by customer", "how many orders per city?", "客户有哪些?")
    for question in (*texts("questions", world)[:12], *plain):
        told = {"question": question, "database": "firm", "beam": 16}
        answer = json.loads(
            _try(world, place, Attack("readings", "clerk", request(world, "/ask", told)), report).partition(
                b"\r\n\r\n"
            )[2]
        )
        for of in ("alternatives", "options"):
            for number in (0, 1, 2):
                body = {"database": "firm", "conversation": answer["conversation"], "place": number, "of": of}
                _try(world, place, Attack("readings", "clerk", request(world, "/choose", body)), report)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2, help="processes of the server")
    parser.add_argument("--only", default="", help="categories whose names have this")
    parser.add_argument("--log", type=Path, default=None, help="gets the log of the server")
    parser.add_argument("--out", type=Path, default=None, help="JSON of the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
