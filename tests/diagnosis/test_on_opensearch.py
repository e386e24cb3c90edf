"""A diagnosis on a real OpenSearch names the same stages and the same ranks as on the embedded engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kaijuan.diagnosis.diagnose import Examining, diagnose
from kaijuan.diagnosis.types import Diagnosis
from kaijuan.engines.base import Engine
from kaijuan.engines.opensearch.engine import OpenSearchEngine
from kaijuan.indexing.ingest import ingest
from tests.diagnosis.ward import ALL, ANYBODY, Ward, verdicts
from tests.indexing.workplace import NAME

FILES: dict[str, str | bytes] = {
    **{f"c{n}.md": f"---\nid: c{n}\ntitle: 运费{n}\n---\n\n邮费规定第{n}条：按区域收取邮费。\n" for n in range(12)},
    "free.md": "---\nid: free\ntitle: 包邮\n---\n\n订单满九十九元免运费，大件商品除外，部分商品的邮费另行说明，以结算页显示的金额为准。\n",
    "closed.md": "---\nid: closed\ntitle: 内部\naudience: [客服]\n---\n\n邮费赔付的上限是五十元。\n",
}


def _diagnosed(ward: Ward, engine: Engine, wanted: str) -> Diagnosis:
    services = ward.place.services(ward.embedder)
    services = replace(services, engine=engine, stages=replace(services.stages, engine=engine))
    collection = services.collection(NAME)
    answering = services.answering(replace(services.options(collection), leg_size=3))
    return diagnose("邮费规定", wanted, collection, Examining(answering, ALL), ANYBODY)


def test_the_engines_agree(tmp_path: Path, opensearch: OpenSearchEngine) -> None:
    ward = Ward(tmp_path, FILES).admit()
    services = ward.place.services(ward.embedder)
    ingest(services.collection(NAME), replace(services.ingesting(), engine=opensearch))
    for wanted, stage in (("free#0", "retrieve"), ("closed#0", "index"), ("会员日当天积分双倍返还", "index")):
        here, there = (_diagnosed(ward, engine, wanted) for engine in (services.engine, opensearch))
        assert (here.stage, there.stage) == (stage, stage)
        assert verdicts(here) == verdicts(there)
        ranks = [[f.seen.partition("，")[0] for f in found.evidence if "名次" in f.name] for found in (here, there)]
        assert ranks[0] == ranks[1] and (stage != "retrieve" or all("第" in rank for rank in ranks[0]))
