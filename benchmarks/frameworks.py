"""One framework's own hybrid retrieval, in a process and an environment of its own: `PYTHON -I benchmarks/frameworks.py NAME MATERIAL`.

MATERIAL is a JSON file: {"url", "index", "size", "ids", "texts", "questions", "vectors", "question_vectors"}, the last
two naming .npy files. Every framework writes an index that was made for it (text in bigrams, Lucene HNSW by cosine) and
asks it in the way its documentation shows, both legs joined by reciprocal rank; texts are embedded by looking the vector
up. The first line on standard output is {"version"} or {"failed"}; then each line {"ask": question, "bare": bool} on
standard input is answered by {"seconds", "hits"}. A bare question is the framework's own two searches in one `_msearch`,
without the vectors in the answer.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

# Nothing is to be reported to anybody while the clock runs.
os.environ |= {"HAYSTACK_TELEMETRY_ENABLED": "False", "LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}

#: The graph that the product's indices have too.
_SIZES = {"m": 16, "ef_construction": 128}
GRAPH = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil", "parameters": _SIZES}

#: Asks one question by its number; how many passages came out.
Ask = Callable[[int], int]


@dataclass(frozen=True)
class Material:
    """What is indexed and asked; vectors are lists of numbers, as the frameworks want them."""

    url: str
    index: str
    size: int
    ids: list[str]
    texts: list[str]
    vectors: list[list[float]]
    questions: list[str]
    question_vectors: list[list[float]]

    def vector(self, question: str) -> list[float]:
        """The prepared vector of a question."""
        return self.question_vectors[self.questions.index(question)]


def index_body(material: Material, text: str, vector: str) -> dict[str, Any]:
    """An index for a framework: its own field names, the bigram analyzer and the graph of Lucene."""
    return {
        "settings": {"index": {"knn": True, "number_of_replicas": 0}},
        "mappings": {
            "properties": {
                text: {"type": "text", "analyzer": "cjk"},
                vector: {"type": "knn_vector", "dimension": len(material.vectors[0]), "method": GRAPH},
            }
        },
    }


def haystack(material: Material) -> Ask:
    """OpenSearchHybridRetriever: BM25 and embedding retriever in a pipeline, joined by reciprocal rank."""
    from haystack import Document, component
    from haystack_integrations.components.retrievers.opensearch import OpenSearchHybridRetriever
    from haystack_integrations.document_stores.opensearch import OpenSearchDocumentStore

    @component
    class Prepared:
        @component.output_types(embedding=list[float])
        def run(self, text: str) -> dict[str, Any]:
            return {"embedding": material.vector(text)}

    body = index_body(material, "content", "embedding")
    store = OpenSearchDocumentStore(
        hosts=material.url, index=material.index, mappings=body["mappings"], settings=body["settings"], http_auth=None
    )
    store.write_documents(
        [
            Document(id=i, content=text, embedding=vector)
            for i, text, vector in zip(material.ids, material.texts, material.vectors, strict=True)
        ],
        refresh=True,
    )
    retriever = OpenSearchHybridRetriever(
        store, embedder=Prepared(), top_k_bm25=material.size, top_k_embedding=material.size, top_k=2 * material.size
    )
    return lambda question: len(retriever.run(query=material.questions[question])["documents"])


def langchain(material: Material) -> Ask:
    """EnsembleRetriever over OpenSearchVectorSearch and a match query, for which there is no retriever on OpenSearch.

    Its one-call hybrid search needs the neural-search plugin on the server.
    """
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.vectorstores import OpenSearchVectorSearch
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever

    class Prepared(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [material.vector(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return material.vector(text)

    class Match(BaseRetriever):
        client: Any

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            body = {
                "query": {"match": {"text": {"query": query}}},
                "size": material.size,
                "_source": ["text", "metadata"],
            }
            hits = self.client.search(index=material.index, body=body)["hits"]["hits"]
            return [
                Document(page_content=hit["_source"]["text"], metadata=hit["_source"]["metadata"], id=hit["_id"])
                for hit in hits
            ]

    make_index(material, index_body(material, "text", "vector_field"))
    store = OpenSearchVectorSearch.from_embeddings(
        material.vectors,
        material.texts,
        Prepared(),
        ids=material.ids,
        metadatas=[{"id": i} for i in material.ids],
        bulk_size=len(material.texts),
        opensearch_url=material.url,
        index_name=material.index,
        engine="lucene",
        space_type="cosinesimil",
    )
    vector = store.as_retriever(search_kwargs={"k": material.size})
    both = EnsembleRetriever(retrievers=[Match(client=store.client), vector], weights=[0.5, 0.5])
    return lambda question: len(both.invoke(material.questions[question]))


def llama_index(material: Material) -> Ask:
    """QueryFusionRetriever over a text-search and a vector retriever of one OpensearchVectorStore.

    The hybrid mode of the store needs the neural-search plugin on the server.
    """
    from llama_index.core import Settings, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import TextNode
    from llama_index.vector_stores.opensearch import OpensearchVectorClient, OpensearchVectorStore

    class Prepared(BaseEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            return material.vector(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            return material.vector(text)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return material.vector(query)

    Settings.llm = MockLLM()  # looked up even where no further questions are to be made
    client = OpensearchVectorClient(
        material.url,
        material.index,
        len(material.vectors[0]),
        method=GRAPH,
        engine="lucene",
        idx_conf=index_body(material, "content", "embedding"),
        excluded_source_fields=["embedding"],
    )
    store = OpensearchVectorStore(client)
    store.add(
        [
            TextNode(id_=i, text=text, embedding=vector)
            for i, text, vector in zip(material.ids, material.texts, material.vectors, strict=True)
        ]
    )
    index = VectorStoreIndex.from_vector_store(store, embed_model=Prepared())
    fused = QueryFusionRetriever(
        [
            index.as_retriever(similarity_top_k=material.size, vector_store_query_mode="text_search"),
            index.as_retriever(similarity_top_k=material.size),
        ],
        mode="reciprocal_rerank",
        similarity_top_k=2 * material.size,
        num_queries=1,
        use_async=False,
    )
    return lambda question: len(fused.retrieve(material.questions[question]))


FRAMEWORKS: dict[str, tuple[Callable[[Material], Ask], tuple[str, ...]]] = {
    "haystack": (haystack, ("haystack-ai", "opensearch-haystack")),
    "langchain": (langchain, ("langchain-classic", "langchain-community")),
    "llama-index": (llama_index, ("llama-index-core", "llama-index-vector-stores-opensearch")),
}


def make_index(material: Material, body: dict[str, Any]) -> None:
    """Make the index of a framework that finds one there."""
    from opensearchpy import OpenSearch

    client = OpenSearch(hosts=[material.url])
    client.indices.create(index=material.index, body=body)
    client.close()


@contextmanager
def recorded() -> Iterator[list[dict[str, Any]]]:
    """The bodies of all searches that are sent meanwhile."""
    from opensearchpy import Transport

    send, bodies = Transport.perform_request, []

    def noting(self: Any, method: str, url: str, *given: Any, **named: Any) -> Any:
        if url.endswith("_search"):
            bodies.append(named["body"])
        return send(self, method, url, *given, **named)

    Transport.perform_request = noting
    try:
        yield bodies
    finally:
        Transport.perform_request = send


def bare(material: Material, ask: Ask) -> Ask:
    """The searches that a framework sends for each question, in one request and without its code around them."""
    from opensearchpy import OpenSearch

    requests = []
    for question in range(len(material.questions)):
        with recorded() as bodies:
            ask(question)
        without_vectors = {"_source": {"excludes": ["embedding", "vector_field"]}}
        requests.append([line for body in bodies for line in ({"index": material.index}, body | without_vectors)])
    client = OpenSearch(hosts=[material.url])

    def send(question: int) -> int:
        parts = client.msearch(body=requests[question])["responses"]
        return len({hit["_id"] for part in parts for hit in part["hits"]["hits"]})

    return send


def read_material(file: Path) -> Material:
    """The material that a file describes."""
    import numpy as np

    fields = json.loads(file.read_text(encoding="utf-8"))
    for name in ("vectors", "question_vectors"):
        fields[name] = np.load(fields[name]).tolist()
    return Material(**fields)


def serve(questions: TextIO, answers: TextIO, asks: dict[bool, Ask]) -> None:
    """Answer until no more is asked."""
    for line in questions:
        asked = json.loads(line)
        ask = asks[asked["bare"]]
        start = time.perf_counter()
        hits = ask(asked["ask"])
        say(answers, {"seconds": time.perf_counter() - start, "hits": hits})


def say(answers: TextIO, answer: dict[str, Any]) -> None:
    """One answer, at once."""
    print(json.dumps(answer), file=answers, flush=True)


def main() -> int:
    """Get ready, say so, answer; exit status 1 when the framework is not there or could not be used."""
    name, file = sys.argv[1:]
    answers, sys.stdout = sys.stdout, sys.stderr  # what the frameworks print is no answer
    prepare, packages = FRAMEWORKS[name]
    try:
        versions = ", ".join(f"{package} {version(package)}" for package in packages)
        material = read_material(Path(file))
        ask = prepare(material)
        asks = {False: ask, True: bare(material, ask)}
    except ImportError as error:
        say(answers, {"failed": f"not installed ({error.name})"})
        return 1
    except Exception as error:  # whatever a framework raises is its result here
        say(answers, {"failed": f"{type(error).__name__}: {error}"[:300]})
        return 1
    say(answers, {"version": versions})
    serve(sys.stdin, answers, asks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
