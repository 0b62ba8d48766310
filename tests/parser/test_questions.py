"""Questions from every kind of file, and every way in which such a file can be wrong."""

import io

import pytest

from querent.data.errors import InputError
from querent.parser.runs.questions import Question, count_questions, read_questions


@pytest.fixture
def write(tmp_path):
    def written(name, content):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return written


def test_text_has_a_question_a_line_empty_ones_too(write):
    file = write("q.txt", "哪些河流?\r\n\nwhich cities\n")
    assert list(read_questions(file)) == [
        Question("1", "哪些河流?", 1),
        Question("2", "", 2),
        Question("3", "which cities", 3),
    ]
    assert count_questions(file) == 3


def test_a_byte_order_mark_is_no_part_of_the_question(write):
    assert next(read_questions(write("q.txt", "\ufeffwhich".encode()))).text == "which"


def test_csv_takes_quotes_ids_and_lines_within_a_field(write):
    file = write("q.csv", 'ID,note,Question\r\na,x,"one, or ""two"""\n\n,y,"over\ntwo lines"\nc,z,three\n')
    assert list(read_questions(file)) == [
        Question("a", 'one, or "two"', 2),
        Question("2", "over\ntwo lines", 4),
        Question("c", "three", 6),
    ]


def test_jsonl_takes_ids_and_skips_empty_lines(write):
    file = write("q.jsonl", '{"question": "one", "id": 7}\n\n{"question": "二", "more": []}\n')
    assert list(read_questions(file)) == [Question("7", "one", 1), Question("2", "二", 3)]


def test_evidence_stands_beside_a_question(write):
    file = write("q.csv", "question,evidence\none,long refers to distance > 9\ntwo,\n")
    assert [q.evidence for q in read_questions(file)] == ["long refers to distance > 9", ""]
    file = write("q.jsonl", '{"question": "one", "evidence": " a = b / c "}\n{"question": "two", "evidence": null}\n')
    assert [q.evidence for q in read_questions(file)] == ["a = b / c", ""]
    with pytest.raises(InputError, match="evidence"):
        list(read_questions(write("w.jsonl", '{"question": "one", "evidence": 3}\n')))


def test_half_a_character_becomes_a_replacement(write):
    file = write("q.jsonl", '{"question": "a \\ud83d b \\ud83d\\ude00"}\n')
    assert next(read_questions(file)).text == "a \ufffd b 😀"


def test_standard_input(write):
    assert [q.text for q in read_questions("-", stdin=io.BytesIO(b"one\ntwo"))] == ["one", "two"]
    assert count_questions("-") is None


def test_it_holds_one_line_at_a_time():
    class Endless(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            buffer[:4] = b"why\n"
            return 4

    questions = read_questions("-", stdin=io.BufferedReader(Endless(), 64))
    assert [next(questions).text for _ in range(1000)][-1] == "why"


@pytest.mark.parametrize(
    ("name", "content", "line", "field", "says"),
    [
        ("q.txt", b"one\ntw\xff\n", 2, None, "byte 3 of the line is not UTF-8"),
        ("q.jsonl", '{"question": "one"}\n{"question": \n', 2, None, "not JSON"),
        ("q.jsonl", '["one"]\n', 1, None, "list where an object"),
        ("q.jsonl", '{"qestion": "one"}\n', 1, "question", "did you mean 'qestion'"),
        ("q.jsonl", '{"question": 1}\n', 1, "question", "int where a text"),
        ("q.jsonl", '{"question": "one", "id": []}\n', 1, "id", "list where a text"),
        ("q.jsonl", "[" * 100_000 + "\n", 1, None, "not JSON"),
        ("q.csv", "id,questions\n1,one\n", 1, "question", "did you mean 'questions'"),
        ("q.csv", "question,id\none, two,3\n", 2, None, "3 fields where the header has 2"),
        ("q.csv", 'question\none\n"two\n', 3, None, "not CSV"),
        ("q.csv", "", 1, "question", "without a header"),
        ("q.jsonl", '{"question": "a"}\n{"question": "b"\n', 2, None, "one object a line"),
        ("q.csv", "Questoin\nwhich\n", 1, "question", "did you mean 'questoin'"),
    ],
)
def test_a_malformed_line_is_named(write, name, content, line, field, says):
    file = write(name, content)
    with pytest.raises(InputError, match=says) as caught:
        list(read_questions(file))
    assert (caught.value.file, caught.value.line, caught.value.field) == (file, line, field)


def test_a_missing_file_and_a_near_one(write, tmp_path):
    write("questions.txt", "one")
    with pytest.raises(InputError, match=r"no such file \(did you mean 'questions.txt'\?\)"):
        list(read_questions(tmp_path / "question.txt"))


def test_another_kind_of_file(write):
    with pytest.raises(InputError, match=r"\.xlsx"):
        list(read_questions(write("q.xlsx", b"PK")))
