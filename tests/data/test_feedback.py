"""Verdicts on answers, in a file that several processes add to and that no kill breaks."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cases import rows

from querent.answers.feedback import Feedback, Judged
from querent.data.domains.dialogues import Turn
from querent.data.errors import InputError
from querent.retrieval.shots import read_shots

CASES = Path(__file__).with_suffix(".toml")

COUNT, NAMES = "SELECT COUNT(*) FROM lake", "SELECT name FROM lake"
WRITER = """
import sys
from querent.answers.feedback import Feedback, Judged
for n in range(int(sys.argv[2])):
    Feedback(sys.argv[1]).add(Judged(f"{sys.argv[3]} {n}?", "SELECT 1", "right"))
    print(n, flush=True)
"""


def test_what_was_said_last_holds(tmp_path: Path) -> None:
    feedback = Feedback(tmp_path / "said.jsonl")
    assert feedback.standing() == []
    stamp = feedback.stamp
    for sql, verdict in ((COUNT, "wrong"), (NAMES, "corrected")):
        feedback.add(Judged("Which lakes?", sql, verdict, user="kim"))
    (held,) = feedback.standing()
    assert (held.sql, held.verdict, held.user, held.solves) == (NAMES, "corrected", "kim", True)
    assert held.time.endswith("+00:00")
    assert feedback.stamp != stamp
    feedback.add(Judged("which  LAKES?", NAMES, "taken back"))
    assert feedback.standing() == []


def test_a_follow_up_is_another_question_than_the_same_words_alone(tmp_path: Path) -> None:
    feedback = Feedback(tmp_path / "said.jsonl")
    feedback.add(Judged("how many?", COUNT, "right", (Turn("which lakes?", NAMES),)))
    feedback.add(Judged("how many?", COUNT, "wrong"))
    leaning, alone = feedback.standing()
    assert (leaning.verdict, alone.verdict) == ("right", "wrong")
    assert leaning.before == (Turn("which lakes?", NAMES),)
    assert not leaning.solves  # its words alone ask something else


def test_it_is_a_file_of_solved_questions(tmp_path: Path) -> None:
    feedback = Feedback(tmp_path / "said.jsonl")
    feedback.add(Judged("which lakes?", NAMES, "right"))
    feedback.add(Judged("how many lakes?", NAMES, "wrong"))
    feedback.add(Judged("and rivers?", NAMES, "right", (Turn("which lakes?", NAMES),)))
    assert [(shot.question, shot.sql) for shot in read_shots(feedback.path)] == [("which lakes?", NAMES)]


def test_a_line_that_a_kill_cut_short_is_left_out_and_the_next_is_whole(tmp_path: Path) -> None:
    feedback = Feedback(tmp_path / "said.jsonl")
    feedback.add(Judged("哪些湖?", NAMES, "right"))
    whole = feedback.path.read_bytes()
    feedback.path.write_bytes(whole + whole[:16])  # within a character
    feedback.add(Judged("how many lakes?", COUNT, "right"))
    for read in (feedback.standing, lambda: read_shots(feedback.path)):
        with pytest.warns(UserWarning, match=r"said.jsonl:2: cut short"):
            assert [one.question for one in read()] == ["哪些湖?", "how many lakes?"]


def test_processes_that_write_at_once_lose_nothing_and_a_kill_loses_nothing_that_was_told(tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    say = [sys.executable, "-c", WRITER, str(file)]
    writers = [subprocess.Popen([*say, "40", name], stdout=subprocess.PIPE, text=True) for name in ("a", "b")]
    killed = subprocess.Popen([*say, "100000", "killed"], stdout=subprocess.PIPE, text=True)
    assert killed.stdout is not None
    told = [int(killed.stdout.readline()) for _ in range(20)]
    killed.send_signal(signal.SIGKILL)
    told += [int(line) for line in killed.communicate()[0].splitlines()]
    assert [writer.communicate() and writer.returncode for writer in writers] == [0, 0]
    found = {one.question for one in Feedback(file).standing()}
    assert {f"{name} {n}?" for name in ("a", "b") for n in range(40)} <= found
    assert {f"killed {n}?" for n in told} <= found


@rows(CASES, "a_file_of_another_kind_is_refused")
def test_a_file_of_another_kind_is_refused(tmp_path: Path, line: str, told: str) -> None:
    (tmp_path / "said.jsonl").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=told):
        Feedback(tmp_path / "said.jsonl").standing()


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        Feedback(tmp_path / "folder.jsonl").add(Judged("a?", COUNT, "right"))
