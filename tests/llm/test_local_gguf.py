"""GGUF files, converted once."""

from __future__ import annotations

import re
import sqlite3
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from querent.data.errors import InputError
from querent.data.schema.schema import Column, Schema, Table
from querent.llm.backends import causal_model
from querent.llm.backends.causal_model import load_model, safetensors_folder
from querent.llm.backends.load import load_backend
from querent.llm.messages import Message, SqlTask

if find_spec("gguf") is None or find_spec("accelerate") is None:
    pytest.skip("gguf or accelerate is not installed: pip install '.[llm]'", allow_module_level=True)

from small_gguf import save_gguf
from transformers import AutoModelForCausalLM

ASKED = [Message("user", "how many books are there?")]
BOOKS = Schema((Table("book", (Column("title", "TEXT"), Column("pages", "INTEGER"))),))


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    return save_gguf(tmp_path_factory.mktemp("llm") / "small.gguf")


def test_a_converted_model_is_the_one_of_the_file(file, cache):
    direct = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    loaded = load_model(str(file))
    ids = torch.arange(3, 30)[None]
    with torch.no_grad():
        torch.testing.assert_close(loaded.model(ids).logits, direct(ids).logits, rtol=0, atol=0)
    assert loaded.context == 256


def test_a_file_is_converted_once_whatever_it_is_called(file, cache, tmp_path, monkeypatch):
    first = safetensors_folder(file)
    (tmp_path / "copy.gguf").write_bytes(file.read_bytes())
    monkeypatch.setattr(causal_model, "_convert_gguf", lambda *_: pytest.fail("converted again"))
    assert safetensors_folder(tmp_path / "copy.gguf") == first
    assert [folder.name for folder in cache.iterdir() if not folder.is_symlink()] == [first.name]


def test_a_gguf_file_writes_queries_that_run(file, cache):
    answer = load_backend(str(file)).complete_sql(ASKED, SqlTask(BOOKS, "sqlite"), n=3, temperature=1.0, max_tokens=60)
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE book (title TEXT, pages INTEGER)")
        for text in answer.texts:
            database.execute(re.fullmatch(r"```sql\n(.*)\n```", text, re.DOTALL)[1]).fetchall()


def test_a_file_that_is_no_gguf_is_told_and_leaves_nothing(tmp_path, cache):
    broken = tmp_path / "model.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(InputError, match=r"model\.gguf, field 'llm': transformers cannot read it: "):
        load_backend(str(broken))
    assert [found for found in cache.iterdir() if not found.is_symlink()] == []


@pytest.mark.parametrize("package", ["transformers", "gguf", "accelerate"])
def test_what_reads_gguf_and_is_missing_is_named(file, cache, monkeypatch, package):
    monkeypatch.setattr(causal_model, "find_spec", lambda name: None if name == package else find_spec(name))
    with pytest.raises(InputError, match=rf"{package} is not installed \(pip install '\.\[llm\]' in the clone\)"):
        safetensors_folder(file)
