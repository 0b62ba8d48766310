"""Formulas as CSV and TSV files, as people save them from a spreadsheet."""

from pathlib import Path

import pytest
from cases import cases

from querent.data.errors import DomainError
from querent.knowledge.formulas.reading import read_formulas

FILE = Path(__file__).with_name("formulas.toml")


@pytest.fixture
def read(tmp_path):
    """Read a spreadsheet of a text, or of bytes; return its formulas and what is refused."""

    def formulas(told, name="formulas.csv"):
        path = tmp_path / name
        path.write_bytes(told if isinstance(told, bytes) else told.encode())
        refused = []
        return read_formulas(path, refused=refused).formulas, [str(one).replace(f"{tmp_path}/", "") for one in refused]

    return formulas


def right_side(read, cell, kind=""):
    """Return what the cell of the formula «margin» is read as."""
    cell = cell.replace('"', '""')
    ((formula,), refused) = read(f'name,formula,kind\nmargin,"{cell}",{kind}\n')
    assert refused == []
    return formula.kind, formula.expression.text


def test_a_row_is_a_formula_with_all_that_is_told_of_it(read, tmp_path):
    head = "Name,IS,Kind,Says,Unit,Note,Domain,owner"
    text = f"{head}\nnet  margin,a - b,calculation,毛利; gross|net  one;,CHF,per row,shop,me\n"
    (one,), refused = read(text)
    assert (str(one), one.kind, one.says) == ("net margin = a - b", "calculation", ("毛利", "gross", "net one"))
    assert (one.unit, one.note, one.domain) == ("CHF", "per row", "shop")
    assert (one.file, one.line, refused) == (tmp_path / "formulas.csv", 2, [])


def test_heads_and_kinds_may_be_chinese(read):
    text = (
        "领域,名称,公式,别名,类型,单位,备注\n零售,利润,收入－成本,净赚；盈利,计算,元,每行\n零售,亏损,利润＜０,,条件,,\n"
    )
    (profit, loss), refused = read(text)
    assert (str(profit), profit.says, profit.unit) == ("利润 = 收入-成本", ("净赚", "盈利"), "元")
    assert (profit.note, profit.domain, profit.kind, refused) == ("每行", "零售", "calculation", [])
    assert (str(loss), loss.kind) == ("亏损 = 利润<0", "condition")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize(
    ("sign", "name", "newline"), [(",", "a.csv", "\n"), (";", "a.CSV", "\r\n"), ("\t", "a.tsv", "\n")]
)
def test_files_are_as_spreadsheets_save_them(read, encoding, newline, sign, name):
    lines = [f"名称{sign}公式{sign}别名", f'亏损{sign}"""净利润"" < 0"{sign}"loss;赤字"', sign * 2, ""]
    (one,), refused = read(newline.join(lines).encode(encoding), name)
    assert (str(one), one.kind, one.says, one.line) == ('亏损 = "净利润" < 0', "condition", ("loss", "赤字"), 2)
    assert refused == []


@pytest.mark.parametrize("case", cases(FILE, "cell"))
def test_a_cell_is_written_as_sql(read, case):
    kind, text = right_side(read, case["formula"], case.get("told", ""))
    assert text == case.get("read", case["formula"])
    assert kind == case.get("kind", kind)


def test_rows_that_cannot_be_read_are_told_and_the_rest_is_read(read):
    text = """Name,Formula,Type
first,a - b,
,a,
third,,
fourth,a -,
fifth,a - b,sum
sixth,a, b,union
seventh,42,
eighth,#NAME?,
ninth,sold in stock - b,
tenth,"a" - "b,
eleventh,"a
- b",

twelfth,TODAY() - b,
last,a < 1,condition
"""
    formulas, refused = read(text)
    assert [(one.name, one.line) for one in formulas] == [("first", 2), ("eleventh", 12), ("last", 16)]
    begun = [one.partition("': ")[0] for one in refused]
    assert begun[:4] == [
        "formulas.csv:3, field 'name",
        "formulas.csv:4, field 'formula",
        "formulas.csv:5, field 'formula",
        "formulas.csv:6, field 'kind",
    ]
    assert "no kind 'sum' (kinds are calculation, condition, union" in refused[3]
    assert refused[4].startswith("formulas.csv:7, field 'formula': more cells than heads (put a cell with commas")
    assert "formulas.csv:8, field 'formula': 'seventh': '42' names nothing" in refused[5]
    assert "the spreadsheet took the cell for its own formula" in refused[6]
    assert refused[7].endswith('(put a name of several words in double quotes, as in "sold in stock")')
    assert refused[8].startswith("formulas.csv:11: no row of a table: ")
    assert "formulas.csv:15, field 'formula': 'twelfth': no function" in refused[9]
    assert len(refused) == 10


def test_formulas_in_a_circle_are_told_and_the_rest_is_read(read):
    formulas, refused = read("name,formula\nprofit,loss + 1\nloss,profit - 1\nmargin,a / b\n")
    assert [one.name for one in formulas] == ["loss", "margin"]
    assert ["formulas in a circle: profit -> loss -> profit" in one for one in refused] == [True]
    assert refused[0].startswith("formulas.csv:2, field 'is'")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,formla\na,b\n", "formulas.csv:1, field 'formula': no column 'formula' (did you mean 'formla'?)"),
        ("\n\na;b\n", "formulas.csv:3, field 'name': no column 'name' (the first row is name,formula,kind,says"),
        ("", "formulas.csv:1, field 'name': no column 'name'"),
        (b"name,formula\nprofit,a \xff b\n", "formulas.csv:2: not UTF-8"),
    ],
)
def test_a_file_without_heads_or_text_is_told(read, tmp_path, text, said):
    with pytest.raises(DomainError) as raised:
        read(text)
    assert str(raised.value).replace(f"{tmp_path}/", "").startswith(said)


def test_rows_of_nothing_stand_anywhere_and_what_is_no_toml_is_a_table(read):
    ((one,), refused) = read("\n,,\nname\tformula\tsays\n\t\t\ngross margin\t毛利率＝a÷b\t毛利率\n", "formulas.txt")
    assert (str(one), one.line, refused) == ("gross margin = a/b", 5, [])
