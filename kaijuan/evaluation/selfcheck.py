"""The five B checks, run offline on the real parts; every figure is computed here and now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kaijuan.answering.attribution import Attribution
from kaijuan.answering.citations import resolve
from kaijuan.collection import Collection
from kaijuan.engines.base import KeywordQuery
from kaijuan.errors import CorpusError
from kaijuan.evaluation.questions import Question, load_questions
from kaijuan.evaluation.run import EVALUATOR, EvaluationResult, evaluate
from kaijuan.retrieval.fusion import fuse
from kaijuan.retrieval.retrieve import Options, Stages, retrieve
from kaijuan.types import Trace

COLLECTION = "shop"
#: What the reranked tier has to reach on the frozen set.
GOALS = {"recall5": 0.91, "recall20": 0.98, "rr": 0.90}


@dataclass(frozen=True, slots=True)
class Check:
    """One check's outcome and the figures it rests on."""

    id: str
    holds: bool
    said: str


def run_checks(
    collection: Collection, stages: Stages, options: Options, progress: Callable[[int], None] | None = None
) -> list[Check]:
    """B1 to B5 in order; B1 holds when all the others do."""
    if missing := {"code_question", "code_gold", "paraphrase_question"} - collection.checks.keys():
        raise CorpusError(
            f"集合 {collection.name} 的 collection.toml 缺少 [checks] {'、'.join(sorted(missing))}，请补上。"
        )
    questions = load_questions(collection.questions_file)
    tiers = evaluate(collection.name, collection.name, questions, stages, options, progress)
    checks = [
        _blind_spots(collection, questions, stages, options),
        _fusion(),
        _tiers(tiers),
        _invented(),
    ]
    failed = [check.id for check in checks if not check.holds]
    first = Check("B1", not failed, "其余四项全部成立" if not failed else f"不成立：{'、'.join(failed)}")
    return [first, *checks]


def _blind_spots(collection: Collection, questions: tuple[Question, ...], stages: Stages, options: Options) -> Check:
    code_gold, asked = collection.checks["code_gold"], collection.checks["paraphrase_question"]
    code = retrieve(collection.checks["code_question"], collection.name, stages, options, EVALUATOR)
    keyword_first = code.keyword[0].chunk.id if code.keyword else None
    vector_rank = _rank(code, code_gold)
    gold = next((q.gold for q in questions if q.text == asked), ())
    paraphrase = retrieve(asked, collection.name, stages, options, EVALUATOR)
    by_keyword = [hit.chunk.id for hit in paraphrase.keyword if hit.chunk.id in gold]
    by_vector = [hit.chunk.id for hit in paraphrase.vector if hit.chunk.id in gold]
    whole = {q.id: _whitespace_hits(q, collection, stages, options) for q in questions if _is_chinese(q.text)}
    found = [id_ for id_, hits in whole.items() if hits]
    vector_lacks = bool(code.vector) and (vector_rank is None or vector_rank > 5)
    holds = keyword_first == code_gold and vector_lacks and bool(by_vector) and not by_keyword and not found
    said = (
        f"编码题：关键词第 1 是 {keyword_first}，{code_gold} 的向量名次 {vector_rank or '无'}；"
        f"换说法题：关键词命中 {by_keyword or '无'}，向量命中 {by_vector or '无'}；"
        f"按空白分词时 {len(whole)} 个中文问题中有 {len(found)} 个找到内容"
    )
    return Check("B2", holds, said)


def _rank(trace: Trace, chunk_id: str) -> int | None:
    return next((hit.rank for hit in trace.vector if hit.chunk.id == chunk_id), None)


def _is_chinese(text: str) -> bool:
    """Whether a question is written without any Latin letter or digit, in Chinese characters."""
    return not any(char.isascii() and char.isalnum() for char in text)


def _whitespace_hits(question: Question, collection: Collection, stages: Stages, options: Options) -> int:
    """Keyword hits when the question is cut at blanks only, as an analyzer without Chinese would do."""
    query = KeywordQuery(tuple(question.text.lower().split()), options.leg_size)
    return len(stages.engine.search(collection.name, query, None, EVALUATOR).keyword)


def _fusion() -> Check:
    first, second = ["a", "b", "c"], ["c", "d", "a"]
    fused = {f.id: f.score for f in fuse([first, second], k=60)}
    order = [f.id for f in fuse([first, second], k=60)]
    keyword_scores, vector_scores = {"a": 11.8, "b": 9.1, "c": 12.0}, {"c": 0.635, "d": 0.61, "a": 0.6}
    added = {id_: keyword_scores.get(id_, 0.0) + vector_scores.get(id_, 0.0) for id_ in "abcd"}
    leader = max(sorted(added), key=added.__getitem__)
    expected = 1 / 61 + 1 / 63
    holds = order[0] == "a" and abs(fused["a"] - expected) < 1e-12 and fused["a"] == fused["c"] and leader == "c"
    said = f"RRF：a={fused['a']:.5f}，c={fused['c']:.5f}，首位 {order[0]}；直接相加原始分数则首位是 {leader}（{added[leader]:.3f}）"
    return Check("B3", holds, said)


def _tiers(result: EvaluationResult) -> Check:
    names = ("vector", "fused", "reranked")
    rows = [result.tier(name).figures for name in names]
    strictly = all(_above(rows[i + 1], rows[i]) for i in range(len(rows) - 1))
    reached = all((rows[-1][figure] or 0.0) >= goal for figure, goal in GOALS.items())
    said = "；".join(
        f"{name} recall@5 {_percent(row['recall5'])} recall@20 {_percent(row['recall20'])} MRR {row['rr'] or 0.0:.3f}"
        for name, row in zip(names, rows, strict=True)
    )
    return Check("B4", strictly and reached and result.scored > 0, f"{result.scored} 题：{said}")


def _above(later: dict[str, float | None], earlier: dict[str, float | None]) -> bool:
    return all((later[figure] or 0.0) > (earlier[figure] or 0.0) for figure in GOALS)


def _percent(value: float | None) -> str:
    return "—" if value is None else f"{value * 100:.1f}%"


def _invented() -> Check:
    tally = Attribution()
    clean = resolve("七天内可以退货[2]。", 8)
    tally = tally.add(clean.cited, clean.removed)
    before = f"{tally.invented}/{tally.answers}"
    tally = Attribution()
    cited = resolve("七天内可以退货[2]，全国包邮[9]。", 8)
    tally = tally.add(cited.cited, cited.removed)
    after = f"{tally.invented}/{tally.answers}"
    holds = (
        before == "0/1" and after == "1/1" and cited.removed == (9,) and "[9]" not in cited.text and "[2]" in cited.text
    )
    return Check(
        "B5", holds, f"8 个候选、引用 [2][9]：去掉 {list(cited.removed)}，编造引用的答案由 {before} 变为 {after}"
    )


def check_lines(checks: list[Check]) -> Iterator[str]:
    """One line a check."""
    for check in checks:
        yield f"{check.id} {'成立' if check.holds else '不成立'}  {check.said}"
