"""Loads a back end by its name on the command line."""

from ...data.errors import InputError, did_you_mean
from ..messages import Backend
from .endpoint import is_url
from .local import LocalBackend
from .server import ServerBackend

_HINT = "give smollm2, URL#model, or a folder or hub name of a transformers model"


def load_backend(spec: str) -> Backend:
    """Return a back end; one whose tokens can be masked, a `ConstrainedBackend`, if it runs in this process.

    Args:
        spec: ``smollm2``; ``URL#model`` of a server, from which the context is read; else a folder or hub name of a
            causal model, a ``.gguf`` file, or the folder of an adapter.

    Raises:
        InputError: this is none of these, or a library is not installed.
        LlmError: there is no server, or it refuses the key.
    """
    name = spec.strip()
    if not name:
        raise InputError("no language model is named", field="llm", hint=_HINT)
    if is_url(name):
        server = ServerBackend(name)
        server.read_context()
        return server
    if "://" in name or "#" in name:
        raise InputError(f"{name!r} is no URL of a server", field="llm", hint=_hint(name))
    return LocalBackend(name)


def _hint(name: str) -> str:
    if "://" not in name:
        return f"write http://{name}"
    return did_you_mean(name.partition("://")[0] + "://", ("http://", "https://")) or _HINT
