"""Tables of the pages: a head, rows of cells, scrolling inside their frame where the screen is narrow."""

from __future__ import annotations

from collections.abc import Sequence

from kaijuan.ui.elements import Safe, tag


def table_html(
    label: str, head: Sequence[str], rows: Sequence[Sequence[str]], marked: int | None = None, wide: int | None = None
) -> Safe:
    """A table named `label` for those who hear it; row `marked` stands out, column `wide` may break its lines."""
    body = (
        tag(
            "tr",
            *(tag("td", cell, class_="kj-col-passage" if column == wide else None) for column, cell in enumerate(row)),
            class_="kj-row-cited" if number == marked else None,
        )
        for number, row in enumerate(rows)
    )
    columns = tag("tr", *(tag("th", name, scope="col") for name in head))
    table = tag("table", tag("thead", columns), tag("tbody", *body))
    return tag("div", table, class_="kj-scroll", tabindex="0", role="region", aria_label=label)
