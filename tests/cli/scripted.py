"""A server that answers as it is told, and keeps what it was asked."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor

JSON = {"Content-Type": "application/json"}


@dataclass
class Asked:
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Scripted:
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: JSON)

    def answer(self, value: Any, status: int = 200) -> None:
        """Answer JSON from now on."""
        self.status = status
        self.body = json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")
        self.headers = JSON

    @property
    def request(self) -> Any:
        """The JSON of the only call."""
        (only,) = self.asked
        return only.json


def sample(message: Descriptor) -> dict[str, Any]:
    """A response of the right shape: every field there, every list empty."""
    return {each.json_name: _sample(each) for each in message.fields}


def _sample(field: FieldDescriptor) -> Any:
    if field.is_repeated:
        return []
    if field.message_type is not None:
        return sample(field.message_type)
    if field.enum_type is not None:
        return field.enum_type.values[-1].name
    return "text" if field.type == FieldDescriptor.TYPE_STRING else 0


@contextmanager
def running() -> Iterator[Scripted]:
    script = Scripted()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            asked = Asked(self.path, dict(self.headers.items()), self.rfile.read(length))
            script.asked.append(asked)
            self.send_response(script.status)
            for name, text in {"Content-Length": str(len(script.body)), **script.headers}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(script.body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        script.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield script
        server.shutdown()
        thread.join()
