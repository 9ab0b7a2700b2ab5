"""A server with people and mail, and the variants that are shot at it."""

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agent.v1 import agent_service_pb2 as messages
from bench import probe
from bench.cells import Variant
from bench.census import Census, Count
from bench.people import BODY, claim, fill, make_agents, room
from bench.placement import Placement, on
from bench.running import Running, server
from bench.spread import STAND_IN, Cast
from bench.target import FRAME_BYTES, Measured, Target, grpc_method, json_route
from bench.trouble import Trouble
from postroom.assemble import PostRoom

AGENTS = 200
# Half of a page of 50 is claimed, and there is a next one.
_LISTED, _CLAIMED = 75, 50
# Ten waiting mails for each read; a mailbox may hold 200 by default.
_READS_EACH = 20
_SEND = messages.SendMailRequest(to=STAND_IN, body=BODY).SerializeToString()
_LIST = messages.ListMailRequest().SerializeToString()
_READ = messages.ReadMailRequest(limit=probe.CLAIM).SerializeToString()
_SEND_JSON = json.dumps({"to": STAND_IN, "body": BODY}).encode()


@dataclass(frozen=True)
class Stage:
    """A running server, its database, and who calls."""

    running: Running
    room: PostRoom
    census: Census
    casts: Mapping[str, Cast]

    def send(self, streams: int) -> Variant:
        """SendMail over gRPC."""
        return self.sending(grpc_method(self.running.grpc, "SendMail", _SEND, streams))

    def list(self, streams: int, request: bytes = _LIST) -> Variant:
        """ListMail over gRPC."""
        return self.listing(grpc_method(self.running.grpc, "ListMail", request, streams))

    def read(self, streams: int) -> Variant:
        """ReadMail over gRPC."""
        return self.reading(grpc_method(self.running.grpc, "ReadMail", _READ, streams))

    def send_json(self, connections: int) -> Variant:
        """SendMail as JSON."""
        return self.sending(json_route(self.running.http, "/v1/mail", _SEND_JSON, connections))

    def list_json(self, connections: int) -> Variant:
        """ListMail as JSON."""
        return self.listing(json_route(self.running.http, "/v1/mail", b"", connections))

    def sending(self, target: Target) -> Variant:
        """Each answer must become a row and be counted."""

        def check(measured: Measured) -> None:
            sent = measured.count
            self.census.must_have_changed(target.path, Count(sent, sent, sent, sent))

        return Variant(target, self._remember, check)

    def listing(self, target: Target) -> Variant:
        """Each answer must be as long as one that is asked for just before."""
        page = b""

        def prepare(_: int) -> None:
            nonlocal page
            page = probe.answer(target)

        def check(measured: Measured) -> None:
            must_have_size(measured, len(page), target)

        return Variant(target, prepare, check)

    def reading(self, target: Target) -> Variant:
        """Each answer must claim ten pieces; the mailboxes are filled beforehand."""
        cast = self.casts["ReadMail"]
        readers, senders = cast.callers, self.casts["SendMail"].callers

        def prepare(count: int) -> None:
            fill(self.room, readers, probe.CLAIM * math.ceil(count / len(readers)), senders)
            self.census.remember()

        def check(measured: Measured) -> None:
            claimed = probe.CLAIM * measured.count
            self.census.must_have_changed(target.path, Count(0, 0, 0, -claimed))

        largest = _READS_EACH * len(readers)
        return Variant(target, prepare, check, len(readers), largest)

    def _remember(self, _: int) -> None:
        self.census.remember()


def must_have_size(measured: Measured, size: int, target: Target) -> None:
    """Compare the bytes that came back with so many for each answer. Raises Trouble."""
    whole = size + (FRAME_BYTES if target.protocol == "grpc" else 0)
    if measured.payload != whole * measured.count:
        told = f"{measured.count} answers had {measured.payload} bytes, not {whole} each"
        raise Trouble(f"{target.path}: {told}")


@contextlib.contextmanager
def stage(
    database: str, folder: Path, placement: Placement, *, only_sends: bool = False
) -> Iterator[Stage]:
    """A new database with 200 agents for each method, and a server on it."""
    with on(placement.load), room(database) as opened:
        casts = {"SendMail": Cast(senders := make_agents(opened, "sender", AGENTS), senders)}
        if not only_sends:
            casts["ListMail"] = Cast(listers := make_agents(opened, "lister", AGENTS))
            casts["ReadMail"] = Cast(make_agents(opened, "reader", AGENTS))
            fill(opened, listers, _LISTED)
            claim(opened, listers, _CLAIMED)
        with server(database, casts, placement.server, folder) as running:
            yield Stage(running, opened, Census(database), casts)
