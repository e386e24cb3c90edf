"""The files of the local embedding model: their names, their pinned hashes, and putting them in place whole.

Whatever route a file came by, it is used only when its SHA-256 is the pinned one, so vectors made on two machines
under one model name are the same vectors.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kaijuan.errors import ModelUnavailable
from kaijuan.models.local_embed import MODEL_FILE, NAME, TOKENIZER_FILE

_SPECIAL = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103}


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Names and pinned SHA-256 (hex) of a model's two files."""

    model: str
    model_sha256: str
    tokenizer: str
    tokenizer_sha256: str

    def problem(self, folder: Path) -> str | None:
        """What is wrong with the files in `folder` as a Chinese clause, None when both have the pinned hash."""
        for name, pinned in ((self.model, self.model_sha256), (self.tokenizer, self.tokenizer_sha256)):
            try:
                with (folder / name).open("rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
            except FileNotFoundError:
                return f"缺少文件 {name}"
            except OSError as error:
                return f"文件 {name} 无法读取（{error.strerror}）"
            if found != pinned:
                return f"文件 {name} 已损坏（哈希不符）"
        return None

    def install(self, folder: Path, model: bytes, tokenizer: bytes) -> None:
        """Check both files and put them into `folder`, each by one atomic rename.

        Raises ModelUnavailable when a hash is not the pinned one or the folder cannot be written; nothing is
        replaced then.
        """
        if hashlib.sha256(model).hexdigest() != self.model_sha256:
            raise ModelUnavailable(f"拒绝使用：{self.model} 的哈希不符")
        tokenizer = self._pinned_tokenizer(tokenizer)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write_whole(folder / self.model, model)
            _write_whole(folder / self.tokenizer, tokenizer)
        except OSError as error:
            raise ModelUnavailable(f"无法写入 {folder}（{error.strerror}），请检查权限和磁盘空间") from error

    def _pinned_tokenizer(self, raw: bytes) -> bytes:
        for candidate in (raw, rebuilt_tokenizer(raw)):
            if candidate is not None and hashlib.sha256(candidate).hexdigest() == self.tokenizer_sha256:
                return candidate
        raise ModelUnavailable(f"拒绝使用：{self.tokenizer} 的哈希不符，词表也不同")


BGE = ModelFiles(
    model=MODEL_FILE,
    model_sha256="15b717c382bcb518ba457b93ea6850ede7f4f1cd8937454aa06972366cd19bcc",
    tokenizer=TOKENIZER_FILE,
    tokenizer_sha256="48cea5d44424912a6fd1ea647bf4fe50b55ab8b1e5879c3275f80e339e8fae26",
)


def bge_folder(model_dir: Path) -> Path:
    """Folder of the model under the folder of all models."""
    return model_dir / NAME


def rebuilt_tokenizer(raw: bytes) -> bytes | None:
    """The pinned tokenizer file written anew with the vocabulary of `raw`, None when `raw` holds no vocabulary.

    Publishers' copies differ in settings around the same vocabulary (case folding, truncation, layout). The pinned
    file is its vocabulary plus the fixed settings below, byte for byte, so only the vocabulary is taken over and the
    result still has to have the pinned hash.
    """
    try:
        vocab: dict[str, int] = json.loads(raw)["model"]["vocab"]
        in_order = dict(sorted(vocab.items(), key=lambda item: item[1]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    first, second = {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}
    document: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": number, "content": token, "single_word": False, "lstrip": False, "rstrip": False}
            | {"normalized": False, "special": True}
            for token, number in _SPECIAL.items()
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": False,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_special("[CLS]", 0), first, _special("[SEP]", 0)],
            "pair": [_special("[CLS]", 0), first, _special("[SEP]", 0), second, _special("[SEP]", 1)],
            "special_tokens": {
                token: {"id": token, "ids": [_SPECIAL[token]], "tokens": [token]} for token in ("[CLS]", "[SEP]")
            },
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": in_order,
        },
    }
    return json.dumps(document, indent=2, ensure_ascii=False).encode()


def _special(token: str, type_id: int) -> dict[str, Any]:
    return {"SpecialToken": {"id": token, "type_id": type_id}}


def _write_whole(path: Path, content: bytes) -> None:
    # A reader sees the old file or the new one, never half of it; a killed run leaves only a file with another name.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
