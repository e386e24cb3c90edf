"""`serve.py FILE`: a GGUF model behind an OpenAI-compatible server on 127.0.0.1; prints its address and stays."""

from __future__ import annotations

import socket
import sys
import threading

import xllamacpp


def main(file: str) -> None:
    """Start the server on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    parameters = xllamacpp.CommonParams()
    parameters.model.path = file
    parameters.n_ctx = 4096
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 2
    parameters.cpuparams_batch.n_threads = 2
    parameters.model_alias = {"qwen2.5-coder-1.5b"}
    server = xllamacpp.Server(parameters)
    print(f"{server.listening_address}/v1", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])
