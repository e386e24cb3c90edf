"""Every sentence of the pages, by key, in Chinese and in English.

The first pages' sentences stand here and in words/english.py; a later page brings both languages in words/PAGE.py as
`WORDS: key → (Chinese, English)` and is added to _PAGES.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar

from kaijuan.ui.words import admin, bench, chat, diagnose, evaluation, insights, login, roles, source, synonyms, tour
from kaijuan.ui.words.english import ENGLISH

_CHINESE: Mapping[str, str] = {
    "product": "开卷",
    "tagline": "开卷作答：每一句话都指向它所依据的原文。",
    "page.chat": "问答",
    "page.source": "资料",
    "language": "语言",
    "loading": "正在载入模型和索引……",
    # choosing a collection
    "collection.choose": "资料集合",
    "collection.none": "还没有任何资料集合，请在 corpus 目录下放入一个带 collection.toml 的文件夹。",
    "collection.examples": "可以这样问",
    # asking
    "chat.placeholder": "就“{title}”提问",
    "chat.searching": "正在检索……",
    "chat.stages": "{stages} → 正在作答……",
    "chat.waiting": "{sentence}；本页每 {seconds} 秒自动重试，恢复后即可提问。",
    "chat.ask_alone": "按原句再问，不接上文",
    # answers
    "answer.weak_short": "（依据较弱）",
    "answer.weak_long": "来源只说到这句话的一部分，请点开来源核对。",
    "answer.unsupported_short": "（来源不支持）",
    "answer.unsupported_long": "所引的来源没有这样说，请以来源原文为准。",
    "answer.uncited_short": "（没有出处）",
    "answer.uncited_long": "这句话没有引用，也没有唯一能支持它的来源。",
    "answer.wrong_figure": "来源里没有这个数字、日期或编码",
    "answer.completed": "按上文补全为",
    "answer.incomplete": "回答不完整",
    "answer.weak": "证据较弱",
    "answer.weak_detail": "找到的段落与问题只有部分相符，请点开来源核对后再用。",
    "answer.missing": "资料中没有找到",
    "answer.removed": "已去掉 {count} 处不存在的引用：{numbers}",
    "answer.nearest": "相近主题（不是依据）",
    "answer.sources": "来源",
    "answer.date_unknown": "日期未注明",
    "answer.department_unknown": "部门未注明",
    "answer.show_passage": "展开原文",
    "answer.conflict": "资料说法不一致",
    "answer.conflict_detail": "各处的说法都列在这里，没有替你取舍，请向相关部门核实。",
    "answer.newer": "较新",
    "answer.meta": "{answerer} · {milliseconds} · {count} 条来源",
    "answer.model": "由语言模型 {model} 组织文字，逐句核对过来源",
    "answer.meta_refused": "{answerer} · {milliseconds}",
    "answerer.extractive": "由原文句子组成，未使用语言模型",
    "answerer.evidence": "依据检索结果拒答，未使用语言模型",
    # the rank ledger
    "ledger.title": "检索过程",
    "ledger.rank": "名次",
    "ledger.passage": "片段",
    "ledger.keyword": "关键词\n名次 / 得分",
    "ledger.vector": "向量\n名次 / 余弦",
    "ledger.fused": "融合名次 / 得分\n份额：关键词 + 向量",
    "ledger.rerank": "重排得分",
    "ledger.context": "是否进入上下文",
    "ledger.terms": "命中词\n（得分）",
    "ledger.cited": "进入，引用为 {mark}",
    "ledger.not_cited": "进入，未被引用",
    "ledger.no_candidates": "两路检索都没有返回任何片段。",
    "ledger.caption": "共 {count} 个候选片段，按最终名次排列；“—”表示这一路没有返回该片段，括号里是另一路给它的得分。",
    "ledger.searched": "检索用语",
    "ledger.search_terms": "检索词",
    "ledger.stages": "各阶段用时",
    "ledger.tokens": "词元数",
    "ledger.tokens_value": "问题 {question}，上下文 {context}（计数：{counter}）",
    "ledger.version": "索引版本",
    "ledger.version_value": "{collection} / {version}",
    "ledger.evidence": "证据",
    "ledger.best_cosine": "最高余弦 {cosine}",
    "ledger.floor": "离题下限 {floor}",
    "ledger.agreement": "两路一致 {share}",
    "ledger.best_keyword": "最高关键词得分 {score}",
    "stage.embed": "向量化",
    "stage.search": "两路检索",
    "stage.fuse": "融合",
    "stage.rerank": "重排",
    "stage.context": "选上下文",
    "stage.second_look": "第二次检索",
    "stage.answer": "作答",
    "ledger.hops": "第二次检索",
    "ledger.hop_added": "“{term}”由 {added} 说明",
    "ledger.hop_none": "“{term}”没有找到说明",
    "ledger.model": "语言模型",
    "ledger.model_value": "{model}，提示词 {prompt}，输入 {input}，输出 {output} 个词元，首字 {first}",
    "ledger.unknown": "未知",
    # a source
    "source.nothing_chosen": "这里显示被引用的资料：请在问答页点击回答里的编号或来源标题。",
    "source.no_collection": "网址里没有写明资料集合（缺少参数 c），请从问答页的来源链接进入。",
    "source.no_document": "网址里没有写明资料编号（缺少参数 d），请从问答页的来源链接进入。",
    "source.no_passage": "这份资料里没有编号为“{chunk}”的片段，下面显示全文。",
    "source.to_chat": "返回问答",
    "source.previous": "上一段",
    "source.next": "下一段",
    "source.permalink": "本段固定链接",
    "source.permalink_document": "本文固定链接",
    "source.label_id": "编号",
    "source.label_standing": "状态",
    "source.label_updated": "更新日期",
    "source.label_department": "部门",
    "source.label_kind": "类型",
    "source.label_collection": "集合",
    "source.unknown": "未注明",
    "source.passage": "第 {number} 段，共 {total} 段",
    "source.page": "第 {page} 页",
    "source.cited": "下文高亮处是被引用的片段。",
    "source.image": "〔图：{words}〕",
    # faults
    "fault.unexpected": "抱歉，程序出了意外，请稍后再试；如果仍不行，请把编号 {trace} 告诉管理员。",
}

#: Pages that brought a table of their own: key → (Chinese, English).
_PAGES: tuple[Mapping[str, tuple[str, str]], ...] = (
    bench.WORDS,
    chat.WORDS,
    diagnose.WORDS,
    evaluation.WORDS,
    insights.WORDS,
    admin.WORDS,
    roles.WORDS,
    login.WORDS,
    source.WORDS,
    synonyms.WORDS,
    tour.WORDS,
)

LANGUAGES = {"zh": "中文", "en": "English"}
MESSAGES: Mapping[str, Mapping[str, str]] = {
    "zh": {**_CHINESE, **{key: words[0] for table in _PAGES for key, words in table.items()}},
    "en": {**ENGLISH, **{key: words[1] for table in _PAGES for key, words in table.items()}},
}
#: Every run of a page is a thread of its own, and sets the language of its reader first.
_language: ContextVar[str] = ContextVar("language", default="zh")


def use_language(name: str) -> None:
    """Say everything in this language from now on in this run; an unknown one is passed over."""
    if name in MESSAGES:
        _language.set(name)


def language() -> str:
    """The language in use."""
    return _language.get()


def say(key: str, **values: object) -> str:
    """The sentence of this key with its values filled in; an unknown key raises KeyError."""
    return MESSAGES[_language.get()][key].format(**values)


def say_or(key: str, otherwise: str) -> str:
    """The sentence of this key, `otherwise` where the table has none (names of stages and models yet to come)."""
    return MESSAGES[_language.get()].get(key, otherwise)
