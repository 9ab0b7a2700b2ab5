"""Opening a file below a folder so that no name can lead elsewhere (security.md, 6.4).

The kernel walks the path below the folder's descriptor and refuses links of any kind on
the way. Where it cannot, each component is opened by itself without following links.
"""

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Sequence

# From linux/openat2.h; the number is the same on every architecture named.
_NUMBER = 437
_ARCHITECTURES = ("x86_64", "aarch64", "riscv64", "ppc64le", "s390x")
_NO_MAGIC_LINKS, _NO_LINKS, _BENEATH = 0x02, 0x04, 0x08
_RESOLVE = _NO_MAGIC_LINKS | _NO_LINKS | _BENEATH
# Not known to this kernel, or not let through by a container's filter.
_MISSING = (errno.ENOSYS, errno.EPERM)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe or a device must not keep the caller waiting.
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC


class _How(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


def opened(folder: int, components: Sequence[str]) -> int:
    """A descriptor of the file. Raises OSError, above all for any link on the way."""
    if sys.platform == "linux" and platform.machine() in _ARCHITECTURES:
        try:
            return by_kernel(folder, components)
        except OSError as error:
            if error.errno not in _MISSING:
                raise
    return by_steps(folder, components)


def by_kernel(folder: int, components: Sequence[str]) -> int:
    """With openat2."""
    how = _How(_FILE, 0, _RESOLVE)
    path = os.fsencode("/".join(components))
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    found = call(
        ctypes.c_long(_NUMBER),
        ctypes.c_int(folder),
        ctypes.c_char_p(path),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(found)


def by_steps(folder: int, components: Sequence[str]) -> int:
    """With openat, one component at a time."""
    *folders, name = components
    at = os.dup(folder)
    try:
        for each in folders:
            below = os.open(each, _FOLDER, dir_fd=at)
            os.close(at)
            at = below
        return os.open(name, _FILE, dir_fd=at)
    finally:
        os.close(at)
