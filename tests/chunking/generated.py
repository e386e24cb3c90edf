"""Random Markdown: every kind of block, nested, torn and malformed, the same for the same seed."""

import random

_LETTERS = "退货款运费买家承担签收七天内可申请abcXYZ0129 -，。；：！、|\\`*_"
_ODDITIES = (
    "---", "<div>\n# x\n</div>", "[a]: http://x", "    code\n    code2", "　　缩进", "\t-", "- - - a",
    "以下情况不予退货：", "-", "> ", "#", "| a | b |\n|---|---|", "```", "😀👨‍👩‍👧e\u0301",
)  # fmt: skip


def markdown(seed: int) -> str:
    """A Markdown text of one to fourteen blocks."""
    rng = random.Random(seed)
    gap = rng.choice(["\n\n", "\n", "\n\n\n \n"])
    return gap.join(_block(rng) for _ in range(rng.randint(1, 14)))


def _words(rng: random.Random, most: int) -> str:
    return "".join(rng.choice(_LETTERS) for _ in range(rng.randint(0, most)))


def _block(rng: random.Random, depth: int = 0) -> str:
    kind = rng.choice(["atx", "setext", "table", "fence", "list", "list", "quote", "item", "odd", "text", "text"])
    if kind == "atx":
        return "#" * rng.randint(1, 6) + " " + _words(rng, 20)
    if kind == "setext":
        return _words(rng, 15) + "\n" + rng.choice("-=") * 3
    if kind == "table":
        return _table(rng)
    if kind == "fence":
        mark = rng.choice(["```", "~~~~", "``````"])
        rows = (rng.choice(["", "  "]) + _words(rng, 60) for _ in range(rng.randint(0, 15)))
        return "\n".join([mark + "bash", *rows, rng.choice([mark, mark, "", mark + mark[0]])])
    if kind == "list":
        rows = (_words(rng, rng.choice([10, 90])) for _ in range(rng.randint(1, 14)))
        return "\n".join(
            "  " * rng.randint(0, min(n, 6)) + rng.choice(["- ", "1. ", ""]) + r for n, r in enumerate(rows)
        )
    if kind == "quote" and depth < 3:
        return "\n".join("> " + row for row in _block(rng, depth + 1).split("\n"))
    if kind == "item" and depth < 3:
        return "- " + "\n  ".join(_block(rng, depth + 1).split("\n"))
    return rng.choice(_ODDITIES) if kind == "odd" else _words(rng, rng.choice([30, 200, 900]))


def _table(rng: random.Random) -> str:
    columns, widest = rng.randint(1, 5), rng.choice([5, 10, 80])
    head = "|" + "|".join(_words(rng, 4) for _ in range(columns)) + "|\n" + "|" + "---|" * columns
    rows = ("| " + " | ".join(_words(rng, widest) for _ in range(columns)) + rng.choice([" |", ""]) for _ in range(9))
    return "\n".join([head, *rows])
