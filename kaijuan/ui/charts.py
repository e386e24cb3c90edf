"""Small column charts of plain elements: nothing is fetched from elsewhere, and Streamlit lets no SVG through.

>>> 'height:50.0%' in column_chart("时间", ("一", "二"), (1.0, 2.0), str)
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kaijuan.ui.elements import Safe, join, tag


def column_chart(
    title: str, labels: Sequence[str], values: Sequence[float | None], shown: Callable[[float], str]
) -> Safe:
    """One series over labelled points, from zero to its largest value; None leaves a gap.

    Every column says its label and value when pointed at, and the whole chart is spoken as one sentence.
    """
    known = [value for value in values if value is not None]
    top = max(known, default=0.0)
    columns = (_column(label, value, top, shown) for label, value in zip(labels, values, strict=True))
    spoken = "、".join(
        f"{label} {shown(value)}" for label, value in zip(labels, values, strict=True) if value is not None
    )
    most = shown(top) if known else "—"
    ends = (labels[0], labels[-1]) if len(labels) > 1 else (*labels[:1], "")
    return tag(
        "figure",
        tag("figcaption", title, tag("span", most, class_="kj-chart-most")),
        tag("div", *columns, class_="kj-columns", role="img", aria_label=f"{title}：{spoken or '—'}"),
        tag("div", *(tag("span", end) for end in ends), class_="kj-chart-ends"),
        class_="kj-chart",
    )


def _column(label: str, value: float | None, top: float, shown: Callable[[float], str]) -> Safe:
    if value is None:
        return tag("span", class_="kj-gap", title=f"{label}：—")
    height = 100 * value / top if top > 0 else 0.0
    return tag("span", class_="kj-col", style=f"height:{height:.1f}%", title=f"{label}：{shown(value)}")


def charts(figures: Sequence[Safe]) -> Safe:
    """Charts beside each other, as many as fit."""
    return tag("div", join(figures), class_="kj-charts")
