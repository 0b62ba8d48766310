from __future__ import annotations

from querent.ner import Entry, Gazetteer
from querent.ner.units import units


def read(text):
    return [unit.text for unit in units(text)]


def found(gazetteer, text, **options):
    words = read(text)
    return {(" ".join(words[m.start : m.end]), e.type) for m in gazetteer.matches(words, **options) for e in m.entries}


def test_units_keep_offsets():
    question = "Is C22.756 in 北京 (7.5%)?"
    assert [u.text for u in units(question)] == ["Is", "C", "22.756", "in", "北", "京", "(", "7.5", "%", ")", "?"]
    assert all(question[u.start : u.end] == u.text for u in units(question))
    assert units("  ") == []


def test_matches_whole_units_whatever_the_case():
    gazetteer = Gazetteer([Entry("Is", "river", "Is"), Entry("new york", "state", "new york")])
    assert found(gazetteer, "this NEW  York city") == {("NEW York", "state")}
    assert found(gazetteer, "the Is, at last") == {("Is", "river")}


def test_finds_overlapping_and_ambiguous_values():
    gazetteer = Gazetteer(
        [
            Entry("new york", "state", "new york"),
            Entry("new york", "city", "new york"),
            Entry("new york city", "city", "nyc"),
            Entry("肺炎", "disease", "肺炎"),
        ]
    )
    assert found(gazetteer, "new york city") == {
        ("new york", "state"),
        ("new york", "city"),
        ("new york city", "city"),
    }
    assert found(gazetteer, "因肺炎住院") == {("肺 炎", "disease")}


def test_one_typo_is_forgiven_in_long_stored_surfaces_only():
    gazetteer = Gazetteer(
        [
            Entry("mississippi", "river", "mississippi", stored=True),
            Entry("missouri", "river", "missouri"),
            Entry("unit 6471", "tag", "6471", stored=True),
        ]
    )
    assert found(gazetteer, "how long is the missisippi", near=True) == {("missisippi", "river")}
    assert found(gazetteer, "how long is the missisippi") == set()
    assert found(gazetteer, "how long is the misouri", near=True) == set()  # said in training, stored nowhere
    assert found(gazetteer, "where is unit 6472", near=True) == set()  # another id is no typo
    assert found(gazetteer, "missisippi", near=True, known={"missisippi"}) == set()


def test_the_same_entry_twice_is_one_with_both_counts():
    gazetteer = Gazetteer([Entry("Utah", "state", "utah", count=2), Entry("utah", "state", "utah", stored=True)])
    assert [(e.count, e.stored) for e in gazetteer.entries] == [(2, True)]


def test_json_round_trip():
    gazetteer = Gazetteer(
        [Entry("反应器", "tag", "TI-1", "string", 3, stored=True), Entry("42", "code", "42", "number")]
    )
    assert Gazetteer.from_json(gazetteer.to_json()).entries == gazetteer.entries
