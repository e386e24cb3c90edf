"""PDF files for tests, written by hand: text wherever it is wanted, rules, pictures, bookmarks, a password."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH, HEIGHT = 420, 595
# Codes are characters; a range may not leave its row, and no list be longer than 100.
_ROWS = [f"<{row:02X}00> <{row:02X}FF> <{row:02X}00>" for row in range(256)]
_MAP = "\n".join(
    [
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def",
        "1 begincodespacerange <0000> <FFFF> endcodespacerange",
        *(
            f"{len(few)} beginbfrange\n" + "\n".join(few) + "\nendbfrange"
            for few in (_ROWS[:100], _ROWS[100:200], _ROWS[200:])
        ),
        "endcmap end end",
    ]
)
_PICTURE = (
    "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"
)


def at(x: float, y: float, text: str, size: float = 12, bold: bool = False, more: str = "") -> str:
    """Text with its baseline at a place from the top left; `more` are operators that go before it ("3 Tr", "1 g")."""
    shown = text.encode("utf-16-be").hex()
    return f"q BT {more} /{'F2' if bold else 'F1'} {size} Tf 1 0 0 1 {x} {HEIGHT - y} Tm <{shown}> Tj ET Q\n"


def lines(x: float, y: float, texts: Sequence[str], size: float = 12, leading: float = 1.5) -> str:
    """Lines one below the other."""
    return "\n".join(at(x, y + n * leading * size, text, size) for n, text in enumerate(texts))


def rule(x0: float, y0: float, x1: float, y1: float) -> str:
    """A drawn line between two places from the top left."""
    return f"{x0} {HEIGHT - y0} m {x1} {HEIGHT - y1} l S\n"


def grid(xs: Sequence[float], ys: Sequence[float]) -> str:
    """Rules around the cells of a table."""
    upright = [rule(x, ys[0], x, ys[-1]) for x in xs]
    return "\n".join([*upright, *(rule(xs[0], y, xs[-1], y) for y in ys)])


def picture() -> str:
    """A picture over the whole page."""
    return f"q {WIDTH} 0 0 {HEIGHT} 0 0 cm /P Do Q\n"


def make_pdf(
    pages: Sequence[str],
    info: dict[str, str] | None = None,
    bookmarks: Sequence[tuple[str, int]] = (),
    rotate: int = 0,
    locked: bool = False,
) -> bytes:
    """A PDF of these page contents; `bookmarks` are titles with the page (from 0) that they lead to."""
    objects: list[bytes] = []

    def add(body: str, stream: bytes | None = None) -> int:
        tail = b"" if stream is None else b"\nstream\n" + stream + b"\nendstream"
        objects.append(body.encode("latin-1") + tail)
        return len(objects)

    catalog, tree = add(""), add("")
    fonts = [_font(add, name) for name in ("Song", "Song-Bold")]
    image = add(_PICTURE, b"\x80")
    resources = f"<< /Font << /F1 {fonts[0]} 0 R /F2 {fonts[1]} 0 R >> /XObject << /P {image} 0 R >> >>"
    kids = []
    for content in pages:
        data = content.encode("latin-1")
        stream = add(f"<< /Length {len(data)} >>", data)
        kids.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {rotate} "
                f"/Resources {resources} /Contents {stream} 0 R >>"
            )
        )
    outline = len(objects) + 1
    for number, (title, page) in enumerate(bookmarks):
        siblings = f"/Next {outline + number + 1} 0 R" if number + 1 < len(bookmarks) else ""
        add(
            f"<< /Title {_text(title)} /Parent {outline + len(bookmarks)} 0 R /Dest [{kids[page]} 0 R /Fit] {siblings} >>"
        )
    root = add(f"<< /First {outline} 0 R /Last {outline + len(bookmarks) - 1} 0 R >>") if bookmarks else 0
    objects[catalog - 1] = f"<< /Type /Catalog /Pages {tree} 0 R {f'/Outlines {root} 0 R' if root else ''} >>".encode(
        "latin-1"
    )
    references = " ".join(f"{kid} 0 R" for kid in kids)
    objects[tree - 1] = f"<< /Type /Pages /Kids [{references}] /Count {len(kids)} >>".encode("latin-1")
    told = add("<< " + " ".join(f"/{key} {_text(value)}" for key, value in (info or {}).items()) + " >>")
    trailer = f"/Root {catalog} 0 R /Info {told} 0 R"
    if locked:
        key = "<" + "5a" * 32 + ">"
        encrypt = add(f"<< /Filter /Standard /V 1 /R 2 /O {key} /U {key} /P -4 >>")
        trailer += f" /Encrypt {encrypt} 0 R /ID [<00> <00>]"
    return _file(objects, trailer)


def _font(add: object, name: str) -> int:
    assert callable(add)
    widths = f"32 [{'500 ' * 95}]"
    descriptor = add(
        f"<< /Type /FontDescriptor /FontName /{name} /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 "
        "/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>"
    )
    below = add(
        f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /CIDSystemInfo << /Registry (Adobe) "
        f"/Ordering (Identity) /Supplement 0 >> /FontDescriptor {descriptor} 0 R /DW 1000 /W [{widths}] >>"
    )
    mapping = add(f"<< /Length {len(_MAP)} >>", _MAP.encode("latin-1"))
    return int(
        add(
            f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H "
            f"/DescendantFonts [{below} 0 R] /ToUnicode {mapping} 0 R >>"
        )
    )


def _text(value: str) -> str:
    return "<FEFF" + value.encode("utf-16-be").hex() + ">"


def _file(objects: Sequence[bytes], trailer: str) -> bytes:
    data = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n".encode("latin-1") + body + b"\nendobj\n"
    start = len(data)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode("latin-1")
    data += b"".join(f"{offset:010d} 00000 n \n".encode("latin-1") for offset in offsets)
    data += f"trailer << /Size {len(objects) + 1} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode("latin-1")
    return bytes(data)
