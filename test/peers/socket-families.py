"""Runs a program that may open sockets of the named address families only, like systemd's RestrictAddressFamilies.

    python3 socket-families.py AF_INET,AF_UNIX PROGRAM [ARGUMENT...]
"""

import ctypes
import errno
import os
import platform
import socket
import struct
import sys

LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EAFNOSUPPORT
NUMBER, FIRST_ARGUMENT = 0, 16
SOCKET_CALL = {"x86_64": 41, "aarch64": 198}[platform.machine()]
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2

families = [getattr(socket, name) for name in sys.argv[1].split(",")]
lines = [
    (LOAD, 0, 0, NUMBER),
    (EQUAL, 0, len(families) + 2, SOCKET_CALL),
    (LOAD, 0, 0, FIRST_ARGUMENT),
    *((EQUAL, len(families) - n, 0, family) for n, family in enumerate(families)),
    (RETURN, 0, 0, REFUSE),
    (RETURN, 0, 0, ALLOW),
]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
program = struct.pack("HxxxxxxP", len(lines), ctypes.addressof(code))

libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0 or libc.prctl(SECCOMP, FILTER, program, 0, 0) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[2], sys.argv[2:])
