"""`querent demo`: questions on two databases that ship with the package, answered at once."""

from __future__ import annotations

from importlib.resources import files

import querent

from ..console import speaking
from .ask import show

__all__ = ["SHOWN", "demo", "demo_questions"]

SHOWN = ("shop", "plant")
"""The databases that the demo asks."""

EPILOG = """
[bold]Examples[/]

querent demo
"""

_NEXT = """
Next:
  querent ask shop                           ask on; Ctrl-D ends
  querent ask my.sqlite "how many …?"        a database of your own
  querent new my-domain --database my.sqlite a parser tuned to it"""


def demo() -> None:
    """Answer questions on two databases that ship with Querent, without training."""
    with speaking(False) as console:
        for name in SHOWN:
            console.rule(f"[bold]{name}", align="left")
            with querent.connect(name, progress=lambda what: console.print(what, style="dim")) as connection:
                for question in demo_questions(name):
                    console.print(f"\n[bold]{question}[/]", highlight=False)
                    show(connection.ask(question), console, most=5)
        console.print(_NEXT, highlight=False)


def demo_questions(name: str) -> list[str]:
    """Return the example questions of a shipped database."""
    return (files(f"querent.data.{name}") / "demo.en.txt").read_text("utf-8").splitlines()
