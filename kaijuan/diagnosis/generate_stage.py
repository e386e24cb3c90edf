"""Stage 5, the answer: whether it rests on the passage that stood in the context, and what kept it from doing so."""

from __future__ import annotations

from collections.abc import Sequence

from kaijuan.answering.answer import Answering
from kaijuan.answering.material import gather
from kaijuan.answering.orders import without_orders
from kaijuan.answering.refusal import asked_codes, evidence, unheld_words
from kaijuan.answering.similarity import Similarity, spoken_weights
from kaijuan.answering.support import SentenceCheck, Verdict
from kaijuan.answering.types import Answer, Refusal, RefusalReason
from kaijuan.diagnosis.asked import Asked
from kaijuan.diagnosis.locate import Located
from kaijuan.diagnosis.spelling import share, squeeze
from kaijuan.diagnosis.types import Check, Fact
from kaijuan.types import Chunk

#: Share of the wanted text's character pairs from which an answer says it, and from which it says just that.
SAID, SAID_WHOLE = 0.6, 0.9
_VERDICTS: dict[Verdict, str] = {
    "supported": "来源支持",
    "weak": "来源支持一部分",
    "unsupported": "来源不支持",
    "uncited": "没有引用",
    "exempt": "不需要引用",
}
_RULES: dict[RefusalReason, tuple[str, str]] = {
    "off_topic": ("证据低于离题下限", "在资料里补上客人的说法，或换个更具体的问法"),
    "missing_code": ("问到的编码或型号没有在资料里出现", "核对编码；确有其物时把编码写进资料"),
    "missing_name": ("问到的版本名没有在资料里出现", "核对版本名；确有其物时写进资料"),
    "not_covered": ("证据单薄，找到的段落没有谈到所问的内容", "在资料里补上客人的说法，或换个更具体的问法"),
    "no_hits": ("两路检索都没有结果", "换个问法，或补充资料"),
    "model": ("语言模型认为资料不能回答", "换一个模型，或把资料里的说法写得更直接"),
}


def is_used(located: Located, chunks: Sequence[Chunk], asked: Asked) -> bool:
    """Whether the answer rests on all of these passages and, where a text was wanted, says it."""
    answer = asked.answer
    if not chunks or answer.refused:
        return False
    rests = all(asked.is_cited(c.id) and not _is_contradicted(c, answer) for c in chunks)
    if located.kind != "text":
        return rests
    text = squeeze(answer.text)
    said = share(located.needle, text)
    # Of a longer text one sentence is enough, unless it was cut: then half of it is the fault.
    best = max([said, *(share(sentence, text) for sentence in located.sentences)]) if len(chunks) == 1 else said
    # The same words may have been taken from another passage.
    return (rests and best >= SAID) or (bool(answer.sources) and said >= SAID_WHOLE)


def check_generate(
    located: Located, own: Chunk | None, chunks: Sequence[Chunk], asked: Asked, answering: Answering
) -> Check:
    """The verdict on the answer; `chunks` are all that hold the wanted text together, `own` the one that is followed."""
    answer = asked.answer
    if is_used(located, chunks, asked):
        return Check("generate", "kept", _kept(own, answer), _sentences(own, answer) if own else ())
    entered = asked.in_context(own.id) if own else None
    if own is None or entered is None:
        said = f"拒答：{answer.refusal.explanation.rstrip('。')}" if answer.refusal else "回答依据的是别的片段"
        return Check("generate", "not_reached", said, (_cited(answer),))
    number = Fact("编号", f"上下文第 [{entered.context_number}] 段，重排第 {entered.final_rank} 名")
    if answer.refusal is not None:
        return _refused(answer.refusal, number, asked)
    if _is_contradicted(own, answer):
        remedy = "打开来源核对；由模型作答时换一个模型，或先用摘录原文的方式作答（KAIJUAN_ANSWERER=extractive）"
        return Check("generate", "lost", "引用了它，但回答的句子与它不符", (number, *_sentences(own, answer)), remedy)
    facts = (number, *_worth(located, own, asked, answering), *_orders(own), _cited(answer))
    if answer.incomplete:
        return Check("generate", "lost", "模型中断，没有说到它", facts, "再问一次；仍中断时检查模型服务")
    said = "引用了它，但没有说出这句话" if asked.is_cited(own.id) else "在上下文里，但没有被引用"
    return Check("generate", "lost", said, facts, "把这句话写成直接回答问题的一句，主语写全；再重新入库")


def _kept(own: Chunk | None, answer: Answer) -> str:
    number = next((s.number for s in answer.sources if own and s.chunk.id == own.id), None)
    return f"回答引用了它，编号 [{number}]" if number else "回答说出了它，依据是另一处相同的文字"


def _refused(refusal: Refusal, number: Fact, asked: Asked) -> Check:
    rule, remedy = _RULES[refusal.reason]
    trace = asked.trace
    facts = [number, Fact("规则", f"{refusal.reason}：{rule}"), Fact("说明", refusal.explanation)]
    weights = spoken_weights(trace)
    if refusal.reason in ("off_topic", "not_covered"):
        floor = "未测定" if trace.evidence.floor is None else f"{trace.evidence.floor:.3f}"
        facts.append(Fact("证据", f"{evidence(trace, weights):.3f}，离题下限 {floor}"))
        text = "\n".join(c.chunk.search_text for c in trace.context)
        facts.append(Fact("没有谈到的词", "、".join(unheld_words(trace.searched, text)) or "无"))
    if codes := asked_codes(trace.searched):
        facts.append(Fact("问到的编码", "、".join(codes)))
    return Check("generate", "lost", f"在上下文里，但触发了拒答规则（{rule}）", tuple(facts), remedy)


def _of(own: Chunk, answer: Answer) -> list[SentenceCheck]:
    """The checked sentences that cite a passage."""
    numbers = {source.number for source in answer.sources if source.chunk.id == own.id}
    return [s for s in (answer.checked.sentences if answer.checked else ()) if numbers & set(s.cited)]


def _is_contradicted(own: Chunk, answer: Answer) -> bool:
    citing = _of(own, answer)
    return bool(citing) and all(sentence.verdict == "unsupported" for sentence in citing)


def _sentences(own: Chunk, answer: Answer) -> tuple[Fact, ...]:
    facts = []
    for sentence in _of(own, answer):
        if sentence.verdict == "exempt":
            continue
        facts.append(
            Fact(f"回答的句子（{_VERDICTS[sentence.verdict]}）", answer.text[sentence.start : sentence.end].strip())
        )
        if sentence.wrong:
            facts.append(Fact("来源里没有的数字或编码", "、".join(sentence.wrong)))
    return tuple(facts)


def _worth(located: Located, own: Chunk, asked: Asked, answering: Answering) -> tuple[Fact, ...]:
    """Where the passage's best sentence, or the wanted one, stands among the sentences that could be said."""
    trace = asked.trace
    weights = spoken_weights(trace)
    similarity = Similarity(answering.stages.embedder)
    rated = gather(trace, similarity, weights, answering.today().isoformat()).rated
    entered = asked.in_context(own.id)
    mine = [(rank, r) for rank, r in enumerate(rated, start=1) if entered and r.unit.number == entered.context_number]
    if located.kind == "text":
        mine = [(rank, r) for rank, r in mine if share(squeeze(r.unit.text), located.needle) >= SAID]
    if not mine:
        return (Fact("句子", f"没有进入比较的 {len(rated)} 句"),)
    rank, best = mine[0]
    return (
        Fact("它最好的一句", best.unit.text),
        Fact("句子的名次", f"{len(rated)} 句中第 {rank}，{best.worth:.3f} 分；第 1 名 {rated[0].worth:.3f} 分"),
    )


def _orders(own: Chunk) -> tuple[Fact, ...]:
    _, taken = without_orders(own.text)
    return (Fact("像命令而不予引用的句子", " ".join(taken)),) if taken else ()


def _cited(answer: Answer) -> Fact:
    return Fact("回答引用的片段", "、".join(s.chunk.id for s in answer.sources) or "无")
