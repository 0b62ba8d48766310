"""Shards: together they are the file, and each keeps the ids of the whole."""

from __future__ import annotations

import pytest

from querent.data.errors import InputError
from querent.parser.runs.questions import Shard


@pytest.mark.parametrize("total", [0, 1, 5, 8, 9, 100])
@pytest.mark.parametrize("count", [1, 3, 8])
def test_one_behind_the_other_they_are_the_whole(total, count):
    parts = [list(Shard(n, count).of(iter(range(total)), total)) for n in range(1, count + 1)]
    assert [item for part in parts for item in part] == list(range(total))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert [len(part) for part in parts] == [len(Shard(n, count).place(total)) for n in range(1, count + 1)]


def test_it_is_read_from_a_fraction():
    assert Shard.read(" 3/8") == Shard(3, 8)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0/8", "no part 0 of 8"),
        ("9/8", "no part 9 of 8"),
        ("1/0", "no part 1 of 0"),
        ("x", "'x' is no part"),
        ("3", "'3' is no part"),
        ("-1/8", "is no part"),
        ("1/2/3", "is no part"),
        ("³/8", "is no part"),
    ],
)
def test_what_is_no_part_is_told(text, said):
    with pytest.raises(InputError, match=said) as caught:
        Shard.read(text)
    assert (caught.value.field, caught.value.hint) == ("shard", "write 3/8 for the third of eight parts")
