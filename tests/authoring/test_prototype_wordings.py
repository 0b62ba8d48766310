"""Wordings that are asked in the test part alone, and the hops that pairs are tagged with."""

import pytest
from cases import table
from lakes import PROTOTYPES, lines, of

from querent.authoring.check import check
from querent.authoring.source import fill_domain
from querent.data.domains.loading import load_domain
from querent.data.domains.prototypes import read_prototypes

ENGLISH = '["{state0} lakes under {number0}", "below {number0} in {state0}"]'
TEST = f'test = {{ en = {ENGLISH}, zh = ["{{state0}}过{{number0}}的湖"] }}'
HOPS = 'hops = ["state.lake", "depth.lake"]'
PARTED = PROTOTYPES.replace('id = "lakes.deeper"', f'id = "lakes.deeper"\n{TEST}\n{HOPS}')


@pytest.fixture
def parted(lakes):
    (lakes / "prototypes" / "lakes.toml").write_text(PARTED, encoding="utf-8")
    fill_domain(lakes)
    return lakes


def parts(pairs):
    return [pair["split"]["question"] for pair in pairs]


def test_each_wording_is_asked_once_in_its_own_part(parted):
    english, chinese = (of(lines(parted, language), "lakes.deeper") for language in ("en", "zh"))
    assert parts(english) == ["train", "dev", "test", "test"]
    assert parts(chinese) == ["train", "dev", "test"]
    assert [pair["question"] for pair in english] == [
        "lakes of {state0} deeper than {number0}",
        "which {state0} lakes go below {number0}",
        "{state0} lakes under {number0}",
        "below {number0} in {state0}",
    ]
    examples = [e for e in load_domain(parted, language="en").examples if e.prototype == "lakes.deeper"]
    assert [e.question_split for e in examples] == ["train", "dev", "test", "test"]
    assert len({e.query_split for e in examples}) == 1


def test_hops_are_a_tag_of_the_pairs(parted):
    examples = load_domain(parted, language="zh").examples
    assert {e.tags.get("hops") for e in examples if e.prototype == "lakes.deeper"} == {"state.lake depth.lake"}
    assert not any(e.tags for e in examples if e.prototype != "lakes.deeper")


def test_check_knows_the_wordings_of_the_test_part(parted):
    assert check(load_domain(parted)).errors == 0
    changed = PARTED.replace("below {number0} in", "not so deep as {number0} in")
    (parted / "prototypes" / "lakes.toml").write_text(changed, encoding="utf-8")
    report = check(load_domain(parted))
    assert ["lakes.deeper" in remark.problem for remark in report.review.stale] == [True]


@pytest.mark.parametrize(("was", "becomes", "problem"), table(__file__, "what_is_wrong_is_told"))
def test_what_is_wrong_is_told(lakes, was, becomes, problem):
    (lakes / "prototypes" / "lakes.toml").write_text(PARTED.replace(was, becomes), encoding="utf-8")
    assert problem in str(read_prototypes(lakes / "prototypes", ["en", "zh"])[1][0])
