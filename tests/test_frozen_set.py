"""The corpora are what the evaluation was frozen on: sizes, labels that exist, planted contradictions, and the hash."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from kaijuan.answering.conflict import asked_families
from kaijuan.answering.figures import figures
from kaijuan.chunking import chunk
from kaijuan.collection import Collection, collection_names, load_collection
from kaijuan.evaluation.questions import Question, frozen_hash, load_questions
from kaijuan.readers import ReadResult, read_folder
from kaijuan.settings import ROOT
from kaijuan.types import Chunk

CORPUS = ROOT / "corpus"
NAMES = ("shop", "yunti")


@dataclass(frozen=True, slots=True)
class Corpus:
    """One collection as read, chunked and labelled."""

    collection: Collection
    read: ReadResult
    chunks: tuple[Chunk, ...]
    questions: tuple[Question, ...]

    def text(self, source_id: str) -> str:
        """The text of one document."""
        return next(d.text for d in self.read.documents if d.id == source_id)


def _corpus(name: str) -> Corpus:
    own = load_collection(CORPUS, name)
    read = read_folder(own.folder)
    chunks = tuple(c for d in read.documents for c in chunk(d, own.chunk_chars, own.overlap_chars))
    return Corpus(own, read, chunks, load_questions(own.questions_file))


@pytest.fixture(scope="module")
def corpora() -> dict[str, Corpus]:
    return {name: _corpus(name) for name in NAMES}


def test_both_collections_are_there() -> None:
    assert set(NAMES) <= set(collection_names(CORPUS))


def test_the_frozen_set_was_not_touched() -> None:
    """After a deliberate change: python -c with frozen_hash, and every figure in docs/measurements.md anew."""
    stored = (CORPUS / "shop" / "frozen.sha256").read_text(encoding="utf-8").split()
    assert stored[:1] == [frozen_hash(CORPUS / "shop")]


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_read_without_a_complaint(name: str, corpora: dict[str, Corpus]) -> None:
    """The files beside the documents, the stored hash included, are no documents and nothing to complain about."""
    assert corpora[name].read.skipped == () and corpora[name].read.warnings == ()


def test_numbers_of_documents_and_chunks(corpora: dict[str, Corpus]) -> None:
    shop, yunti = corpora["shop"], corpora["yunti"]
    assert [d.id for d in shop.read.documents] == [f"s{n:02d}" for n in range(1, 55)]
    assert [d.id for d in yunti.read.documents] == [f"doc-{n:03d}" for n in range(1, 31)]
    assert len(shop.chunks) == 64
    assert max(len(c.text) for c in shop.chunks) <= 512 and shop.collection.chunk_chars == 512
    assert shop.collection.overlap_chars == 64 and shop.collection.leg_size == 20


@pytest.mark.parametrize("name", NAMES)
def test_documents_carry_what_a_source_list_shows(name: str, corpora: dict[str, Corpus]) -> None:
    for document in corpora[name].read.documents:
        assert document.title and document.department
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", document.updated or "")
    assert len({d.title for d in corpora[name].read.documents}) == len(corpora[name].read.documents)


@pytest.mark.parametrize("name", NAMES)
def test_no_two_documents_are_made_from_one_template(name: str, corpora: dict[str, Corpus]) -> None:
    """No sentence of some length stands in three documents, and lengths differ."""
    seen: dict[str, set[str]] = {}
    for document in corpora[name].read.documents:
        for sentence in re.split(r"[。；！？\n]", document.text):
            if len(re.findall("[\u4e00-\u9fff]", sentence)) > 12:
                seen.setdefault(sentence.strip(), set()).add(document.id)
    assert {s: ids for s, ids in seen.items() if len(ids) > 2} == {}
    lengths = sorted(len(d.text) for d in corpora[name].read.documents)
    assert lengths[-1] > 1.5 * lengths[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_gold_id_exists(name: str, corpora: dict[str, Corpus]) -> None:
    corpus = corpora[name]
    known = {c.id for c in corpus.chunks} if name == "shop" else {d.id for d in corpus.read.documents}
    assert [(q.id, g) for q in corpus.questions for g in q.gold if g not in known] == []
    assert len({q.id for q in corpus.questions}) == len(corpus.questions)
    assert len({q.text for q in corpus.questions}) == len(corpus.questions)


def test_numbers_of_questions(corpora: dict[str, Corpus]) -> None:
    shop, yunti = corpora["shop"].questions, corpora["yunti"].questions
    assert [q.id for q in shop if q.gold] == [f"q{n:02d}" for n in range(1, 21)]
    assert all(1 <= len(q.gold) <= 3 for q in shop if q.gold)
    assert [q.id for q in shop if not q.gold] == [f"n{n:02d}" for n in range(1, 11)]
    assert [q.id for q in yunti if q.gold] == [f"b0{n}" for n in range(1, 8)]
    assert [q.id for q in yunti if not q.gold] == ["b08", "b09", *(f"u{n:02d}" for n in range(1, 11))]
    assert all((q.kind == "unanswerable") == (not q.gold) for q in (*shop, *yunti))


#: Pairs of documents that disagree: what is disputed, and what each of them says of it.
DISAGREEING = [
    ("免运费的门槛", "s01", "实付满 99 元，免运费", "s05", "实付满 129 元免运费"),
    ("银行卡退款到账", "s13", "3 个工作日以内到账", "s14", "5 个工作日内到账"),
    ("价格保护期", "s26", "签收后 7 天内降价", "s27", "签收之日起 15 天内"),
    ("SF-3000 整机保修", "s38", "SF-2200、SF-3000 和 SC-120 为 12 个月", "s39", "SF-3000 整机 18 个月"),
    ("发票换开期限", "s20", "开票日起 180 天内", "s19", "自开票日起 90 天内"),
    ("物流查件起算", "s28", "轨迹 48 小时没有更新", "s53", "轨迹超过 72 小时没有更新"),
]  # fmt: skip


@pytest.mark.parametrize(("about", "first", "says", "second", "says_too"), DISAGREEING)
def test_documents_that_disagree_on_a_figure_have_different_dates(
    about: str, first: str, says: str, second: str, says_too: str, corpora: dict[str, Corpus]
) -> None:
    shop = corpora["shop"]
    assert says in shop.text(first) and says_too in shop.text(second), about
    dates = {d.id: d.updated for d in shop.read.documents}
    assert dates[first] and dates[second] and dates[first] != dates[second]
    amounts = [{f.values for f in figures(text) if f.family in ("money", "time")} for text in (says, says_too)]
    assert all(amounts) and not amounts[0] & amounts[1]


def test_the_contradiction_planted_in_corpus_a_has_two_dates(corpora: dict[str, Corpus]) -> None:
    yunti = corpora["yunti"]
    question = next(q for q in yunti.questions if q.id == "b01")
    assert set(question.gold) == {"doc-006", "doc-024"} and "size" in asked_families(question.text)[0]
    dates = {d.id: d.updated for d in yunti.read.documents if d.id in question.gold}
    assert len(set(dates.values())) == 2
    sizes = [{f.values for f in figures(yunti.text(id_)) if f.family == "size"} for id_ in question.gold]
    assert all(sizes) and sizes[0] != sizes[1]


def test_corpus_a_holds_its_messy_table(corpora: dict[str, Corpus]) -> None:
    rows = [line for line in corpora["yunti"].text("doc-005").splitlines() if line.lstrip().startswith("|")]
    assert len(rows) > 3


@pytest.mark.parametrize("name", NAMES)
def test_the_programs_know_nothing_of_the_corpora(name: str, corpora: dict[str, Corpus]) -> None:
    """No question and no document id of a corpus stands in the code; what the checks ask is in collection.toml."""
    code = "\n".join(f.read_text(encoding="utf-8") for f in sorted((ROOT / "kaijuan").rglob("*.py")))
    ids = [f"{d.id}#" if name == "shop" else d.id for d in corpora[name].read.documents]
    # s07#0 is the example of a chunk id wherever one is explained.
    assert [id_ for id_ in ids if id_ in code and id_ not in ("s07#",)] == []
    assert [q.text for q in corpora[name].questions if q.text in code] == []
