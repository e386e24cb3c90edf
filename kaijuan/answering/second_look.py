"""The second look: what the best sentences name and do not explain is searched once more.

"Who approves it?" – "the head of the platform group" – and who that is stands in another document. Three kinds of names
are followed, each only where the question makes it worth a search: a role when it asks who, a code when it asks why or
what something means, a document that the answer refers to by its title. A passage counts only when it really explains.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kaijuan.answering.compose import Rated
from kaijuan.answering.material import Material
from kaijuan.answering.refusal import asked_codes
from kaijuan.text import fold, sentences
from kaijuan.types import Candidate, Chunk, Hit, Hop, StageTime, Trace

#: Sentences of the answer that are looked at, and names that are searched for.
LOOKED_AT, MOST_HOPS = 2, 2
#: A sentence counts as part of the answer when it comes so near to the best one's worth.
NEAR_BEST = 0.85

Kind = Literal["role", "code", "document"]
#: Both legs for a text, with their hits in fused order.
SearchAgain = Callable[[str], Sequence[Hit]]

_WHO = re.compile(r"谁|哪位|哪个人|什么人|何人|找哪|联系哪|\bwho\b", re.IGNORECASE)
_WHY = re.compile(r"为什么|为何|原因|怎么回事|什么意思|含义|代表什么|指什么|说明什么|\bwhy\b|\bmean", re.IGNORECASE)
_OFFICES = "组长|经理|主管|负责人|总监|主任|专员|管理员|店长|部长|队长|处长|科长|院长|校长|秘书长|总工程师|联系人|对接人|接口人|值班长"
_OFFICE = re.compile(_OFFICES)
# Where the name of a role begins: behind a word that can stand before one but not in it.
_BEFORE = re.compile(
    r"(?:须经|需经|必须|由|经过|报请|报|给|向|请|找|和|或|及|与|跟|的|是|为|让|到|需|须|先|再|转|交|从|被|将|对|在|各|该|本|其|各自|取得|通知|联系|同意|抄送|提交|呈|经(?!理))"
)
_TITLE = re.compile(r"《([^《》\n]{2,40})》")
_FOLLOWS = re.compile(r"(?:按照|依照|按|照|参照|参见|详见|见|遵照|依据|根据|执行)\s*$")
#: Parts that hold a sentence about somebody together with a name: "X由Y担任", "X：Y", "Y担任X".
_HOLDS = r"(?:由|是|为|：|:|——|—|，现为|改由|现由)"
_VERBS = r"(?:担任|兼任|出任|接任|任)"


@dataclass(frozen=True, slots=True)
class _Name:
    """Something a sentence names: what it is, as written, and the chunk it stands in."""

    term: str
    kind: Kind
    said_in: str


def look_again(material: Material, search: SearchAgain, count_tokens: Callable[[str], int], budget: int) -> Trace:
    """The trace with its hops; the very same trace when there is nothing to follow.

    `budget` is how many tokens the context may hold: an explanation that does not fit is not added.
    """
    trace = material.trace
    names = _names(trace, material.rated)
    if not names:
        return trace
    start = time.perf_counter()
    hops: list[Hop] = []
    for name in names:
        hop, candidate = _follow(name, trace, search, count_tokens)
        if candidate is not None:
            if trace.context_tokens + candidate.tokens > budget and candidate.context_number is None:
                hop = replace(hop, added=None)
            else:
                trace = _with(trace, candidate)
        hops.append(hop)
    took = StageTime("second_look", time.perf_counter() - start)
    return replace(trace, hops=tuple(hops), stages=(*trace.stages, took))


def _names(trace: Trace, rated: Sequence[Rated]) -> list[_Name]:
    """What the best sentences name, that the question does not and nothing in the context explains."""
    found: dict[str, _Name] = {}
    chunks = {candidate.context_number: candidate.chunk for candidate in trace.context}
    best = [item for item in rated[:LOOKED_AT] if item.worth >= NEAR_BEST * rated[0].worth]
    for item in best:
        chunk = chunks[item.unit.number]
        for term, kind in _named(trace.searched, item.unit.text):
            if fold(term) not in fold(trace.searched):
                found.setdefault(fold(term), _Name(term, kind, chunk.id))
    return [name for name in found.values() if not _explained(name, trace)][:MOST_HOPS]


def _named(question: str, sentence: str) -> Iterator[tuple[str, Kind]]:
    if _WHO.search(question):
        yield from ((role, "role") for role in roles(sentence))
    if _WHY.search(question):
        yield from ((code, "code") for code in asked_codes(sentence))
    for match in _TITLE.finditer(sentence):
        if _FOLLOWS.search(sentence[: match.start()]) or "执行" in sentence[match.end() : match.end() + 3]:
            yield match[1], "document"


def roles(sentence: str) -> list[str]:
    """Roles that a sentence names, with the unit that they belong to.

    >>> roles("主备切换须经平台组组长审批，超出请组长批")
    ['平台组组长']
    """
    found = []
    for match in _OFFICE.finditer(sentence):
        run = re.search(r"[\u4e00-\u9fffA-Za-z0-9]{0,10}\Z", sentence[: match.start()])
        before = run.group() if run else ""
        cut = max((m.end() for m in _BEFORE.finditer(before)), default=0)
        if len(before) - cut >= 2:  # a bare 组长 could be anybody's
            found.append(before[cut:] + match.group())
    return list(dict.fromkeys(found))


def _explained(name: _Name, trace: Trace) -> bool:
    if name.kind == "document":
        return any(_has_title(candidate.chunk, name.term) for candidate in trace.context)
    return any(explanation(name.term, name.kind, candidate.chunk) for candidate in trace.context)


def explanation(term: str, kind: Kind, chunk: Chunk) -> str:
    """The sentence or table row of a chunk that says who or what `term` is; empty when none does."""
    if kind == "document":
        return ""
    for start, end in sentences(chunk.text):
        sentence = chunk.text[start:end]
        if fold(term) in fold(sentence) and _explains(fold(term), kind, fold(sentence)):
            return sentence
    return ""


def _explains(term: str, kind: Kind, sentence: str) -> bool:
    escaped = re.escape(term)
    if sentence.lstrip().startswith("|"):  # a row whose first filled cell is the term
        cells = [cell.strip() for cell in sentence.strip().strip("|").split("|")]
        return len(cells) > 1 and cells[0] == term and any(cells[1:])
    if kind == "code":
        return (
            re.search(rf"{escaped}\s*(?:[：:（(—=]|表示|代表|是指|指的?是|意为|意思是|说明|即|是因为|由于)", sentence)
            is not None
        )
    named = rf"{escaped}\s*(?:一职)?(?:现|已|仍|改|暂)?\s*{_HOLDS}(?!谁|否|哪)[^，。；,;]{{2,12}}"
    holds = rf"[\u4e00-\u9fff]{{2,4}}(?:现|已|仍|暂)?{_VERBS}[^，。；]{{0,6}}{escaped}"
    if re.search(holds, sentence):
        return True
    match = re.search(named, sentence)
    # "由平台组组长审批" has the role doing something; "平台组组长由陆某担任" or "平台组组长：陆某" says who it is.
    return match is not None and (
        re.search(_VERBS, sentence) is not None or re.search(rf"{escaped}\s*[：:是为]", sentence) is not None
    )


def _has_title(chunk: Chunk, title: str) -> bool:
    return fold(title) in fold(chunk.title)


def _follow(
    name: _Name, trace: Trace, search: SearchAgain, count_tokens: Callable[[str], int]
) -> tuple[Hop, Candidate | None]:
    query = (
        f"{name.term}是谁"
        if name.kind == "role"
        else name.term
        if name.kind == "code"
        else f"{name.term} {trace.searched}"
    )
    hits = search(query)
    hop = Hop(name.term, name.kind, name.said_in, query, tuple(hit.chunk.id for hit in hits))
    for hit in hits:
        said = explanation(name.term, name.kind, hit.chunk)
        if said or (name.kind == "document" and _has_title(hit.chunk, name.term)):
            return replace(hop, added=hit.chunk.id, explanation=said), _candidate(hit, name, trace, count_tokens)
    return hop, None


def _candidate(hit: Hit, name: _Name, trace: Trace, count_tokens: Callable[[str], int]) -> Candidate:
    """The explaining passage as a candidate: the one there is, or a new one behind all others."""
    reason = f"第二次检索：说明“{name.term}”"
    known = next((c for c in trace.candidates if c.chunk.id == hit.chunk.id), None)
    tokens = count_tokens(hit.chunk.search_text)
    if known is not None:
        return replace(known, tokens=tokens, context_reason=reason)
    last = len(trace.candidates) + 1
    return Candidate(
        hit.chunk, None, None, None, None, 0.0, 0.0, 0.0, last, final_rank=last, tokens=tokens, context_reason=reason
    )


def _with(trace: Trace, added: Candidate) -> Trace:
    """The trace with one more passage in its context, right before the best one; source numbers follow anew."""
    others = [c for c in trace.context if c.chunk.id != added.chunk.id]
    order = [*others[:-1], added, *others[-1:]]
    context = tuple(replace(c, context_number=number) for number, c in enumerate(order, start=1))
    numbered = {c.chunk.id: c for c in context}
    known = [numbered.get(c.chunk.id, c) for c in trace.candidates]
    if all(c.chunk.id != added.chunk.id for c in trace.candidates):
        known.append(numbered[added.chunk.id])
    tokens = sum(c.tokens for c in context)
    return replace(trace, context=context, candidates=tuple(known), context_tokens=tokens)
