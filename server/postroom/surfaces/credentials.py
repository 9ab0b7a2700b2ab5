"""TLS for the gRPC listener, read anew for connections that come after a reload."""

import threading
from typing import Any

import grpc

from postroom.tls import Tls


def credentials(tls: Tls) -> Any:
    """Make the credentials of a port."""
    known = [tls.round]
    lock = threading.Lock()

    def newest() -> Any:
        # Asked at every handshake, from threads of the library; None means unchanged.
        with lock:
            if known[0] == tls.round:
                return None
            known[0] = tls.round
            return _configuration(tls)

    return grpc.dynamic_ssl_server_credentials(
        _configuration(tls), newest, require_client_authentication=tls.asks_clients
    )


def _configuration(tls: Tls) -> Any:
    pems = tls.pems
    return grpc.ssl_server_certificate_configuration(
        [(pems.key, pems.certificate)], root_certificates=pems.client_ca
    )
