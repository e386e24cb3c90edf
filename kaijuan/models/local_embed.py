"""bge-small-zh-v1.5 (int8 ONNX, 512 dims) run by onnxruntime, one text a call.

The quantised model's result depends on what else is in the batch (cosine down to 0.993), so texts go in one by one:
the same speed on two cores, and repeatable.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from kaijuan.errors import ModelUnavailable
from kaijuan.models.base import Vector

NAME = "bge-small-zh-v1.5-int8"
DIMS = 512
MAX_TOKENS = 512
#: Evidence (best cosine + 0.15 · coverage, see kaijuan.answering.refusal) of an off-topic question lies below this;
#: measured on strangers' data, see docs/measurements.md.
FLOOR = 0.595
MODEL_FILE = "bge-small-zh-v1.5-q.onnx"
TOKENIZER_FILE = "bge-small-zh-v1.5-q-tokenizer.json"


class BgeEmbedder:
    """The local embedding model; about 300 questions or 18 passages of 300 characters a second on two cores."""

    name = NAME
    dims = DIMS
    floor: float | None = FLOOR

    def __init__(self, folder: Path, threads: int = 2) -> None:
        """Load the model from `folder`; raises ModelUnavailable when its files cannot be read."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        # Waiting threads that spin make every call several times slower as soon as another process wants the cores.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
            self._session = onnxruntime.InferenceSession(
                str(folder / MODEL_FILE), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both libraries raise bare Exception subclasses of their own
            raise ModelUnavailable(
                f"嵌入模型 {NAME} 无法从 {folder} 读取（{error}），请运行 scripts/setup 重新获取。"
            ) from error
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()

    def passage(self, text: str) -> Vector:
        """Vector of one passage; text beyond 512 model tokens is not seen."""
        return self._encode(text)

    def query(self, text: str) -> Vector:
        """Vector of one question; no instruction is put before it (it makes no clear difference for this model)."""
        return self._encode(text)

    def sentence(self, text: str) -> Vector:
        """Vector of a sentence, by the same encoder."""
        return self._encode(text)

    def _encode(self, text: str) -> Vector:
        encoding = self._tokenizer.encode(text)
        ids = np.array([encoding.ids], dtype=np.int64)
        mask = np.ones_like(ids)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        vector = self._session.run(["last_hidden_state"], inputs)[0][0, 0].astype(np.float32)
        unit: Vector = vector / np.linalg.norm(vector)
        return unit
