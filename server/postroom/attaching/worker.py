"""The process that converts one image: python -I -m postroom.attaching.worker webp|keep.

Takes the file on standard input. Answers with one byte once it is ready, then a line
of JSON and, if that tells of no failure, the image. Whatever a decoder can be talked
into happens here: with bounded memory and processor time, without the server's
environment, and without the means to open a file or a connection.
"""

import json
import resource
import sys
from collections.abc import Mapping

from postroom.attaching import bounds
from postroom.attaching.failures import Failure, Unusable

READY = b"+"
# Standard input, output and error are all that a worker ever holds.
_OPEN_FILES = 3


def main() -> None:
    """Convert what comes, and end."""
    _bound()
    from postroom.attaching import convert

    convert.prepare()
    _lock_in()
    _write(READY)
    data = sys.stdin.buffer.read()
    try:
        found = convert.converted(data, keep=sys.argv[1] == "keep")
    except Unusable as unusable:
        _answer({"failure": unusable.failure})
    except MemoryError:
        _answer({"failure": Failure.TOO_COSTLY})
    else:
        facts = {"media_type": found.media_type, "width": found.width, "height": found.height}
        _answer(facts)
        _write(found.data)


def _bound() -> None:
    seconds = bounds.PROCESSOR_SECONDS
    # The second figure cannot be raised again; processor time ends the process at the first.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    # Elsewhere the kernel counts what is mapped differently, or refuses the figure.
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (bounds.MEMORY_BYTES, bounds.MEMORY_BYTES))


def _lock_in() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def _answer(facts: Mapping[str, object]) -> None:
    _write(json.dumps(facts).encode() + b"\n")


def _write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
