"""A server that speaks OpenML's protocol, with data sets and faults of the tests.

It is a proxy, by which clients come to it: HTTPS_PROXY names it, and SSL_CERT_FILE has them trust its certificate. So
the addresses of OpenML in scikit-learn and in our code are what is tested.
"""

import gzip
import json
import re
import ssl
import subprocess
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

HOSTS = ("www.openml.org", "api.openml.org")
ROWS = 60


def mushrooms() -> tuple[list[dict], str]:
    """Attributes and ARFF text of a data set: numbers, categories with quotes and missing values, a row number."""
    rng = np.random.default_rng(0)
    edible = rng.integers(2, size=ROWS)
    attributes = [
        {"name": "row", "data_type": "numeric", "is_row_identifier": "true"},
        {"name": "height", "data_type": "numeric"},
        {"name": "rings", "data_type": "numeric"},
        {"name": "cap colour", "data_type": "nominal", "values": "{'dark red', white, '1', unseen}"},
        {"name": "spores", "data_type": "numeric"},
        {"name": "wet", "data_type": "nominal", "values": "{0, 1}"},
        {"name": "class", "data_type": "nominal", "is_target": "true", "values": "{poisonous, edible}"},
    ]
    header = [f"@attribute '{a['name']}' {a.pop('values', 'numeric')}" for a in attributes]
    lines = ["@relation mushrooms", *header, "@data"]
    for i, kind in enumerate(edible):
        height = "?" if i % 10 == 3 else f"{kind + rng.normal():.3f}"
        colour = ("?", "'dark red'", "white", "'1'")[(i + kind) % 4]
        lines.append(f"{i},{height},{rng.integers(5)},{colour},?,{i % 3 % 2},{('edible', 'poisonous')[kind]}")
    flags = ("is_target", "is_ignore", "is_row_identifier")
    defaults = {**dict.fromkeys(flags, "false"), "number_of_missing_values": "0"}
    return [{**defaults, **a, "index": str(i)} for i, a in enumerate(attributes)], "\n".join(lines) + "\n"


class OpenML:
    """What the server has, what it does wrong, and what it was asked."""

    def __init__(self):
        self.data: dict[str, tuple[dict, list[dict], str]] = {}  # by number: description, attributes, and ARFF text
        self.tasks = {"31": ("61", "class")}  # by number: number of the data set, and target
        # by end of a path: what the next requests get instead of an answer, a status or "cut off"
        self.faults: dict[str, list] = defaultdict(list)
        self.asked: list[str] = []  # paths
        self.add("61", *mushrooms())

    def add(self, number: str, attributes: list[dict], text: str, **change: str) -> None:
        """Add a data set, or put it in the place of another one."""
        self.data[number] = (
            {
                "id": number,
                "name": "mushrooms",
                "version": "2",
                "status": "active",
                "format": "ARFF",
                "licence": "CC0",
                "description": "Made by the tests.",
                "url": f"https://api.openml.org/data/v1/download/{number}/mushrooms.arff",
                "md5_checksum": md5(text.encode()).hexdigest(),
                **change,
            },
            attributes,
            text,
        )

    def answer(self, path: str) -> bytes | None:
        """What is sent; None for OpenML's status 412, which means that there is no such thing."""
        number = re.search(r"\d+(?=/mushrooms.arff$|$)", path)[0]
        if "/task/" in path:
            if number not in self.tasks:
                return None
            data_id, target = self.tasks[number]
            source = {"name": "source_data", "data_set": {"data_set_id": data_id, "target_feature": target}}
            others = [{"name": "estimation_procedure", "estimation_procedure": {"type": "crossvalidation"}}]
            return json.dumps({"task": {"task_id": number, "input": [source, *others]}}).encode()
        if number not in self.data:
            return None
        description, attributes, text = self.data[number]
        if path.endswith(".arff"):
            return text.encode()
        if "/features/" in path:
            return json.dumps({"data_features": {"feature": attributes}}).encode()
        if "/qualities/" in path:
            quality = {"name": "NumberOfInstances", "value": f"{ROWS}.0"}
            return json.dumps({"data_qualities": {"quality": [quality]}}).encode()
        return json.dumps({"data_set_description": description}).encode()


def certificate(folder: Path) -> Path:
    """A certificate for `HOSTS` with its key, made anew."""
    pem = folder / "openml.pem"
    names = "subjectAltName=" + ",".join(f"DNS:{host}" for host in HOSTS)
    options = f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=openml -addext {names}"
    command = ["openssl", *options.split(), "-keyout", pem, "-out", pem]
    subprocess.run(command, check=True, capture_output=True)
    return pem


@contextmanager
def serving(folder: Path) -> Iterator[tuple[OpenML, dict[str, str]]]:
    """The server, and the environment variables that bring a client to it."""
    openml, pem = OpenML(), certificate(folder)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(pem)

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self):  # to OpenML, that is, to this server
            self.send_response_only(200 if self.path.rpartition(":")[0] in HOSTS else 502)
            self.end_headers()
            with tls.wrap_socket(self.connection, server_side=True) as connection:
                type(self)(connection, self.client_address, self.server)

        def do_GET(self):
            openml.asked.append(self.path)
            faults = next((f for end, f in openml.faults.items() if self.path.endswith(end) and f), [])
            fault = faults.pop(0) if faults else None
            answer = openml.answer(self.path)
            status = fault if isinstance(fault, int) else 412 if answer is None else 200
            packed = status == 200 and self.headers["Accept-Encoding"] == "gzip"
            body = b"{}" if status != 200 else gzip.compress(answer) if packed else answer
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if packed:
                self.send_header("Content-Encoding", "gzip")
            if status == 429:
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if fault == "cut off" else body)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        yield openml, {"https_proxy": address, "HTTPS_PROXY": address, "SSL_CERT_FILE": str(pem), "no_proxy": ""}
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
