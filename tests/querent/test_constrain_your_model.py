"""docs/constrain-your-model.md is followed block by block, on small models with random weights."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_models
import torch
from lark import Lark
from pages import Page, commands_in
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

import querent as face
from querent.data.shipped import shipped_database

PAGE, README = Page("constrain-your-model.md"), Page("../README.md")
LINES = [
    "SELECT title, author FROM book WHERE pages > 300 ORDER BY title LIMIT 3;",
    "select count(*) from loan where member = 'Ada' group by book",
    "```sql\nSELECT 1 FROM book\n```",
]

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def folder(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def block(part: str, page: Page = PAGE) -> str:
    """Return the one block of Python that a part is in."""
    (found,) = [b for b in page.blocks("python") if part in b]
    return found


def follow(names: dict[str, Any], *parts: str) -> dict[str, Any]:
    for part in parts:
        exec(block(part), names)
    return names


@pytest.fixture
def names(folder: None) -> dict[str, Any]:
    return follow({}, "CREATE TABLE")


def tokenizer() -> PreTrainedTokenizerFast:
    return small_models.tokenizer(small_models.CHAT, LINES)


def random_model(kind: str) -> Any:
    if kind == "llama":
        return small_models.llama(2048, 9).eval()  # this one reads a table
    torch.manual_seed(9)
    sizes = {"d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 1, "num_heads": 2, "decoder_start_token_id": 0}
    return small_models.restless(T5ForConditionalGeneration(T5Config(**small_models.IDS, **sizes))).eval()


def save(kind: str, name: str) -> None:
    tokenizer().save_pretrained(name)
    random_model(kind).save_pretrained(name)


def run(sql: str, database: Path | str = "my.sqlite") -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(sql).fetchall()


def assert_within(outputs: torch.Tensor, begin: int, most: int = 64) -> None:
    assert outputs.shape[1] - begin <= most
    assert all(2 in row for row in outputs[:, begin:].tolist())


def assert_chat(found: dict[str, Any]) -> None:
    assert_within(found["outputs"], found["begin"])
    for answer in found["answers"]:
        assert answer.startswith("```sql\n")
        assert answer.endswith("\n```")
    mine, shop = found["queries"]
    run(mine)
    assert not re.search("loan|pages", re.sub("'[^']*'", "", mine), re.IGNORECASE)
    run(shop, shipped_database("shop"))
    with pytest.raises(sqlite3.OperationalError, match="no such"):
        run(mine, shipped_database("shop"))


def test_beams_of_an_encoder_decoder_model(names):
    save("t5", "my-t5")
    found = follow(names, "my-t5")
    assert_within(found["outputs"], 1)
    assert len(found["queries"]) == 3 * len(found["questions"])
    assert len({*found["queries"]}) > 1
    for query in found["queries"]:
        run(query)


def test_a_chat_model_with_a_fence_is_taken_up_again(names):
    made = tokenizer()
    made.pad_token = made.eos_token  # as SmolLM2 has it: the token stands in prompts, too
    names |= {"tokenizer": made, "model": random_model("llama")}
    assert_chat(follow(names, "apply_chat_template"))
    found = follow(names, "prompt_length")
    assert found["resumed"].tolist() == found["outputs"].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_a_loop_of_ones_own(names, seed):
    draw = np.random.default_rng(seed)
    made = tokenizer()
    names |= {"tokenizer": made, "logits": lambda tokens: draw.normal(size=len(made))}
    found = follow(names, "TokenConstraint")
    assert len(found["tokens"]) <= 64
    assert found["query"] == made.decode(found["tokens"], skip_special_tokens=True)
    run(found["query"])


def test_grammars_for_servers(names, querent, capsys):
    commands = [command[1:] for command in commands_in(PAGE.text) if command[1] == "grammar"]
    assert [command[command.index("--format") + 1] for command in commands] == ["lark", "gbnf", "ebnf"]
    for command in commands:
        assert querent(*command).code == 0
        assert Path(command[-1]).read_text(encoding="utf-8").count("book")
    loose = "SELECT member FROM book"  # the page's example of what such a grammar lets through
    Lark(Path("my.lark").read_text(encoding="utf-8"), parser="earley", lexer="dynamic").parse(loose)
    follow(names, loose)
    assert capsys.readouterr().out.startswith("False ")


@pytest.mark.parametrize("option", [{"forced_bos_token_id": 1}, {"suppress_tokens": [*range(3, 400)]}])
def test_a_processor_that_leaves_no_token_ends_in_the_error_that_the_page_names(names, option):
    save("t5", "my-t5")
    found = follow(names, "my-t5")
    with pytest.raises(face.QuerentError, match=r"token 0 spells nothing.*does another logits processor"):
        found["model"].generate(**found["inputs"], logits_processor=[found["processor"]], max_new_tokens=64, **option)


def test_the_readme_shows_the_processor(names):
    inputs = tokenizer()(["how many?"], return_tensors="pt", return_token_type_ids=False)
    names |= {"tokenizer": tokenizer(), "model": random_model("llama"), "inputs": inputs}
    exec(block("SqlLogitsProcessor", README), names)
    begin = inputs["input_ids"].shape[1]
    assert_within(names["outputs"], begin, 128)
    run(names["tokenizer"].decode(names["outputs"][0, begin:], skip_special_tokens=True))


def test_the_door_needs_neither_torch_nor_transformers():
    code = "import sys; from querent.grammar import TokenConstraint, TokenSpellings, TokenState; "
    code += "print({'torch', 'transformers', 'tokenizers'} & {*sys.modules})"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"
