"""An option is stated once: Python, the command line, HTTP and the tools of MCP have its bounds, default and help."""

import inspect
from typing import Any

import pytest

import querent
from querent.parser.answering.asking import AskOptions, ConnectOptions, stated_fields, statement_of

OF_QUESTIONS = {one.name: one for one in stated_fields(AskOptions)}


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (querent.Connection.ask, AskOptions),
        (querent.Connection.explain, AskOptions),
        (querent.connect, ConnectOptions),
        (querent.connect_llm, ConnectOptions),
    ],
)
def test_python_has_each_with_its_default_and_its_help(call: Any, kind: Any) -> None:
    parameters = inspect.signature(call).parameters
    for one in stated_fields(kind):
        assert parameters[one.name].default == one.default
        assert f"{one.name}: {statement_of(one).help}" in call.__doc__


def test_http_and_tools_have_those_of_questions() -> None:
    pytest.importorskip("fastapi")
    messages = pytest.importorskip("querent.serving.messages")
    fields = messages.Asking.model_json_schema()["properties"]
    for name, one in OF_QUESTIONS.items():
        assert (fields[name]["description"], fields[name]["default"]) in (
            *[(statement_of(one).help, default) for default in (one.default, [])],
        )
    assert (fields["beam"]["minimum"], fields["beam"]["maximum"], fields["tables"]["maxItems"]) == (1, 16, 50)
    pytest.importorskip("mcp")
    tables = inspect.signature(querent.ToolServer.ask, eval_str=True).parameters["tables"].annotation
    assert tables.__metadata__[-1].description == statement_of(OF_QUESTIONS["tables"]).help


@pytest.mark.parametrize(
    ("kind", "told", "said"),
    [
        (AskOptions, {"beam": 0}, "field 'beam': 0 is less than 1"),
        (AskOptions, {"beam": 17}, "field 'beam': 17 is more than 16"),
        (AskOptions, {"tables": "orders"}, "a text where a list of names is due"),
        (ConnectOptions, {"timeout": 0}, "field 'timeout': 0 is less than 0.01"),
        (ConnectOptions, {"now": "soon"}, "'soon' is no moment"),
        (ConnectOptions, {"feedback": "said.txt"}, "no .jsonl file"),
        (querent.LlmOptions, {"most_tables": 13}, "13 is more than 12"),
    ],
)
def test_what_is_beyond_its_bounds_is_refused(kind: Any, told: dict[str, Any], said: str) -> None:
    with pytest.raises(querent.InputError) as refused:
        kind(**told)
    assert said in str(refused.value)
