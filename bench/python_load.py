"""Load from a Python process, for machines without h2load; it flatters ratios."""

import asyncio
import dataclasses
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import uvloop

from bench.target import FRAME_BYTES, Measured, Target
from bench.trouble import Trouble

_TIMEOUT = 300
# Sends one request and returns the size of its answer.
Call = Callable[[], Awaitable[int]]


class PythonLoad:
    """Runs this module as a process of its own."""

    name = "a Python client"

    def run(self, target: Target, count: int, *, keep_latencies: bool = False) -> Measured:
        """See Load."""
        asked = dataclasses.asdict(target) | {"body": target.body.hex()}
        done = subprocess.run(
            [sys.executable, "-m", "bench.python_load"],
            input=json.dumps([asked, count]),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
        )
        if done.returncode:
            raise Trouble(f"the Python client failed: {done.stderr[-2000:]}")
        seconds, payload, latencies = json.loads(done.stdout)
        return Measured(count, seconds, payload, latencies if keep_latencies else ())


async def _main() -> None:
    asked, count = json.loads(sys.stdin.read())
    target = Target(**asked | {"body": bytes.fromhex(asked["body"])})
    run = _grpc if target.protocol == "grpc" else _http
    print(json.dumps(await run(target, count)))


async def _grpc(target: Target, count: int) -> Any:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{target.port}") as channel:
        method: Any = channel.unary_unary(target.path)
        own = ("content-type", "te")
        metadata = [(k, v) for k, v in target.headers.items() if k not in own]

        async def call() -> int:
            return len(await method(target.body, metadata=metadata)) + FRAME_BYTES

        await channel.channel_ready()
        return await _share(count, [call] * target.streams)


async def _http(target: Target, count: int) -> Any:
    calls = [await _connection(target) for _ in range(target.streams)]
    return await _share(count, calls)


async def _connection(target: Target) -> Call:
    reader, writer = await asyncio.open_connection("127.0.0.1", target.port)
    verb = "POST" if target.body else "GET"
    headers = {"host": f"127.0.0.1:{target.port}", **target.headers}
    if target.body:
        headers["content-length"] = str(len(target.body))
    lines = [f"{verb} {target.path} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
    request = "\r\n".join([*lines, "", ""]).encode() + target.body

    async def call() -> int:
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if not head.startswith(b"http/1.1 200"):
            raise Trouble(head.decode("latin-1"))
        size = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        return len(await reader.readexactly(size))

    return call


async def _share(count: int, calls: list[Call]) -> tuple[float, int, list[float]]:
    left = iter(range(count))
    latencies: list[float] = []

    async def work(call: Call) -> int:
        received = 0
        for _ in left:
            begun = time.perf_counter()
            received += await call()
            latencies.append(time.perf_counter() - begun)
        return received

    begun = time.perf_counter()
    payload = sum(await asyncio.gather(*map(work, calls)))
    return time.perf_counter() - begun, payload, latencies


if __name__ == "__main__":
    uvloop.run(_main())
