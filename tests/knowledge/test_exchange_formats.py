"""Formulas from files of others: each format by itself, and the door to all."""

from __future__ import annotations

import tomllib

import exchange_examples
import pytest

from querent.data.errors import InputError
from querent.knowledge.exchange.formats import FORMATS, format_of, read_formulas
from querent.knowledge.formulas.reading import read_bank, write_bank

ENDINGS = {"querent": ".toml", "spreadsheet": ".csv"}


@pytest.fixture
def example(tmp_path):
    """Write a format's example."""

    def write(name):
        path = tmp_path / f"{name}{ENDINGS.get(name, '.yaml')}"
        path.write_text(getattr(exchange_examples, name.upper()).lstrip("\n"), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_told_by_what_it_holds_and_becomes_a_knowledge_toml(example, tmp_path, name):
    path = example(name)
    assert format_of(path) == name
    first = read_formulas(path)
    assert first.formulas == read_formulas(path, name).formulas
    write_bank(first, tmp_path / "out.toml")
    second = read_bank(tmp_path / "out.toml")
    assert second.formulas == first.formulas
    assert second.concepts == first.concepts
    assert len(first) > 2


def test_formulas_know_their_line(example):
    path = example("metricflow")
    text = path.read_text(encoding="utf-8").splitlines()
    for formula in read_formulas(path).formulas:
        assert formula.file == path
        assert formula.line is not None
        assert "name" in text[formula.line - 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "not YAML: "),
        ('{"models": [}', "bank:1: not JSON: "),
        ("- a\n- b\n", "no mapping of fields"),
        ("metrisc: []\n", "did you mean 'metrics'?"),
        ("nothing: []\n", "give one: querent, metricflow, spreadsheet"),
        ("metrics: 3\n", "field 'metrics': not a list of mappings"),
        ("metrics:\n  - {type: simple}\n", "bank:2, field 'name': missing"),
        ("metrics:\n  - {name: a, type: ratio}\n", "bank:2, field 'numerator': missing"),
    ],
)
def test_bad_files_are_told_with_their_place(tmp_path, text, said):
    (tmp_path / "bank").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_formulas(tmp_path / "bank")
    assert said in str(raised.value)


def test_an_unknown_format_is_told(example):
    with pytest.raises(InputError, match="formats are querent, metricflow"):
        read_formulas(example("metricflow"), "xlsx")


def test_a_toml_is_written_for_people(example, tmp_path):
    write_bank(read_formulas(example("querent")), tmp_path / "out.toml")
    text = (tmp_path / "out.toml").read_text(encoding="utf-8")
    assert text.startswith('[concepts]\n"flour used" = ["flour", "面粉"]\n')
    assert """is = 'SUM(waste) / SUM("flour used")'""" in text
    odd = read_formulas(example("querent"))
    one = odd.formulas[0]
    strange = 'a\x7f\tb"\\\n\u2028é'
    write_bank(type(odd)([type(one)(strange, (strange,), one.kind, one.expression)], {}), tmp_path / "b")
    (told,) = tomllib.loads((tmp_path / "b").read_text(encoding="utf-8"))["formula"]
    assert (told["name"], told["says"]) == (strange, [strange])
