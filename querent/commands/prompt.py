"""The prompt of `querent ask`: a conversation, and commands that begin with a colon."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

from rich.console import Console

import querent

from .. import rooms
from ..console import write_csv

_FORMULAS = "--formulas "

HELP = """Ask a question; the next one may lean on it («and in Oslo?», «only those of 2023»). Commands:
  N              what you meant is number N of what was listed last
  :alternatives  list other readings of the last question, to choose one by its number
  :sql QUERY     run a query of your own, for reading only, in place of the last answer's
  :yes           the last answer is right: with --feedback FILE this is kept, and learnt at once
  :no            it is wrong, likewise; other readings are listed
  :csv FILE      write the last rows; texts that begin as a formula does get an apostrophe, so that no spreadsheet
                 runs them, but not with :csv --formulas FILE
  :undo          forget the last question
  :new           begin anew
  :help, ?       this; Ctrl-D ends"""


def typed(console: Console) -> Iterator[str]:
    """Yield the lines of the user until Ctrl-D.

    Raises:
        InputError: the input is not UTF-8.
    """
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if at_terminal:
        _load_history()
    console.print("Ask a question; Ctrl-D ends, :help tells more.", style="dim")
    with suppress(EOFError):
        while True:
            if not at_terminal:  # the prompt of input would be among the lines of --json
                console.print("? ", end="")
            try:
                line = input("? " if at_terminal else "").strip()
            except UnicodeDecodeError as error:
                raise querent.InputError(f"not UTF-8: {error.reason}", field="question", hint="write UTF-8") from error
            if line:
                yield line


def _load_history() -> None:
    """Enable editing of lines and the history of earlier sessions, except on Windows."""
    with suppress(ImportError):
        import readline

        file = rooms.cache_folder() / "typed"
        with suppress(OSError):
            readline.read_history_file(file)
        readline.set_history_length(1000)
        atexit.register(_write, readline.write_history_file, file)


def _write(write: Callable[[Path], None], file: Path) -> None:
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write(file)
        file.chmod(0o600)  # questions may name people


class Prompt:
    """Answers the questions of a conversation, and executes commands with a colon.

    Args:
        connection: the connection to the database.
        asking: the options of the questions.
        explain: whether to explain the queries.

    Attributes:
        answer: the last answer, None if there was none.
        explanation: the explanation of its query, None if that is not wanted.
    """

    def __init__(self, connection: querent.Connection, asking: querent.AskOptions, *, explain: bool) -> None:
        self.answer: querent.Answer | None = None
        self.explanation: rooms.Explanation | None = None
        self._connection = connection
        self._conversation = connection.conversation()
        self._explain, self._asking = explain, asking
        self._listed: Literal["alternatives", "options"] = "options"

    def ask(self, question: str) -> None:
        """Answer a question.

        Raises:
            InputError: the question is wrong, as from `Connection.ask`.
        """
        before = tuple(self._conversation.turns)
        self.answer, self.explanation = self._conversation.ask(question, options=self._asking), None
        self._listed = "options"
        chosen = self.answer.sql is not None and len(self._conversation.turns) == len(before)  # «the second one»
        if self._explain and not chosen:
            self.explanation = self._connection.explain(question, before, self._asking)

    def enter(self, line: str) -> str | None:
        """Execute a line, and return the message to print; None if that is the `answer`.

        Raises:
            QuerentError: the line cannot be executed.
        """
        if line.startswith(":"):
            return self._do(line)
        if line.isdecimal():
            self.answer, self.explanation = self._conversation.choose(int(line) - 1, of=self._listed), None
            return None
        if not any(sign.isalnum() for sign in line):  # for instance «?»
            return HELP
        self.ask(line)
        return None

    def _do(self, line: str) -> str | None:
        name, _, rest = line.partition(" ")
        commands: dict[str, Callable[[str], str | None]] = {
            ":alternatives": lambda _: self._alternatives(),
            ":sql": self._sql,
            ":yes": lambda _: self._judged("right"),
            ":no": lambda _: f"{self._judged('wrong')}\n{self._alternatives()}",
            ":csv": self._csv,
            ":undo": lambda _: f"forgotten: {self._conversation.undo().utterance}",
            ":new": lambda _: self._conversation.clear() or "what comes next stands alone",
            ":help": lambda _: HELP,
        }
        if name not in commands:
            hint = rooms.did_you_mean(name, commands) or "see :help"
            raise querent.InputError(f"no command {name}", field="question", hint=hint)
        return commands[name](rest.strip())

    def _sql(self, sql: str) -> None:
        self.answer, self.explanation = self._conversation.correct(sql), None

    def _alternatives(self) -> str:
        others = self._conversation.alternatives
        if not others:
            return "no other reading was found: ask in other words, or type :sql and the query"
        self._listed = "alternatives"
        return "\n".join(f"  {n}  {one.confidence:.2f}  {one.sql}" for n, one in enumerate(others, start=1))

    def _judged(self, verdict: Literal["right", "wrong"]) -> str:
        answered = self.answer is not None and self.answer.sql is not None
        if answered and self._conversation.turns and self._connection.feedback is None:
            return f"{verdict}, but not kept: there is no file for it (--feedback FILE)"
        return f"{verdict}, and learnt: {self._conversation.judge(verdict).question}"

    def _csv(self, file: str) -> str:
        if self.answer is None or not self.answer.columns:
            raise querent.InputError("no rows to write", field=":csv", hint="ask first")
        if not file:
            raise querent.InputError("no file", field=":csv", hint=":csv rows.csv")
        name = file.removeprefix(_FORMULAS)
        with Path(name).expanduser().open("w", encoding="utf-8", newline="") as stream:
            write_csv(stream, self.answer.columns, self.answer.rows, formulas=name != file)
        cut = ", and the database has more" if self.answer.truncated else ""
        return f"{len(self.answer.rows)} rows in {name}{cut}"
