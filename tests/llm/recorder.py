"""What writes the files that `RecordedBackend` answers from."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path

from querent.data.errors import InputError
from querent.llm.messages import Backend, Completions, Message, digest_of


class Recorder:
    """Asks a back end, and appends each answer to a file before it is returned.

    Args:
        backend: who answers.
        file: of one JSON object a line; begun if it is missing, else gone on with.
    """

    def __init__(self, backend: Backend, file: str | Path) -> None:
        self.name = backend.name
        self.context = backend.context
        self.file = Path(file)
        self._backend = backend
        self._lock = threading.Lock()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        n: int = 1,
        temperature: float = 0.0,
        max_tokens: int = 256,
    ) -> Completions:
        """Return ``n`` answers of the back end, which are then in the file.

        Raises:
            LlmError: the model does not answer; nothing is written.
            InputError: the file cannot be written.
        """
        answer = self._backend.complete(messages, n=n, temperature=temperature, max_tokens=max_tokens)
        digest = digest_of(messages, n=n, temperature=temperature, max_tokens=max_tokens)
        told = {"digest": digest, "model": self.name, "texts": answer.texts}
        told |= {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens}
        line = json.dumps(told, ensure_ascii=False) + "\n"
        try:
            with self._lock, self.file.open("a", encoding="utf-8") as stream:
                stream.write(line)
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=self.file) from error
        return answer

    def count(self, messages: Sequence[Message]) -> int:
        """Return how many tokens messages take, as the back end counts."""
        return self._backend.count(messages)
