"""Questions that lean on the one before: "那退货呢？" after "换货的运费谁承担？" asks who pays for returns.

Completed by rules, or by the model where there is one; what it was completed to is always shown and can be undone.

>>> complete("那退货呢？", ["换货的运费谁承担？"])
'退货的运费谁承担？'
>>> complete("它保修多久？", ["SF-3000 怎么配网？"])
'SF-3000 保修多久？'
>>> complete("退款几天到账？", ["SF-3000 怎么配网？"]) is None
True
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from kaijuan.answering.refusal import asked_codes
from kaijuan.errors import KaijuanError
from kaijuan.models.base import ChatModel, Message
from kaijuan.text import clean, fold, query_terms, without_question_words

VERSION = "follow-up-v1"
#: A question longer than this stands on its own feet.
LONGEST = 30
#: Earlier questions that a model is shown, and tokens of its answer.
SHOWN, MOST_TOKENS = 3, 80

_INSTEAD = re.compile(r"(?:那么|那|如果是|要是|换成|改成|若是)?(?P<what>[^，。？?！!]{1,16}?)(?:的话)?呢[？?]?\Z")
_PRONOUN = re.compile(
    r"(?<![\u4e00-\u9fff])(?:那|那么|如果)?(?:它们|它|这个|那个|这种|那种|这款|那款|该款|此款|这项|这件事|这事|这样|上面的|前面的|刚才的|刚才说的|刚说的)(?!说|月|时候|问题集|的)"
)
_BARE = re.compile(
    r"(?:那|那么|还|又|另外|具体)?(?:要|需要|得|能|可以|可|会|该|是)?"
    r"(?:多久|多长时间|多少钱|多少|几天|几次|什么时候|何时|为什么|为何|怎么(?:办|做|弄|操作|申请|开|退|换|查|改|收费)?|如何(?:操作|申请|办理)?"
    r"|找谁|谁(?:来)?(?:批|审批|负责|承担)?|在哪(?:里|儿)?|去哪(?:里|儿)?|有(?:什么)?(?:要求|条件|限制|材料)|收费吗?|免费吗?|还?(?:能|可以|会|要)[退换改查用开补取买卖寄送][吗么]|(?:行|能|可以)(?:吗|么|不)?)"
    r"(?:啊|呀|呢|的)?[？?。]?\Z"
)
#: Where what is asked begins, behind what it is asked of.
_ASKS = re.compile(
    r"多久|多长|多少|几[天次个点号折元块]|什么|为何|为什么|怎么|怎样|如何|谁|哪|能不能|能否|可不可以|可以|是否|是不是|有没有|要不要|需要|要|能|会|有|在|是"
)
_TAIL = re.compile(r"(?:的时候|的|了|都|也|还|最|最多|最少|一般|通常|请问|请|想问|问)+\Z")
_HEAD = re.compile(r"\A(?:请问|你好|您好|想问一下|问一下|麻烦问下|那么|那)[，,]?")


def complete(question: str, earlier: Sequence[str], chat: ChatModel | None = None) -> str | None:
    """The question with what it leaves out, None when it stands by itself; `earlier` are completed ones, oldest first.

    A model is only asked about a question that leans; where it fails or rambles, the rules' reading counts.
    """
    asked = clean(question).strip()
    if not earlier or not leans(asked):
        return None
    by_rule = _by_rule(asked, earlier[-1])
    completed = (_by_model(asked, earlier, chat) if chat else None) or by_rule
    return completed if completed and fold(completed) != fold(asked) else None


def leans(question: str) -> bool:
    """Whether a question says too little to be understood without the one before."""
    if len(question) > LONGEST:
        return False
    if _INSTEAD.match(question):
        return True
    return not asked_codes(question) and bool(_PRONOUN.search(question) or _BARE.match(question))


def _by_rule(question: str, before: str) -> str | None:
    if _BARE.match(question):
        return _joined(topic(before), re.sub(r"\A(?:那么|那)", "", question))
    if instead := _INSTEAD.match(question):
        return _replaced(before, re.sub(r"\A(?:那么|那|如果是|要是|换成|改成|若是)", "", instead["what"]).strip())
    subject = topic(before)
    return (
        _PRONOUN.sub(lambda _: f"{subject} " if subject.isascii() else subject, question, count=1) if subject else None
    )


def topic(question: str) -> str:
    """What a question is about: its codes, else the words before what it asks.

    >>> topic("换货的运费谁承担？"), topic("SF-2200 电池多少钱一块")
    ('换货的运费', 'SF-2200 电池')
    """
    text = _HEAD.sub("", question.strip())
    match = _ASKS.search(text)
    head = _TAIL.sub("", text[: match.start()] if match else text).strip(" ，,。？?！!")
    if len(head) >= 2:
        return head
    if codes := asked_codes(text):
        written = re.search(re.escape(codes[0]), text, re.IGNORECASE)
        return written.group() if written else codes[0]
    rest = without_question_words(text).strip(" ，,。？?！!")
    return " ".join(rest.split())


def _replaced(before: str, what: str) -> str | None:
    """The earlier question with `what` in the place of its like: 退货 for 换货, 企业版 for 团队版, one model for another."""
    what = re.sub(r"的\Z", "", what)
    if not what or not query_terms(what):
        return None
    like = _like(before, what)
    if like:
        return before.replace(like, what, 1)
    match = _ASKS.search(_HEAD.sub("", before))
    asked = _HEAD.sub("", before)[match.start() :] if match else ""
    return _joined(what, asked) if asked else None


def _like(before: str, what: str) -> str:
    """The part of a text that is of the same kind as `what`: written with the same last or first character; longest first."""
    if asked_codes(what) and (codes := asked_codes(before)):
        written = re.search(re.escape(codes[0]), before, re.IGNORECASE)
        return written.group() if written else ""
    word = re.escape(what[-1])
    for length in range(min(len(what), 6), 1, -1):
        found = re.search(rf"[\u4e00-\u9fff]{{{length - 1}}}{word}", before)
        if found and found.group() != what:
            return found.group()
    if len(what) >= 2 and (found := re.search(rf"{re.escape(what[0])}[\u4e00-\u9fff]{{{len(what) - 1}}}", before)):
        return found.group() if found.group() != what else ""
    return ""


def _joined(subject: str, asked: str) -> str | None:
    if not subject:
        return None
    blank = " " if subject[-1].isascii() or asked[:1].isascii() else ""
    return f"{subject}{blank}{asked}"


def _by_model(question: str, earlier: Sequence[str], chat: ChatModel) -> str | None:
    history = "\n".join(f"- {' '.join(text.split())}" for text in earlier[-SHOWN:])
    prompt = (Path(__file__).parent / "prompts" / f"{VERSION}.txt").read_text(encoding="utf-8")
    told = prompt.replace("{history}", history).replace("{question}", " ".join(question.split()), 1)
    try:
        said = "".join(p for p in chat.stream([Message("user", told)], MOST_TOKENS) if isinstance(p, str))
    except KaijuanError:
        return None
    line = said.strip().strip("“”\"'").strip()
    # One line about the same thing; anything else is an answer, an excuse or an invention.
    if not line or "\n" in line or len(line) > 3 * LONGEST or not _about(line, question, earlier):
        return None
    return line


def _about(line: str, question: str, earlier: Sequence[str]) -> bool:
    """Whether a completed question says nothing but what the question and the earlier ones said."""
    said = set(query_terms(" ".join((question, *earlier))))
    terms = query_terms(line)
    return bool(terms) and sum(term in said for term in terms) >= 0.6 * len(terms)
