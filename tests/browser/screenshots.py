"""Pictures of the running product for the README: `scripts/screenshot [FOLDER [NAME …]]`, by default all in docs/images."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from tests.browser.running import ROOT, running_browser, what_is_missing
from tests.browser.shots import PHONE, SHOTS, WIDTHS, Shot, show
from tests.browser.stage import demonstration

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: Colours of a picture: text and flat grounds need no more, and the file is a third as large.
COLOURS = 256


def take(browser: Browser, address: str, folder: Path, shots: Sequence[Shot] = SHOTS) -> list[Path]:
    """Take every picture at every width that it is for; the files written."""
    written = []
    for width, height, suffix in WIDTHS:
        for shot in shots:
            if shot.phone and width != PHONE:
                continue
            page = browser.new_page(base_url=address, viewport={"width": width, "height": height}, color_scheme="light")
            page.set_default_timeout(60_000)
            show(page, shot)
            file = folder / f"{shot.name}{suffix}.png"
            _write(page.screenshot(), file)
            page.close()
            written.append(file)
    return written


def _write(picture: bytes, file: Path) -> None:
    with Image.open(io.BytesIO(picture)) as whole:
        whole.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


def main(arguments: Sequence[str]) -> int:
    """Take the pictures; exit status 1 without a browser."""
    if missing := what_is_missing():
        print(f"screenshot: {missing}", file=sys.stderr)
        return 1
    folder = Path(arguments[0]) if arguments else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [shot for shot in SHOTS if shot.name in arguments[1:] or not arguments[1:]]
    with demonstration() as address, running_browser() as browser:
        for file in take(browser, address, folder, wanted):
            print(f"screenshot: {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
