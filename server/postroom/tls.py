"""The server's certificate and key, and the authority that signs its clients'."""

import os
import ssl
import stat
from dataclasses import dataclass
from pathlib import Path

_GROUP, _OTHERS = stat.S_IRWXG, stat.S_IRWXO


class BadTls(Exception):
    """The files cannot be used; the text names the option and says why."""


@dataclass(frozen=True, slots=True)
class Pems:
    """The content of the files."""

    certificate: bytes
    key: bytes
    client_ca: bytes | None


class Tls:
    """Files that can be read again while the server runs.

    New connections get what was read last; `round` counts the readings.
    """

    def __init__(self, certificate: Path, key: Path, client_ca: Path | None) -> None:
        """Read the files. Raises BadTls."""
        self._paths = (certificate, key, client_ca)
        self.round = 0
        self.pems, self._newest = self._read()
        # Connections begin with this one and are handed on to the newest.
        self.context = self._newest
        self.context.sni_callback = self._hand_on

    @property
    def asks_clients(self) -> bool:
        """Whether every client must show a certificate."""
        return self.pems.client_ca is not None

    def reload(self) -> None:
        """Read the files again. Raises BadTls, and then keeps what it had."""
        self.pems, self._newest = self._read()
        self.round += 1

    def _read(self) -> tuple[Pems, ssl.SSLContext]:
        certificate, key, client_ca = self._paths
        pems = Pems(
            _content(certificate, "--tls-cert"),
            _secret(key, "--tls-key"),
            _content(client_ca, "--client-ca") if client_ca else None,
        )
        return pems, _context(certificate, key, client_ca)

    def _hand_on(self, link: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        if link.context is not self._newest:
            link.context = self._newest


def _context(certificate: Path, key: Path, client_ca: Path | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        # A key with a pass phrase would ask at the terminal.
        context.load_cert_chain(certificate, key, password="")
    except (OSError, ValueError):
        raise BadTls(
            f"--tls-cert {certificate} and --tls-key {key} do not fit together: give a PEM "
            "certificate and its own key, without a pass phrase"
        ) from None
    if client_ca:
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(client_ca)
        except (OSError, ValueError):
            raise BadTls(f"--client-ca {client_ca} holds no certificate; give a PEM file") from None
    return context


def _content(path: Path, option: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadTls(f"{option} {path} cannot be read: {error.strerror}") from None


def _secret(path: Path, option: str) -> bytes:
    content = _content(path, option)
    found = path.stat()
    # As PostgreSQL has it: a key of root's may be shared with the group that serves.
    is_shared = found.st_uid == 0 and os.geteuid() != 0 and not found.st_mode & stat.S_IWGRP
    if found.st_mode & (_OTHERS if is_shared else _OTHERS | _GROUP):
        raise BadTls(f"{option} {path} is open to other users; run: chmod 600 {path}")
    return content
