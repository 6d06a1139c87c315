"""An endpoint of OpenAI's chat-completions protocol on this machine, that answers as a test wants."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Self


@dataclass(frozen=True)
class Reply:
    """What the server sends back."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    waits: bool = False
    """Sends nothing until the server is closed."""
    drips: bool = False
    """Sends a byte now and then, and never all."""
    promised: int | None = None
    """Bytes that it says it will send, if not those of the body."""


def as_reply(value: object, **more: Any) -> Reply:
    return Reply(json.dumps(value).encode(), **more)


def says(
    content: object, *, finish: str = "stop", refusal: str | None = None, usage: object = (11, 3)
) -> Reply:
    """A chat completion; `usage` is (input, output) tokens, or what stands in its place."""
    message = {"role": "assistant", "content": content, "refusal": refusal}
    whole: dict[str, object] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if isinstance(usage, tuple):
        given, made = usage
        usage = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
    return as_reply(whole | ({} if usage is None else {"usage": usage}))


def fails(status: int, message: str = "no", **headers: str) -> Reply:
    """An error; clients that may try again do so at once."""
    at_once = {"retry-after-ms": "1"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return as_reply({"error": {"message": message, "type": "x"}}, status=status, headers=at_once)


@dataclass
class Asked:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        [message] = self.body["messages"]
        assert message["role"] == "user"
        return str(message["content"])


class ChatServer:
    """Listens while it is entered. `answer` makes a reply of a prompt; `asked` holds what came."""

    def __init__(self) -> None:
        self.answer: Callable[[str], Reply] = lambda prompt: says(f"re: {prompt}")
        self.asked: list[Asked] = []
        self.closing = Event()
        self._lock = Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        return [asked.prompt for asked in self.asked]

    def answer_in_turn(self, replies: Iterable[Reply]) -> None:
        """One reply a request, whatever it says."""
        waiting = iter(list(replies))
        self.answer = lambda prompt: next(waiting)

    def __enter__(self) -> Self:
        self._thread = Thread(target=lambda: self._http.serve_forever(poll_interval=0.01), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def reply_to(self, asked: Asked) -> Reply:
        with self._lock:
            self.asked.append(asked)
        return self.answer(asked.prompt)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                reply = server.reply_to(
                    Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                )
                if reply.waits:
                    server.closing.wait()
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                self.send_header("content-type", "application/json")
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                promised = 10**6 if reply.drips else reply.promised
                self.send_header("content-length", str(len(reply.body) if promised is None else promised))
                self.end_headers()
                self.wfile.write(reply.body)
                self.wfile.flush()
                self.close_connection = promised is not None
                while reply.drips and not server.closing.is_set():
                    time.sleep(0.02)
                    self.wfile.write(b" ")

            def handle(self) -> None:
                try:
                    super().handle()
                except OSError:  # the client has gone
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                """Nothing."""

        return Handler
