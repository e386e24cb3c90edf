"""Idle words: what of an answer states nothing and so needs no source: greetings, transitions, questions, the refusal.

>>> states_nothing("具体如下："), states_nothing("根据资料，退款三天到账。"), states_nothing("资料中没有提到上门费。")
(True, False, True)
"""

from __future__ import annotations

import re

from kaijuan.types import REFUSAL

_YOU = "(?:您|你|亲|大家|用户)"
_SOURCES = (
    "(?:以上|上述|上面|下面|现有|已有|所给|给出|提供|手头|检索到|找到)?的?"
    "(?:资料|文档|材料|知识库|内容|信息|规定|来源)(?:库|内容|信息)?(?:中|里|内)?"
)
# A clause that is one of these from end to end states nothing.
_IDLE = re.compile(
    rf"""(?:
      {_YOU}们?好|早上好|下午好|晚上好|好的|没问题|当然|尊敬的\w{{1,6}}|hi|hello
      |(?:非常)?感谢{_YOU}?的?\w{{0,10}}|谢谢\w{{0,6}}|很高兴(?:能?为)?{_YOU}?\w{{0,6}}|很抱歉|抱歉|对不起|不好意思
      |(?:关于|针对|对于){_YOU}?(?:的|所)?(?:提问|提出的?|咨询的?|询问的?|问的?)?(?:这个|该)?(?:问题|疑问|情况)
      |{_YOU}(?:的问题|问的|想问的|咨询的|想了解的)是?\w{{0,12}}
      |希望(?:以上|上述|这些|这|我的)?(?:信息|内容|回答|解答|说明|资料)*(?:能|可以|会)?够?(?:对{_YOU})?
        (?:有所?帮助|帮助?到?{_YOU}\w{{0,6}})
      |如果?{_YOU}?(?:还|仍)?(?:有|存在|需要)(?:其他|任何|更多|别的|进一步的?|什么)*的?(?:问题|疑问|需要|需求|帮助|信息|疑惑)
      |(?:请|欢迎|可以|可|您可以)?(?:随时|直接|再|继续)*(?:联系|咨询|告诉|询问|提问|问|向|找)
        (?:我们|我|人工|在线|客服|团队|人员|平台|相关|工作人员)*(?:咨询|提问|了解|沟通)?
      |祝{_YOU}?\w{{1,8}}|请您?(?:知悉|注意|参考|查看|查阅|放心|核对)
      |(?:请|需要)?特别?(?:注意|说明|提醒|强调)的?是?|温馨提示|提示|备注|注|说明|答|答案|回答|结论|总结|小结|要点|来源|参考资料|资料来源
      |(?:根据|依据|按照|基于|参考|结合|从|据){_SOURCES}(?:可知|来看|显示|的?(?:规定|说明|内容|描述|要求))?
      |{_SOURCES}(?:显示|指出|规定|说明|可知|提到|写道)|以上(?:信息|内容)?均?(?:来自|来源于|依据|出自)\w{{0,8}}
      |{_SOURCES}的?(?:说法|规定|内容|信息)?(?:之间)?(?:不一致|不一|不同|互相矛盾|有矛盾|有出入|存在(?:差异|矛盾|冲突))
      |综上(?:所述)?|总之|总的来说|总体来说|总而言之|一般来说|通常来说|简单来说|换句话说|也就是说|具体来说|换言之
      |因此|所以|此外|另外|同时|首先|其次|再次|最后|然后|接着
      |(?:具体|详细|相关|主要)?的?(?:内容|步骤|流程|规定|规则|情况|信息|方法|操作|条件|要求|说明|时间|标准|答案)?是?
        (?:如下(?:所示|表)?|见下表?)
      |第[一二三四五六七八九十\d]+[步点项条]?|步骤[一二三四五六七八九十\d]*|[一二三四五六七八九十]|\w?
    )""",
    re.VERBOSE | re.IGNORECASE,
)
#: What the sources do not say cannot be shown by a source.
_ABSENT = re.compile(
    rf"(?:但|不过|然而|目前|同时|另外)*(?:根据|在|从)?{_SOURCES}(?:都|均|并|暂|也)*(?:没有|未|无|不)(?:明确|具体|直接|相关)*的?"
    r"(?:提到|提及|说明|给出|找到|包含|包括|写明|涉及|提供|说|规定|记载|列出|看到|描述|解释|关于)"
)
_CUT = re.compile(r"[，,：:。！!；;…\n]+")
_FIGURE = re.compile(
    r"[\d０-９]|[一二两三四五六七八九十百千半]+(?:个|天|日|年|月|周|小时|分钟|元|块|次|件|倍|折|工作日)"
)
#: A figure that counts the points of the list it opens: 以下三种情况, 分两步.
_COUNTING = re.compile(
    r"(?:以下|下列|如下|下面|分为?|共|有|包括)这?[\d一二两三四五六七八九十几 ]+(?:种|个|点|步|类|项|条|方面)"
)


def states_nothing(words: str, is_lead: bool = False) -> bool:
    """Whether a sentence without markup states nothing; `is_lead` says that it opens a list or table.

    What opens a list is as idle as its last clause is free of figures: 退款时效如下：, but not 三十天无理由退货的条件：.
    """
    text = words.strip(" \t　*_#\"'“”")
    if not text or text == REFUSAL or text.endswith(("？", "?")):
        return True
    clauses = [clause.strip() for clause in _CUT.split(text) if clause.strip()]
    if is_lead and clauses and not _FIGURE.search(_COUNTING.sub("", clauses[-1])):
        clauses = clauses[:-1]
    return all(_IDLE.fullmatch(clause) or _ABSENT.match(clause) for clause in clauses)
