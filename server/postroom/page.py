"""Pages and cursors of lists."""

import base64
import hashlib
import hmac
from dataclasses import dataclass

from postroom.errors import CursorInvalid

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
MAX_BYTES = 3 * 1024 * 1024
_MAC_BYTES = 16
_NUMBER_BYTES = 8


def page_limit(asked: int) -> int:
    """The rows of a page: the default for 0, never more than the most allowed."""
    return min(asked, MAX_LIMIT) if asked else DEFAULT_LIMIT


@dataclass(frozen=True, slots=True)
class Cursors:
    """Writes and reads the cursors of one post room.

    A cursor is the number of the last row shown, signed together with what it is
    a cursor of (caller, list and filters), so that it fits nowhere else. The key
    is kept in the database: servers that share it agree.
    """

    key: bytes

    def write(self, number: int, *scope: str) -> str:
        """Make the cursor of the page that ends with row `number`."""
        packed = number.to_bytes(_NUMBER_BYTES, "big")
        return base64.urlsafe_b64encode(packed + self._sign(packed, scope)).decode().rstrip("=")

    def read(self, cursor: str, *scope: str, field: str = "pagination.cursor") -> int | None:
        """Return the row that a cursor names, None for the empty one.

        Raises CursorInvalid for a forged, damaged or foreign cursor.
        """
        if not cursor:
            return None
        packed = _unpack(cursor, field)
        number, mac = packed[:_NUMBER_BYTES], packed[_NUMBER_BYTES:]
        if not hmac.compare_digest(mac, self._sign(number, scope)):
            raise CursorInvalid(field)
        return int.from_bytes(number, "big")

    def _sign(self, packed: bytes, scope: tuple[str, ...]) -> bytes:
        bound = packed + "\0".join(scope).encode()
        return hashlib.blake2b(bound, key=self.key, digest_size=_MAC_BYTES).digest()


def _unpack(cursor: str, field: str) -> bytes:
    padded = cursor + "=" * (-len(cursor) % 4)
    try:
        packed = base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True)
    except ValueError:
        raise CursorInvalid(field) from None
    # A second spelling of the same bytes is no cursor that was ever given out.
    if base64.urlsafe_b64encode(packed).decode().rstrip("=") != cursor:
        raise CursorInvalid(field)
    return packed
