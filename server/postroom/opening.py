"""How the listeners are guarded, from what was judged of the settings."""

import asyncio
import ipaddress
import logging
import signal
from urllib.parse import parse_qs, urlsplit

from postroom import logins, operator_token
from postroom.binding import OnSocket, Place
from postroom.errors import StoreRefusal
from postroom.exposure import Exposed, Exposure, hosts
from postroom.office import Office
from postroom.rpc.door import TurnedAway, nobody_hears
from postroom.settings import Settings
from postroom.surfaces.gateway import Rules
from postroom.surfaces.wire import WireOptions
from postroom.tls import BadTls, Tls
from postroom.token import OPERATOR_FILE

log = logging.getLogger(__name__)


def keep_operator_token(office: Office, settings: Settings, exposure: Exposure) -> None:
    """Make the operator's token at the first start. Raises Exposed where callers need it."""
    try:
        operator_token.keep(office.store, settings.data_path, office.clock.now())
    except (operator_token.NotKept, StoreRefusal) as error:
        if not exposure.is_trusted:
            told = f"there is no operator's token to manage the server with: {error} (--data-dir)"
            raise Exposed(told) from None
        log.warning("the operator has no token: %s", error)


def warn_of_open_lines(settings: Settings) -> None:
    """Tell the person when the database is reached over a network that others may listen to."""
    url = urlsplit(settings.database_url)
    is_verified = parse_qs(url.query).get("sslmode") == ["verify-full"]
    if url.scheme != "sqlite" and not (is_verified or _is_here(url.hostname or "localhost")):
        log.warning("the database at %s is reached without sslmode=verify-full", url.hostname)


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def say_who_may_call(settings: Settings, exposure: Exposure) -> None:
    """Tell the person, in one line, whom the server believes."""
    warn_of_open_lines(settings)
    if exposure.is_trusted:
        log.info(
            "loopback trust: whoever reaches these ports may call as any agent that has no token, "
            "or as the operator by naming none; --require-auth ends that"
        )
        if exposure.sockets is None:
            warn_of_neighbours(logins.on_this_machine())
    else:
        path = settings.data_path / OPERATOR_FILE
        log.info("every caller must prove who it is; the operator's token is in %s", path)


def warn_of_neighbours(names: list[str]) -> None:
    """Tell the person who else can reach ports of loopback, where anybody is believed."""
    if names:
        log.warning(
            "others can log in on this machine (%s) and may call as anybody; --unix-socket PATH "
            "keeps them out",
            logins.listed(names),
        )


def wire_options(
    settings: Settings, exposure: Exposure, turned_away: TurnedAway = nobody_hears
) -> WireOptions:
    """How the gRPC listener is guarded."""
    asked = {"true": True, "false": False, "auto": exposure.is_trusted}
    return WireOptions(
        reflection=asked[settings.reflection],
        tls=exposure.tls,
        proxies=exposure.proxies,
        patience=settings.watch_patience,
        turned_away=turned_away,
    )


def rules(exposure: Exposure, http: Place) -> Rules:
    """How the HTTP listener is guarded."""
    if isinstance(http, OnSocket):
        return Rules(hosts=frozenset(exposure.names))
    return Rules(
        hosts=hosts(exposure, http),
        is_local=http.is_loopback,
        proxies=exposure.proxies,
        only_proxies=bool(exposure.proxies) and exposure.tls is None,
        any_address=http.is_wildcard,
    )


def reload_on_hangup(tls: Tls) -> None:
    """Read the certificate again at each SIGHUP; a bad one changes nothing."""

    def reload() -> None:
        try:
            tls.reload()
            log.info("the certificate was read again")
        except BadTls as error:
            log.warning("the certificate stays as it was: %s", error)

    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reload)
