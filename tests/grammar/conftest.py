from __future__ import annotations

from pathlib import Path

import pytest
from grammar_cases import SETS, Gold, read_gold


@pytest.fixture(params=SETS)
def gold(request: pytest.FixtureRequest, shared_data: Path) -> Gold:
    return read_gold(shared_data, request.param)
