"""Certificates of a TLS connection: whom the command line trusts, and what it shows."""

import os
import ssl
import stat
from pathlib import Path

from postroom.cli.environment import CLIENT_CERT, CLIENT_KEY, SERVER_CA, Certificates
from postroom.cli.failure import Failure

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def context(files: Certificates) -> ssl.SSLContext:
    """Read the files. Raises Failure (invalid_argument) for those that cannot be used."""
    made = _trusting(files.server_ca)
    if files.certificate:
        _show(made, files.certificate, files.key or files.certificate)
    elif files.key:
        raise _bad(f"{CLIENT_KEY} needs {CLIENT_CERT} as well")
    return made


def _trusting(authority: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=authority or None)
    except OSError as error:
        raise _bad(f"{SERVER_CA} names {authority}: {_why(error)}; give a PEM file") from None


def _show(made: ssl.SSLContext, certificate: str, key: str) -> None:
    try:
        # On Windows these bits say nothing about who can read.
        if os.name == "posix" and Path(key).stat().st_mode & _OTHERS:
            raise _bad(f"the key {key} is open to other users; run: chmod 600 {key}")
        # A key with a pass phrase would ask at the terminal.
        made.load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as error:
        told = f"{CLIENT_CERT} {certificate} and its key {key} cannot be used: {_why(error)}; "
        told += "give a PEM certificate and its own key, without a pass phrase"
        raise _bad(told) from None


def _why(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or "no PEM").replace("_", " ").lower()
    return (isinstance(error, OSError) and error.strerror) or "no PEM"


def _bad(told: str) -> Failure:
    return Failure("invalid_argument", told)
