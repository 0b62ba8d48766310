"""What is found of single columns, by the cases of columns.toml and kinds.toml, and how they are stored in words."""

from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from cases import cases

from querent.meaning.cell_sample import scale_of
from querent.meaning.flag_cells import flag_of
from querent.meaning.number_texts import number_in
from querent.meaning.profile import ColumnProfile, FlagCells, KeyProfile, NumberText, TimeStorage
from querent.meaning.profiling import key_words, stored_as
from querent.meaning.time_finding import Neighbours
from querent.meaning.time_storage import time_of

FINDERS = {"flag": flag_of, "number": number_in}


def holds(kind: str, found: Any, wanted: dict[str, Any]) -> bool:
    """Say whether a storage is the wanted one; of times whose kind of cells is not given, in the fields that are."""
    if kind == "flag":
        return found == FlagCells(wanted["yes"], wanted.get("no"), wanted["form"])
    if kind == "number":
        listed = {name: tuple(value) if isinstance(value, list) else value for name, value in wanted.items()}
        number = NumberText(**listed)
        marks = [{*one.removed} - {",", "."} for one in (found, number)]
        rest = [(one.decimal_comma, one.nothing, one.whole) for one in (found, number)]
        return marks[0] == marks[1] and rest[0] == rest[1]
    if "text" in wanted:
        return found == TimeStorage(**wanted)
    return all(getattr(found, name) == value for name, value in wanted.items())


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("columns.toml")))
def test_what_is_found_of_a_column(case: dict[str, Any], sampled: Any) -> None:
    cells = [None if cell == "NULL" else cell for cell in case["cells"]]
    cells = [*chain(*map(repeat, cells, case.get("times", [1] * len(cells))))]
    sample = sampled(cells, case.get("column", "x"), case.get("type", "text"), case.get("dialect", "sqlite"))
    if "scale" in case:
        assert scale_of(sample) == case["scale"]
        return
    kind = next((kind for kind in ("time", "flag", "number") if kind in case), "flag")
    if kind == "time":
        order = {"/": ("day first", case["neighbour"])} if "neighbour" in case else {}
        found: Any = time_of(sample, Neighbours(order, unix=case.get("unix", False)))
    else:
        found = FINDERS[kind](sample)
    wanted = case.get(kind)
    if wanted is False:
        assert found is None
        return
    storage = None if found is None else found.storage
    if wanted == {}:
        assert found is not None and storage is None
    elif wanted is not None:
        assert storage is not None
        assert wanted is True or holds(kind, storage, wanted), storage
    if "label" in case:
        assert stored_as(ColumnProfile("time", time=storage)) == case["label"]
    if "sure" in case:
        assert found is None or found.sure == case["sure"]
    if "doubt" in case:
        assert case["doubt"] in found.doubt and bool(case["doubt"]) == bool(found.doubt), found.doubt


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("kinds.toml")))
def test_kinds_of_the_columns_behind_a_key(profiled, case: dict[str, Any]):
    table, columns = case["table"], case["columns"]
    listed = ", ".join(str((n, *cells)) for n, cells in enumerate(zip(*columns.values(), strict=True), 1))
    script = f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, {', '.join(columns)}); INSERT INTO {table} VALUES {listed}"
    assert [one.kind for (_, name), one in profiled(script).columns.items() if name != "id"] == case["kinds"]


def test_flags_and_numbers():
    assert stored_as(ColumnProfile("flag", flag=FlagCells("1", "0", "number"))) == "1 says yes, 0 no"
    assert stored_as(ColumnProfile("flag", flag=FlagCells("Y", None, "text"))) == "Y says yes"
    assert stored_as(ColumnProfile("amount", number=NumberText(("$", ",")))) == "number in text ($ , removed)"
    assert stored_as(ColumnProfile("amount", scale=10**6)) == "counts in millions"
    assert stored_as(ColumnProfile("amount", number=NumberText(("%",)), scale=10**8)).endswith("counts in 100000000")
    told = stored_as(ColumnProfile("amount", number=NumberText(("€", " ", "."), decimal_comma=True, nothing=("-",))))
    assert told == "number in text (€ blanks . removed, decimal comma, none is '-')"
    assert stored_as(ColumnProfile("amount")) == ""


def test_keys():
    key = KeyProfile("a", ("b_id",), "b", ("id",), declared=False)
    assert key_words(key) == "b.id, many to one, found, not declared"
    assert key_words(KeyProfile("a", ("x",), "b", ("y",), many=False)) == "b.y, one to one"
