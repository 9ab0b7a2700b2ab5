"""SendMessage over gRPC: against a handler that does nothing, and with the archive off."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.v1.message_service_pb2 import SendMessageRequest, SendMessageResponse
from bench import goals
from bench.cells import Cell, Gun, Sample, Variant, against, longer
from bench.census import Census, Count
from bench.pairs import empty, proven
from bench.people import BODY, room
from bench.placement import Placement, on
from bench.project import SUBJECT, make_project
from bench.running import Running, server
from bench.spread import Cast
from bench.stage import AGENTS
from bench.target import MESSAGES, Measured, Target, grpc_method
from bench.trouble import Trouble
from postroom.assemble import PostRoom

_STREAMS = 4
_KEY = "/bench/messages"
_CATCH_UP_SECONDS = 60


@dataclass(frozen=True)
class Post:
    """A running server with one project, and its database."""

    running: Running
    room: PostRoom
    census: Census

    def send(self, recipients: int) -> Variant:
        """SendMessage to so many; each copy must become a row and be counted."""
        request = SendMessageRequest(
            project_key=_KEY,
            sender_name="one of the cast",
            to=["others"] * recipients,
            subject=SUBJECT,
            body_md=BODY,
        )
        body = request.SerializeToString()
        target = grpc_method(self.running.grpc, "SendMessage", body, _STREAMS, MESSAGES)

        def prepare(_: int) -> None:
            self.census.remember()

        def check(measured: Measured) -> None:
            sent = recipients * measured.count
            self.census.must_have_changed(target.path, Count(sent, sent, sent, sent))
            self._catch_up()

        return Variant(target, prepare, check)

    def _catch_up(self) -> None:
        """Wait for the archive, which would work on beside the next shot. Raises Trouble."""
        end = time.monotonic() + _CATCH_UP_SECONDS
        while self.room.office.store.read(lambda session: session.outbox(after=0, limit=1)):
            if time.monotonic() > end:
                raise Trouble("the archive did not catch up")
            time.sleep(0.05)


@contextlib.contextmanager
def cells(gun: Gun, placement: Placement, folder: Path) -> Iterator[Sequence[Cell]]:
    """Two servers, of which one is idle at any time: with an archive and without."""
    with contextlib.ExitStack() as stack:
        kept, plain = (
            stack.enter_context(_post(archive, placement, folder))
            for archive in ("messages", "off")
        )
        yield list(_cells(gun, kept, plain, placement.name))


def _cells(gun: Gun, kept: Post, plain: Post, placement: str) -> Iterator[Cell]:
    one, ten, bare = kept.send(1), kept.send(10), plain.send(1)
    for variant, told in ((one, "one"), (ten, "ten")):
        nothing = empty(kept.running, variant, proven(variant, _must_be_sent))
        label = f"gRPC SendMessage to {told}, {_STREAMS} streams / empty, {placement}"
        yield Cell("messages", label, goals.MESSAGES, against(gun, variant, nothing))
    proven(bare, _must_be_sent)
    for label, measure in _between(gun, one, ten, bare):
        yield Cell("messages", f"{label}, {_STREAMS} streams, {placement}", goals.MESSAGES, measure)


def _between(
    gun: Gun, one: Variant, ten: Variant, bare: Variant
) -> Iterator[tuple[str, Callable[[int], Sample]]]:
    yield "SendMessage to ten / to one, time", longer(gun, ten, one)
    yield "SendMessage to one, archive on / off", against(gun, one, bare)


@contextlib.contextmanager
def _post(archive: str, placement: Placement, folder: Path) -> Iterator[Post]:
    (own := folder / archive).mkdir()
    database = f"sqlite:///{own / 'mail.db'}"
    with on(placement.load), room(database, archive) as opened:
        agents = make_project(opened, _KEY, AGENTS).agents
        names = [agent.name for agent in agents]
        casts = {"SendMessage": Cast([agent.id for agent in agents], names, names)}
        with server(database, casts, placement.server, own, archive) as running:
            yield Post(running, opened, Census(database))


def _must_be_sent(target: Target, raw: bytes) -> None:
    sent = SendMessageResponse.FromString(raw)
    asked = SendMessageRequest.FromString(target.body)
    if sent.count != 1 or len(set(sent.deliveries[0].payload.to)) != len(asked.to):
        raise Trouble(f"{target.path} gave an unexpected answer")
