"""Sends the same requests to the real gateway and to ours, and compares the answers."""

import logging
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from google.protobuf.descriptor_pool import Default

from postroom.rpc.contract import service_files
from tests.interop.gateway import kinds, played
from tests.interop.gateway.asking import Asking
from tests.interop.gateway.building import built, source
from tests.interop.gateway.compare import Seen, differences
from tests.interop.gateway.doors import Echo
from tests.interop.gateway.edges import edges
from tests.interop.gateway.exchange import Request
from tests.interop.gateway.explain import Case, explain
from tests.interop.gateway.played import Played
from tests.interop.gateway.room import Known, answers_at_once, founding, rooms
from tests.interop.gateway.sites import Pair, Side, real_gateway, scripted
from tests.interop.server import serving
from tests.room import CONTRACT
from tests.surfaces.gateway.test_vectors import CONTRACT as _RECORDED

SEED = 20_261_201
LEAST = 2_000
_OF_KINDS, _OF_VECTORS, _OF_ROOM, _OF_SERVER = 2_400, 300, 1_200, 200
_MOST_SHOWN = 20
# What waits for mail answers at no certain time, so there is nothing to compare.
_PROMPT = replace(CONTRACT, specs=tuple(filter(answers_at_once, CONTRACT.specs)))
_UNBOUND = "/agent.v1.AgentService/"


@dataclass
class Tally:
    """What the comparison has come to."""

    compared: int = 0
    different: int = 0
    explained: int = 0
    deviations: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)

    async def send(self, pair: Pair, request: Request) -> Seen:
        """Send one request to both; returns what was seen of ours."""
        theirs, ours = await pair.ask(request)
        self.compared += 1
        found = differences(theirs, ours)
        if found:
            self.different += 1
            names, rest = explain(Case(request, theirs, ours, found))
            self.deviations.update(names)
            self.explained += not rest
            if rest:
                self.unexplained.append(_told(request, rest))
        return ours

    async def send_all(self, pair: Pair, requests: Iterable[Request]) -> None:
        """Send requests to both, one after the other."""
        for request in requests:
            await self.send(pair, request)

    @property
    def passed(self) -> bool:
        """Whether enough was compared and all is explained."""
        return not self.unexplained and self.compared >= LEAST

    @property
    def summary(self) -> str:
        """One line."""
        return (
            f"oracle: {self.compared} requests compared, {self.different} differences, "
            f"{self.explained} explained by {len(self.deviations)} deviations"
        )


async def run(seed: int = SEED) -> Tally:
    """Compare everything, and tell it."""
    # What a server would log of odd requests is of no interest here.
    logging.disable(logging.CRITICAL)
    tally = Tally()
    print(f"oracle: seed {seed}")
    for stage in (_vectors, _kinds, _room, _server):
        before = tally.compared
        await stage(tally, seed)
        print(f"oracle: {tally.compared - before} requests for {stage.__name__.strip('_')}")
    for told in tally.unexplained[:_MOST_SHOWN]:
        print(told)
    for name, count in tally.deviations.most_common():
        print(f"oracle: deviation {name}: {count}")
    print(tally.summary)
    return tally


async def _vectors(tally: Tally, seed: int) -> None:
    """The recorded cases, and generated requests for their proto."""
    pool = _RECORDED.specs[0].input.file.pool
    program = built(source("vectors", pool, "test.proto"))
    doors: list[Played] = []

    def door() -> Played:
        doors.append(Played())
        return doors[-1]

    def prepare(request: Request) -> None:
        for each in doors:
            each.backend = request.backend or {}

    asking = Asking("vectors", _RECORDED, random.Random(seed))
    async with scripted(program, door, pool) as pair:
        pair.prepare = prepare
        await tally.send_all(pair, played.vectors())
        await tally.send_all(pair, (asking.request() for _ in range(_OF_VECTORS)))


async def _kinds(tally: Tally, seed: int) -> None:
    """Generated requests for a proto with every kind of field and of route."""
    program = built(source("kinds", kinds.POOL, "test.proto"))
    asking = Asking("kinds", kinds.CONTRACT, random.Random(seed))
    async with scripted(program, lambda: Echo(kinds.CONTRACT.specs), kinds.POOL) as pair:
        await tally.send_all(pair, edges("/star", "/q"))
        await tally.send_all(pair, (asking.request() for _ in range(_OF_KINDS)))


async def _room(tally: Tally, seed: int) -> None:
    """Recorded and generated requests for our own proto, on two rooms that are alike."""
    program = built(source("room", Default(), *service_files()))
    dice = random.Random(seed)
    known = Known(dice)
    asking = Asking("room", _PROMPT, dice, known.text)
    async with rooms(program) as pair:
        for request in founding():
            known.learn(await tally.send(pair, request))
        await tally.send_all(pair, edges(f"{_UNBOUND}ListMail", "/v1/agents"))
        # A clock that stands still makes no call time out.
        recorded = [
            one
            for one in played.vectors()
            if not one.header("grpc-timeout") and "WatchMail" not in one.path
        ]
        await tally.send_all(pair, (replace(one, backend=None) for one in recorded))
        for _ in range(_OF_ROOM):
            request = asking.request()
            request = replace(request, headers=(*request.headers, *known.caller()))
            known.learn(await tally.send(pair, request))


async def _server(tally: Tally, seed: int) -> None:
    """Reads from one real server, through the real gateway and directly."""
    program = built(source("room", Default(), *service_files()))
    dice = random.Random(seed)
    known = Known(dice)
    with serving() as server:
        known.agents += [server.agent(name) for name in ("alfa", "bravo", "charlie")]
        for number in range(5):
            server.call("SendMail", to="alfa", body=f"Mail {number}.")
        # A read of another's box is recorded, and the next list of such reads would differ.
        reads = [one for one in _PROMPT.specs if one.reads_only and one.name != "ListMailboxReads"]
        asking = Asking("server", _PROMPT, dice, known.text)
        async with real_gateway(program, server.grpc) as real:
            pair = Pair(Side(real, None, ""), Side(server.http, None, ""))
            await tally.send_all(pair, (asking.request(reads) for _ in range(_OF_SERVER)))


def _told(request: Request, rest: list[str]) -> str:
    sent = f"{request.method} {request.path[:300]!r} {request.headers} {request.body[:300]!r}"
    return "\n".join((f"UNEXPLAINED {request.name}: {sent}", *(f"    {one}" for one in rest)))
