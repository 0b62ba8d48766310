"""Prompt files, the schema's text, messages cut to a context, and the programs of solved queries."""

import shutil
from dataclasses import replace

import pytest
import sqlglot
from cases import table
from scripted import SCHEMA, Scripted
from sqlglot import exp

from querent.data.domains.dialogues import Turn
from querent.data.domains.loading import load_domain
from querent.data.errors import InputError, LlmError, QueryError
from querent.data.schema.schema import Column, Function
from querent.llm.executor import Outcome
from querent.llm.programs import program_of
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


def steps(sql: str, dialect: str = "sqlite") -> list[str]:
    return program_of(sql, dialect).splitlines()


@pytest.mark.parametrize(("sql", "expected"), table(__file__, "a_query_is_said_in_steps"))
def test_a_query_is_said_in_steps(sql, expected):
    assert steps(sql) == expected


def test_the_same_query_has_the_same_program_and_stays_as_it_is():
    sql = "SELECT title FROM book AS b WHERE b.year > (SELECT AVG(year) FROM book) ORDER BY title LIMIT 2"
    assert program_of(sql, "sqlite") == program_of(sql.replace("WHERE", "\nWHERE"), "sqlite")


@pytest.mark.parametrize("sql", ["SELECT FROM WHERE", "DROP TABLE t", "SELECT 1; SELECT 2", ""])
def test_what_is_no_query_has_none(sql):
    with pytest.raises(QueryError, match="no query of sqlite"):
        program_of(sql, "sqlite")


ODD = (
    "SELECT * FROM (VALUES (1, 2)) AS v",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT n FROM c",
    "SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) FROM t",
    "(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT b FROM u LIMIT 2) LIMIT 1",
    "SELECT CASE WHEN a > 1 THEN (SELECT MAX(b) FROM u) ELSE 0 END AS x FROM t GROUP BY x",
    "SELECT a FROM t WHERE x = ALL (SELECT y FROM u) OR NOT a IN (SELECT 1 UNION SELECT 2)",
    "SELECT a FROM t, u CROSS JOIN w NATURAL JOIN v",
    "SELECT COUNT(*) FROM t HAVING COUNT(*) > (SELECT 2)",
    "SELECT a FROM t WHERE (a, b) IN (SELECT c, d FROM u) FETCH FIRST 3 ROWS ONLY",
    "SELECT a FROM ((SELECT a FROM t) AS x JOIN (SELECT b FROM u) AS y ON x.a = y.b)",
    "SELECT GROUPING(a), a FROM t GROUP BY ROLLUP (a)",
    "SELECT a AS a FROM t ORDER BY a",
)


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
@pytest.mark.parametrize("sql", ODD)
def test_whatever_sqlglot_reads_has_a_program(sql, dialect):
    if not isinstance(sqlglot.parse_one(sql, read=dialect), exp.Query):
        pytest.skip("no query in this dialect")
    told = steps(sql, dialect)
    assert told[-1].startswith("answer = ")
    assert all(" = " in line for line in told)
    assert "SELECT" not in " ".join(told)


def test_every_gold_query_of_the_plant_has_a_program():
    domain = load_domain("plant", language="en")
    queries = sorted({example.slotted: example.sql for example in domain.examples}.values())[::3]
    told = [steps(sql, domain.dialect) for sql in queries]
    assert len(told) > 100
    assert all(lines[-1].startswith("answer = ") for lines in told)
    assert not [lines for lines in told if "SELECT" in " ".join(lines)]
