"""The proto with a field of every kind, with path templates of every sort beside its own."""

from google.api.http_pb2 import CustomHttpPattern, HttpRule

from postroom.rpc.contract import read
from tests.surfaces.gateway.kinds import ENUMS, MESSAGES, METHODS
from tests.surfaces.gateway.protos import method, pool_of

_GETS = (
    *("/files/{text=**}", "/files/{text=logs/**}", "/t/{text=files/**}/tail", "/t/{text=a/*/b}"),
    *(
        "/p/fixed",
        "/p/{text}",
        "/late/{text}",
        "/late/fixed",
        "/p/{text}:verb",
        "/p/{text=x/*}:stream",
    ),
    *("/orgs", "/orgs:verb", "/dummies:verb", "/any/*/end/{text}", "/all/**", "/all/**/end"),
    *(
        "/two/{text}/{inner.text}",
        "/deep/{text=**}:do",
        "/esc%2Dape/{text}",
        "/odd:colon/{text}",
        "/",
    ),
    *("/n/{i32}/{inner.number}", "/mix/{text=*}/{maybe=**}"),
)


def _named(number: int, template: str) -> HttpRule:
    return HttpRule(put=template) if number % 5 == 4 else HttpRule(get=template)


_TEMPLATES = method(
    "Template",
    ".test.All",
    ".test.All",
    *(_named(number, template) for number, template in enumerate(_GETS)),
    HttpRule(delete="/p/{text}"),
    HttpRule(post="/p/{text}", body="inner"),
    HttpRule(custom=CustomHttpPattern(kind="HEAD", path="/heads/{text}")),
)
_UNBOUND = (
    method("Unbound", ".test.All", ".test.All"),
    method("WatchUnbound", ".test.All", ".test.All", streams=True),
)
POOL = pool_of("test", MESSAGES, ENUMS, (*METHODS, _TEMPLATES, *_UNBOUND))
CONTRACT = read(["test.proto"], POOL, {})
