"""Certificates of the tests' own, made with the program openssl."""

import itertools
import subprocess
from dataclasses import dataclass
from pathlib import Path

HOSTS = "DNS:localhost,IP:127.0.0.1"


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its key, as files."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        self._own = self._made("authority", "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    @property
    def certificate(self) -> Path:
        """What others trust."""
        return self._own.certificate

    def sign(self, names: str = HOSTS) -> Pair:
        """Make a certificate for these names, such as DNS:localhost or URI:urn:x."""
        number = next(self._numbers)
        return self._made(
            f"signed-{number}",
            *("-addext", f"subjectAltName={names}", "-addext", "basicConstraints=CA:FALSE"),
            *("-CA", str(self._own.certificate), "-CAkey", str(self._own.key)),
        )

    def _made(self, name: str, *more: str) -> Pair:
        pair = Pair(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        made = subprocess.run(
            [
                *(
                    "openssl",
                    "req",
                    "-x509",
                    "-newkey",
                    "ec",
                    "-pkeyopt",
                    "ec_paramgen_curve:P-256",
                ),
                *("-nodes", "-days", "2", "-subj", f"/CN={name}"),
                *("-keyout", str(pair.key), "-out", str(pair.certificate), *more),
            ],
            check=False,
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stderr
        pair.key.chmod(0o600)
        return pair
