"""Numbers of lists in the forms that Word knows.

>>> [numeral(12, form) for form in ("decimal", "chineseCounting", "upperLetter", "lowerRoman", "decimalEnclosedCircle")]
['12', '十二', 'L', 'xii', '⑫']
"""

from __future__ import annotations

_DIGITS = "零一二三四五六七八九"
_FORMAL = "零壹贰叁肆伍陆柒捌玖"
_PLACES = ("", "十", "百", "千")
_FORMAL_PLACES = ("", "拾", "佰", "仟")
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_COUNTING = frozenset(
    {"chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting", "taiwaneseCountingThousand"}
)
_FORMAL_COUNTING = frozenset({"chineseLegalSimplified", "ideographLegalTraditional", "japaneseLegal"})


def numeral(number: int, form: str) -> str:
    """A number in one of Word's forms; digits where the form is unknown or does not reach so far."""
    if form in _COUNTING:
        return _counted(number, _DIGITS, _PLACES).removeprefix("一" if 10 <= number < 20 else "")
    if form in _FORMAL_COUNTING:
        return _counted(number, _FORMAL, _FORMAL_PLACES)
    match form:
        case "ideographDigital" | "japaneseDigitalTenThousand":
            return "".join(("〇" + _DIGITS[1:])[int(digit)] for digit in str(number))
        case "upperLetter" | "lowerLetter" if 0 < number <= 26 * 9:
            letter = chr(ord("A" if form == "upperLetter" else "a") + (number - 1) % 26)
            return letter * ((number - 1) // 26 + 1)
        case "upperRoman" | "lowerRoman" if 0 < number < 4000:
            return _roman(number) if form == "upperRoman" else _roman(number).lower()
        case "decimalZero":
            return f"{number:02}"
        case "decimalFullWidth":
            return "".join(chr(ord("０") + int(digit)) for digit in str(number))
        case "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" if 0 < number <= 20:
            return chr(ord("①") + number - 1)
        case "decimalEnclosedParen" if 0 < number <= 20:
            return chr(ord("⑴") + number - 1)
        case "ideographTraditional" if 0 < number <= len(_STEMS):
            return _STEMS[number - 1]
        case "ideographZodiac" if 0 < number <= len(_BRANCHES):
            return _BRANCHES[number - 1]
    return str(number)


def _counted(number: int, digits: str, places: tuple[str, ...]) -> str:
    if not 0 < number < 10_000:
        return digits[0] if number == 0 else str(number)
    said = ""
    written = str(number)
    for at, digit in enumerate(written):
        if digit != "0":
            said += digits[int(digit)] + places[len(written) - at - 1]
        elif written[at:].strip("0") and not said.endswith(digits[0]):
            said += digits[0]
    return said


def _roman(number: int) -> str:
    said = ""
    for value, letters in _ROMAN:
        said += letters * (number // value)
        number %= value
    return said
