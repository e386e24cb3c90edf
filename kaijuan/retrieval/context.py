"""Choosing the context: the best chunks within the token budget, the best one last, next to the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kaijuan.text import fold, sentences
from kaijuan.types import Candidate, Chunk

#: Chunks too large for what is left of the budget that are passed over before the search for a smaller one ends.
PASSED_OVER = 5


def choose_context(
    candidates: Sequence[Candidate], limit: int, budget: int, count: Callable[[str], int]
) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Mark which candidates enter the context: (all candidates, the context in reading order).

    Candidates come in final order. At most `limit` of them and `budget` tokens enter; a chunk that does not fit is
    left out whole, with the reason, and the next ones are still tried. The source number [n] is the place in reading
    order, from 1.
    """
    marked = list(candidates)
    chosen: list[int] = []
    used = missed = 0
    for i, candidate in enumerate(candidates):
        if len(chosen) == limit or missed == PASSED_OVER:
            break
        tokens = count(candidate.chunk.search_text)
        if used + tokens > budget:
            reason = f"超出上下文预算：{used} + {tokens} > {budget} 个 token"
            marked[i] = replace(candidate, tokens=tokens, context_reason=reason)
            missed += 1
            continue
        used += tokens
        chosen.append(i)
        marked[i] = replace(candidate, tokens=tokens, context_reason=f"重排第 {candidate.final_rank} 名")
    for number, i in enumerate(reversed(chosen), start=1):
        marked[i] = replace(marked[i], context_number=number)
    return tuple(marked), tuple(marked[i] for i in reversed(chosen))


def without_repeats(chunks: Sequence[Chunk]) -> list[str]:
    """Texts of the chunks in the order given, a sentence that an earlier one of the same document shows left out.

    Neighbouring chunks share their overlap; what is read should hold it once.
    """
    seen: dict[str, set[str]] = {}
    texts = []
    for chunk in chunks:
        known = seen.setdefault(chunk.source_id, set())
        kept, last = [], 0
        for start, end in sentences(chunk.text):
            key = fold(chunk.text[start:end])
            if len(key) > 8 and key in known and not key.startswith("|"):  # a row needs its header
                kept.append(chunk.text[last:start])
                last = end
            known.add(key)
        texts.append(("".join(kept) + chunk.text[last:]).strip())
    return texts
