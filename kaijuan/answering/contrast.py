"""Contrasts: words that set two statements apart although they read alike, such as 大陆 and 港澳, or SF-2200 and SF-3000.

>>> ours, theirs = sides(["大陆地区运费满"], 1), sides(["港澳地区运费满"], 1)
>>> apart(ours, theirs, sides(["满多少免运费"], 1))
True
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# One axis a line: groups "atoms:words" between bars. Texts whose atoms on an axis are disjoint speak of different things.
# On a scoping axis (!) a text with an atom and a text with none are a special case and the general rule: also different,
# unless the atom is the ordinary case (*).
_AXES = """\
!大陆*:大陆 内地 境内 国内|香港,澳门,台湾:港澳台|香港,澳门:港澳|香港:香港|澳门:澳门|台湾:台湾|海外:海外 境外 国外 国际 跨境 保税
!普通*:普通地区 一般地区 市区 城区|偏远:偏远 新疆 西藏 青海 内蒙古 海南|乡村:农村 乡镇
同城:同城|同省:同省 省内|跨省:跨省 跨城 异地 省外
!网页:网页 浏览器|桌面:桌面 电脑端 pc|手机:手机端 移动端 手机版 安卓 苹果 ios app|小程序:小程序|接口:接口 api
!普通*:普通会员 普通用户|银卡:银卡|金卡:金卡|黑卡:黑卡|白金:白金|钻石:钻石|贵宾:vip 贵宾|新人:新人 新用户 新客|老客:老用户 老客
!个人*:个人 自然人|单位:企业 单位 公司 对公 月结|学校:学校 高校 学生
!成人*:成人 成年|儿童:儿童 童装 婴儿 未成年|老人:老人 老年
男:男款 男士 男性 男装|女:女款 女士 女性 女装
!正式*:正式员工 正式工|试用:试用期|实习:实习|外包:外包
!现货*:现货|预售:预售 定金 尾款|定制:定制|大件:大件|生鲜:生鲜 鲜花|特价:秒杀 清仓 限时 直播|赠品:赠品
!自营*:自营|他营:第三方 店铺 加盟
借记,信用:银行卡|借记:借记卡 储蓄卡|信用:信用卡|钱包:钱包 微信 支付宝|余额:余额|礼品卡:礼品卡|对公:对公 公户|现金:现金 货到付款
礼品卡:礼品卡 购物卡 储值卡|券:券|积分:积分 成长值|红包:红包
退:退货 退款 退回 退还|换:换货 换新 调换|修:维修 送修 保修 修好 返修
上传:上传|下载:下载 导出
充值:充值 存入|提现:提现 取出 支取
加入:入职 注册 开通|离开:离职 注销 停用
首:首重 首次 首年 首单|续:续重 再次 续费 续期 次年
响应:回复 响应 接听 回电|结束:结案 解决 修复|审核:审核 审批|到账:到账 打款|发货:发货 出库|送达:送达 到货|查件:查件|验收:验收 检测
整机*:整机 主机 全机|电池:电池|屏幕:屏幕|打印头:打印头|主板:主板|电机:电机 压缩机|配件:配件 附件 易损件
专票:专用发票 专票|普票:普通发票 普票
纸质:纸质|电子:电子
!平日*:平时 平日|假日:周末 节假日|大促:大促 促销期|冬季:冬季|夏季:夏季
白天:白天 日间|夜间:夜间 夜里 凌晨
单个:单个 单件 单次 单笔 每次|合计:合计 累计 总量 总容量 总共|打包:压缩包 打包
快递:快递|自提:自提|上门:上门|海运:海运|空运:空运
上调:上调 涨价|下调:下调 降价
!个人空间:个人空间|团队空间:团队空间|离线:离线|备份:备份|测试:测试环境
"""
_ALL = re.compile("不论|无论|不管|所有|全部|一律|任何|均为|都一样|统一")
_CODE = re.compile(r"(?<![a-z0-9])[a-z]{1,6}-?\d[a-z0-9]*(?:-[a-z0-9]+)*")
_VARIANT = re.compile(
    r"(?P<of>[^\W\da-z_的是个种各为和与及或按对向给该本此每有无不用张买前新旧三两几什么]{2})(?P<kind>版|会员|券|套餐|用户|车型)"
)
_PER = re.compile(r"每(?:个|张)?(人|天|日|周|月|季|年|单|次|件|公斤|层|晚|小时|户|笔)")


@dataclass(frozen=True, slots=True)
class _Axis:
    scoping: bool
    words: tuple[tuple[str, frozenset[str]], ...]
    ordinary: frozenset[str]

    def atoms(self, text: str) -> frozenset[str]:
        """What a folded text says on this axis; a longer word hides the shorter ones inside it."""
        found: set[str] = set()
        for word, atoms in self.words:
            if word in text:
                found |= atoms
                text = text.replace(word, "\0")
        return frozenset(found)


def _axis(line: str) -> _Axis:
    words: list[tuple[str, frozenset[str]]] = []
    ordinary: set[str] = set()
    for group in line.lstrip("!").split("|"):
        name, _, spellings = group.partition(":")
        atoms = frozenset(name.rstrip("*").split(","))
        ordinary |= atoms if name.endswith("*") else frozenset()
        words += [(word, atoms) for word in spellings.split()]
    return _Axis(line.startswith("!"), tuple(sorted(words, key=lambda w: (-len(w[0]), w[0]))), frozenset(ordinary))


_BUILT = tuple(map(_axis, _AXES.splitlines()))


@dataclass(frozen=True, slots=True)
class Sides:
    """Where a statement stands on every axis, its codes (in its sentence, or else in a heading), variants and measure.

    `general` says that the statement is meant for every case.
    """

    atoms: tuple[frozenset[str], ...]
    codes: frozenset[str]
    heading_codes: frozenset[str]
    variants: frozenset[tuple[str, str]]
    per: frozenset[str]
    general: bool


def sides(texts: Sequence[str], near: int, per: str = "") -> Sides:
    """Sides of a statement by its folded texts, nearest first: the nearest that says something on an axis counts.

    The first `near` of them are the sentence and its lead, the others headings. `per` is what the figure is counted by.

    >>> sorted(sides(["网页端与桌面端相同"], 1).codes), sides(["sf-3000 整机"], 1).codes
    ([], frozenset({'sf-3000'}))
    """
    return Sides(
        atoms=tuple(_first(axis.atoms(text) for text in texts) for axis in _BUILT),
        codes=_first(frozenset(_CODE.findall(text)) for text in texts[:near]),
        heading_codes=_first(frozenset(_CODE.findall(text)) for text in texts[near:]),
        variants=frozenset(_variants(texts)),
        per=frozenset(_PER.findall(texts[0])) | frozenset(per.split("/") if per else ()),
        general=any(_ALL.search(text) for text in texts[:near]),
    )


def _variants(texts: Iterable[str]) -> set[tuple[str, str]]:
    for text in texts:
        if found := {(m["kind"], m["of"]) for m in _VARIANT.finditer(text)}:
            return found
    return set()


def _first(found: Iterable[frozenset[str]]) -> frozenset[str]:
    return next((f for f in found if f), frozenset())


def apart(first: Sides, second: Sides, asked: Sides, one_sided: bool = True) -> bool:
    """Whether something sets two statements apart; what the question names is no special case.

    Without `one_sided` only what both name can set them apart.
    """
    for axis, a, b, q in zip(_BUILT, first.atoms, second.atoms, asked.atoms, strict=True):
        if a and b and not a & b:
            return True
        special = (a or b) - axis.ordinary - q
        if one_sided and axis.scoping and bool(a) != bool(b) and special and not (second if a else first).general:
            return True
    return (
        _codes_apart(first, second, one_sided)
        or _variants_apart(first, second)
        or bool(first.per and second.per and not first.per & second.per)
    )


def _codes_apart(first: Sides, second: Sides, one_sided: bool) -> bool:
    a, b = first.codes or first.heading_codes, second.codes or second.heading_codes
    if a and b:
        return not a & b
    return one_sided and bool(first.codes or second.codes)


def _variants_apart(first: Sides, second: Sides) -> bool:
    if first.general or second.general:
        return False
    for kind in {k for k, _ in first.variants} & {k for k, _ in second.variants}:
        ours, theirs = ({of for k, of in side.variants if k == kind} for side in (first, second))
        if not ours & theirs:
            return True
    return False
