"""The messages of a question: header, solved questions, the question with its schema, and earlier failures."""

from collections.abc import Callable, Sequence

from ..data.domains.dialogues import Turn
from ..data.errors import LlmError
from ..data.schema.schema import Schema
from ..retrieval.shots import Shot
from .executor import Outcome
from .messages import Backend, Message
from .programs import program_of
from .prompts.templates import Cells, Prompts, fill, functions_text, schema_text

_DIALECTS = {"sqlite": "SQLite", "mysql": "MySQL", "postgres": "PostgreSQL"}


class Prompter:
    """Builds the messages of questions on one schema.

    Args:
        prompts: the templates.
        schema: of the database, or the part that the prompt may have.
        dialect: sqlite, mysql or postgres.
        program: whether the model is to write a program of thoughts first; solved questions then have one, too.
        with_schema: whether prompts have tables and functions; a model that was tuned on them needs none.
        cells: a few values of columns.
        named: returns the text on the values that a question names; None leaves them out.
        formulas: returns the text on the formulas that a question names; None leaves them out.
    """

    def __init__(
        self,
        prompts: Prompts,
        schema: Schema,
        dialect: str,
        *,
        program: bool = False,
        with_schema: bool = True,
        cells: Cells | None = None,
        named: Callable[[str], str] | None = None,
        formulas: Callable[[str], str] | None = None,
    ) -> None:
        self._named = named
        self._formulas = formulas
        self._prompts = prompts
        self._dialect = dialect
        self._program = program
        self._schema = schema_text(schema, dialect, cells) if with_schema else None
        self._header = self._headed(schema)

    def messages(
        self, question: str, shots: Sequence[Shot] = (), failures: Sequence[Outcome] = (), before: Sequence[Turn] = ()
    ) -> list[Message]:
        """Return the messages of a question.

        Args:
            shots: solved questions, the most similar first; that one comes last in the prompt, before the conversation.
            failures: earlier replies, the oldest first.
            before: the turns before the question, the latest last.
        """
        solved = [*reversed(shots), *(Shot(turn.utterance, turn.sql) for turn in before)]
        messages = [Message("system", self._header)]
        messages += [message for shot in solved for message in self._demonstration(shot)]
        messages.append(Message("user", self._question(question)))
        return messages + [message for failure in failures for message in self._failed(failure)]

    def answer(self, shot: Shot) -> str:
        """Return an answer as a model is to write it: the program, if there is to be one, and the query."""
        program = (shot.program or program_of(shot.sql, self._dialect)) if self._program else ""
        return fill(self._prompts["answer"], program=program, sql=shot.sql)

    def _question(self, question: str) -> str:
        if self._schema is None:
            return self._example(question)
        return fill(self._prompts["question"], schema=self._schema, question=question, **self._known(question))

    def _example(self, question: str) -> str:
        return fill(self._prompts["example"], question=question, **self._known(question))

    def _known(self, question: str) -> dict[str, str]:
        """Return the texts on the values and the formulas that a question names."""
        values = self._named(question) if self._named else ""
        formulas = self._formulas(question) if self._formulas else ""
        return {
            "values": fill(self._prompts["values"], values=values) if values else "",
            "formulas": fill(self._prompts["formulas"], formulas=formulas) if formulas else "",
        }

    def _headed(self, schema: Schema) -> str:
        dialect = _DIALECTS.get(self._dialect, self._dialect)
        program = fill(self._prompts["program"]) if self._program else ""
        if self._schema is None:
            return fill(self._prompts["brief"], dialect=dialect, program=program)
        functions = functions_text(schema)
        listed = fill(self._prompts["functions"], dialect=dialect, functions=functions) if functions else ""
        return fill(self._prompts["header"], dialect=dialect, functions=listed, program=program)

    def _demonstration(self, shot: Shot) -> tuple[Message, Message]:
        return Message("user", self._example(shot.question)), Message("assistant", self.answer(shot))

    def _failed(self, failure: Outcome) -> tuple[Message, Message]:
        correction = fill(self._prompts["correction"], sql=failure.sql, problem=failure.problem or "")
        return Message("assistant", failure.text), Message("user", correction)


def fitted(
    prompter: Prompter,
    backend: Backend,
    question: str,
    shots: Sequence[Shot] = (),
    failures: Sequence[Outcome] = (),
    *,
    before: Sequence[Turn] = (),
    max_tokens: int,
) -> list[Message]:
    """Return the messages of a question, shortened to the context of the back end.

    The least similar solved questions go first, then the oldest turns, then the oldest failures.

    Args:
        max_tokens: the tokens of the context that the answer may take.

    Raises:
        LlmError: the bare question with its schema does not fit.
    """
    shots, failures, before = list(shots), list(failures), list(before)
    while True:
        messages = prompter.messages(question, shots, failures, before)
        if backend.context is None or (taken := backend.count(messages)) + max_tokens <= backend.context:
            return messages
        if shots:
            shots.pop()
        elif before:
            before.pop(0)
        elif failures:
            failures.pop(0)
        else:
            problem = f"question and schema take {taken} tokens and the answer {max_tokens}"
            hint = "take a model with a longer context, or tell it fewer tables"
            raise LlmError(f"{problem}, but {backend.name} reads {backend.context}", field="context", hint=hint)
