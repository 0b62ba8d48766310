from __future__ import annotations

import itertools
from datetime import datetime

import pytest
import torch

from querent.data.domain import Domain, Entity, load_domain
from querent.data.errors import InputError, RunError
from querent.data.examples import Example, Mention, bind, fill_sql
from querent.data.schema import Column, Schema, Table
from querent.ner import Tagger, TaggerConfig, ValueFinder
from querent.ner.evaluate import entity_f1, evaluate, is_complete
from querent.ner.labelled import Labelled

SCHEMA = Schema((Table("visit", (Column("person"), Column("hospital"), Column("cost"))),))
NAMES = ["喻哲茂", "蒋博延", "袁清怡", "云炎彬", "秦娟丽", "韦俊贤", "任秀颖", "彭哲茂", "郎曼吟", "孙子怡"]
SMALL = TaggerConfig(width=48, words=32, letters=16, batch=4)


def example(number: int, *parts: str | tuple[str, str], slotted: str = "") -> Example:
    """Build an example of texts and (text, type) pairs."""
    question, mentions = "", []
    for part in parts:
        text, kind = (part, None) if isinstance(part, str) else part
        if kind is not None:
            literal = "number" if kind == "number" else "string"
            mentions.append(Mention(len(question), len(question) + len(text), text, kind, text, literal))
        question += text
    return Example(str(number), question, "", slotted, bind(mentions))


def visits() -> list[Example]:
    made = []
    for n, name in enumerate(NAMES):
        slotted = "SELECT cost FROM visit WHERE person = '{person0}' AND hospital = '{hospital0}'"
        hospital = str(1234567 + 98765 * n)
        made.append(example(3 * n, "患者", (name, "person"), "在医院", (hospital, "hospital"), "看病", slotted=slotted))
        slotted = "SELECT hospital FROM visit WHERE cost > {number0}"
        made.append(example(3 * n + 1, "费用高于", (str(70 + n), "number"), "元的医院", slotted=slotted))
        slotted = "SELECT cost FROM visit WHERE person = '{person0}'"
        made.append(example(3 * n + 2, "列出", (name, "person"), "的费用", slotted=slotted))
    return made


@pytest.fixture(scope="module")
def finder() -> ValueFinder:
    examples = visits()
    domain = Domain(
        "visits", "zh", "mysql", SCHEMA, tuple(examples), entities=(Entity("H-1", "hospital", ("协和医院",)),)
    )
    return ValueFinder.fit(examples, domain=domain, epochs=25, seed=0, tagger=SMALL)


def said(values):
    return [(v.slot, v.mention.text, v.mention.sql) for v in values]


def test_copies_values_never_seen_in_training(finder):
    (values,) = finder.find(["患者赵云鹏在医院7654321看病"])
    assert said(values) == [("person0", "赵云鹏", "赵云鹏"), ("hospital0", "7654321", "7654321")]
    slotted = "SELECT cost FROM visit WHERE person = '{person0}' AND hospital = '{hospital0}'"
    assert fill_sql(slotted, values).endswith("person = '赵云鹏' AND hospital = '7654321'")


def test_an_entity_beats_the_literal_inside_it(finder):
    ids, numbers = finder.find(["患者喻哲茂在医院5566778看病", "费用高于88元的医院"])
    assert [v.mention.type for v in ids] == ["person", "hospital"]
    assert [(v.slot, v.mention.sql, v.mention.literal) for v in numbers] == [("number0", "88", "number")]


def test_entities_are_put_in_their_stored_form(finder):
    (values,) = finder.find(["患者孙子怡在协和医院看病"])
    assert ("hospital0", "协和医院", "H-1") in said(values)


def test_spans_are_where_they_say(finder):
    questions = [e.question for e in visits()]
    for question, values in zip(questions, finder.find(questions), strict=True):
        assert all(question[v.mention.start : v.mention.end] == v.mention.text for v in values)
        spans = sorted((v.mention.start, v.mention.end) for v in values)
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))


def test_questions_without_units_and_strange_ones(finder):
    found = finder.find(["", "   ", "🙂", "患" * 500, "Привет мир"])
    assert len(found) == 5
    assert found[0] == found[1] == ()


def test_works_inside_inference_mode_and_by_any_batch(finder):
    questions = [e.question for e in visits()]
    alone = [finder.find([q])[0] for q in questions]
    with torch.inference_mode():
        together = finder.find(questions)
    assert [said(v) for v in alone] == [said(v) for v in together]


def test_saves_and_loads(finder, tmp_path):
    finder.save(tmp_path)
    questions = [e.question for e in visits()]
    assert ValueFinder.load(tmp_path).find(questions) == finder.find(questions)
    (tmp_path / "gazetteer.json").write_text("[{")
    with pytest.raises(RunError, match=r"gazetteer\.json"):
        ValueFinder.load(tmp_path)
    (tmp_path / "gazetteer.json").unlink()
    with pytest.raises(RunError, match=r"gazetteer\.json"):
        ValueFinder.load(tmp_path)


def test_no_examples_are_refused():
    with pytest.raises(InputError, match="no examples"):
        ValueFinder.fit([], domain=Domain("none", "en", "sqlite", SCHEMA, ()))


def test_a_domain_without_values_finds_literals_only():
    examples = [example(n, "how many visits") for n in range(3)]
    finder = ValueFinder.fit(examples, domain=Domain("v", "en", "sqlite", SCHEMA, tuple(examples)), epochs=1)
    (values,) = finder.find(["visits over 30"])
    assert said(values) == [("number0", "30", "30")]


def test_tag_probabilities_are_probabilities(finder):
    (tagged,) = finder.tagger.tag(["患者赵云鹏在医院7654321看病"])
    assert tagged.inside.sum(axis=1) == pytest.approx(1.0, abs=1e-3)
    assert finder.tagger.chance(tagged, 2, 5)["person"] > 0.5


def test_repeated_values_are_labelled_twice():
    labelled = Labelled.of(example(0, "is ", ("utah", "state"), " by utah or utahs"))
    assert labelled.pieces == (("is ", None), ("utah", "state"), (" by ", None), ("utah", "state"), (" or utahs", None))


def test_tagger_refuses_no_questions(finder):
    with pytest.raises(InputError, match="no questions"):
        Tagger(("a",), finder.gazetteer).fit([])


def test_scores_count_spans_types_and_needed_slots():
    gold = example(0, "of ", ("utah", "state"), " over ", ("30", "number"), slotted="… state = '{state0}'")
    wrong_type = bind([Mention(3, 7, "utah", "city", "utah")])
    wrong_span = bind([Mention(0, 7, "of utah", "state", "utah")])
    right = bind([Mention(3, 7, "utah", "state", "utah")])
    questions = [gold.question]
    assert entity_f1(questions, [gold.values], [wrong_type]) == 0.0
    assert entity_f1(questions, [gold.values], [wrong_span]) == 0.0
    assert entity_f1(questions, [gold.values], [right]) == 1.0
    assert entity_f1(questions, [gold.values], [right], literals=True) == 0.0
    assert entity_f1(questions, [()], [()]) == 1.0
    assert is_complete(gold, right)  # the query does not use the number
    assert not is_complete(gold, wrong_type)


def test_geography_values_are_found(shared_data):
    domain = load_domain(f"text2sql:{shared_data / 'text2sql' / 'geography'}")
    finder = ValueFinder.fit(domain.part("train"), domain=domain, seed=0)
    scores = evaluate(finder, domain.part("test"))
    assert scores.f1 >= 0.93
    assert scores.complete >= 0.93


def test_relative_times_are_seen_from_the_domains_now_and_from_another(tmp_path):
    examples = visits()
    domain = Domain("visits", "zh", "mysql", SCHEMA, tuple(examples), now=datetime(2024, 3, 31, 8))
    found = ValueFinder.fit(examples, domain=domain, epochs=1, seed=0, tagger=SMALL)
    found.save(tmp_path)
    loaded = ValueFinder.load(tmp_path)

    def times(finder):
        return [v.mention.sql for v in finder.find(["昨天的费用"])[0] if v.mention.type == "time"]

    assert times(found) == times(loaded) == ["2024-03-30"]
    loaded.at(datetime(2025, 1, 1, 9))
    assert times(loaded) == ["2024-12-31"]
    assert times(found) == ["2024-03-30"]
