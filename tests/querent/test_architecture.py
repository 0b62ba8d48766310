"""What docs/architecture.md and CONTRIBUTING.md point at is there, and the page is short enough to be learnt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/architecture.md", "CONTRIBUTING.md")
PLACE = re.compile(r"(?<=`)(?:[a-z_]+/)+(?:[\w.*-]+)?(?=`)")
"""A folder, file or pattern of files in backticks; NAME stands for a dialect, LANGUAGE for a language."""


def places(text: str) -> list[str]:
    """Return the files and folders that a page names, with what stands for names as patterns."""
    return [re.sub("NAME|LANGUAGE", "*", place) for place in PLACE.findall(text)]


@pytest.mark.parametrize("page", PAGES)
def test_every_place_that_a_page_names_exists(page):
    found = places((ROOT / page).read_text(encoding="utf-8"))
    assert found
    assert [place for place in found if not any(ROOT.glob(place.rstrip("/")))] == []


def test_a_place_that_is_not_there_is_found():
    assert [place for place in places("see `grammar/no_such.py`, `parser/`") if not (ROOT / place).exists()] == [
        "grammar/no_such.py"
    ]


def test_the_architecture_fits_ten_minutes():
    assert len((ROOT / PAGES[0]).read_text(encoding="utf-8").split()) <= 1800
