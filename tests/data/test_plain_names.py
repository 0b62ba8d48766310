"""Identifiers in plain words."""

from __future__ import annotations

import pytest

from querent.data.schema.plain_names import plain_name, spoken


@pytest.mark.parametrize(
    ("identifier", "plain"),
    [
        ("apt_id", "apt id"),
        ("EmployeeID", "employee id"),
        ("userIDs", "user ids"),
        ("HTTPServer2", "http server 2"),
        ("line2Text", "line 2 text"),
        ("列_2018年考生数量", "2018年考生数量"),
        ("列车id", "列车id"),
        ("customer-name", "customer name"),
        ("T1", "t1"),
        ("Home Town", "home town"),
        ("MED_CLINIC_ID", "med clinic id"),
        ("order_qty", "order quantity"),
        ("room_no", "room no"),
        ("_", "_"),
    ],
)
def test_identifiers(identifier, plain):
    assert plain_name(identifier) == plain


@pytest.mark.parametrize(
    ("description", "said"),
    [
        ("apartment id", "apartment id"),
        ("  date of\n birth ", "date of birth"),
        ("", "apt id"),
        ("The number of the apartment. Never null.", "apt id"),
        ("what the people who live there call the flat", "apt id"),
        ("one, two or three", "apt id"),
        ("apartment_id", "apt id"),
        ("公寓编号", "公寓编号"),
        ("该公寓在本市房管局登记时所使用的统一编号", "apt id"),
    ],
)
def test_descriptions_are_spoken_where_they_are_names(description, said):
    assert spoken("apt_id", description) == said
