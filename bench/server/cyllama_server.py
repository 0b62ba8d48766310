"""Serve a GGUF file by cyllama, in OpenAI's protocol: python cyllama_server.py FILE PORT

cyllama 0.2.18 answers one question: it leaves the tokens of the first in the cache, where the next finds no place. Here
they are taken out, and messages go through the model's own chat template.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from typing import Any

from cyllama.llama.llama_cpp import LlamaChatMessage
from cyllama.llama.server import python
from cyllama.llama.server.python import PythonServer, ServerConfig, ServerSlot


class EmptiedSlot(ServerSlot):
    def reset(self) -> None:
        super().reset()
        self.context.kv_cache_clear()


class TemplateServer(PythonServer):
    def _messages_to_prompt(self, messages: Sequence[Any]) -> str:
        chat = [LlamaChatMessage(role=message.role, content=message.content) for message in messages]
        return self.model.chat_apply_template(self.model.get_default_chat_template(), chat, True)


if __name__ == "__main__":
    python.ServerSlot = EmptiedSlot
    with TemplateServer(ServerConfig(sys.argv[1], port=int(sys.argv[2]), n_ctx=2048, n_threads=1)):
        threading.Event().wait()
