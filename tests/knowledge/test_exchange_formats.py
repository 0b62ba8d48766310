"""Formulas from and to files of others: each format by itself, and the door to all."""

from __future__ import annotations

import tomllib

import exchange_examples
import pytest

from querent.data.errors import InputError
from querent.knowledge.exchange.formats import FORMATS, WRITTEN, format_of, read_formulas, write_formulas
from querent.knowledge.formulas.reading import read_bank

ENDINGS = {"querent": ".toml", "spreadsheet": ".csv", "bird": ".jsonl"}


@pytest.fixture
def example(tmp_path):
    """Write a format's example."""

    def write(name):
        path = tmp_path / f"{name}{ENDINGS.get(name, '.yaml')}"
        path.write_text(getattr(exchange_examples, name.upper()).lstrip("\n"), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("name", WRITTEN)
def test_what_a_format_gave_it_takes(example, tmp_path, name):
    path = example(name)
    first = read_formulas(path, name)
    again = tmp_path / f"again{path.suffix}"
    assert write_formulas(first, name, again) == []
    second = read_formulas(again, name)
    assert set(second.formulas) == set(first.formulas)
    assert second.concepts == first.concepts
    assert len(first) > 2


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_told_by_what_it_holds_and_becomes_a_knowledge_toml(example, tmp_path, name):
    path = example(name)
    assert format_of(path) == name
    first = read_formulas(path)
    assert first.formulas == read_formulas(path, name).formulas
    assert write_formulas(first, "querent", tmp_path / "out.toml") == []
    second = read_bank(tmp_path / "out.toml")
    assert second.formulas == first.formulas
    assert second.concepts == first.concepts


@pytest.mark.parametrize("name", ["ossie", "metricflow", "bird"])
def test_formulas_know_their_line(example, name):
    path = example(name)
    text = path.read_text(encoding="utf-8").splitlines()
    for formula in read_formulas(path).formulas:
        assert formula.file == path
        assert formula.line is not None
        assert any(field in text[formula.line - 1] for field in ("name", "evidence"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "not YAML: "),
        ('{"models": [}', "bank:1: not JSON: "),
        ("- a\n- b\n", "no mapping of fields"),
        ("datasest: []\n", "did you mean 'datasets'?"),
        ("nothing: []\n", "give one: querent, ossie, metricflow"),
        ("datasets: 3\n", "field 'datasets': not a list of mappings"),
        ("metrics:\n  - {type: simple}\n", "bank:2, field 'name': missing"),
        ("metrics:\n  - {name: a, type: ratio}\n", "bank:2, field 'numerator': missing"),
        ("datasets:\n  - {name: a}\n", "bank:2, field 'source': missing"),
    ],
)
def test_bad_files_are_told_with_their_place(tmp_path, text, said):
    (tmp_path / "bank").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_formulas(tmp_path / "bank")
    assert said in str(raised.value)


def test_an_unknown_format_is_told(example, tmp_path):
    with pytest.raises(InputError, match="formats are querent, ossie"):
        write_formulas(read_formulas(example("ossie")), "xlsx", tmp_path / "out")


def test_a_toml_is_written_for_people(example, tmp_path):
    write_formulas(read_formulas(example("querent")), "querent", tmp_path / "out.toml")
    text = (tmp_path / "out.toml").read_text(encoding="utf-8")
    assert text.startswith('[concepts]\n"flour used" = ["flour", "面粉"]\n')
    assert """is = 'SUM(waste) / SUM("flour used")'""" in text
    odd = read_formulas(example("querent"))
    one = odd.formulas[0]
    strange = 'a\x7f\tb"\\\n\u2028é'
    write_formulas(type(odd)([type(one)(strange, (strange,), one.kind, one.expression)], {}), "querent", tmp_path / "b")
    (told,) = tomllib.loads((tmp_path / "b").read_text(encoding="utf-8"))["formula"]
    assert (told["name"], told["says"]) == (strange, [strange])
