"""GGUF files, converted once into folders that transformers loads in a moment."""

from __future__ import annotations

import hashlib
import shutil
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from ...data.domains.shipped import cache_folder
from ...data.errors import InputError
from ...data.packages import install_hint
from ...retrieval.huggingface import without_bars

__all__ = ["safetensors_folder"]

_VERSION = 1
"""Of what is written; another one is converted anew."""


def safetensors_folder(file: Path) -> Path:
    """Return a folder with the tokenizer and the weights of a GGUF file, made now unless the cache has it.

    The weights are in single precision, which holds them as the file has them. SmolLM2 takes 540 MB; in bfloat16 it
    would take half, read a prompt in two thirds of the time, and write no faster (17 tokens a second on one core).

    Args:
        file: its hash makes the folder's name.

    Raises:
        InputError: transformers cannot read the file, what reads it is not installed, or the cache cannot be written.
    """
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    folder = cache_folder() / f"gguf-{_VERSION}-{digest[:16]}"
    if not folder.is_dir():
        for package in ("transformers", "gguf", "accelerate"):
            if find_spec(package) is None:
                raise InputError(f"{package} is not installed", field="llm", hint=install_hint("llm"))
        try:
            _write(file, folder)
        except OSError as error:
            hint = "set QUERENT_CACHE to a folder that can be written"
            raise InputError(f"cannot keep the converted model: {error}", file=folder, hint=hint) from error
    return folder


def _write(file: Path, folder: Path) -> None:
    """Write beside the folder and rename: nobody ever reads half a model."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        with without_bars():
            tokenizer, model = _read(file)
            tokenizer.save_pretrained(partial)
            model.save_pretrained(partial)
        if not folder.is_dir():  # another process may have been faster
            partial.replace(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _read(file: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer  # heavy

    try:
        tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
        model: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype="float32")
    except Exception as error:  # of many kinds: what is no GGUF, and kinds of models that transformers cannot convert
        said = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(f"transformers cannot read it: {said}", file=file, field="llm") from error
    return tokenizer, _unquantised(model)


def _unquantised(model: Any) -> Any:
    """Take the marks off a model whose weights are plain numbers by now: transformers saves none that has them."""
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    model.is_quantized = False
    return model
