"""MariaDB's unsigned numbers of 64 bits: some are below zero as doubles, where a fractional power fails."""

from __future__ import annotations

import pytest
from rule_cases import judge, reason, typed

METER = typed(meter="flags BIT(64), pulses BIGINT UNSIGNED, spent DOUBLE, read_at DATETIME")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT POW(pulses, 1.5) FROM meter",
        "SELECT POW(pulses % PI(), 1.5) FROM meter",
        "SELECT POW(flags % 7, 1.5) FROM meter",
        "SELECT POW(MAX(pulses) % 7, 1.5) FROM meter",
        "SELECT POW(flags, 2) FROM meter",
        "SELECT MOD(pulses, 7) FROM meter",
        # DOUBLE value is out of range
        "SELECT POW(flags, »1.5) FROM meter",
        "SELECT POW(MAX(pulses), »1.5) FROM meter",
        "SELECT POW(flags % PI(), »1.5) FROM meter",
        "SELECT POW(MAX(pulses) % PI(), »1.5) FROM meter",
        "SELECT POW(MOD(MAX(pulses), PI()), »1.5) FROM meter",
        "SELECT POW((SELECT MIN(pulses) FROM meter) MOD spent, »1.5) FROM meter",
        # BIGINT UNSIGNED value is out of range
        "SELECT MAX(pulses) % read_at »- 1 FROM meter",
    ],
)
def test_what_may_be_below_zero_is_not_raised_to_a_fraction(sql: str) -> None:
    assert ("»" in sql) == (reason(judge((sql,), "mysql", schema=METER), sql) is not None)
