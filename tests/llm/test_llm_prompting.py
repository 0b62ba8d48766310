"""Prompt files, the schema's text, and messages cut to a context."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from cases import table
from scripted import SCHEMA, Scripted

from querent.data.domains.dialogues import Turn
from querent.data.errors import InputError, LlmError
from querent.data.schema.schema import Column, Function
from querent.llm.executor import Outcome
from querent.llm.prompting import Prompter, fitted
from querent.llm.prompts.templates import PROMPT_FILES, load_prompts, schema_text, shipped_prompts
from querent.retrieval.shots import Shot

LIVED = Function("LIVED", (Column("NAME", "TEXT"),), "INTEGER", "SELECT 1", "how long\nan author lived")
SHOTS = [Shot(f"question {i}?", f"SELECT {i}") for i in range(3)]  # the most alike first
FAILURES = [Outcome(f"SELECT x{i}", f"no column x{i}", f"wrote {i}") for i in range(2)]


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(shipped_prompts("en"), tmp_path / "mine")


# --- files


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_shipped_prompts_are_whole(language):
    assert {file.stem for file in shipped_prompts(language).iterdir()} == set(PROMPT_FILES)
    prompter = Prompter(load_prompts(language=language), replace(SCHEMA, functions=(LIVED,)), "postgres", program=True)
    text = "\n".join(message.content for message in prompter.messages("who?", SHOTS[:1], FAILURES[:1]))
    for part in ("PostgreSQL", "LIVED(NAME TEXT) -> INTEGER: how long an author lived", "CREATE TABLE book", "who?"):
        assert part in text
    for part in ("question 0?", "answer = 0\n```sql\nSELECT 0\n```", "no column x0"):
        assert part in text
    assert not any(f"{{{name}}}" in text for names in PROMPT_FILES.values() for name in names)


def test_a_header_without_functions_has_no_gaps():
    header = Prompter(load_prompts(), SCHEMA, "sqlite").messages("who?")[0].content
    assert "functions:" not in header
    assert "\n\n" not in header


def test_prompts_of_ones_own_are_used(folder):
    (folder / "question.txt").write_text("{{Q}} {question}\n{schema}\n{formulas}", encoding="utf-8")
    messages = Prompter(load_prompts(folder), SCHEMA, "sqlite").messages("who {is} it?")
    assert messages[1].content.startswith("{Q} who {is} it?\nCREATE TABLE author")


@pytest.mark.parametrize(("name", "text", "said"), table(__file__, "a_wrong_prompt_is_told_with_its_place"))
def test_a_wrong_prompt_is_told_with_its_place(folder, name, text, said):
    (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_prompts(folder)
    assert [part for part in said if part not in str(caught.value)] == []


def test_a_prompt_that_is_missing_or_unreadable_is_told(folder):
    (folder / "header.txt").write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        load_prompts(folder)
    (folder / "header.txt").unlink()
    with pytest.raises(InputError, match=r"header\.txt: no such prompt .*copy"):
        load_prompts(folder)
    with pytest.raises(InputError, match="no such folder of prompts"):
        load_prompts(folder / "gone")
    with pytest.raises(InputError, match=r"'ens'.*did you mean 'en'"):
        load_prompts(language="ens")


# --- the schema


def test_a_schema_is_told_with_descriptions_and_cells():
    book = SCHEMA.tables[1]
    columns = (replace(book.columns[0], description="its\nname"), *book.columns[1:])
    schema = replace(SCHEMA, tables=(SCHEMA.tables[0], replace(book, columns=columns)))
    text = schema_text(schema, "sqlite", {("book", "title"): ["Dune", "O'Hara"], ("author", "country"): ["Chile"]})
    assert "title text, -- its name; e.g. 'Dune', 'O''Hara'" in text
    assert "country text, -- e.g. 'Chile'" in text
    assert "FOREIGN KEY (author) REFERENCES author (name)" in text
    assert "\n\n" not in text


def test_reserved_names_are_quoted_as_the_dialect_does():
    table = replace(SCHEMA.tables[0], name="order", columns=(Column("unit price"), Column("group")), primary_key=())
    schema = replace(SCHEMA, tables=(table,))
    assert 'CREATE TABLE "order" (\n"unit price" text,\n"group" text' in schema_text(schema, "sqlite")
    assert "CREATE TABLE `order` (" in schema_text(schema, "mysql")


# --- contexts


def prompter() -> Prompter:
    return Prompter(load_prompts(), SCHEMA, "sqlite")


def told(context: int | None, max_tokens: int = 10) -> str:
    backend = Scripted([], context=context)
    messages = fitted(prompter(), backend, "who?", SHOTS, FAILURES, max_tokens=max_tokens)
    assert context is None or backend.count(messages) + max_tokens <= context
    return "\n".join(message.content for message in messages)


def test_the_least_alike_examples_go_first_then_the_oldest_corrections():
    count = Scripted([]).count
    whole = count(prompter().messages("who?", SHOTS, FAILURES)) + 10
    assert told(None) == told(whole)
    parts = ["question 2?", "question 1?", "question 0?", "no column x0", "no column x1"]
    kept = [(SHOTS[:2], FAILURES), (SHOTS[:1], FAILURES), ([], FAILURES), ([], FAILURES[1:]), ([], [])]
    for gone, (shots, failures) in enumerate(kept, start=1):
        text = told(count(prompter().messages("who?", shots, failures)) + 10)
        assert [part in text for part in parts] == [False] * gone + [True] * (5 - gone)


def test_a_question_that_does_not_fit_is_refused():
    bare = Scripted([]).count(prompter().messages("who?"))
    with pytest.raises(LlmError, match=rf"question and schema take {bare} tokens .* scripted reads {bare + 9}"):
        told(bare + 9)
    assert told(bare + 10)


def test_examples_stand_before_the_question_the_nearest_last():
    contents = [message.content for message in prompter().messages("who?", SHOTS)]
    assert [c for c in contents if c.startswith("Question: q")] == [f"Question: question {i}?" for i in (2, 1, 0)]
    assert contents[-1].endswith("Question: who?")


def test_the_oldest_turns_go_before_a_correction_does():
    turns = [Turn("first turn", "SELECT 1"), Turn("second turn", "SELECT 2")]
    whole = fitted(prompter(), Scripted([]), "question", before=turns, max_tokens=10)
    room = Scripted([]).count(whole) + 9  # a token too few
    cut = fitted(prompter(), Scripted([], context=room), "question", before=turns, max_tokens=10)
    said = " ".join(message.content for message in cut)
    assert ("first turn" in said, "second turn" in said) == (False, True)
