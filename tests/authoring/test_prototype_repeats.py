"""Prototypes that say the same: which fall into one part, which are told."""

from __future__ import annotations

from dataclasses import replace

from lakes import PROTOTYPES, SCHEMA, lines

from querent.authoring.filling.near import near, normal, same
from querent.authoring.filling.writing import DomainSource, fill_domain, split_keys
from querent.data.databases.schema_readers import from_ddl
from querent.data.domains.loading import load_domain


def test_twins_fall_into_one_part(lakes):
    base = DomainSource.of(lakes).prototypes[0]
    family = [replace(base, id="c", twin="a"), replace(base, id="a"), replace(base, id="b", twin="c")]
    assert split_keys([*family, replace(base, id="d")]) == {"a": "a", "b": "a", "c": "a", "d": "d"}
    (lakes / "prototypes" / "lakes.toml").write_text(
        PROTOTYPES.replace('id = "lakes.all"', 'id = "lakes.all"\ntwin = "lakes.after"'), encoding="utf-8"
    )
    fill_domain(lakes)
    parts = {e.prototype: e.query_split for e in load_domain(lakes).examples}
    assert parts["lakes.all"] == parts["lakes.after"]
    assert {p["prototype"] for p in lines(lakes, "en") if "split" in p} == {"lakes.all"}


def test_queries_that_differ_in_names_only_are_the_same():
    schema = from_ddl(SCHEMA, dialect="sqlite")
    one = "SELECT a.name FROM lake AS a WHERE a.state = '{state1}' OR a.state = '{state0}'"
    other = "SELECT lake.name FROM lake WHERE lake.state = '{state0}' OR lake.state = '{state1}'"
    assert normal(one, dialect="mysql", schema=schema) == normal(other, dialect="mysql", schema=schema)


def test_prototypes_that_repeat_one_another(lakes):
    schema = from_ddl(SCHEMA, dialect="sqlite")
    all_ = {p.id: p for p in DomainSource.of(lakes).prototypes}
    base = all_["lakes.deeper"]
    twice = replace(base, id="twice", sql=base.sql.replace("a.", "b.").replace("AS a", "AS b"))
    upper = replace(base, id="upper", sql=base.sql.replace(">=", "<="), wordings={"en": ("shallow",), "zh": ("浅",)})
    asked = replace(base, id="asked", sql="SELECT 1", wordings={"en": ("the lakes of {state0} deeper than {number0}",)})
    asked = replace(asked, wordings={"zh": ("湖",), **asked.wordings})
    prototypes = [*all_.values(), twice, upper, asked]
    assert [[p.id for p in group] for group in same(prototypes, dialect="mysql", schema=schema)] == [
        ["lakes.deeper", "twice"]
    ]
    prototypes.remove(twice)
    apart = {"lakes.deeper": "8", "upper": "q16", "asked": "q8"}  # train, test, dev by their hash
    keys = {p.id: apart.get(p.id, "8") for p in prototypes}
    found = {(p.one.id, p.other.id) for p in near(prototypes, keys=keys, dialect="mysql", schema=schema)}
    assert ("lakes.deeper", "upper") in found
    assert {"asked", "lakes.deeper"} in [set(ids) for ids in found]
    together = dict.fromkeys(keys, "8")
    assert near(prototypes, keys=together, dialect="mysql", schema=schema) == []
