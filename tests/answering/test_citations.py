"""Citations: every written form, what only looks like one, and the same outcome however the text arrives."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import pytest

from kaijuan.answering import citations, markers
from kaijuan.answering.citations import MAX_CODE_SPAN, CitationReader, Cited, pieces, resolve, strip_citations
from kaijuan.answering.markers import MAX_MARKER

FORMS = [
    ("三天到账[1]。", "三天到账[1]。", (1,), ()),
    ("三天到账[1][2]。", "三天到账[1][2]。", (1, 2), ()),
    ("三天到账[1,2]。", "三天到账[1][2]。", (1, 2), ()),
    ("三天到账[1, 3]。", "三天到账[1][3]。", (1, 3), ()),
    ("三天到账[1，2、4；5]。", "三天到账[1][2][4][5]。", (1, 2, 4, 5), ()),
    ("三天到账[1-3]。", "三天到账[1][2][3]。", (1, 2, 3), ()),
    ("三天到账[1–3]。", "三天到账[1][2][3]。", (1, 2, 3), ()),
    ("三天到账[1~2, 5]。", "三天到账[1][2][5]。", (1, 2, 5), ()),
    ("三天到账[1至3]。", "三天到账[1][2][3]。", (1, 2, 3), ()),
    ("三天到账【2】。", "三天到账[2]。", (2,), ()),
    ("三天到账［３］。", "三天到账[3]。", (3,), ()),
    ("三天到账[^4]。", "三天到账[4]。", (4,), ()),
    ("三天到账[资料1]。", "三天到账[1]。", (1,), ()),
    ("三天到账【来源 2】。", "三天到账[2]。", (2,), ()),
    ("三天到账[source 2]。", "三天到账[2]。", (2,), ()),
    ("[2]开头也算。", "[2]开头也算。", (2,), ()),
    ("先[3]后[1]再[3]。", "先[3]后[1]再[3]。", (3, 1), ()),
    ("SF-3000[2]可用。", "SF-3000[2]可用。", (2,), ()),
]
#: What language models write beside the plain forms.
WORDED = [
    ("三天到账【资料 1】。", "三天到账[1]。", (1,), ()),
    ("三天到账（资料1）。", "三天到账[1]。", (1,), ()),
    ("三天到账(资料 1、资料3)。", "三天到账[1][3]。", (1, 3), ()),
    ("三天到账[资料1-3]。", "三天到账[1][2][3]。", (1, 2, 3), ()),
    ("三天到账[来源：1]。", "三天到账[1]。", (1,), ()),
    ("三天到账（来源：[1][2]）。", "三天到账[1][2]。", (1, 2), ()),
    ("三天到账（见资料[2]）。", "三天到账[2]。", (2,), ()),
    ("三天到账 (Source: 2)。", "三天到账 [2]。", (2,), ()),
    ("三天到账[1 和 3]。", "三天到账[1][3]。", (1, 3), ()),
    ("三天到账[[1]]。", "三天到账[1]。", (1,), ()),
    ("三天到账【[1]】。", "三天到账[1]。", (1,), ()),
    ("三天到账[1[2]]。", "三天到账[1][2]。", (1, 2), ()),
    ("三天到账[1]、[2]。", "三天到账[1][2]。", (1, 2), ()),
    ("三天到账[1], [2]。", "三天到账[1][2]。", (1, 2), ()),
    ("三天到账[1] [2]。", "三天到账[1] [2]。", (1, 2), ()),
    ("甲[1]、乙[2]。", "甲[1]、乙[2]。", (1, 2), ()),
    ("根据资料3，三天到账[3]。", "根据资料[3]，三天到账[3]。", (3,), ()),
    ("资料1和资料2都写三天。", "资料[1][2]都写三天。", (1, 2), ()),
    ("按照资料 2 的说法，三天。", "按照资料[2] 的说法，三天。", (2,), ()),
    ("导出为 pdf[1]。", "导出为 pdf[1]。", (1,), ()),
    ("支持 macOS[2]，也支持 iOS[3]", "支持 macOS[2]，也支持 iOS[3]", (2, 3), ()),
    ("标准版[1](含税)。", "标准版[1](含税)。", (1,), ()),
]
INVENTED = [
    ("七天内可退[2]，十五天内可换[9]。", "七天内可退[2]，十五天内可换。", (2,), (9,)),
    ("包邮[9][12]。", "包邮。", (), (9, 12)),
    ("包邮[0][1]。", "包邮[1]。", (1,), (0,)),
    ("运费[2,15]。", "运费[2]。", (2,), (15,)),
    ("运费[7-10]。", "运费[7][8]。", (7, 8), (9, 10)),
    ("包邮 [9]。", "包邮。", (), (9,)),
    ("包邮【99】！", "包邮！", (), (99,)),
    ("包邮[9]，免费[9]。", "包邮，免费。", (), (9, 9)),
    ("包邮[99999999999999999999]。", "包邮。", (), (999999999,)),
    ("包邮[1-400]。", "包邮[1]。", (1,), (400,)),
    ("包邮（资料9）。", "包邮。", (), (9,)),
    ("包邮（来源：[9]）。", "包邮。", (), (9,)),
    ("包邮[9]、[1]。", "包邮[1]。", (1,), (9,)),
    ("包邮[1]、[9]。", "包邮[1]。", (1,), (9,)),
    ("根据资料9，包邮。", "根据资料，包邮。", (), (9,)),
    ("转成 csv[9]。", "转成 csv。", (), (9,)),
]
UNTOUCHED = [
    "`rows[1]` 是第二行",
    "``a `[1]` b`` 之后",
    "```python\nx = data[0]\n```\n",
    "~~~\n[1]\n~~~\n",
    "> ```\n> [1]\n> ```\n",
    "   ```\n   tags[1]\n   ```\n",
    "````\n```\n[1]\n```\n[2]\n````\n",
    "见 [1](https://help.example.com/refund)",
    "取 order[0] 和 rows_2[1]",
    "[待定] 与 [见附表] 与 [] 与 [ ]",
    "【注意】先断电",
    "取 rows[1] 行，a[2]。",
    "见 [1](/help/refund) 与 [2](#top)",
    "要看：①外箱，②面单；1️⃣拍照",
    "（1）先断电，(2)再拆，（1、2）都要",
    "【9:00-18:00】营业，【2024】年起，[01] 号库",
    "请补充资料3份，资料 3 天内补齐，资料2.5 版",
    "[资料] 与（来源）与【出处：】",
    "没有关的 [1",
    "没有关的 ```\n",
    f"[{'1,' * MAX_MARKER}1]",
]


@pytest.mark.parametrize(("answer", "shown", "cited", "removed"), [*FORMS, *WORDED, *INVENTED])
def test_forms(answer: str, shown: str, cited: tuple[int, ...], removed: tuple[int, ...]) -> None:
    assert resolve(answer, 8) == Cited(shown, cited, removed)


@pytest.mark.parametrize("answer", UNTOUCHED)
def test_what_is_no_citation_stays_as_it_is(answer: str) -> None:
    assert resolve(answer, 8) == Cited(answer, (), ())


def test_behind_code_citations_count_again() -> None:
    assert resolve("```\na[1]\n```\n然后[2]，`b[3]` 再[9]。", 8) == Cited(
        "```\na[1]\n```\n然后[2]，`b[3]` 再。", (2,), (9,)
    )


def test_without_sources_every_number_is_invented() -> None:
    assert resolve("有[1]，还有[2]。", 0) == Cited("有，还有。", (), (1, 2))


def test_nothing_in_nothing_out() -> None:
    assert resolve("", 8) == Cited("", (), ())


def test_renumbered_by_first_appearance() -> None:
    reader = CitationReader([2, 4, 5], renumber=True)
    assert reader.feed("甲[5]，乙[2][5]，丙[9]，丁[4]。") + reader.close() == "甲[1]，乙[2][1]，丙，丁[3]。"
    assert [(n, reader.shown(n)) for n in reader.cited] == [(5, 1), (2, 2), (4, 3)]
    assert reader.removed == [9]


def test_strip_citations_leaves_text_code_and_links() -> None:
    said = "七天[1]可退 [2,3]，`a[0]`，[1](https://a.example)。"
    assert strip_citations(said) == "七天可退，`a[0]`，[1](https://a.example)。"


def _streamed(cuts: Sequence[str], sources: int = 8) -> tuple[Cited, list[str]]:
    reader = CitationReader(range(1, sources + 1))
    shown = [reader.feed(piece) for piece in cuts]
    shown.append(reader.close())
    return Cited("".join(shown), tuple(reader.cited), tuple(reader.removed)), shown


ANSWERS = [*(case[0] for case in [*FORMS, *WORDED, *INVENTED]), *UNTOUCHED]


@pytest.mark.parametrize("answer", ANSWERS)
def test_streamed_in_pieces_of_any_size_equals_the_whole(answer: str) -> None:
    for size in (1, 2, 3, 5, 7, 64):
        assert _streamed(list(pieces(answer, size)))[0] == resolve(answer, 8), size


@pytest.mark.parametrize("answer", ANSWERS)
def test_cut_at_any_place_equals_the_whole(answer: str) -> None:
    whole = resolve(answer, 8)
    for at in range(len(answer) + 1):
        assert _streamed([answer[:at], answer[at:]])[0] == whole, at


@pytest.mark.parametrize("answer", ANSWERS)
def test_what_was_resolved_once_stays_when_read_again(answer: str) -> None:
    whole = resolve(answer, 8)
    assert resolve(whole.text, 8) == Cited(whole.text, whole.cited, ())


_ATOMS = (
    *"[]［］【】()`~\n \t^,，-–至0123456789a甲。>",
    "[1]", "[12]", "[9]", "【2】", "[1-3]", "[^4]", "[资料1]", "```", "~~~", "``", "](http://x)", "a[0]", "退货", "[1", "[source 2]",
    "资料", "资料2", "（资料1）", "（来源：[9]）", "、", "[1]、[2]", "[[3]]", "和", "根据", "份", "pdf[1]", "(https:",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_streamed_random_text_equals_the_whole(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(30):
        answer = "".join(rng.choices(_ATOMS, k=rng.randrange(1, 60)))
        whole = resolve(answer, 8)
        cuts, at = [], 0
        while at < len(answer):
            step = rng.choice((1, 1, 2, 3, 10))
            cuts.append(answer[at : at + step])
            at += step
        assert _streamed(cuts)[0] == whole, (answer, cuts)
        assert set(whole.cited) <= set(range(1, 9)) and not set(whole.removed) & set(range(1, 9))


@pytest.mark.parametrize("seed", range(10))
def test_long_code_and_brackets_stream_like_the_whole(seed: int) -> None:
    """Around the limits up to which a stream is held back, where a marker or a code span may or may not still end."""
    rng = random.Random(seed)
    for length in (MAX_MARKER - 1, MAX_MARKER, MAX_MARKER + 1, MAX_CODE_SPAN - 1, MAX_CODE_SPAN, MAX_CODE_SPAN + 1):
        filling = "".join(rng.choices("甲1 ,[", k=length))
        for answer in (
            f"a`{filling}`[1]",
            f"a[{filling}][9]",
            f"a[{' ' * length}1][2]",
            f"甲{' ' * length}[9]乙",
            f"`{filling}[9]`。",
        ):
            whole = resolve(answer, 8)
            for size in (1, 3, 50):
                assert _streamed(list(pieces(answer, size)))[0] == whole, (answer, size)


@pytest.mark.parametrize("before", ["", "   ", "\t", " " * 7, " " * 12, "> > > > ", "- \n" + " " * 9])
def test_an_indented_fence_streams_like_the_whole(before: str) -> None:
    answer = f"步骤[1]：\n{before}```\n{before}[9]\n{before}```\n完[2]。"
    for size in (1, 2, 3, 8):
        assert _streamed(list(pieces(answer, size)))[0] == resolve(answer, 8), size


def test_nothing_unfinished_is_shown() -> None:
    _, shown = _streamed(["三天内到账[", "1", "2", "]。"], sources=12)
    assert shown == ["三天内到账", "", "", "[12]。", ""]


def test_settled_text_is_not_held_back() -> None:
    """A reader sees plain words at once; only blanks and what may still become a marker or code wait."""
    reader = CitationReader([1])
    assert reader.feed("签收后七天内") == "签收后七天内"
    assert reader.feed("可以退货。") == "可以退货。"


class _Watched(str):
    """Text that notes how many characters of it are copied or looked through without a line of Python in between."""

    handled = 0

    def __getitem__(self, key: object) -> _Watched:
        part = _Watched(super().__getitem__(key))  # type: ignore[index]
        _Watched.handled += len(part)
        return part

    def __radd__(self, before: str) -> _Watched:
        return _Watched(str(before) + str(self))

    def __add__(self, after: str) -> _Watched:
        return _Watched(str(self) + str(after))

    def find(self, *arguments: object) -> int:
        found = super().find(*arguments)  # type: ignore[arg-type]
        bounds = [a for a in arguments[1:] if isinstance(a, int)]
        start, end = (*bounds, 0, len(self))[:2] if len(bounds) != 1 else (bounds[0], len(self))
        _Watched.handled += max(0, (found if found >= 0 else min(end, len(self))) - start)
        return found


def _work(run: Callable[[], object]) -> int:
    """Lines executed and calls made in the module, and characters handled: its work, whatever the clock says."""
    count = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        if frame.f_code.co_filename not in (citations.__file__, markers.__file__):
            return None
        count += 1
        return trace

    _Watched.handled = 0
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return count + _Watched.handled


NASTY = {
    "citations": "退货[1]。",
    "open brackets": "[",
    "numbers after brackets": "[1,",
    "backticks": "` ",
    "growing backticks": "`a``b",
    "blanks": "甲          ",
    "fences": "```\n[1]\n```\n",
    "unclosed fence": "```\na[1]\n",
    "lines": "甲\n",
    "code spans": "`a` ",
    "brackets": "[]",
    "nested brackets": "[[1]",
    "round brackets": "（",
    "separated citations": "[1]、",
    "separators": "[1、",
    "mentions": "资料1、",
    "half mentions": "资料",
    "wide brackets": "【［",
}


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_twice_the_text_is_about_twice_the_work(text: str) -> None:
    whole = [_Watched(text * times) for times in (400, 800)]
    small, large = _work(lambda: resolve(whole[0], 8)), _work(lambda: resolve(whole[1], 8))
    assert large <= 2.6 * small


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_twice_the_stream_is_about_twice_the_work(text: str) -> None:
    def stream(times: int) -> Callable[[], object]:
        cuts = [_Watched(piece) for piece in pieces(text * times, 4)]
        return lambda: _streamed(cuts)

    small, large = _work(stream(400)), _work(stream(800))
    assert large <= 2.6 * small


def test_a_megabyte_of_brackets_is_read() -> None:
    size = 1_000_000
    for nasty in ("[" * size, "[" * (size // 2) + "]" * (size // 2), "[" + "1," * (size // 2), "【" * (size // 10)):
        assert resolve(nasty, 8) == Cited(nasty, (), ())


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_a_stream_holds_back_no_more_than_a_marker_or_a_code_span(text: str) -> None:
    """What is held back is read again with every piece, so that it has to stay small for the work to stay linear."""
    reader = CitationReader(range(1, 9))
    given = shown = 0
    for piece in pieces(text.replace("[1]", "[x]").replace("资料1", "资料x") * 200, 4):
        given += len(piece)
        shown += len(reader.feed(piece))
        assert given - shown <= MAX_CODE_SPAN + MAX_MARKER
