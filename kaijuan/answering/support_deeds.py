"""Deeds: what a clause denies and what it affirms, and on which side it stands where there are only two.

>>> denials("系统盘快照可以制作镜像"), denials("数据盘快照不可以", "系统盘快照可以制作镜像")
(((), '系统盘快照可以制作镜像'), (('制作镜像',), '数据盘快照 '))
>>> deed_match("覆盖安装", "可以直接覆盖安装"), deed_match("备份视频", "只备份照片")
(1.0, 0.45)
"""

from __future__ import annotations

import re

from kaijuan.text.folding import CJK

_NO_DEED = "[不没未无非别勿的]"
#: Words at which what is denied ends and something else begins.
_BACK_TO_YES = "可以|能(?![力量源])|会(?![员议籍计])|也|但|而|都|就|才|需|须|要"
_DENIAL = re.compile(
    rf"""
    (?P<none>不得不|不能不|不可不|不会不|不是不|是不是|能不能|可不可以|要不要|有没有|是否
      |不(?:足|满|超过|到|得?[少低高多大小早晚]于|同|过|仅|但|论|管|良|便|锈|断|妨|止|料|久|然|一样|一致|符|动产|等)
      |不免(?!费)|不(?:再|另|加|额外)?收(?=取?\w{{0,4}}[费钱金]|取?[的\s]*\Z)
      |不(?:得|能|可|会|应)(?:超过|[少低高多大小早晚]于)
      |无(?:理由|线|门槛|论|损|缝|故|意|误|人机)|未(?:来|成年|必|满|到|达|超过)|没收|非常|除非|[特区级性分类个差识鉴告]别|别(?:的|人|处|墅|名))
    |(?P<verb>[{CJK}])不(?:了(?!解)|上(?![传门课班])|进|出(?![错境])|到(?![ ]))
    |(?:不(?:可以|可|能够|能|得|会|许|准|予|再|用|必|需要|需|须|要|应|宜|是|算|含)?
      |无法|无需|无须|毋须|请?勿|切勿|禁止|严禁|谢绝|拒绝|没有|没|未经?|非|别|无)
      (?P<with>允许|支持|接受|受理|属于|包含|包括|提供|参加|参与)?
      (?:再|直接|随意|随时|自行|擅自|单独|重复|立即|被|(?:做|进行)(?![的过了])|买家|我们|客服|自己|任何人)*[ ]?[“‘"《「`]?
      (?P<head>(?:(?!{_NO_DEED})[{CJK}]){{1,2}}(?=[的了])|(?:(?!{_NO_DEED}|{_BACK_TO_YES})[{CJK}]){{1,40}}|[a-z0-9-]+)?
    """,
    re.VERBOSE,
)
_NEGATIVE = re.compile("[不无未没非别勿禁严谢拒]")
_TOPIC = re.compile(rf"(?P<head>[{CJK}]{{2}})[也都均]?\Z")
_ALLOWED = re.compile(rf"(?:可以|能够|能|允许|支持)(?P<head>[{CJK}]{{1,4}})")
#: Verbs of one character that speak of the same deed with and without their object: 开, 开具, 开发票.
_VERBS = frozenset("退换收开付发送寄改转用传删拿取打查试保赔扣补卖买停领还抵加修代变返拆上连")
#: Words that say the opposite of each other; one that is itself denied counts for the other side.
_OPPOSITES = tuple(
    (re.compile(first), re.compile(second))
    for first, second in (
        (r"不(?:再|另|加|额外)?收取?(?:\w{0,4}[费钱金]|[的\s]*\Z)|免费|免收|免除|免运费|包邮|免租|免押|免服务费|免手续费",
         r"收费|收取|加收|另收|付费|自费|另付|[要须需]付|(?<![不免另加再额外])收\w{0,2}费|不免(?!费)"),
        ("打开|开启|启用|开放", "关闭|禁用|停用"),
        ("自动", "手动|手工|人工"),
        ("全额|全部|全款", "部分|一半"),
        ("提前|之前|以前", "推迟|延后|之后|以后"),
        ("上调|提高|增加|涨", "下调|降低|减少|降价"),
        ("有效(?!期)", "失效|无效|作废"),
        ("左[上下]角|左侧", "右[上下]角|右侧"),
        ("最早", "最晚|最近一"),
        ("由(?:买家|本人|自己|员工)(?:自己|自行)?(?:承担|出|付|负担|支付|负责)|买家自[付费]|买家(?:承担|出|负担)",
         "(?:由|都由|均由)?(?:我们|平台|公司|店铺|保险方)(?:承担|出(?!具)|付|负担|支付|负责|来出)|算我们"),
        ("必[填须选]", "选填|可选"),
        ("[成合]功|通过", "失败|不通过|未通过"),
        ("公开", "保密"),
    )
)  # fmt: skip
_ANY_SIDE = re.compile("|".join(side.pattern for pair in _OPPOSITES for side in pair))
#: How much may follow a denied deed before the comma of a list, and one member of such a list.
_TAIL = 6
_MEMBER = re.compile(rf"(?:(?!{_NO_DEED}|{_BACK_TO_YES})[{CJK}]){{1,40}}")
_TURNED = re.compile(r"(?:不[是会能予再要可得]?|未|没有?|无|禁止|严禁|拒绝|勿)\Z")
_PREPOSITIONS = frozenset("随跟与和同向对从在把被给为由按以用因于")
#: Of a deed, the characters that are compared.
DEED_CHARS = 4
#: From which share of its pairs a deed is spoken of, and what the beginning of it, a lone verb, and that at a clause's end is worth.
_PART, _BEGINNING, _LONE, _LAST = 0.34, 0.45, 0.35, 0.7


def denials(words: str, before: str = "") -> tuple[tuple[str, ...], str]:
    """The deeds that a folded clause denies, as far as the denial reaches, and what it says outside of denials.

    A denial without a deed denies what the clause before it allows, or else what it stands behind.
    """
    if not _NEGATIVE.search(words):
        return (), words
    denied: list[str] = []
    affirmed: list[str] = []
    at = 0
    for match in _DENIAL.finditer(words):
        if match["none"]:
            continue
        head = match["verb"] or match["head"] or match["with"]
        if head is None and match.end() == len(words.rstrip()):
            allowed = _ALLOWED.search(before) or _TOPIC.search(words[: match.start()])
            head = allowed["head"] if allowed else None
        if head:
            denied += [head, *_listed(words[match.end() :])]
        affirmed.append(words[at : match.start()])
        at = match.end()
    return tuple(denied), " ".join([*affirmed, words[at:]])


def _listed(rest: str) -> list[str]:
    """Deeds that are denied together with one: 不支持奇偶页、跨文档的引用."""
    first, comma, others = rest.partition("、")
    if not comma or len(first) > _TAIL:
        return []
    return [found.group() for member in others.split("、") if (found := _MEMBER.match(member))]


def sides(words: str) -> dict[int, bool]:
    """Of each pair of opposites that a folded clause takes a side on, whether it is the first."""
    if not _ANY_SIDE.search(words):
        return {}
    taken: dict[int, bool] = {}
    for at, (first, second) in enumerate(_OPPOSITES):
        ours, theirs = first.search(words), second.search(words)
        if (ours is None) != (theirs is None):
            found = ours or theirs
            taken[at] = (ours is not None) != bool(found and _TURNED.search(words, 0, found.start()))
    return taken


def deed_terms(deed: str) -> frozenset[str]:
    """The terms of a deed, which say nothing about whom or what it is denied to."""
    deed = deed[:DEED_CHARS]
    return frozenset(deed[i : i + 2] for i in range(len(deed) - 1)) | {deed}


def deed_match(deed: str, text: str) -> float:
    """How much of a deed a text speaks of, 0 to 1."""
    deed = deed[:DEED_CHARS]
    if deed.isascii():
        return 1.0 if re.search(rf"(?<![a-z0-9]){re.escape(deed)}(?![a-z0-9])", text) else 0.0
    if len(deed) == 1:
        # 但可以丢: a verb without an object.
        return _LAST if text.rstrip().endswith(deed) else _LONE if deed in text else 0.0
    pairs = [deed[i : i + 2] for i in range(len(deed) - 1)]
    share = sum(pair in text for pair in pairs) / len(pairs)
    if deed[:2] in text:
        return max(share, _BEGINNING)
    if share >= _PART and deed[0] not in _PREPOSITIONS:
        return share
    return _LONE if deed[0] in _VERBS and deed[0] in text else 0.0


def same_deed(deed: str, other: str) -> float:
    """How much two denials deny the same, 0 to 1."""
    return max(deed_match(deed, other), deed_match(other, deed))
