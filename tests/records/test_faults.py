"""A file that is locked, denied, damaged, too new or on a full disk: one sentence, and never the answer's end."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kaijuan.errors import RecordsError
from kaijuan.records.read import answer, answers, count
from kaijuan.records.record import ticket_of
from kaijuan.records.schema import migrate
from kaijuan.records.store import Records
from kaijuan.records.tickets import hand_over, tickets
from kaijuan.records.types import Filter
from kaijuan.types import Notice
from tests.records.made import NOON, Clock, record, whole
from tests.records.processes import program
from tests.rights import open_folder, without_rights


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records.sqlite"


@pytest.fixture
def records(path: Path, clock: Clock) -> Records:
    return Records(path, 90, clock, patience=0.1)


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as made:
        yield made


def _is_one_sentence(notice: Notice | RecordsError | None) -> bool:
    text = notice.text if isinstance(notice, Notice) else str(notice)
    return text.endswith("。") and text.count("。") == 1 and "\n" not in text and "请" in text


def _fill(records: Records, clock: Clock, number: int = 40) -> None:
    for n in range(number):
        assert records.keep(record(clock, f"第 {n} 个问题")) is None
    records.close()


def _damage(path: Path, at: int, length: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(os.urandom(length))


def _moved(path: Path) -> list[Path]:
    """Files moved aside, their logs not counted."""
    found = sorted(path.parent.glob("records.sqlite.damaged-*"))
    return [file for file in found if not file.name.endswith(("-wal", "-shm"))]


def test_a_locked_file_costs_the_record_and_not_the_answer(records: Records, path: Path, clock: Clock) -> None:
    _fill(records, clock, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        notice = records.keep(record(clock))
        assert _is_one_sentence(notice) and notice is not None and "占用" in notice.text
        assert count(records, Filter()) == 1, "readers are not held up"
    assert records.keep(record(clock)) is None and count(records, Filter()) == 2


def test_a_file_that_another_process_is_still_making_is_waited_for_no_longer_than_that(
    records: Records, path: Path, clock: Clock
) -> None:
    with path.with_name("records.sqlite.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        notice = records.keep(record(clock))
    assert _is_one_sentence(notice) and notice is not None and "占用" in notice.text
    assert records.keep(record(clock)) is None


def test_a_folder_that_cannot_be_written_is_named_with_its_setting(folder: Path, clock: Clock) -> None:
    place = folder / "data"
    place.mkdir()
    place.chmod(0o555)
    records = Records(place / "records.sqlite", 90, clock)
    with without_rights():
        notice = records.keep(record(clock))
        with pytest.raises(RecordsError) as caught:
            answers(records, Filter())
    assert _is_one_sentence(notice) and notice is not None and "KAIJUAN_DATA_DIR" in notice.text
    assert caught.value.kind == "denied" and list(place.iterdir()) == []
    place.chmod(0o755)
    assert records.keep(record(clock)) is None


def test_a_file_that_has_become_read_only_is_not_taken_for_damaged(folder: Path, clock: Clock) -> None:
    path = folder / "records.sqlite"
    records = Records(path, 90, clock)
    _fill(records, clock, 2)
    for part in (path, path.with_name("records.sqlite.lock")):
        part.chmod(0o444)
    folder.chmod(0o555)
    with without_rights():
        notice = records.keep(record(clock))
    assert _is_one_sentence(notice) and notice is not None and "KAIJUAN_DATA_DIR" in notice.text
    folder.chmod(0o755)
    assert _moved(path) == []
    for part in (path, path.with_name("records.sqlite.lock")):
        part.chmod(0o644)
    assert records.keep(record(clock)) is None and count(records, Filter()) == 3


def test_a_disk_that_takes_no_more_costs_the_record_and_leaves_the_file_whole(path: Path, clock: Clock) -> None:
    _fill(Records(path, 90, clock), clock, 5)
    code = """
import resource, sys
from pathlib import Path
from kaijuan.records.read import count
from kaijuan.records.store import Records
from kaijuan.records.types import Filter
from tests.records.made import Clock, record

path = Path(sys.argv[1])
records = Records(path, 90, Clock())
before = count(records, Filter())
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100_000,) * 2)
notices = [records.keep(record(Clock(), f"问题 {n}" * 500)) for n in range(100)]
failed = [notice.text for notice in notices if notice]
assert failed and notices[0] is None, notices
assert count(records, Filter()) == before + 100 - len(failed)
print(failed[-1])
"""
    ran = program(code, str(path))
    assert ran.returncode == 0, ran.stderr
    said = ran.stdout.strip()
    assert _is_one_sentence(Notice("records", said)) and "磁盘" in said
    assert whole(path) and Records(path, 90, clock).keep(record(clock)) is None


@pytest.mark.parametrize("at", ["header", "schema", "everything", "text"])
def test_a_damaged_file_is_moved_aside_and_a_new_one_begun(records: Records, path: Path, clock: Clock, at: str) -> None:
    _fill(records, clock)
    if at == "text":
        path.write_text("这不是数据库。" * 100, encoding="utf-8")
    else:
        place, length = {"header": (0, 100), "schema": (100, 3000), "everything": (0, path.stat().st_size)}[at]
        _damage(path, place, length)
    before = path.read_bytes()
    made = record(clock)
    notice = records.keep(made)
    assert _is_one_sentence(notice) and notice is not None and "已损坏" in notice.text
    (aside,) = _moved(path)
    assert aside.name == f"records.sqlite.damaged-{NOON:%Y%m%dT%H%M%SZ}" and aside.name in notice.text
    assert aside.read_bytes() == before, "what can still be saved is all there"
    assert answer(records, made.id) == made and whole(path)
    assert records.keep(record(clock)) is None, "said once"


def test_damage_in_the_middle_is_found_by_whoever_reads_it(records: Records, path: Path, clock: Clock) -> None:
    _fill(records, clock)
    _damage(path, 4096 * 2, path.stat().st_size - 4096 * 2)
    with pytest.raises(RecordsError) as caught:
        answers(records, Filter())
    assert caught.value.kind == "damaged" and _is_one_sentence(caught.value)
    assert len(_moved(path)) == 1 and count(records, Filter()) == 0


def test_a_check_finds_damage_that_nobody_has_read_yet(records: Records, path: Path, clock: Clock) -> None:
    _fill(records, clock)
    assert records.check() is None
    records.close()
    _damage(path, path.stat().st_size - 4096, 4096)
    notice = records.check()
    assert _is_one_sentence(notice) and len(_moved(path)) == 1
    assert records.check() is None


@pytest.fixture
def open_and_damaged(path: Path, clock: Clock) -> Records:
    """Records with a connection of this thread to a file that was damaged meanwhile, and whose log is not empty."""
    records = Records(path, 90, clock)
    for n in range(40):
        records.write(record(clock, f"第 {n} 个问题"))
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    records.write(record(clock, "在日志里"))
    # All but the schema, which another thread's connection reads when it is opened.
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        migrate(empty)
        schema = 4096 * empty.execute("PRAGMA page_count").fetchone()[0]
    _damage(path, schema, path.stat().st_size - schema)
    return records


def test_damage_under_an_open_file_is_moved_together_with_its_log(
    open_and_damaged: Records, path: Path, clock: Clock
) -> None:
    log = path.with_name("records.sqlite-wal").read_bytes()
    with pytest.raises(RecordsError) as caught:
        answers(open_and_damaged, Filter())
    assert caught.value.kind == "damaged"
    (aside,) = _moved(path)
    assert aside.with_name(f"{aside.name}-wal").read_bytes() == log != b""
    assert open_and_damaged.keep(record(clock)) is None and count(open_and_damaged, Filter()) == 1


def test_whoever_meets_the_damage_a_moment_later_does_not_move_the_new_file(
    open_and_damaged: Records, path: Path, clock: Clock
) -> None:
    begun, go = threading.Event(), threading.Event()
    met: list[RecordsError] = []

    def reading(db: sqlite3.Connection) -> None:
        begun.set()
        go.wait(30)
        db.execute("SELECT sum(length(text)) FROM answers").fetchone()

    def other() -> None:
        with pytest.raises(RecordsError) as caught:
            open_and_damaged.read(reading)
        met.append(caught.value)
        assert open_and_damaged.keep(record(clock, "别的线程")) is None

    thread = threading.Thread(target=other, daemon=True)
    thread.start()
    assert begun.wait(30)
    with pytest.raises(RecordsError):
        answers(open_and_damaged, Filter())
    assert open_and_damaged.keep(record(clock)) is None
    go.set()
    thread.join()
    assert [error.kind for error in met] == ["damaged"] and _is_one_sentence(met[0])
    assert len(_moved(path)) == 1 and count(open_and_damaged, Filter()) == 2
    # The connections to the old file are closed now; the log of the new one must still be there and count.
    assert count(Records(path, 90, clock), Filter()) == 2 and whole(path)


def test_other_threads_go_on_in_the_new_file(path: Path, open_and_damaged: Records, clock: Clock) -> None:
    opened, go = threading.Barrier(5), threading.Event()
    notices: list[Notice | None] = []

    def other() -> None:
        open_and_damaged.read(lambda db: db.execute("PRAGMA user_version").fetchone())
        opened.wait(30)
        go.wait(30)
        notices.append(open_and_damaged.keep(record(clock, "别的线程")))

    threads = [threading.Thread(target=other, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    opened.wait(30)
    with pytest.raises(RecordsError):
        answers(open_and_damaged, Filter())
    go.set()
    for thread in threads:
        thread.join()
    assert notices == [None] * 4 and len(_moved(path)) == 1
    assert count(open_and_damaged, Filter()) == 4 and whole(path)


def test_two_files_damaged_in_the_same_second_are_both_kept(records: Records, path: Path, clock: Clock) -> None:
    for _ in range(2):
        records.close()
        path.write_text("这不是数据库。" * 100, encoding="utf-8")
        assert records.keep(record(clock)) is not None
    assert len(_moved(path)) == 2


def test_a_ticket_is_kept_although_the_file_was_damaged(records: Records, path: Path, clock: Clock) -> None:
    made = record(clock)
    records.write(made)
    records.close()
    path.write_text("这不是数据库。" * 100, encoding="utf-8")
    notice = hand_over(records, ticket_of(made, "不对", now=clock))
    assert notice is not None and "已损坏" in notice.text
    (ticket,) = tickets(records).items
    assert (ticket.question, ticket.answer_id) == (made.question, None)


def test_a_file_of_a_later_program_is_left_alone(records: Records, path: Path, clock: Clock) -> None:
    _fill(records, clock, 1)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    notice = records.keep(record(clock))
    assert _is_one_sentence(notice) and notice is not None and "99" in notice.text
    with pytest.raises(RecordsError) as caught:
        answers(records, Filter())
    assert caught.value.kind == "newer" and _moved(path) == []


def test_a_folder_in_the_place_of_the_file_is_told(records: Records, path: Path, clock: Clock) -> None:
    path.mkdir()
    assert _is_one_sentence(records.keep(record(clock)))
    assert path.is_dir()
